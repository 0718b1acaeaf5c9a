// SPDX-License-Identifier: BSD-3-Clause
// Priority flow control sent: a lossless group that outgrows its own space sends XOFF, again before that
// runs out, and XON when it has drained (802.1Q clause 36, 802.3 annex 31D). See pfc.c.
#pragma once

#include "../node.h"

// The group's own space did not take a packet: sends XOFF unless that has been done.
void pfc_xoff(struct node *n, struct port *p, unsigned int pg, ps_t now);

// The group has drained: sends XON.
void pfc_xon(struct node *n, struct port *p, unsigned int pg, ps_t now);

// Sends the XOFFs that are due again and returns when the next is.
ps_t pfc_refresh(struct node *n, ps_t now);

// The port's link came up: whoever is behind it has heard of no XOFF.
void pfc_tell_again(struct node *n, struct port *p, ps_t now);

// New tables are in force: sends the XONs that they make due.
void pfc_adopt(struct node *n, struct port *p, ps_t now);

// The first PFC frame that waits for the port's transmitter.
struct rte_mbuf *pfc_take_waiting(struct port *p);
