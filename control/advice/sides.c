// SPDX-License-Identifier: BSD-3-Clause
// The two ends of a link between switches must agree on what is never dropped: where one pauses for
// a priority and the other drops it, packets that were lossless at first are lost on the way. A
// host follows the leaf that it hangs on, so it always agrees. Two ends disagree by what they take
// for lossless, by the way in which they pause, or by which DSCPs they take for what priority.
#include "part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One way of disagreeing, which many links may share.
struct finding {
	struct config_pos pos;
	char text[200]; // without the names of the ends
	uint32_t link;
	uint32_t others;
};

struct findings {
	const struct fabric *f;
	struct finding *items;
	uint32_t count;
	int error;
};

static void
note(struct findings *all, uint32_t link, struct config_pos pos, const char *text)
{
	struct finding *grown;

	for (uint32_t i = 0; i < all->count; i++)
		if (all->items[i].pos.line == pos.line && all->items[i].pos.column == pos.column &&
		    strcmp(all->items[i].text, text) == 0) {
			all->items[i].others++;
			return;
		}
	grown = realloc(all->items, (all->count + 1) * sizeof(*grown));
	if (grown == NULL) {
		all->error = -ENOMEM;
		return;
	}
	all->items = grown;
	grown[all->count] = (struct finding){.pos = pos, .link = link};
	snprintf(grown[all->count++].text, sizeof(grown->text), "%s", text);
}

static const char *
role(const struct topo_node *node)
{
	return node->role == CONFIG_ROLE_LEAF ? "leaf" : "spine";
}

// Where the file makes the two differ: the last of the keys that decide it, of either.
static struct config_pos
find_pos(const struct fabric *f, uint32_t a, uint32_t b, unsigned priority)
{
	struct config_pos last = {0};

	for (unsigned i = 0; i < 2; i++) {
		uint32_t node = i == 0 ? a : b;
		unsigned group = f->switches[node].priority_to_group[priority];
		const size_t offsets[] = {
			offsetof(struct switch_config, groups[0].lossless) +
				group * sizeof(struct config_group),
			offsetof(struct switch_config, priority_to_group) + priority,
			offsetof(struct switch_config, pfc_priorities),
			offsetof(struct switch_config, flow_control),
			offsetof(struct switch_config, preset),
		};
		struct config_pos pos =
			advice_pos_of(f, node, offsets, sizeof(offsets) / sizeof(offsets[0]));

		if (pos.line > last.line || (pos.line == last.line && pos.column > last.column))
			last = pos;
	}
	return last;
}

static void
look_at_priorities(struct findings *all, uint32_t link, uint32_t a, uint32_t b)
{
	const struct topo_node *nodes = all->f->topology->nodes;
	uint8_t of_a = advice_lossless(&all->f->switches[a]),
		of_b = advice_lossless(&all->f->switches[b]);
	char text[200];

	for (unsigned bits = of_a ^ of_b; bits != 0; bits &= bits - 1) {
		unsigned priority = (unsigned)__builtin_ctz(bits);
		bool first = of_a & 1u << priority;

		snprintf(text, sizeof(text),
			 "priority %u is lossless on the %s and lossy on the %s", priority,
			 role(&nodes[first ? a : b]), role(&nodes[first ? b : a]));
		note(all, link, find_pos(all->f, a, b, priority), text);
	}
}

static bool
pauses_links(const struct switch_config *settings)
{
	return settings->flow_control == CONFIG_FLOW_CONTROL_PAUSE;
}

static void
look_at_ways(struct findings *all, uint32_t link, uint32_t a, uint32_t b)
{
	const struct switch_config *of_a = &all->f->switches[a], *of_b = &all->f->switches[b];

	if (advice_lossless(of_a) == 0 || advice_lossless(of_b) == 0 ||
	    pauses_links(of_a) == pauses_links(of_b))
		return;
	note(all, link, find_pos(all->f, a, b, 0),
	     "one end pauses the link (802.3x), the other priorities (PFC): neither obeys the "
	     "other");
}

static const struct port_profile *
profile_at(const struct fabric *f, const struct topo_end *end)
{
	return f->tables[end->node]->ports[end->port].profile;
}

// A DSCP is one packet's: both ends must hold it back by the same priority.
static void
look_at_dscps(struct findings *all, uint32_t link, const struct topo_end *a,
	      const struct topo_end *b)
{
	const struct port_profile *at_a = profile_at(all->f, a), *at_b = profile_at(all->f, b);
	uint8_t of_a = advice_lossless(&all->f->switches[a->node]);
	uint8_t of_b = advice_lossless(&all->f->switches[b->node]);
	const struct topo_node *nodes = all->f->topology->nodes;
	const size_t offset = offsetof(struct switch_config, dscp_to_priority);
	unsigned count = 0, first = 0;
	char text[200], others[ADVICE_OTHERS];
	struct config_pos pos;

	if (!at_a->trust_dscp || !at_b->trust_dscp)
		return;
	for (unsigned dscp = 64; dscp-- > 0;) {
		unsigned one = at_a->dscp_to_priority[dscp], other = at_b->dscp_to_priority[dscp];

		if (one == other || !((of_a & 1u << one) || (of_b & 1u << other)))
			continue;
		count++;
		first = dscp;
	}
	if (count == 0)
		return;
	pos = advice_pos(all->f, b->node, offset + first);
	if (pos.line == 0)
		pos = advice_pos(all->f, a->node, offset + first);
	snprintf(text, sizeof(text),
		 "DSCP %u is priority %u on the %s and %u on the %s%s: a pause by one does not "
		 "hold the "
		 "packets of the other",
		 first, at_a->dscp_to_priority[first], role(&nodes[a->node]),
		 at_b->dscp_to_priority[first], role(&nodes[b->node]),
		 advice_others(count - 1, "differs", "differ", others));
	note(all, link, pos, text);
}

int
advice_sides(const struct fabric *f, struct config_diag *diag)
{
	struct findings all = {.f = f};
	char name[TOPOLOGY_NAME_MAX], others[ADVICE_OTHERS];

	for (uint32_t i = 0; i < f->topology->link_count; i++) {
		const struct topo_link *link = &f->topology->links[i];

		if (link->host)
			continue;
		look_at_priorities(&all, i, link->a.node, link->b.node);
		look_at_ways(&all, i, link->a.node, link->b.node);
		look_at_dscps(&all, i, &link->a, &link->b);
	}
	for (uint32_t i = 0; all.error == 0 && i < all.count; i++)
		config_warning(diag, f->config->file, all.items[i].pos, "qos",
			       "on the link %s%s %s",
			       topology_link_name(f->topology, all.items[i].link, name),
			       advice_others(all.items[i].others, "link", "links", others),
			       all.items[i].text);
	free(all.items);
	return all.error;
}
