// SPDX-License-Identifier: BSD-3-Clause
// lid: the forwarding table's port for the destination's LID. A mode that chooses for every packet
// picks among all ports that the engine could have put there. Other modes keep to the table's port,
// the first of the group; where there are more, they are alternates for when that port is down.
#pragma once

#include "lane.h"
#include "spray.h"

// Cold: the table's port is down. Flows to one LID share an alternate, those to several are spread.
static __attribute__((cold, noinline)) uint32_t
lid_alternate(const struct node *n, struct rte_mbuf *m, const struct next_hop *hops,
	      unsigned int count)
{
	const struct ib_lrh *lrh = (const struct ib_lrh *)packet_data(m);
	const uint32_t hash =
		(uint32_t)random_mix((uint64_t)n->current->hash_seed << 32 | ib_lrh_dlid(lrh));
	unsigned int alive = 0;
	uint32_t chosen;

	for (unsigned int i = 0; i < count; i++)
		alive += n->ports[hops[i].port].up;
	chosen = (uint32_t)((uint64_t)hash * alive >> 32);
	for (unsigned int i = 0; i < count; i++)
		if (n->ports[hops[i].port].up && chosen-- == 0)
			return i;
	return 0; // none: the caller sees that the first is down
}

static __rte_always_inline uint32_t
lid_choose(struct node *n, struct rte_mbuf *m, const struct next_hop_group *group,
	   const struct next_hop *hops, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);

	if (group->mode >= GROUP_ADAPTIVE && spray_eligible(n->current, m, false)) {
		if (likely(group->mode == GROUP_ADAPTIVE))
			return spray_adaptive(n, hops, group->count, meta->tc, now);
		return group->mode == GROUP_SPRAY
			       ? spray_in_turn(n, meta->group, hops, group->count, meta->tc, now)
			       : spray_at_random(n, hops, group->count, meta->tc, now);
	}
	return likely(n->ports[hops[0].port].up) ? 0 : lid_alternate(n, m, hops, group->count);
}

static __rte_always_inline int
stage_lid(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	const struct ib_lrh *lrh = (const struct ib_lrh *)packet_data(m);
	const uint16_t dlid = ib_lrh_dlid(lrh);
	const struct next_hop_group *group;
	const struct next_hop *hops;
	const struct port *out;
	uint32_t member = 0;

	(void)in;
	meta->group = likely(dlid < t->lid_count) ? t->lids[dlid] : LID_NOWHERE;
	if (unlikely(meta->group >= LID_OWN))
		return meta->group == LID_OWN ? DROP_TO_SWITCH : DROP_UNKNOWN_LID;
	group = &t->groups[meta->group];
	hops = &t->next_hops[group->first];
	if (group->count > 1)
		member = lid_choose(n, m, group, hops, now);
	out = &n->ports[hops[member].port];
	if (unlikely(!out->up || out->out == NULL))
		return DROP_NO_NEXT_HOP;
	if (unlikely(!lane_in_partition(m, t->ports[out->index].pkey)))
		return DROP_PARTITION;
	meta->group = group->first + member; // from here on the next hop
	meta->out_port = out->index;
	return STAGE_NEXT;
}
