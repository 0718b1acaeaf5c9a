// SPDX-License-Identifier: BSD-3-Clause
// control_frames: what ends at the MAC. PFC (802.3 annex 31D) or 802.3x pause (annex 31B) is
// obeyed, whichever is the port's flow control, the other counted, congestion notices are noted
// (notice.h), LLDP and BFD go to the control plane (base/punt.h), and nothing to a reserved address
// passes on; then the filter of unicast frames for other MACs.
#pragma once

#include "dataplane/queueing/pause.h"
#include "stage.h"
#include "dataplane/base/headers.h"

enum control_opcode { CONTROL_PAUSE = 0x0001, CONTROL_PFC = 0x0101 };

// Cold: a frame to a reserved address.
int control_frames_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

static __rte_always_inline int
stage_control_frames(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const uint8_t *data = packet_data(m);
	const uint8_t *mac = n->current->ports[in->index].mac;

	if (likely(mac_equal(data, mac)))
		return unlikely(mac_equal(data + 6, mac)) ? DROP_LOOPED : STAGE_NEXT;
	if (header_reserved_address(data))
		return control_frames_receive(n, in, m, now);
	if (mac_equal(data + 6, mac))
		return DROP_LOOPED;
	return data[0] & 1 ? DROP_MULTICAST : DROP_WRONG_MAC;
}
