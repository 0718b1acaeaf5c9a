// SPDX-License-Identifier: BSD-3-Clause
// What a switch answers, and when it stays silent.
//
// - An answer is a packet of its own, made at the instant at which the packet that it answers is
//   dropped, or found to be for the switch itself. It is routed in the VRF of that packet, queued
//   in the priority of its DSCP, charged to the buffer as if it had come in by the same port, and
//   counted. What came with a tunnel is answered to the source inside.
// - The switch's own addresses are its loopbacks, in every VRF; and at ports of hosts the gateway's
//   and the port's link-local address, which answer by that port alone, whatever routes say.
// - ICMP errors come from the loopback, with CS6 (RFC 1812 section 4.3.2.5), and quote the packet
//   up to 576 bytes of IPv4 and 1280 of IPv6 in all. An echo reply has the address, the DSCP and
//   the data of the request; a fragmented one is not put together.
// - Where the addresses are Linux's (`netdev:`), the switch only sends errors about packets that it
//   would have forwarded, from the address of the interface by which the packet came. Linux looks
//   for a neighbour that is not known, so that is no error yet.
// - Packets are not fragmented. Fragmentation needed is sent whether DF is set or not, with the MTU
//   of the way out less what a tunnel adds.
// - Nothing is said about ICMP errors and redirects, fragments but the first, packets to or from an
//   address that is not a single host's, and frames to several (RFC 1812 section 4.3.2.7, RFC 4443
//   section 2.4 e): the latter have another reason to be dropped, and do not come here.
// - A token bucket in fabric time limits what is said of ICMP (RFC 1812 section 4.3.2.8, RFC 4443
//   section 2.4 f), in its form as a virtual schedule (GCRA): an answer may come `burst` before it
//   is due, and each moves that by an interval. Every port has one, and every VRF has one for what
//   came with a tunnel or a VLAN, so that no tenant uses up what others have.
#include "answer.h"

#include "dataplane/base/priority.h"
#include "dataplane/queueing/charge.h"
#include "parse.h"
#include "route.h"
#include "tunnel.h"

bool
answer_allowed(const struct answer_profile *a, ps_t *due, ps_t now)
{
	if (*due > now + a->burst)
		return false;
	*due = (*due > now ? *due : now) + a->interval;
	return true;
}

// The bucket of a packet that came in by `in`.
static ps_t *
bucket_of(struct node *n, struct port *in, const struct packet_meta *meta)
{
	return meta->vrf == n->current->ports[in->index].vrf ? &in->answer_due
							     : &n->answers_due[meta->vrf];
}

struct rte_mbuf *
answer_start(struct node *n, struct port *in, struct rte_mbuf *m, uint32_t length)
{
	const struct packet_meta *from = packet_meta(m);
	struct rte_mbuf *answer = packet_alloc_bytes(n->packets, length);
	struct packet_meta *meta;

	if (answer == NULL) {
		in->answers[ANSWER_SUPPRESSED]++;
		return NULL;
	}
	packet_init_frame(answer, 0, (uint16_t)length);
	meta = packet_meta(answer);
	meta->in_port = in->index;
	meta->out_port = in->index;
	meta->vrf = from->vrf;
	meta->tenant = from->tenant;
	meta->ip_proto = 0;
	meta->l4_off = 0;
	meta->pcp = 0;
	meta->ecn = 0;
	meta->encap = 0;
	meta->epoch = n->current->epoch;
	return answer;
}

// As stage_classify(), by the marks of the answer. With credits the group is that of the lane by
// which the question came.
static void
classify(struct node *n, const struct port *in, struct rte_mbuf *m, struct rte_mbuf *question)
{
	const unsigned int lane = packet_meta(question)->lane - (unsigned int)PACKET_LANE_FIRST;
	struct packet_meta *meta = packet_meta(m);

	meta->priority = priority_of_packet(in->profile, meta);
	meta->pg = n->current->priority_to_pg[meta->priority];
	meta->tc = n->current->priority_to_tc[meta->priority];
	if (n->current->credits != NULL)
		meta->pg = lane < PRIORITIES ? (uint8_t)lane : meta->tc;
	node_meet(n, meta->pg, meta->tc);
}

int
answer_admit(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	struct packet_meta *meta = packet_meta(m);

	if (!in->up || in->out == NULL)
		return DROP_NO_NEXT_HOP;
	meta->cells = tables_cells(n->current, meta->wire_bytes);
	meta->arrived = now;
	return charge_admit(n, in, in, m, now, n->variant);
}

// ---- what is routed -----------------------------------------------------------------------------

static bool
is_own(const struct tables *t, bool ip6, const uint8_t *address)
{
	return ip6 ? memcmp(address, t->answers.ip6, 16) == 0
		   : memcmp(address, t->answers.ip4, 4) == 0;
}

// The address that errors about packets from a port come from; NULL: there is none.
static const uint8_t *
source_of(const struct node *n, const struct port *in, bool ip6)
{
	static const uint8_t none[16];
	const struct answer_profile *a = &n->current->answers;
	const uint8_t *ip4 = a->ip4, *source = a->ip6;

	if (unlikely(n->answer_sources != NULL)) {
		ip4 = n->answer_sources[in->index].ip4;
		source = n->answer_sources[in->index].ip6;
	}
	if (!ip6)
		return ip4;
	return memcmp(source, none, sizeof(none)) != 0 ? source : NULL;
}

// Whether the packet's source can be answered, and the rate allows it; counts if not.
static bool
may_answer(struct node *n, struct port *in, const struct packet_meta *meta,
	   const struct answer_question *q, ps_t now)
{
	const struct tables *t = n->current;
	uint32_t group = route_find(&t->vrfs[meta->vrf], q->ip6, q->ip + (q->ip6 ? 8 : 12));

	if (group == LPM_NONE || t->groups[group].count == 0) {
		in->answers[ANSWER_NO_WAY_BACK]++;
		return false;
	}
	if (answer_allowed(&t->answers, bucket_of(n, in, meta), now))
		return true;
	in->answers[ANSWER_SUPPRESSED]++;
	return false;
}

static void
send_error(struct node *n, struct port *in, struct rte_mbuf *m, const struct answer_question *q,
	   const struct answer_error *e, struct answer *out)
{
	out->on_link = e->on_link;
	out->packet = answer_make_error(n, in, m, q, e);
	if (out->packet != NULL)
		in->answers[e->kind]++;
}

// A packet to an address of the switch, which may answer. Returns STAGE_CONSUMED for an echo
// request that is answered.
static int
take_own(struct node *n, struct port *in, struct rte_mbuf *m, const struct answer_question *q,
	 bool on_link, struct answer *out)
{
	struct answer_error e = {.kind = ANSWER_PROTOCOL_UNREACHABLE,
				 .source = q->ip + (q->ip6 ? 24 : 16),
				 .on_link = on_link};

	if (q->protocol == (q->ip6 ? HEADER_PROTOCOL_ICMP6 : HEADER_PROTOCOL_ICMP)) {
		out->on_link = on_link;
		out->packet = answer_make_echo(n, in, m, q, on_link);
		if (out->packet == NULL)
			return DROP_TO_SWITCH;
		in->answers[ANSWER_ECHO_REPLY]++;
		return STAGE_CONSUMED;
	}
	if (q->protocol == HEADER_PROTOCOL_UDP || q->protocol == HEADER_PROTOCOL_TCP)
		e.kind = ANSWER_PORT_UNREACHABLE;
	send_error(n, in, m, q, &e, out);
	return DROP_TO_SWITCH;
}

// Whether a packet to an address of the switch is an error about one of its own, which it hears.
static bool
is_heard(const struct answer_question *q)
{
	return !q->fragment && q->l4 + ANSWER_ICMP_BYTES <= q->bytes && answer_is_error(q);
}

// Whether a packet to an address of the switch is one that it answers.
static bool
is_answerable(const struct answer_question *q)
{
	if (q->fragment)
		return false;
	return q->protocol == (q->ip6 ? HEADER_PROTOCOL_ICMP6 : HEADER_PROTOCOL_ICMP)
		       ? answer_is_echo(q)
		       : true;
}

// Where the first next hop of a packet that has found none is a host's port, the host is what
// cannot be reached.
static enum answer_kind
kind_of_no_next_hop(const struct tables *t, const struct packet_meta *meta)
{
	const struct next_hop_group *group = &t->groups[meta->group];

	return group->count != 0 && t->ports[t->next_hops[group->first].port].edge
		       ? ANSWER_HOST_UNREACHABLE
		       : ANSWER_NET_UNREACHABLE;
}

static uint32_t
mtu_of(const struct node *n, const struct packet_meta *meta)
{
	uint32_t mtu = n->ports[meta->out_port].profile->mtu;

	if (!(n->variant & NODE_TUNNELS))
		return mtu;
	return tunnel_mtu(n->current, meta, mtu) - tunnel_ip_bytes(n->current, meta);
}

// A packet that has passed stage_classify().
static int
answer_routed(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now,
	      struct answer *out)
{
	const struct tables *t = n->current;
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;
	const bool ip6 = meta->flags & PACKET_IPV6;
	struct answer_error e = {.source = source_of(n, in, ip6)};
	struct answer_question q;

	if (verdict != DROP_MTU_EXCEEDED && is_own(t, ip6, ip + (ip6 ? 24 : 16))) {
		if (t->answers.linux_own)
			return verdict;
		if (!answer_look(m, &q))
			return DROP_TO_SWITCH;
		if (is_heard(&q))
			return STAGE_CONSUMED;
		if (!is_answerable(&q) || !may_answer(n, in, meta, &q, now))
			return DROP_TO_SWITCH;
		return take_own(n, in, m, &q, false, out);
	}
	if (e.source == NULL || (verdict == DROP_NO_NEIGHBOUR && t->answers.linux_own))
		return verdict;
	switch (verdict) {
	case DROP_TTL_EXPIRED:
		e.kind = ANSWER_TIME_EXCEEDED;
		break;
	case DROP_MTU_EXCEEDED:
		e.kind = ANSWER_TOO_BIG;
		e.mtu = mtu_of(n, meta);
		break;
	case DROP_NO_ROUTE:
		e.kind = ANSWER_NET_UNREACHABLE;
		break;
	case DROP_NO_NEIGHBOUR:
		e.kind = ANSWER_HOST_UNREACHABLE;
		break;
	default:
		e.kind = kind_of_no_next_hop(t, meta);
		break;
	}
	if (answer_look(m, &q) && !answer_is_error(&q) && may_answer(n, in, meta, &q, now))
		send_error(n, in, m, &q, &e, out);
	return verdict;
}

// ---- what stays on its link ---------------------------------------------------------------------

// What is answered for at a port of hosts.
struct owner_context {
	const struct node *n;
	const struct port *in;
};

static bool
leads_elsewhere(const struct owner_context *c, bool ip6, const uint8_t *address)
{
	const struct tables *t = c->n->current;
	uint32_t group = route_find(&t->vrfs[t->ports[c->in->index].vrf], ip6, address);
	const struct next_hop_group *g;

	if (group == LPM_NONE)
		return false;
	g = &t->groups[group];
	if (g->count == 0)
		return false;
	for (uint32_t i = 0; i < g->count; i++)
		if (t->next_hops[g->first + i].port == c->in->index)
			return false;
	return true;
}

static bool
is_port_address(const struct node *n, const struct port *in, bool ip6, const uint8_t *address)
{
	const struct answer_profile *a = &n->current->answers;

	if (!ip6)
		return memcmp(address, a->gateway4, 4) == 0;
	return memcmp(address, a->gateway6, 16) == 0 ||
	       memcmp(address, a->link_local[in->index], 16) == 0;
}

static struct answer_owner
owns(const void *context, bool ip6, const uint8_t *address)
{
	const struct owner_context *c = context;
	const struct tables *t = c->n->current;

	return (struct answer_owner){
		.own = is_port_address(c->n, c->in, ip6, address) || is_own(t, ip6, address),
		.proxy = t->answers.proxy && leads_elsewhere(c, ip6, address),
	};
}

// A source on the link: a single host's address, not the switch's own.
static bool
is_neighbour(const struct node *n, const struct port *in, const struct answer_question *q)
{
	static const uint8_t zeros[15];
	const uint8_t *source = q->ip + (q->ip6 ? 8 : 12);

	if (is_port_address(n, in, q->ip6, source))
		return false;
	if (!q->ip6)
		return source[0] != 0 && source[0] != 127 && source[0] < 224;
	return source[0] != 0xff && (memcmp(source, zeros, 15) != 0 || source[15] > 1);
}

// A packet to the gateway's or the port's own address, which no router forwards.
static int
answer_local(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now,
	     struct answer *out)
{
	const uint8_t *mac = n->current->ports[in->index].mac;
	struct answer_question q;

	if (!answer_look(m, &q) || !is_port_address(n, in, q.ip6, q.ip + (q.ip6 ? 24 : 16)) ||
	    !mac_equal(q.mac, mac) || !is_neighbour(n, in, &q))
		return verdict;
	if (!n->current->answers.icmp || !is_answerable(&q))
		return DROP_TO_SWITCH;
	if (!answer_allowed(&n->current->answers, &in->answer_due, now)) {
		in->answers[ANSWER_SUPPRESSED]++;
		return DROP_TO_SWITCH;
	}
	return take_own(n, in, m, &q, true, out);
}

// A frame that stage_parse() gave no way on, at a port of hosts.
static int
answer_on_link(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now,
	       struct answer *out)
{
	const struct owner_context context = {n, in};
	const uint8_t *data = packet_data(m), *mac = n->current->ports[in->index].mac;
	int after = verdict;

	if (mac_equal(data + 6, mac) || (!(data[0] & 1) && !mac_equal(data, mac)))
		return verdict;
	packet_meta(m)->vrf = n->current->ports[in->index].vrf;
	if (n->current->answers.arp)
		after = verdict == DROP_NOT_IP
				? answer_arp(n, in, m, verdict, owns, &context, out)
				: answer_solicitation(n, in, m, verdict, owns, &context, out);
	if (after == verdict && verdict == DROP_MARTIAN)
		after = answer_local(n, in, m, verdict, now, out);
	return after;
}

int
answer_refused(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now,
	       struct answer *out)
{
	const struct tables *t = n->current;

	switch (verdict) {
	case DROP_TTL_EXPIRED:
	case DROP_NO_ROUTE:
	case DROP_NO_NEXT_HOP:
	case DROP_NO_NEIGHBOUR:
	case DROP_MTU_EXCEEDED:
		if (t->answers.icmp)
			verdict = answer_routed(n, in, m, verdict, now, out);
		break;
	case DROP_NOT_IP:
	case DROP_MARTIAN:
	case DROP_MULTICAST:
		// Of a tunnel the address inside is that of no one on this link.
		if (t->ports[in->index].edge && t->answers.link_local != NULL)
			verdict = answer_on_link(n, in, m, verdict, now, out);
		break;
	default:
		break;
	}
	if (out->packet != NULL)
		classify(n, in, out->packet, m);
	return verdict;
}
