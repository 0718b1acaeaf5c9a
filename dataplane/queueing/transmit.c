// SPDX-License-Identifier: BSD-3-Clause
#include "transmit.h"

#include "dataplane/base/headers.h"

void
port_drop_begun(struct node *n, struct port *p, struct rte_mbuf *m, enum drop_reason reason,
		ps_t now)
{
	if (p->pfc_last == m)
		p->pfc_last = NULL; // what else changes at this instant makes a frame of its own
	node_drop(n, m, reason, now);
}

static bool
fault_hits(struct node *n, uint32_t probability)
{
	return probability != 0 && random_u32(&n->random) < probability;
}

// Corrupts a packet behind its BTH, where only who checks the ICRC sees it. What is there is
// changed; of payload that is not, the flag tells.
static void
corrupt_payload_of(struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);
	uint8_t *data = packet_data(m);
	uint32_t udp = meta->flags & PACKET_TUNNEL ? meta->inner_l4_off : meta->l4_off;

	if (!(meta->flags & PACKET_ROCE))
		return;
	meta->flags |= PACKET_BAD_PAYLOAD;
	if (!(meta->flags & PACKET_NO_PAYLOAD)) {
		uint32_t last = meta->flags & PACKET_INFINIBAND
					? meta->wire_bytes - 1u
					: udp + header_get16(data + udp + 4) - 1u;

		if (last < meta->data_len)
			data[last] ^= 0x01; // of the ICRC
	}
}

bool
port_lose(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	struct wire *w = p->out;
	struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m);
	uint32_t l3_off = meta->l3_off; // of a tunnel the packet inside
	enum drop_reason reason = DROP_LINK_FAULT;
	bool lost = fault_hits(n, w->loss);

	if (meta->flags & PACKET_TUNNEL && meta->inner_l3_off != 0)
		l3_off = meta->inner_l3_off;
	if (w->drop_ip_id_low >= 0 && header_get16(data + l3_off - 2) == HEADER_TYPE_IP4 &&
	    meta->data_len >= l3_off + 6 && data[l3_off + 5] == w->drop_ip_id_low)
		lost = true;
	if (w->down) {
		lost = true;
		reason = DROP_LINK_DOWN;
	}
	if (!lost) {
		if (fault_hits(n, w->corrupt))
			meta->flags |= PACKET_BAD_FCS;
		if (fault_hits(n, w->corrupt_payload))
			corrupt_payload_of(m);
		return false;
	}
	port_drop_begun(n, p, m, reason, now);
	return true;
}

void
port_show_sent(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now, ps_t left)
{
	if (n->tap->sent == NULL)
		return;
	if (p->pfc_last_left != 0 && p->pfc_last_at < now)
		node_show_pfc(n, p);
	if (m == p->pfc_last && p->pfc_last_at == now)
		p->pfc_last_left = left; // it may still gain priorities: shown behind this instant
	else
		n->tap->sent(n->tap->context, n, p, m, left);
}
