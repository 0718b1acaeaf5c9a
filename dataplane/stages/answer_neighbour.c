// SPDX-License-Identifier: BSD-3-Clause
// ARP (RFC 826) and neighbour discovery (RFC 4861) as the one who is asked. Nothing is learned: a
// switch knows its hosts from the file. So what a host announces (gratuitous ARP, advertisements)
// changes nothing.
#include "answer.h"

#include "dataplane/base/checksum.h"

#define ARP_BYTES 28u
#define ARP_REQUEST 1
#define ARP_REPLY 2
#define ARP_SENDER_MAC 8
#define ARP_SENDER 14
#define ARP_TARGET_MAC 18
#define ARP_TARGET 24

#define ND_HOP_LIMIT 255
#define ND_MESSAGE_BYTES 24u // without options
#define ND_OPTION_BYTES 8u   // a link-layer address
#define ND_TARGET 8
#define ND_TARGET_ADDRESS 2
#define ND_ROUTER 0x80
#define ND_SOLICITED 0x40
#define ND_OVERRIDE 0x20

static bool
is_arp(const uint8_t *arp)
{
	static const uint8_t ethernet_ip4[6] = {0, 1, 0x08, 0x00, 6, 4};

	return memcmp(arp, ethernet_ip4, sizeof(ethernet_ip4)) == 0;
}

static struct rte_mbuf *
make_arp_reply(struct node *n, struct port *in, struct rte_mbuf *m, const uint8_t *request)
{
	static const uint8_t head[8] = {0, 1, 0x08, 0x00, 6, 4, 0, ARP_REPLY};
	const uint8_t *mac = n->current->ports[in->index].mac;
	struct rte_mbuf *reply = answer_start(n, in, m, PACKET_FRAME_MIN);
	uint8_t *frame, *arp;

	if (reply == NULL)
		return NULL;
	frame = packet_data(reply);
	arp = frame + HEADER_ETHERNET_BYTES;
	memset(frame, 0, PACKET_FRAME_MIN);
	memcpy(frame, request + ARP_SENDER_MAC, 6);
	memcpy(frame + 6, mac, 6);
	header_put16(frame + 12, HEADER_TYPE_ARP);
	memcpy(arp, head, sizeof(head));
	memcpy(arp + ARP_SENDER_MAC, mac, 6);
	memcpy(arp + ARP_SENDER, request + ARP_TARGET, 4);
	memcpy(arp + ARP_TARGET_MAC, request + ARP_SENDER_MAC, 6);
	memcpy(arp + ARP_TARGET, request + ARP_SENDER, 4);
	packet_meta(reply)->dscp = ANSWER_DSCP_ERROR;
	return reply;
}

int
answer_arp(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, answer_owns_fn *owns,
	   const void *context, struct answer *out)
{
	static const uint8_t nobody[4];
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *arp = packet_data(m) + meta->l3_off;
	struct answer_owner owner;
	bool probe;

	if (meta->l3_off + ARP_BYTES > meta->data_len || header_get16(arp - 2) != HEADER_TYPE_ARP ||
	    !is_arp(arp))
		return verdict;
	if (header_get16(arp + 6) != ARP_REQUEST ||
	    memcmp(arp + ARP_SENDER, arp + ARP_TARGET, 4) == 0)
		return STAGE_CONSUMED;                    // a reply or an announcement: heard
	probe = memcmp(arp + ARP_SENDER, nobody, 4) == 0; // RFC 5227
	owner = owns(context, false, arp + ARP_TARGET);
	if ((!owner.own && (!owner.proxy || probe)) || arp[ARP_SENDER_MAC] & 1)
		return DROP_TO_SWITCH;
	out->on_link = true;
	out->packet = make_arp_reply(n, in, m, arp);
	if (out->packet != NULL)
		in->answers[ANSWER_ARP_REPLY]++;
	return STAGE_CONSUMED;
}

// The validity of RFC 4861 section 7.1.1; options of no length are bad, others do not matter.
static bool
is_solicitation(const struct answer_question *q)
{
	const uint8_t *nd = q->ip + q->l4;
	uint32_t at = ND_MESSAGE_BYTES, bytes = q->bytes - q->l4;

	if (!q->ip6 || q->protocol != HEADER_PROTOCOL_ICMP6 || q->l4 != HEADER_IP6_BYTES ||
	    q->bytes != q->length || bytes < ND_MESSAGE_BYTES || nd[0] != ICMP6_SOLICITATION ||
	    nd[1] != 0 || q->ip[7] != ND_HOP_LIMIT || nd[ND_TARGET] == 0xff ||
	    answer_icmp6_checksum(q->ip, nd, bytes) != 0)
		return false;
	while (at + ND_OPTION_BYTES <= bytes && nd[at + 1] != 0)
		at += nd[at + 1] * 8u;
	return at == bytes;
}

// To the one who asks or, where an address is only about to be used, to all nodes.
static void
put_advertisement_ip(uint8_t *frame, const struct answer_question *q, const uint8_t *source,
		     bool to_all)
{
	static const uint8_t all_mac[6] = {0x33, 0x33, 0, 0, 0, 1};
	static const uint8_t all[16] = {0xff, 0x02, [15] = 1};
	uint8_t *ip = frame + HEADER_ETHERNET_BYTES;

	memcpy(frame, to_all ? all_mac : q->mac + 6, 6);
	header_put16(frame + 12, HEADER_TYPE_IP6);
	ip[0] = 0x60 | ANSWER_DSCP_ERROR >> 2;
	ip[1] = (uint8_t)(ANSWER_DSCP_ERROR << 6);
	header_put16(ip + 4, ND_MESSAGE_BYTES + ND_OPTION_BYTES);
	ip[6] = HEADER_PROTOCOL_ICMP6;
	ip[7] = ND_HOP_LIMIT;
	memcpy(ip + 8, source, 16);
	memcpy(ip + 24, to_all ? all : q->ip + 8, 16);
}

static struct rte_mbuf *
make_advertisement(struct node *n, struct port *in, struct rte_mbuf *m,
		   const struct answer_question *q, bool proxy)
{
	static const uint8_t unspecified[16];
	const uint32_t bytes = HEADER_ETHERNET_BYTES + HEADER_IP6_BYTES + ND_MESSAGE_BYTES +
			       ND_OPTION_BYTES;
	const uint8_t *mac = n->current->ports[in->index].mac;
	const uint8_t *target = q->ip + q->l4 + ND_TARGET;
	const bool to_all = memcmp(q->ip + 8, unspecified, 16) == 0;
	struct rte_mbuf *reply = answer_start(n, in, m, bytes);
	struct packet_meta *meta;
	uint16_t checksum;
	uint8_t *ip, *nd;

	if (reply == NULL)
		return NULL;
	meta = packet_meta(reply);
	ip = packet_data(reply) + HEADER_ETHERNET_BYTES;
	nd = ip + HEADER_IP6_BYTES;
	memset(packet_data(reply), 0, bytes);
	memcpy(packet_data(reply) + 6, mac, 6);
	// The address of the one who speaks, be it not that which it speaks for.
	put_advertisement_ip(packet_data(reply), q,
			     proxy ? n->current->answers.link_local[in->index] : target, to_all);
	nd[0] = ICMP6_ADVERTISEMENT;
	nd[4] = (uint8_t)((n->role == NODE_NIC ? 0 : ND_ROUTER) | (to_all ? 0 : ND_SOLICITED) |
			  (proxy ? 0 : ND_OVERRIDE));
	memcpy(nd + ND_TARGET, target, 16);
	nd[ND_MESSAGE_BYTES] = ND_TARGET_ADDRESS;
	nd[ND_MESSAGE_BYTES + 1] = 1;
	memcpy(nd + ND_MESSAGE_BYTES + 2, mac, 6);
	checksum = answer_icmp6_checksum(ip, nd, ND_MESSAGE_BYTES + ND_OPTION_BYTES);
	memcpy(nd + 2, &checksum, sizeof(checksum));
	meta->flags = PACKET_IPV6;
	meta->l4_off = HEADER_ETHERNET_BYTES + HEADER_IP6_BYTES;
	meta->ip_proto = HEADER_PROTOCOL_ICMP6;
	meta->dscp = ANSWER_DSCP_ERROR;
	return reply;
}

int
answer_solicitation(struct node *n, struct port *in, struct rte_mbuf *m, int verdict,
		    answer_owns_fn *owns, const void *context, struct answer *out)
{
	static const uint8_t unspecified[16];
	struct answer_question q;
	struct answer_owner owner;

	if (!answer_look(m, &q) || !is_solicitation(&q) || q.ip[8] == 0xff)
		return verdict;
	owner = owns(context, true, q.ip + q.l4 + ND_TARGET);
	if (!owner.own && (!owner.proxy || memcmp(q.ip + 8, unspecified, 16) == 0))
		return DROP_TO_SWITCH;
	out->on_link = true;
	out->packet = make_advertisement(n, in, m, &q, !owner.own);
	if (out->packet != NULL)
		in->answers[ANSWER_NEIGHBOUR_ADVERTISEMENT]++;
	return STAGE_CONSUMED;
}
