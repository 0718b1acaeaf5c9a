// SPDX-License-Identifier: BSD-3-Clause
// A packet may have one priority at the switch that it leaves and another at the switch where it
// arrives: because the maps of the switches or ports differ, or what they trust, or because the
// first switch rewrites the DSCP. A pause from the second switch then does not stop these packets
// at the first, and packets that are lossless at one can be lost at the other.
//
// Hosts may send any DSCP. From that follows, switch by switch and with what each of them rewrites,
// which DSCPs can arrive over the links between switches; only those are checked. NICs of the
// fabric send no tags. Attached hosts may, and their tagged frames are not checked.
#include "advice_internal.h"

#include "control/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

// Ports of a switch that treat arriving packets alike.
struct entrance {
	uint16_t port;   // one of them
	bool from_above; // from a higher tier: its packets do not go up again
	uint64_t dscps;  // bit per DSCP that may arrive
};

struct markings {
	const struct fabric *f;
	struct advice_findings found;
	struct entrance *entrances;
	uint32_t *first; // by switch, and one behind the last
};

// A packet on its way over a link.
struct passage {
	struct topo_end from, to;
	uint16_t came_by; // port of from.node
};

static const struct port_profile *
profile_at(const struct fabric *f, uint32_t node, uint16_t port)
{
	return f->tables[node]->ports[port].profile;
}

static bool
is_above(const struct fabric *f, uint32_t node, uint32_t peer)
{
	const struct topo_node *nodes = f->topology->nodes;

	return peer < f->topology->first_host && nodes[peer].role > nodes[node].role;
}

static bool
comes_from_above(const struct fabric *f, uint32_t node, uint16_t port)
{
	return is_above(f, node, f->topology->nodes[node].ports[port].peer_node);
}

static struct entrance *
find_entrance(const struct markings *m, uint32_t node, uint16_t port)
{
	bool from_above = comes_from_above(m->f, node, port);

	for (uint32_t i = m->first[node]; i < m->first[node + 1]; i++)
		if (m->entrances[i].from_above == from_above &&
		    profile_at(m->f, node, m->entrances[i].port) == profile_at(m->f, node, port))
			return &m->entrances[i];
	return NULL;
}

static void
list_entrances(struct markings *m)
{
	const struct topology *t = m->f->topology;
	uint32_t ports = 0, count = 0;

	for (uint32_t n = 0; n < t->first_host; n++)
		ports += t->nodes[n].port_count;
	m->entrances = memory_array(ports, sizeof(*m->entrances), "groups of ports");
	m->first = memory_array(t->first_host + 1u, sizeof(*m->first), "groups of ports");
	for (uint32_t n = 0; n < t->first_host; n++) {
		m->first[n] = m->first[n + 1] = count;
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			uint32_t peer = t->nodes[n].ports[p].peer_node;
			struct entrance *entrance = find_entrance(m, n, p);

			if (entrance == NULL) {
				entrance = &m->entrances[count++];
				*entrance = (struct entrance){p, comes_from_above(m->f, n, p), 0};
				m->first[n + 1] = count;
			}
			if (peer != TOPOLOGY_NONE && peer >= t->first_host)
				entrance->dscps = UINT64_MAX;
		}
	}
}

static unsigned
priority_of(const struct fabric *f, const struct passage *way, unsigned dscp)
{
	return advice_priority(profile_at(f, way->from.node, way->came_by), (uint8_t)dscp);
}

// The DSCP that a packet leaves with.
static unsigned
leaves_with(const struct fabric *f, const struct passage *way, unsigned dscp)
{
	unsigned priority = priority_of(f, way, dscp);
	uint8_t remark = profile_at(f, way->from.node, way->from.port)->remark.dscp[priority];

	return remark == REMARK_LEAVE ? dscp : remark;
}

static unsigned
priority_behind(const struct fabric *f, const struct passage *way, unsigned dscp)
{
	return advice_priority(profile_at(f, way->to.node, way->to.port),
			       (uint8_t)leaves_with(f, way, dscp));
}

static bool
goes_on(const struct markings *m, const struct entrance *entrance, uint32_t from, uint32_t to)
{
	return !entrance->from_above || !is_above(m->f, from, to);
}

// Adds the DSCPs that may arrive over a link in one direction. Returns whether any is new.
static bool
follow(struct markings *m, const struct topo_end *from, const struct topo_end *to)
{
	struct entrance *into = find_entrance(m, to->node, to->port);
	uint64_t before = into->dscps;

	for (uint32_t i = m->first[from->node]; i < m->first[from->node + 1]; i++) {
		const struct passage way = {*from, *to, m->entrances[i].port};

		if (!goes_on(m, &m->entrances[i], from->node, to->node))
			continue;
		for (uint64_t bits = m->entrances[i].dscps; bits != 0; bits &= bits - 1)
			into->dscps |= UINT64_C(1)
				       << leaves_with(m->f, &way, (unsigned)__builtin_ctzll(bits));
	}
	return into->dscps != before;
}

static void
follow_all(struct markings *m)
{
	const struct topology *t = m->f->topology;
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < t->link_count; i++) {
			const struct topo_link *link = &t->links[i];

			if (link->host)
				continue;
			more |= follow(m, &link->a, &link->b);
			more |= follow(m, &link->b, &link->a);
		}
	}
}

// The position of the setting by which a port rewrites the DSCP.
static struct diag_pos
find_remark(const struct fabric *f, const struct topo_end *from)
{
	const struct switch_config *settings = &f->switches[from->node];
	unsigned number = f->topology->nodes[from->node].ports[from->port].number;

	for (unsigned i = 0; i < settings->port_count; i++)
		if (settings->ports[i].number == number &&
		    settings->ports[i].set & CONFIG_PORT_QOS_REMARK)
			return settings->ports[i].name.pos;
	return advice_pos(f, from->node, ADVICE_FIRST_SET, "qos.remark.dscp qos.remark");
}

static void
note_remark(struct markings *m, uint32_t link, const struct passage *way, unsigned dscp)
{
	char name[TOPOLOGY_NAME_MAX];

	advice_note(&m->found, find_remark(m->f, &way->from), "qos",
		    topology_link_name(m->f->topology, link, name),
		    "on the link @, packets of priority %u leave the %s with DSCP %u, which is "
		    "priority %u on the %s: a pause from one end does not stop these packets at "
		    "the other",
		    priority_of(m->f, way, dscp), advice_role(m->f, way->from.node),
		    leaves_with(m->f, way, dscp), priority_behind(m->f, way, dscp),
		    advice_role(m->f, way->to.node));
}

// The DSCPs that a passage keeps but whose priorities differ between its ends, if one of them is
// lossless. DSCPs that are rewritten on the way are reported at once, one for each priority.
static uint64_t
differing(struct markings *m, uint32_t link, const struct passage *way, uint64_t dscps)
{
	uint8_t lossless_here = advice_lossless(profile_at(m->f, way->from.node, way->came_by));
	uint8_t lossless_there = advice_lossless(profile_at(m->f, way->to.node, way->to.port));
	uint64_t differ = 0;
	uint8_t reported = 0;

	for (uint64_t bits = dscps; bits != 0; bits &= bits - 1) {
		unsigned dscp = (unsigned)__builtin_ctzll(bits);
		unsigned here = priority_of(m->f, way, dscp);
		unsigned there = priority_behind(m->f, way, dscp);

		if (here == there || !(lossless_here & 1u << here || lossless_there & 1u << there))
			continue;
		if (leaves_with(m->f, way, dscp) == dscp)
			differ |= UINT64_C(1) << dscp;
		else if (!(reported & 1u << here))
			note_remark(m, link, way, dscp);
		reported |= (uint8_t)(1u << here);
	}
	return differ;
}

// The differences of a link in both directions: two maps that differ are one problem.
struct difference {
	uint64_t dscps;
	unsigned first;   // of them
	unsigned here[2]; // its priority at the link's ends
	struct diag_pos pos;
};

static void
check_direction(struct markings *m, uint32_t link, bool back, struct difference *found)
{
	const struct topo_link *l = &m->f->topology->links[link];
	struct passage way = {back ? l->b : l->a, back ? l->a : l->b, 0};

	for (uint32_t i = m->first[way.from.node]; i < m->first[way.from.node + 1]; i++) {
		uint64_t some = 0;

		way.came_by = m->entrances[i].port;
		if (goes_on(m, &m->entrances[i], way.from.node, way.to.node))
			some = differing(m, link, &way, m->entrances[i].dscps);
		found->dscps |= some;
		if (some == 0 || (unsigned)__builtin_ctzll(some) >= found->first)
			continue;
		found->first = (unsigned)__builtin_ctzll(some);
		found->here[back] = priority_of(m->f, &way, found->first);
		found->here[!back] = priority_behind(m->f, &way, found->first);
		found->pos =
			advice_later(advice_map_pos(m->f, way.from.node, way.came_by, found->first),
				     advice_map_pos(m->f, way.to.node, way.to.port, found->first));
	}
}

static void
check_link(struct markings *m, uint32_t link)
{
	const struct topo_link *l = &m->f->topology->links[link];
	struct difference found = {.first = 64};
	char more[48] = "", name[TOPOLOGY_NAME_MAX];
	int others;

	check_direction(m, link, false, &found);
	check_direction(m, link, true, &found);
	if (found.dscps == 0)
		return;
	others = __builtin_popcountll(found.dscps) - 1;
	if (others > 0)
		snprintf(more, sizeof(more), " (and %d more DSCP%s)", others,
			 others == 1 ? "" : "s");
	advice_note(&m->found, found.pos, "qos", topology_link_name(m->f->topology, link, name),
		    "on the link @, DSCP %u is priority %u on the %s and %u on the %s%s: a pause "
		    "from one end does not stop these packets at the other",
		    found.first, found.here[0], advice_role(m->f, l->a.node), found.here[1],
		    advice_role(m->f, l->b.node), more);
}

void
advice_priority_mismatch(const struct fabric *f, struct diag *diag)
{
	struct markings m = {.f = f, .found = {.one = "link", .many = "links"}};

	list_entrances(&m);
	follow_all(&m);
	for (uint32_t i = 0; i < f->topology->link_count; i++)
		if (!f->topology->links[i].host)
			check_link(&m, i);
	advice_report(&m.found, f, diag);
	free(m.entrances);
	free(m.first);
}
