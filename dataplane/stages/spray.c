// SPDX-License-Identifier: BSD-3-Clause
// The choices that few packets need.
//
// Flowlets: a table of FLOWLETS entries, found by the hash of the 5-tuple and the destination QP.
// Flows with one entry share it, as in ASICs: their packets then keep the entry alive for each
// other, and go the same way if their groups have it. An entry remembers the port, which has a
// meaning in every group and under new tables, and where it stood in the group it was chosen from,
// which is where it is found as a rule.
#include "spray.h"

#include "dataplane/base/glean.h"

int
spray_nowhere(struct node *n, struct rte_mbuf *m, const struct next_hop_group *group)
{
	const struct packet_meta *meta = packet_meta(m);
	bool ip6 = meta->flags & PACKET_IPV6;
	struct glean_entry entry = {.vrf = meta->vrf, .version = ip6 ? 6 : 4};
	const uint8_t *ip = packet_data(m) + meta->l3_off;

	if (!group->glean)
		return DROP_NO_ROUTE; // a blackhole
	memcpy(entry.address, ip6 ? ip + 24 : ip + 16, ip6 ? 16 : 4);
	if (n->glean != NULL)
		glean_put(n->glean, &entry);
	return DROP_NO_NEIGHBOUR;
}

uint32_t
spray_adaptive_graded(struct node *n, const struct next_hop *hops, unsigned int count,
		      unsigned int tc, ps_t now)
{
	uint32_t grades[GROUP_MEMBERS_MAX];
	uint32_t least = UINT32_MAX;

	for (unsigned int i = 0; i < count; i++) {
		grades[i] = spray_penalized_grade(n, &hops[i], tc, now);
		least = grades[i] < least ? grades[i] : least;
	}
	if (likely(least < SPRAY_HELD))
		return spray_tied(n, grades, count, least + 1);
	for (unsigned int i = 0; i < count; i++)
		grades[i] = spray_load(n, &hops[i], tc) | SPRAY_HELD;
	return spray_tied(n, grades, count, spray_least_held(n, hops, count, grades) + 1);
}

// Where a port stands in a group, or `count`.
static uint32_t
find_port(const struct next_hop *hops, unsigned int count, uint16_t port)
{
	for (unsigned int i = 0; i < count; i++)
		if (hops[i].port == port)
			return i;
	return count;
}

// The member that a flowlet goes by, or `count` when it has ended, or cannot go on there.
static uint32_t
flowlet_member(const struct node *n, const struct flowlet *f, const struct next_hop *hops,
	       unsigned int count, ps_t now)
{
	uint32_t member = f->member;

	if (f->port == FLOWLET_NONE || now - f->last > n->current->flowlet_gap)
		return count;
	if (unlikely(member >= count || hops[member].port != f->port))
		member = find_port(hops, count, f->port);
	return member < count && n->ports[f->port].up ? member : count;
}

uint32_t
spray_flowlet(struct node *n, struct rte_mbuf *m, const struct next_hop *hops, unsigned int count,
	      ps_t now)
{
	const uint32_t hash = spray_hash(m, n->current->hash_seed, true);
	struct flowlet *f = &n->paths.flowlets[hash >> (32 - FLOWLETS_LOG2)];
	uint32_t member = flowlet_member(n, f, hops, count, now);

	f->last = now;
	if (member < count)
		return member;
	member = spray_adaptive(n, hops, count, packet_meta(m)->tc, now);
	f->port = hops[member].port;
	f->member = (uint16_t)member;
	n->paths.flowlets_begun++;
	return member;
}

// The hosts' addresses are those inside a tunnel; where they are not known no pin is meant.
uint32_t
spray_pinned(const struct node *n, struct rte_mbuf *m, const struct next_hop *hops,
	     unsigned int count)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint32_t l3 = meta->flags & PACKET_TUNNEL ? meta->inner_l3_off : meta->l3_off;
	const uint8_t *ip = packet_data(m) + l3;
	uint16_t port;

	if (l3 == 0)
		return count;
	port = ip[0] >> 4 == 6 ? pins_find(n->current->pins, 6, ip + 8, ip + 24)
			       : pins_find(n->current->pins, 4, ip + 12, ip + 16);
	if (port == PINS_NONE || !n->ports[port].up)
		return count;
	return find_port(hops, count, port);
}
