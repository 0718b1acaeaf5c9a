// SPDX-License-Identifier: BSD-3-Clause
// Settings that are valid but do harm. Each file beside this one checks for one kind:
//   short_headroom.c     configured headroom too short for what arrives after XOFF,
//   late_marking.c       ECN marking that becomes certain only where PFC has already acted,
//   short_pauses.c       pauses that expire before they are sent again,
//   idle_rates.c         rates that no port of the switch can exceed,
//   link_mismatch.c      a priority that is lossless at one end of a link and lossy at the other,
//   priority_mismatch.c  packets whose priority differs at the two ends of a link,
//   paused_cnp.c         CNPs in a class that PFC pauses,
//   unprotected_data.c   data whose DSCP leads to a priority without PFC,
//   idle_pins.c          flows pinned to a switch that is no next hop,
//   idle_work.c          items of the workload and events that do not take place as written,
//   deadlock.c           cyclic buffer dependencies, by which PFC can deadlock, and routing loops.
// All of them check the fabric as it starts; deadlock.c also checks it after each route event.
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

struct diag_pos
advice_later(struct diag_pos a, struct diag_pos b)
{
	return a.line > b.line || (a.line == b.line && a.column > b.column) ? a : b;
}

int
advice_add_finding(struct advice_findings *all, const struct advice_finding *one)
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

// The first or the last of keys, which are cut apart.
static struct diag_pos
find_pos(const struct fabric *f, uint32_t node, char *keys, bool last)
{
	const struct topo_node *place = &f->topology->nodes[node];
	struct config_marks marks = {0};
	struct diag_pos pos = {0};
	struct switch_config scratch;
	char *rest;

	if (config_switch_marked(f->config, place->name, place->role, &scratch, &marks) == 0)
		for (char *key = strtok_r(keys, " ", &rest); key != NULL && (last || pos.line == 0);
		     key = strtok_r(NULL, " ", &rest))
			pos = advice_later(pos, config_marks_find(&marks, key).pos);
	config_marks_free(&marks);
	return pos;
}

struct diag_pos
advice_pos(const struct fabric *f, uint32_t node, const char *format, ...)
{
	char keys[512];
	va_list args;

	va_start(args, format);
	vsnprintf(keys, sizeof(keys), format, args);
	va_end(args);
	return find_pos(f, node, keys, false);
}

struct diag_pos
advice_last(const struct fabric *f, uint32_t node, const char *format, ...)
{
	char keys[512];
	va_list args;

	va_start(args, format);
	vsnprintf(keys, sizeof(keys), format, args);
	va_end(args);
	return find_pos(f, node, keys, true);
}

struct diag_pos
advice_map_pos(const struct fabric *f, uint32_t node, uint16_t port, unsigned dscp)
{
	const struct switch_config *settings = &f->switches[node];

	for (unsigned i = 0; i < settings->port_count; i++)
		if (settings->ports[i].number == f->topology->nodes[node].ports[port].number &&
		    settings->ports[i].set & (CONFIG_PORT_QOS_TRUST | CONFIG_PORT_QOS_PRIORITY |
					      CONFIG_PORT_QOS_DSCP))
			return settings->ports[i].name.pos;
	return advice_last(f, node, "qos.dscp-to-priority.%u qos.trust qos.port-priority", dscp);
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
advice_give(const struct fabric *f, struct diag *diag)
{
	static int (*const kinds[])(const struct fabric *, struct diag *) = {
		advice_short_headroom,   advice_short_pauses,      advice_late_marking,
		advice_idle_rates,       advice_link_mismatch,     advice_paused_cnp,
		advice_unprotected_data, advice_priority_mismatch, advice_idle_pins,
		advice_deadlock,
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		rc = kinds[i](f, diag);
	return rc;
}

static bool
has(const struct diag *diag, const char *text)
{
	for (unsigned i = 0; i < diag->count; i++)
		if (strcmp(diag->messages[i].text, text) == 0)
			return true;
	return false;
}

int
advice_give_new(const struct fabric *f, const struct diag *before, struct diag *diag)
{
	struct diag now = {0};
	int rc = advice_give(f, &now);

	for (unsigned i = 0; rc == 0 && i < now.count; i++) {
		const struct diag_message *m = &now.messages[i];

		if (!has(before, m->text))
			diag_warning(diag, f->config->file, m->pos, NULL, "%s", m->words);
	}
	diag_free(&now);
	return rc;
}
