// SPDX-License-Identifier: BSD-3-Clause
#include "frame.h"

#include "dataplane/queueing/ecn.h"

void
frame_template_init(struct frame_template *t, bool ip6, const uint8_t *mac,
		    const uint8_t *gateway_mac, const uint8_t *ip)
{
	uint8_t *header = t->headers + FRAME_ETHERNET_BYTES;
	uint32_t ip_bytes = ip6 ? FRAME_IP6_BYTES : FRAME_IP4_BYTES;
	uint8_t *udp = header + ip_bytes;

	*t = (struct frame_template){{0}};
	memcpy(t->headers, gateway_mac, 6);
	memcpy(t->headers + 6, mac, 6);
	if (ip6) {
		memcpy(t->headers + 12, (uint8_t[2]){0x86, 0xdd}, 2);
		header[0] = 0x60;
		header[6] = FRAME_PROTOCOL_UDP;
		header[7] = FRAME_TTL;
		memcpy(header + 8, ip, 16);
	} else {
		memcpy(t->headers + 12, (uint8_t[2]){0x08, 0x00}, 2);
		header[0] = 0x45;
		header[6] = 0x40; // DF
		header[8] = FRAME_TTL;
		header[9] = FRAME_PROTOCOL_UDP;
		memcpy(header + 12, ip, 4);
	}
	udp[2] = ROCE_UDP_PORT >> 8;
	udp[3] = ROCE_UDP_PORT & 0xff;
}

void
frame_template_init_infiniband(struct frame_template *t, uint16_t lid, uint16_t pkey)
{
	struct ib_lrh *lrh = (struct ib_lrh *)t->headers;

	*t = (struct frame_template){{0}};
	lrh->sl_next = IB_NEXT_BTH;
	lrh->slid[0] = lid >> 8;
	lrh->slid[1] = lid & 0xff;
	t->headers[IB_LRH_BYTES] = pkey >> 8;
	t->headers[IB_LRH_BYTES + 1] = pkey & 0xff;
}

void
frame_address_init(struct frame_address *a, const struct frame_template *t)
{
	uint8_t ip[FRAME_IP4_BYTES];

	if (a->network == FRAME_INFINIBAND)
		memcpy(a->peer_ip + 2, t->headers + IB_LRH_BYTES, 2);
	if (a->network != FRAME_IP4)
		return;
	memcpy(ip, t->headers + FRAME_ETHERNET_BYTES, sizeof(ip));
	ip[1] = a->traffic_class;
	memcpy(ip + 16, a->peer_ip, 4);
	a->sum = (uint16_t)~checksum_ipv4_header(ip, sizeof(ip)); // its length and ID are 0
}

struct rte_mbuf *
frame_make_ack(struct packet_pool *packets, const struct frame_template *t, struct frame_address *a,
	       uint32_t wire_bytes, uint32_t psn, uint8_t syndrome, uint32_t msn)
{
	struct rte_mbuf *m = packet_alloc(packets);
	uint8_t *bth;

	if (unlikely(m == NULL))
		return NULL;
	frame_start(m, t, a, PACKET_NO_PAYLOAD | PACKET_ROCE, FRAME_ACK_BEHIND_UDP,
		    sizeof(struct roce_bth) + sizeof(struct roce_aeth), wire_bytes, &bth);
	frame_put_bth(bth, ROCE_OP_ACK, 0, a, false, psn);
	roce_aeth_init((struct roce_aeth *)(bth + sizeof(struct roce_bth)), syndrome, msn);
	packet_meta(m)->opcode = ROCE_OP_ACK;
	return m;
}

struct rte_mbuf *
frame_make_request(struct packet_pool *packets, const struct frame_template *t,
		   struct frame_address *a, uint32_t wire_bytes, uint32_t psn, uint64_t va,
		   uint32_t bytes)
{
	struct rte_mbuf *m = packet_alloc(packets);
	uint8_t *bth;

	if (unlikely(m == NULL))
		return NULL;
	frame_start(m, t, a, PACKET_NO_PAYLOAD | PACKET_ROCE, FRAME_REQUEST_BEHIND_UDP,
		    sizeof(struct roce_bth) + sizeof(struct roce_reth), wire_bytes, &bth);
	frame_put_bth(bth, ROCE_OP_READ_REQUEST, 0, a, true, psn);
	roce_reth_init((struct roce_reth *)(bth + sizeof(struct roce_bth)), va, a->peer_qpn, bytes);
	packet_meta(m)->opcode = ROCE_OP_READ_REQUEST;
	return m;
}

struct rte_mbuf *
frame_make_cnp(struct packet_pool *packets, const struct frame_template *t, struct frame_address *a,
	       uint8_t dscp, uint8_t priority, uint8_t tc)
{
	struct rte_mbuf *m = packet_alloc(packets);
	struct frame_address cnp = *a;
	uint8_t *bth;

	if (unlikely(m == NULL))
		return NULL;
	cnp.traffic_class = (uint8_t)(dscp << 2 | ECN_NOT_ECT);
	cnp.priority = priority;
	cnp.tc = tc;
	frame_address_init(&cnp, t);
	frame_start(m, t, &cnp, PACKET_NO_PAYLOAD | PACKET_ROCE, FRAME_CNP_BEHIND_UDP,
		    sizeof(struct roce_bth) + sizeof(struct roce_cnp),
		    frame_bytes(a->network, FRAME_CNP_BEHIND_UDP), &bth);
	a->ip_id = cnp.ip_id;
	roce_cnp_init((struct roce_bth *)bth, (struct roce_cnp *)(bth + sizeof(struct roce_bth)),
		      a->peer_qpn);
	((struct roce_bth *)bth)->pkey[0] = (uint8_t)(frame_pkey(a) >> 8);
	((struct roce_bth *)bth)->pkey[1] = (uint8_t)frame_pkey(a);
	packet_meta(m)->opcode = ROCE_OP_CNP;
	return m;
}
