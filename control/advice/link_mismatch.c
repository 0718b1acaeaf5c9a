// SPDX-License-Identifier: BSD-3-Clause
// The two ends of a link between switches must agree on what is never dropped: where one pauses for
// a priority and the other drops it, packets that were lossless at first are lost on the way. A
// host follows the leaf that it hangs on, so it always agrees. Two ends disagree by what they take
// for lossless, or by the way in which they pause. (That they take a packet for the same priority
// is another matter: markings.c.)
#include "link_findings.h"

// Where the file makes the two differ: the last of the keys that decide it, of either.
static struct diag_pos
find_pos(const struct fabric *f, uint32_t a, uint32_t b, unsigned priority)
{
	struct diag_pos last = {0};

	for (unsigned i = 0; i < 2; i++) {
		uint32_t node = i == 0 ? a : b;
		unsigned group = f->switches[node].priority_to_group[priority];

		last = advice_later(last, advice_pos(f, node,
						     "qos.pg.%u.lossless qos.priority-to-pg.%u "
						     "qos.pfc.priorities qos.flow-control preset",
						     group, priority));
	}
	return last;
}

static void
check_priorities(struct link_findings *all, uint32_t link, uint32_t a, uint32_t b)
{
	uint8_t of_a = advice_lossless(&all->f->switches[a]),
		of_b = advice_lossless(&all->f->switches[b]);

	for (unsigned bits = of_a ^ of_b; bits != 0; bits &= bits - 1) {
		unsigned priority = (unsigned)__builtin_ctz(bits);
		bool first = of_a & 1u << priority;

		link_findings_note(all, link, find_pos(all->f, a, b, priority),
				   "priority %u is lossless on the %s and lossy on the %s",
				   priority, link_findings_role(all->f, first ? a : b),
				   link_findings_role(all->f, first ? b : a));
	}
}

static bool
pauses_links(const struct switch_config *settings)
{
	return settings->flow_control == CONFIG_FLOW_CONTROL_PAUSE;
}

static void
check_ways(struct link_findings *all, uint32_t link, uint32_t a, uint32_t b)
{
	const struct switch_config *of_a = &all->f->switches[a], *of_b = &all->f->switches[b];

	if (advice_lossless(of_a) == 0 || advice_lossless(of_b) == 0 ||
	    pauses_links(of_a) == pauses_links(of_b))
		return;
	link_findings_note(
		all, link, find_pos(all->f, a, b, 0),
		"one end sends link pauses (802.3x) and the other priority pauses (PFC): "
		"neither obeys the other");
}

int
advice_link_mismatch(const struct fabric *f, struct diag *diag)
{
	struct link_findings all = {.f = f};

	for (uint32_t i = 0; i < f->topology->link_count; i++) {
		const struct topo_link *link = &f->topology->links[i];

		if (link->host)
			continue;
		check_priorities(&all, i, link->a.node, link->b.node);
		check_ways(&all, i, link->a.node, link->b.node);
	}
	return link_findings_report(&all, diag);
}
