// SPDX-License-Identifier: BSD-3-Clause
// Settings that hold but hurt. Each of the files beside this one knows one kind:
//   headroom.c  headroom written shorter than what still arrives after XOFF,
//   ecn.c       marking that becomes certain only where PFC has acted already,
//   pauses.c    pauses that have run out before they are sent again,
//   rates.c     rates above what any of their ports carries,
//   sides.c     a priority that is lossless on one side of a link and lossy on the other,
//   markings.c  packets that are of another priority at the other end of a link,
//   cnp.c       CNPs in a class that PFC pauses,
//   data.c      data whose DSCP takes it out of PFC,
//   pins.c      flows pinned to what is no way,
//   work.c      workload and events that do not happen as they are written,
//   cycles.c    buffers that wait for each other in a circle, so that PFC can deadlock, and routing
//               loops.
// All of them look at the fabric as it would start; cycles.c also at what route events make of it.
#include "advice_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t
advice_lossless(const struct switch_config *settings)
{
	uint8_t served = 0, lossless = 0;

	if (settings->flow_control == CONFIG_FLOW_CONTROL_PFC ||
	    settings->flow_control == CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC)
		served = settings->pfc_priorities;
	else if (settings->flow_control == CONFIG_FLOW_CONTROL_PAUSE)
		served = 0xff;
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (settings->groups[settings->priority_to_group[p]].lossless)
			lossless |= (uint8_t)(1u << p);
	return lossless & served;
}

struct config_pos
advice_later(struct config_pos a, struct config_pos b)
{
	return a.line > b.line || (a.line == b.line && a.column > b.column) ? a : b;
}

int
advice_note(struct advice_findings *all, const struct advice_finding *one)
{
	struct advice_finding *grown;

	for (uint32_t i = 0; i < all->count; i++) {
		struct advice_finding *known = &all->items[i];

		if (known->pos.line == one->pos.line && known->pos.column == one->pos.column &&
		    memcmp(known->figures, one->figures, sizeof(one->figures)) == 0) {
			known->others++;
			return 0;
		}
	}
	grown = realloc(all->items, (all->count + 1) * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	all->items = grown;
	grown[all->count++] = *one;
	return 0;
}

// The first or the last of them.
static struct config_pos
find_pos(const struct fabric *f, uint32_t node, const size_t *offsets, unsigned count, bool last)
{
	const struct topo_node *place = &f->topology->nodes[node];
	struct config_mark *marks = calloc(sizeof(struct switch_config), sizeof(*marks));
	struct config_pos pos = {0};
	struct switch_config scratch;

	if (marks != NULL &&
	    config_switch_marked(f->config, place->name, place->role, &scratch, marks) == 0)
		for (unsigned i = 0; i < count && (last || pos.line == 0); i++)
			if (marks[offsets[i]].origin == CONFIG_ORIGIN_FILE)
				pos = advice_later(pos, marks[offsets[i]].pos);
	free(marks);
	return pos;
}

struct config_pos
advice_pos_of(const struct fabric *f, uint32_t node, const size_t *offsets, unsigned count)
{
	return find_pos(f, node, offsets, count, false);
}

struct config_pos
advice_last(const struct fabric *f, uint32_t node, const size_t *offsets, unsigned count)
{
	return find_pos(f, node, offsets, count, true);
}

struct config_pos
advice_pos(const struct fabric *f, uint32_t node, size_t offset)
{
	return advice_pos_of(f, node, &offset, 1);
}

struct config_pos
advice_map_pos(const struct fabric *f, uint32_t node, uint16_t port, unsigned dscp)
{
	const struct switch_config *settings = &f->switches[node];
	const size_t offsets[] = {offsetof(struct switch_config, dscp_to_priority) + dscp,
				  offsetof(struct switch_config, trust),
				  offsetof(struct switch_config, port_priority)};

	for (unsigned i = 0; i < settings->port_count; i++)
		if (settings->ports[i].number == f->topology->nodes[node].ports[port].number &&
		    settings->ports[i].set & (CONFIG_PORT_QOS_TRUST | CONFIG_PORT_QOS_PRIORITY |
					      CONFIG_PORT_QOS_DSCP))
			return settings->ports[i].name.pos;
	return advice_last(f, node, offsets, sizeof(offsets) / sizeof(offsets[0]));
}

const char *
advice_others(uint32_t count, const char *one, const char *many, char text[static ADVICE_OTHERS])
{
	text[0] = '\0';
	if (count != 0)
		snprintf(text, ADVICE_OTHERS, " and %u other %s", count, count == 1 ? one : many);
	return text;
}

int
advice_give(const struct fabric *f, struct config_diag *diag)
{
	static int (*const kinds[])(const struct fabric *, struct config_diag *) = {
		advice_headroom, advice_pauses, advice_ecn,      advice_rates,  advice_sides,
		advice_cnp,      advice_data,   advice_markings, advice_pins,   advice_cycles,
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		rc = kinds[i](f, diag);
	return rc;
}

static bool
has(const struct config_diag *diag, const char *text)
{
	for (unsigned i = 0; i < diag->count; i++)
		if (strcmp(diag->messages[i].text, text) == 0)
			return true;
	return false;
}

int
advice_give_new(const struct fabric *f, const struct config_diag *before, struct config_diag *diag)
{
	struct config_diag now = {0};
	int rc = advice_give(f, &now);

	for (unsigned i = 0; rc == 0 && i < now.count; i++) {
		const struct config_message *m = &now.messages[i];

		if (!has(before, m->text))
			config_warning(diag, f->config->file, m->pos, NULL, "%s", m->words);
	}
	config_diag_free(&now);
	return rc;
}
