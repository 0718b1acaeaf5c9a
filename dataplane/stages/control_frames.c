// SPDX-License-Identifier: BSD-3-Clause
#include "control_frames.h"

#include "notice.h"
#include "dataplane/base/punt.h"
#include "dataplane/queueing/credit_frame.h"
#include "dataplane/queueing/credit_link.h"

// Destination 01:80:c2:00:00:01, opcode, enable vector, eight quanta: 34 bytes of the 60.
#define CONTROL_PFC_BYTES 34
#define CONTROL_PAUSE_BYTES 18
#define CONTROL_LLDP_ADDRESS_LAST 0x0e // 01:80:c2:00:00:0e: the nearest bridge

static int
control_frames_pfc(struct node *n, struct port *in, const uint8_t *data, uint32_t length, ps_t now)
{
	uint16_t quanta[PRIORITIES];

	if (length < CONTROL_PFC_BYTES)
		return DROP_TRUNCATED;
	for (unsigned int i = 0; i < PRIORITIES; i++)
		quanta[i] = header_get16(data + 18 + 2 * i);
	pause_receive(n, in, data[17], quanta, now);
	return STAGE_CONSUMED;
}

int
control_frames_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const uint8_t *data = packet_data(m);
	uint32_t length = packet_meta(m)->data_len;
	// Unicast on the wire: the XDP program gave it this address.
	const bool is_bfd = data[5] == PUNT_BFD_ADDRESS_LAST && n->bfd_punt != NULL;
	int verdict = DROP_RESERVED_ADDRESS;

	if (data[5] == 0x01 && length >= 16 && header_get16(data + 12) == HEADER_TYPE_MAC_CONTROL) {
		uint16_t opcode = header_get16(data + 14);

		if (opcode == CONTROL_PFC) {
			verdict = control_frames_pfc(n, in, data, length, now);
		} else if (opcode == CONTROL_PAUSE && length >= CONTROL_PAUSE_BYTES) {
			pause_receive_link(n, in, header_get16(data + 16), now);
			verdict = STAGE_CONSUMED;
		} else if (opcode == CREDIT_FRAME_OPCODE && in->credits != NULL) {
			verdict = credit_link_receive(n, in, m, now) ? STAGE_CONSUMED
								     : DROP_BAD_CREDIT;
		}
	}
	if (data[5] == NOTICE_ADDRESS_LAST && length >= 14 &&
	    header_get16(data + 12) == NOTICE_ETHERTYPE)
		verdict = notice_receive(n, in, m, now);
	if (data[5] == CONTROL_LLDP_ADDRESS_LAST && length >= HEADER_ETHERNET_BYTES &&
	    header_get16(data + 12) == HEADER_TYPE_LLDP && n->punt != NULL)
		verdict = punt_put(n->punt, in->index, data, length) ? STAGE_CONSUMED
								     : DROP_CONTROL_PLANE;
	if (is_bfd)
		verdict = punt_put(n->bfd_punt, in->index, data, length) ? STAGE_CONSUMED
									 : DROP_CONTROL_PLANE;
	if (verdict == STAGE_CONSUMED) {
		in->control_rx++;
		in->rx_multicast += !is_bfd;
		packet_free(n->packets, m);
	}
	return verdict;
}
