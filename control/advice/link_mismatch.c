// SPDX-License-Identifier: BSD-3-Clause
// The two ends of a link between switches must agree on what is never dropped: where one pauses a
// priority and the other drops it, packets that were lossless at first are lost on the way. A host
// has the settings of its leaf, so those two always agree. The ends may differ in the priorities
// that are lossless, or in the kind of pauses that they send. (That they assign the same priority
// to a packet is checked in priority_mismatch.c.)
#include "advice_internal.h"

// Where the file makes the two differ: the last of the keys that decide it, of either.
static struct diag_pos
find_pos(const struct fabric *f, const struct topo_link *link, unsigned priority)
{
	const struct topo_end *ends[] = {&link->a, &link->b};
	struct diag_pos last = {0};

	for (unsigned i = 0; i < 2; i++) {
		uint32_t node = ends[i]->node;
		const char *port = f->topology->nodes[node].ports[ends[i]->port].name;
		unsigned group = f->switches[node].priority_to_group[priority];

		last = advice_later(
			last, advice_pos(f, node, ADVICE_FIRST_SET,
					 "qos.ports.%s.pg.%u.lossless qos.ports.%s.pfc.priorities "
					 "qos.pg.%u.lossless qos.priority-to-pg.%u "
					 "qos.pfc.priorities qos.flow-control preset",
					 port, group, port, group, priority));
	}
	return last;
}

static uint8_t
lossless_at(const struct fabric *f, const struct topo_end *end)
{
	return advice_lossless(f->tables[end->node]->ports[end->port].profile);
}

static bool
pauses_links(const struct switch_config *settings)
{
	return settings->flow_control == CONFIG_FLOW_CONTROL_PAUSE;
}

static void
check_link(const struct fabric *f, const struct topo_link *link, const char *name,
	   struct advice_findings *all)
{
	const struct switch_config *a = &f->switches[link->a.node], *b = &f->switches[link->b.node];
	const char *roles[] = {advice_role(f, link->a.node), advice_role(f, link->b.node)};
	uint8_t of_a = lossless_at(f, &link->a), of_b = lossless_at(f, &link->b);

	for (unsigned bits = of_a ^ of_b; bits != 0; bits &= bits - 1) {
		unsigned priority = (unsigned)__builtin_ctz(bits);
		bool only_b = !(of_a & 1u << priority);

		advice_note(all, find_pos(f, link, priority), "qos", name,
			    "on the link @, priority %u is lossless on the %s and lossy on the %s",
			    priority, roles[only_b], roles[!only_b]);
	}
	if (of_a != 0 && of_b != 0 && pauses_links(a) != pauses_links(b))
		advice_note(all, find_pos(f, link, 0), "qos", name,
			    "on the link @, one end sends link pauses (802.3x) and the other "
			    "priority pauses (PFC): neither obeys the other");
}

void
advice_link_mismatch(const struct fabric *f, struct diag *diag)
{
	struct advice_findings all = {.one = "link", .many = "links"};
	char name[TOPOLOGY_NAME_MAX];

	for (uint32_t i = 0; i < f->topology->link_count; i++)
		if (!f->topology->links[i].host)
			check_link(f, &f->topology->links[i],
				   topology_link_name(f->topology, i, name), &all);
	advice_report(&all, f, diag);
}
