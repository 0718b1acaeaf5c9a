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

// A member's grade is that of its depth, and one more for each of degraded, busy and congested. So
// the best of those that are equally much worse is the least loaded, and only that is graded.
#define WORSE_MAX (PATH_WORSE_COUNT + 1)

_Static_assert(PATH_WORSE == (1 << PATH_WORSE_COUNT) - 1, "as many bits as grades");

// Whether a notice about some of these next hops may count.
static inline bool
some_noticed(const struct node *n, const struct next_hop *hops, unsigned int count, ps_t now)
{
	const size_t first = (size_t)(hops - n->current->next_hops);

	if (!(n->path_inputs & PATH_INPUT_NOTICES))
		return false;
	for (size_t i = first / NOTICED_TOGETHER; i <= (first + count - 1) / NOTICED_TOGETHER; i++)
		if (n->paths.noticed[i] > now)
			return true;
	return false;
}

// A group's members for a packet of one traffic class.
struct members {
	const struct next_hop *hops;
	unsigned int count;
	unsigned int tc;
	uint32_t loads[GROUP_MEMBERS_MAX]; // SPRAY_HELD if it is held in whatever way
	uint32_t worse[GROUP_MEMBERS_MAX]; // by how many grades
};

// Returns the penalties that some member has that is not held.
static uint32_t
read_members(const struct node *n, struct members *to)
{
	uint32_t open = 0;

	for (unsigned int i = 0; i < to->count; i++) {
		const uint32_t penalty = n->port_penalty[to->hops[i].port];

		to->loads[i] = spray_load(n, &to->hops[i], to->tc);
		to->worse[i] = (uint32_t)__builtin_popcount(penalty & PATH_WORSE);
		open |= to->loads[i] < SPRAY_HELD ? penalty : 0;
	}
	return open;
}

// Returns the same.
static uint32_t
add_notices(const struct node *n, struct members *to, ps_t now)
{
	uint32_t open = 0;

	for (unsigned int i = 0; i < to->count; i++) {
		const enum spray_notice noticed = spray_noticed(n, &to->hops[i], to->tc, now);

		to->loads[i] |= noticed == SPRAY_NOTICE_HELD ? SPRAY_HELD : 0;
		to->worse[i] += noticed == SPRAY_NOTICE_CONGESTED;
		open |= to->loads[i] < SPRAY_HELD ? n->port_penalty[to->hops[i].port] : 0u;
	}
	return open;
}

// Marks the ports that were due to be read by now and could not be, as no packet chooses them, and
// finds out when the next is due. So a port that is idle, held or down costs this once.
static void
mark_overdue(struct node *n, ps_t now)
{
	struct paths *paths = &n->paths;
	ps_t first = PS_NEVER;

	for (unsigned int i = 0; i < n->port_count; i++) {
		const ps_t due = paths->utilisation[i].since + UTILISATION_WINDOW;

		if (!paths->has_peers[i])
			continue;
		if (due <= now)
			n->port_penalty[i] |= PATH_OVERDUE;
		else
			first = time_min(first, due);
	}
	paths->utilisation_due = first;
}

// Reads the counters that are due of a group's members that are not held.
static __attribute__((noinline)) void
update_utilisation(struct node *n, const struct members *of, ps_t now)
{
	struct paths *paths = &n->paths;

	for (unsigned int i = 0; i < of->count; i++)
		if (of->loads[i] < SPRAY_HELD)
			utilisation_update(n, &n->ports[of->hops[i].port], now);
	if (now >= paths->utilisation_due)
		mark_overdue(n, now);
	else
		paths->utilisation_due = time_min(paths->utilisation_due, now + UTILISATION_WINDOW);
}

// Of the members that are worse by so many grades.
static inline uint32_t
least_load(const uint32_t *loads, const uint32_t *worse, unsigned int count, uint32_t grades)
{
	uint32_t least = SPRAY_HELD;

	for (unsigned int i = 0; i < count; i++) {
		const uint32_t load = loads[i] | -(uint32_t)(worse[i] != grades);

		least = load < least ? load : least;
	}
	return least;
}

// Below which load a member that is worse by so many grades has no higher grade than this.
static inline uint32_t
load_bound(const struct tables *t, uint32_t grade, uint32_t worse)
{
	if (grade < worse)
		return 0;
	if (grade - worse >= GRADES_MAX || t->grades[grade - worse] > SPRAY_HELD)
		return SPRAY_HELD;
	return t->grades[grade - worse];
}

// One of those with the least grade, which some member has that is not held.
static uint32_t
pick_graded(struct node *n, const struct members *from, const uint32_t *least)
{
	const struct tables *t = n->current;
	uint32_t others[GROUP_MEMBERS_MAX]; // 0: it is among the best
	uint32_t best = UINT32_MAX;

	for (unsigned int k = 0; k <= WORSE_MAX; k++)
		if (least[k] < SPRAY_HELD && spray_grade(t, least[k]) + k < best)
			best = spray_grade(t, least[k]) + k;
	memset(others, 0, from->count * sizeof(others[0]));
	for (unsigned int k = 0; k <= WORSE_MAX; k++) {
		const uint32_t bound = load_bound(t, best, k);

		for (unsigned int i = 0; i < from->count; i++)
			others[i] |= (uint32_t)(from->worse[i] == k) &
				     (uint32_t)(from->loads[i] >= bound);
	}
	return spray_tied(n, others, from->count, 1);
}

uint32_t
spray_adaptive_graded(struct node *n, const struct next_hop *hops, unsigned int count,
		      unsigned int tc, ps_t now)
{
	const bool noticed = some_noticed(n, hops, count, now);
	struct members m;
	uint32_t least[WORSE_MAX + 1], all = SPRAY_HELD, open;

	m.hops = hops;
	m.count = count;
	m.tc = tc;
	open = read_members(n, &m);
	if (noticed)
		open = add_notices(n, &m, now);
	if (unlikely(now >= n->paths.utilisation_due || open & PATH_OVERDUE)) {
		update_utilisation(n, &m, now);
		read_members(n, &m);
		if (noticed)
			add_notices(n, &m, now);
	}
	for (unsigned int k = 0; k <= WORSE_MAX; k++) {
		least[k] = least_load(m.loads, m.worse, count, k);
		all = least[k] < all ? least[k] : all;
	}
	if (likely(all < SPRAY_HELD))
		return pick_graded(n, &m, least);
	for (unsigned int i = 0; i < count; i++)
		m.loads[i] = spray_load(n, &hops[i], tc) | SPRAY_HELD;
	return spray_tied(n, m.loads, count, spray_least_held(n, hops, count, m.loads) + 1);
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
