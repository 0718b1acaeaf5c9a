// SPDX-License-Identifier: BSD-3-Clause
// spray: which member of the next-hop group a packet takes. `ecmp` by a hash of the 5-tuple,
// `ecmp-qp` of the destination queue pair too. For packets that are eligible: `spray` in turn,
// `random` at random, `adaptive` the least loaded by graded egress queue depth and pause state,
// ties by the node's random stream (ties that rotate lock hosts that start together into step),
// `flowlet` the same whenever a flow has paused. The rest go by hash. Flows that are pinned have a
// member of their own in every mode, while that is up.
#pragma once

#include "notice.h"
#include "spray_fit.h"
#include "spray_hash.h"

// Out of line, because few packets need it (spray.c). All return the index of a member.
//
// The least loaded where more than depths and pauses count.
uint32_t spray_adaptive_graded(struct node *n, const struct next_hop *hops, unsigned int count,
			       unsigned int tc, ps_t now);
// By the flowlet that the packet belongs to.
uint32_t spray_flowlet(struct node *n, struct rte_mbuf *m, const struct next_hop *hops,
		       unsigned int count, ps_t now);
// Cold: a packet whose group has no members; returns the reason to drop it for.
int spray_nowhere(struct node *n, struct rte_mbuf *m, const struct next_hop_group *group);
// That which the packet's flow is pinned to, or `count` when it is to none that is up.
uint32_t spray_pinned(const struct node *n, struct rte_mbuf *m, const struct next_hop *hops,
		      unsigned int count);

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

// One of those whose load is below `bound`, at random; there is one.
static inline uint32_t
spray_tied(struct node *n, const uint32_t *loads, unsigned int count, uint32_t bound)
{
	unsigned int ties = 0;
	uint32_t chosen;

	for (unsigned int i = 0; i < count; i++)
		ties += loads[i] < bound;
	chosen = ties == 1 ? 0 : random_below(&n->random, ties);
	for (unsigned int i = 0;; i++)
		if (loads[i] < bound && chosen-- == 0)
			return i;
}

static inline uint32_t
spray_adaptive(struct node *n, const struct next_hop *hops, unsigned int count, unsigned int tc,
	       ps_t now)
{
	uint32_t loads[GROUP_MEMBERS_MAX];
	uint32_t least = UINT32_MAX;

	if (unlikely(n->path_inputs != 0))
		return spray_adaptive_graded(n, hops, count, tc, now);
	for (unsigned int i = 0; i < count; i++) {
		loads[i] = spray_load(n, &hops[i], tc);
		least = loads[i] < least ? loads[i] : least;
	}
	return spray_tied(n, loads, count,
			  likely(least < SPRAY_HELD) ? spray_tie_bound(n->current, least)
						     : spray_least_held(n, hops, count, loads) + 1);
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

// In turn, over the fittest members.
static inline uint32_t
spray_in_turn(struct node *n, uint32_t group, const struct next_hop *hops, unsigned int count,
	      unsigned int tc, ps_t now)
{
	unsigned int member = n->turns[group] < count ? n->turns[group] : 0;
	unsigned int fittest;
	enum spray_fitness best = spray_best(n, hops, count, tc, now, &fittest);

	while (spray_fitness(n, &hops[member], tc, now) != best)
		member = member + 1 == count ? 0 : member + 1;
	n->turns[group] = (uint16_t)(member + 1 == count ? 0 : member + 1);
	return member;
}

// At random, over the fittest members.
static inline uint32_t
spray_at_random(struct node *n, const struct next_hop *hops, unsigned int count, unsigned int tc,
		ps_t now)
{
	unsigned int fittest;
	enum spray_fitness best = spray_best(n, hops, count, tc, now, &fittest);
	uint32_t chosen = random_below(&n->random, fittest);

	for (unsigned int i = 0;; i++)
		if (spray_fitness(n, &hops[i], tc, now) == best && chosen-- == 0)
			return i;
}

// The member for a packet of a group that has several.
static inline uint32_t
spray_choose(struct node *n, struct rte_mbuf *m, const struct next_hop_group *group,
	     const struct next_hop *hops, ps_t now, bool tunnels)
{
	const struct tables *t = n->current;
	const struct packet_meta *meta = packet_meta(m);

	if (unlikely(group->pinned)) {
		uint32_t member = spray_pinned(n, m, hops, group->count);

		if (member < group->count)
			return member;
	}
	if (group->mode >= GROUP_ADAPTIVE && spray_eligible(t, m, tunnels)) {
		if (likely(group->mode == GROUP_ADAPTIVE))
			return spray_adaptive(n, hops, group->count, meta->tc, now);
		if (group->mode == GROUP_SPRAY)
			return spray_in_turn(n, meta->group, hops, group->count, meta->tc, now);
		if (group->mode == GROUP_RANDOM)
			return spray_at_random(n, hops, group->count, meta->tc, now);
		return spray_flowlet(n, m, hops, group->count, now);
	}
	return spray_ecmp(n, hops, group->count,
			  spray_hash(m, t->hash_seed, group->mode == GROUP_ECMP_QP));
}

// In the variants that send notices, a switch above the leaves sends one back when a packet finds
// no way on.
static __rte_always_inline int
spray_no_next_hop(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now,
		  unsigned int variant)
{
	if (variant & (NODE_FULL | NODE_NOTICES) && notice_wanted(n, in))
		notice_refused(n, in, m, now);
	return DROP_NO_NEXT_HOP;
}

// With tunnels a packet in a tunnel is sprayed by what is inside; its next hop says which
// encapsulation it leaves in.
static __rte_always_inline int
stage_spray(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	const bool tunnels = variant & NODE_TUNNELS;
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	const struct next_hop_group *group = &t->groups[meta->group];
	const struct next_hop *hops = &t->next_hops[group->first];
	const struct port *out;
	uint32_t member = 0, port = group->port;

	if (unlikely(group->count == 0))
		return spray_nowhere(n, m, group);
	if (group->count > 1) {
		member = spray_choose(n, m, group, hops, now, tunnels);
		port = hops[member].port;
	}
	out = &n->ports[port];
	if (unlikely(!out->up || out->out == NULL))
		return spray_no_next_hop(n, in, m, now, variant);
	if (tunnels)
		meta->encap = group->encap == 0 || group->mode != GROUP_ECMP_QP
				      ? group->encap
				      : group->encap | PACKET_ENCAP_QP;
	meta->group = group->first + member; // from here on the next hop
	meta->out_port = (uint8_t)port;
	return STAGE_NEXT;
}
