// SPDX-License-Identifier: BSD-3-Clause
// spray: which member of the next-hop group a packet takes. `ecmp` by a hash of the 5-tuple,
// `ecmp-qp` of the destination queue pair too. For packets that are eligible: `spray` in turn,
// `random` at random, `adaptive` the least loaded by graded egress queue depth and pause state,
// ties by the node's random stream (ties that rotate lock hosts that start together into step). The
// rest go by hash.
#pragma once

#include "parse.h"

#define SPRAY_HELD (UINT32_C(1) << 30) // worse than any depth
#define SPRAY_DOWN (UINT32_C(1) << 31)

static inline uint64_t
spray_load64(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

// A hash of addresses, protocol and ports, and of a RoCEv2 packet's destination QP if asked for,
// under the switch's seed.
static inline uint32_t
spray_hash(struct rte_mbuf *m, uint32_t seed, bool with_qp)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m);
	const uint8_t *ip = data + meta->l3_off;
	uint64_t word = (uint64_t)seed << 32 | meta->ip_proto;

	if (meta->flags & PACKET_IPV6) {
		word = random_mix(word ^ spray_load64(ip + 8));
		word = random_mix(word ^ spray_load64(ip + 16));
		word = random_mix(word ^ spray_load64(ip + 24));
		word = random_mix(word ^ spray_load64(ip + 32));
	} else {
		word = random_mix(word ^ spray_load64(ip + 12));
	}
	if ((meta->ip_proto == PARSE_UDP || meta->ip_proto == PARSE_TCP) &&
	    meta->l4_off + 4u <= meta->data_len) {
		uint32_t ports;

		memcpy(&ports, data + meta->l4_off, sizeof(ports));
		word = random_mix(word ^ ports);
	}
	if (with_qp && meta->flags & PACKET_ROCE) {
		const struct roce_bth *bth =
			(const struct roce_bth *)(data + meta->l4_off + PARSE_UDP_BYTES);

		word = random_mix(word ^ roce_bth_dest_qp(bth));
	}
	return (uint32_t)(word >> 32);
}

// By default RoCEv2 packets other than acknowledgements and CNPs.
static inline bool
spray_eligible(const struct tables *t, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);

	if (t->eligible_udp_dport != 0) {
		if (meta->ip_proto != PARSE_UDP || meta->l4_off + 4u > meta->data_len ||
		    parse_u16(packet_data(m) + meta->l4_off + 2) != t->eligible_udp_dport)
			return false;
	}
	return !t->eligible_data_only || !(meta->flags & PACKET_ROCE) ||
	       roce_op_is_data(meta->opcode);
}

// How loaded a member is for a traffic class: the depth of its queue, past all depths when it is
// held. Looks at nothing that lies with the port: many are compared.
static inline uint32_t
spray_load(const struct node *n, const struct next_hop *hop, unsigned int tc)
{
	return n->depth[tc * n->port_count + hop->port] |
	       ((uint32_t)n->held[hop->port] >> tc & 1 ? SPRAY_HELD : 0);
}

// The least load's grade ends where the next begins; members below that tie.
static inline uint32_t
spray_tie_bound(const struct tables *t, uint32_t least)
{
	for (unsigned int i = 0; i < GRADES_MAX; i++)
		if (least < t->grades[i])
			return t->grades[i] < SPRAY_HELD ? t->grades[i] : SPRAY_HELD;
	return SPRAY_HELD;
}

// Cold: all members are held. Those that are down count for less; returns the least load.
static inline uint32_t
spray_least_held(const struct node *n, const struct next_hop *hops, unsigned int count,
		 uint32_t *loads)
{
	uint32_t least = UINT32_MAX;

	for (unsigned int i = 0; i < count; i++) {
		if (!n->ports[hops[i].port].up)
			loads[i] |= SPRAY_DOWN;
		least = loads[i] < least ? loads[i] : least;
	}
	return least;
}

static inline uint32_t
spray_adaptive(struct node *n, const struct next_hop *hops, unsigned int count, unsigned int tc)
{
	uint32_t loads[GROUP_MEMBERS_MAX];
	uint32_t least = UINT32_MAX, bound, chosen;
	unsigned int ties = 0;

	for (unsigned int i = 0; i < count; i++) {
		loads[i] = spray_load(n, &hops[i], tc);
		least = loads[i] < least ? loads[i] : least;
	}
	if (likely(least < SPRAY_HELD))
		bound = spray_tie_bound(n->current, least);
	else
		bound = spray_least_held(n, hops, count, loads) + 1;
	for (unsigned int i = 0; i < count; i++)
		ties += loads[i] < bound;
	chosen = ties == 1 ? 0 : random_below(&n->random, ties);
	for (unsigned int i = 0;; i++)
		if (loads[i] < bound && chosen-- == 0)
			return i;
}

// By hash, over the members that are up. Flows of a member that is down share a range of the hash,
// so that it is mixed anew to spread them over all others.
static inline uint32_t
spray_ecmp(const struct node *n, const struct next_hop *hops, unsigned int count, uint32_t hash)
{
	uint32_t chosen = (uint32_t)(((uint64_t)hash * count) >> 32);
	unsigned int alive = 0;

	if (likely(n->ports[hops[chosen].port].up))
		return chosen;
	for (unsigned int i = 0; i < count; i++)
		alive += n->ports[hops[i].port].up;
	chosen = (uint32_t)(((random_mix(hash) >> 32) * alive) >> 32);
	for (unsigned int i = 0; i < count; i++)
		if (n->ports[hops[i].port].up && chosen-- == 0)
			return i;
	return 0; // none: the caller sees that the first is down
}

// How fit a member is for a class: down, up but held by a pause, open.
enum spray_fitness { SPRAY_FIT_DOWN, SPRAY_FIT_HELD, SPRAY_FIT_OPEN };

static inline enum spray_fitness
spray_fitness(const struct node *n, const struct next_hop *hop, unsigned int tc)
{
	if (!n->ports[hop->port].up)
		return SPRAY_FIT_DOWN;
	return n->held[hop->port] >> tc & 1 ? SPRAY_FIT_HELD : SPRAY_FIT_OPEN;
}

// The best that a group has; *count_best: how many members are so.
static inline enum spray_fitness
spray_best(const struct node *n, const struct next_hop *hops, unsigned int count, unsigned int tc,
	   unsigned int *count_best)
{
	unsigned int members[SPRAY_FIT_OPEN + 1] = {0};

	for (unsigned int i = 0; i < count; i++)
		members[spray_fitness(n, &hops[i], tc)]++;
	for (enum spray_fitness best = SPRAY_FIT_OPEN;; best--) {
		*count_best = members[best];
		if (members[best] != 0)
			return best;
	}
}

// In turn, over the fittest members.
static inline uint32_t
spray_in_turn(struct node *n, uint32_t group, const struct next_hop *hops, unsigned int count,
	      unsigned int tc)
{
	unsigned int member = n->turns[group] < count ? n->turns[group] : 0;
	unsigned int fittest;
	enum spray_fitness best = spray_best(n, hops, count, tc, &fittest);

	while (spray_fitness(n, &hops[member], tc) != best)
		member = member + 1 == count ? 0 : member + 1;
	n->turns[group] = (uint16_t)(member + 1 == count ? 0 : member + 1);
	return member;
}

// At random, over the fittest members.
static inline uint32_t
spray_at_random(struct node *n, const struct next_hop *hops, unsigned int count, unsigned int tc)
{
	unsigned int fittest;
	enum spray_fitness best = spray_best(n, hops, count, tc, &fittest);
	uint32_t chosen = random_below(&n->random, fittest);

	for (unsigned int i = 0;; i++)
		if (spray_fitness(n, &hops[i], tc) == best && chosen-- == 0)
			return i;
}

// The member for a packet of a group that has several.
static inline uint32_t
spray_choose(struct node *n, struct rte_mbuf *m, const struct next_hop_group *group,
	     const struct next_hop *hops)
{
	const struct tables *t = n->current;
	const struct packet_meta *meta = packet_meta(m);

	if (group->mode >= GROUP_ADAPTIVE && spray_eligible(t, m)) {
		if (likely(group->mode == GROUP_ADAPTIVE))
			return spray_adaptive(n, hops, group->count, meta->tc);
		if (group->mode == GROUP_SPRAY)
			return spray_in_turn(n, meta->group, hops, group->count, meta->tc);
		return spray_at_random(n, hops, group->count, meta->tc);
	}
	return spray_ecmp(n, hops, group->count,
			  spray_hash(m, t->hash_seed, group->mode == GROUP_ECMP_QP));
}

static __rte_always_inline int
stage_spray(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	const struct next_hop_group *group = &t->groups[meta->group];
	const struct next_hop *hops = &t->next_hops[group->first];
	const struct port *out;
	uint32_t member = 0;

	(void)in;
	(void)now;
	if (unlikely(group->count == 0))
		return DROP_NO_ROUTE; // a blackhole
	if (group->count > 1)
		member = spray_choose(n, m, group, hops);
	out = &n->ports[hops[member].port];
	if (unlikely(!out->up || out->out == NULL))
		return DROP_NO_NEXT_HOP;
	meta->group = group->first + member; // from here on the next hop
	meta->out_port = (uint8_t)hops[member].port;
	return STAGE_NEXT;
}
