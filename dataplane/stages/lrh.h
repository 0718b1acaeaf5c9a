// SPDX-License-Identifier: BSD-3-Clause
// lrh: the local route header of an InfiniBand packet, its GRH and BTH (IBTA volume 1, section
// 7.7). Checks what a link receiver checks (section 7.3), and copies what later stages decide by
// into the metadata. FECN takes the place of ECN: every packet may be marked.
//
// Pause frames are Ethernet's: they pass to control_frames as they are.
#pragma once

#include "control_frames.h"
#include "dataplane/base/ib_headers.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/queueing/ecn.h"
#include "stage.h"

// The BTH, behind `before` bytes of LRH and GRH; as RoCEv2's behind UDP.
static __rte_always_inline int
lrh_parse_bth(struct packet_meta *meta, const uint8_t *data, uint32_t before)
{
	const struct roce_bth *bth = (const struct roce_bth *)(data + before);

	if (unlikely(meta->wire_bytes < before + (uint32_t)sizeof(*bth) + IB_ICRC_BYTES &&
		     !(meta->flags & PACKET_NO_PAYLOAD)))
		return DROP_MALFORMED;
	if (unlikely(before + sizeof(*bth) > meta->data_len))
		return DROP_TRUNCATED;
	meta->l4_off = (uint8_t)(before - IB_LRH_BYTES);
	meta->flags |= PACKET_ROCE;
	meta->opcode = bth->opcode;
	meta->ecn = roce_bth_fecn(bth) ? ECN_CE : ECN_ECT0;
	return STAGE_NEXT;
}

// A NIC's own packets may be smaller on the wire than they are, where the file gives them a size.
static __rte_always_inline int
lrh_parse(struct packet_meta *meta, const uint8_t *data)
{
	const struct ib_lrh *lrh = (const struct ib_lrh *)data;
	unsigned int vl, next;

	if (unlikely(meta->data_len < IB_LRH_BYTES))
		return DROP_RUNT;
	vl = ib_lrh_vl(lrh);
	meta->priority = ib_lrh_sl(lrh) & (PRIORITIES - 1); // above, lane drops it
	next = lrh->sl_next & 3;
	if (unlikely(lrh->vl_version & 0x0f))
		return DROP_LRH_VERSION;
	if (unlikely(vl >= IB_VLS))
		return vl == IB_VL_MANAGEMENT ? DROP_VL15 : DROP_VIRTUAL_LANE;
	if (unlikely(!(meta->flags & PACKET_NO_PAYLOAD) && ib_lrh_bytes(lrh) != meta->wire_bytes))
		return DROP_LRH_LENGTH;
	if (unlikely(ib_lrh_dlid(lrh) >= IB_LID_MULTICAST))
		return DROP_MULTICAST;
	if (unlikely(next < IB_NEXT_BTH))
		return DROP_RAW_PACKET;
	return lrh_parse_bth(meta, data,
			     next == IB_NEXT_BTH ? IB_LRH_BYTES : IB_LRH_BYTES + IB_GRH_BYTES);
}

static __rte_always_inline int
stage_lrh(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	struct packet_meta *meta = packet_meta(m);

	if (unlikely(!(meta->flags & PACKET_INFINIBAND)))
		return control_frames_receive(n, in, m, now);
	meta->flags &= PACKET_ENDURING;
	meta->l3_off = 0;
	meta->ip_proto = 0;
	meta->dscp = 0;
	return lrh_parse(meta, packet_data(m));
}
