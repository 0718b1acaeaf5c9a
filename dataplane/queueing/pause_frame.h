// SPDX-License-Identifier: BSD-3-Clause
// The frames by which a port pauses the far side: PFC (802.3 annex 31D), a value for each of some
// priorities, and 802.3x pause (annex 31B), one for the link. See pause_frame.c.
#pragma once

#include "dataplane/base/node.h"

// A frame of MAC control of the port, of the least size and zeros behind its opcode; NULL: there is
// no memory.
struct rte_mbuf *pause_frame_make(struct node *n, const struct port *p, uint16_t opcode);

// Sends a PFC frame that pauses (or, quanta 0, resumes) these priorities. Returns those of them
// whose value replaced one in a frame that still waits to be sent. A port that is down sends
// nothing.
uint8_t pause_frame_send_pfc(struct node *n, struct port *p, uint8_t priorities, uint16_t quanta,
			     ps_t now);

// Sends an 802.3x pause frame. Returns true when its value replaced that of a frame that still
// waits to be sent.
bool pause_frame_send_link(struct node *n, struct port *p, uint16_t quanta, ps_t now);

// Sends another frame that ends at the far MAC, as those above are sent: ahead of every queue,
// never paused, never charged. The port is up.
void pause_frame_send_other(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now);

// The first frame that waits for the port's transmitter, taken out.
struct rte_mbuf *pause_frame_take(struct port *p);
