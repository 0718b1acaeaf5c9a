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

static bool
matches_ip_id(const struct wire *w, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m);
	uint32_t l3_off = meta->l3_off; // of a tunnel the packet inside

	if (w->drop_ip_id_low < 0)
		return false;
	if (meta->flags & PACKET_TUNNEL && meta->inner_l3_off != 0)
		l3_off = meta->inner_l3_off;
	return header_get16(data + l3_off - 2) == HEADER_TYPE_IP4 && meta->data_len >= l3_off + 6 &&
	       data[l3_off + 5] == w->drop_ip_id_low;
}

enum port_fate
port_draw_fate(struct node *n, struct port *p, struct rte_mbuf *m, uint32_t bits)
{
	struct wire *w = p->out;
	bool lost = fault_hits(n, w->loss), corrupted;

	if (lost || w->down || (m != NULL && matches_ip_id(w, m)))
		return PORT_FATE_LOST;
	corrupted = fault_hits(n, w->corrupt);
	if (w->bit_errors != 0 &&
	    random_next(&n->random) < wire_error_probability(w->bit_errors, bits))
		corrupted = true;
	return corrupted ? PORT_FATE_CORRUPTED : PORT_FATE_GOOD;
}

void
port_corrupt_payload(struct node *n, struct port *p, struct rte_mbuf *m)
{
	if (fault_hits(n, p->out->corrupt_payload))
		corrupt_payload_of(m);
}

bool
port_lose_bits(struct node *n, struct port *p, struct rte_mbuf *m, uint32_t bits, ps_t now)
{
	switch (port_draw_fate(n, p, m, bits)) {
	case PORT_FATE_LOST:
		port_drop_begun(n, p, m, p->out->down ? DROP_LINK_DOWN : DROP_LINK_FAULT, now);
		return true;
	case PORT_FATE_CORRUPTED:
		packet_meta(m)->flags |= PACKET_BAD_FCS;
		break;
	default:
		break;
	}
	port_corrupt_payload(n, p, m);
	return false;
}

bool
port_lose(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	return port_lose_bits(n, p, m, 8 * (packet_meta(m)->wire_bytes + p->profile->fcs), now);
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
