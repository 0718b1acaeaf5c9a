// SPDX-License-Identifier: BSD-3-Clause
// Settings that are valid but do harm. Each file beside this one checks for one kind:
//   short_headroom.c     configured headroom that is too small for what arrives after XOFF,
//   short_credits.c      links that InfiniBand's credits cannot fill,
//   short_replay.c       link-level retry that cannot fill a link, or resends for nothing,
//   late_marking.c       ECN marking that becomes certain only when PFC has already acted,
//   short_pauses.c       pauses that expire before they are refreshed,
//   idle_rates.c         rates that no port of the switch can exceed,
//   link_mismatch.c      a priority that is lossless at one end of a link and lossy at the other,
//   priority_mismatch.c  packets whose priority differs at the two ends of a link,
//   paused_cnp.c         CNPs in a class that PFC pauses,
//   unprotected_data.c   data whose DSCP leads to a priority without PFC,
//   untrimmed.c          transport uet in a class with PFC, or that switches do not trim,
//   idle_hosts.c         keys of hosts that change nothing,
//   idle_pins.c          flows pinned to a switch that is no next hop,
//   reordering.c         packets that overtake each other on their way to attached hosts,
//   idle_work.c          items of the workload and events that do not take place as written,
//   deadlock.c           cyclic buffer dependencies, by which PFC can deadlock, and routing loops.
// All of them check the fabric as it starts; deadlock.c also checks it after each route event.
#include "advice_internal.h"

#include "control/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t
advice_lossless(const struct port_profile *profile)
{
	uint8_t lossless = profile->credits ? 0xff : 0;

	for (unsigned g = 0; g < PRIORITIES; g++)
		lossless |= profile->pg[g].pfc_priorities;
	return lossless;
}

uint8_t
advice_lossless_somewhere(const struct tables *t)
{
	uint8_t lossless = 0;

	for (uint32_t i = 0; i < t->profile_count; i++)
		lossless |= advice_lossless(&t->profiles[i]);
	return lossless;
}

struct diag_pos
advice_later(struct diag_pos a, struct diag_pos b)
{
	return diag_pos_compare(a, b) > 0 ? a : b;
}

struct diag_pos
advice_pos(const struct fabric *f, uint32_t node, enum advice_which which, const char *format, ...)
{
	const struct topo_node *place = &f->topology->nodes[node];
	bool last = which == ADVICE_LAST_IN_FILE;
	struct config_marks marks = {0};
	struct diag_pos pos = {0};
	struct switch_config scratch;
	char keys[512], *rest;
	va_list args;

	va_start(args, format);
	vsnprintf(keys, sizeof(keys), format, args);
	va_end(args);
	if (config_switch_marked(f->config, place->name, place->role, &scratch, &marks) == 0)
		for (char *key = strtok_r(keys, " ", &rest); key != NULL && (last || pos.line == 0);
		     key = strtok_r(NULL, " ", &rest))
			pos = advice_later(pos, config_marks_find(&marks, key).pos);
	config_marks_free(&marks);
	return pos;
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
	return advice_pos(f, node, ADVICE_LAST_IN_FILE,
			  "qos.dscp-to-priority.%u qos.trust qos.port-priority", dscp);
}

struct diag_pos
advice_host_pos(const struct fabric *f, uint32_t host, const char *key)
{
	struct diag_pos pos =
		config_written_at(f->config, topology_host(f->topology, host)->name, key);

	return pos.line != 0 ? pos : config_written_at(f->config, "hosts", key);
}

void
advice_link_kind(const struct fabric *f, uint32_t node, const struct topo_port *port,
		 char kind[static ADVICE_KIND_MAX])
{
	const struct topo_node *nodes = f->topology->nodes;
	enum config_role low, high;

	kind[0] = '\0';
	if (port->peer_node == TOPOLOGY_NONE)
		return;
	low = nodes[node].role;
	high = nodes[port->peer_node].role;
	if (high < low || high == CONFIG_ROLE_HOST) {
		enum config_role other = low;

		low = high;
		high = other;
	}
	snprintf(kind, ADVICE_KIND_MAX, "%s-%s ", config_role_name(low), config_role_name(high));
}

ps_t
advice_latencies(const struct fabric *f, uint32_t node, const struct topo_port *port)
{
	ps_t own = f->switches[node].latency_ps;

	if (port->peer_node == TOPOLOGY_NONE)
		return 2 * own;
	return own + (port->peer_node < f->topology->first_host
			      ? f->switches[port->peer_node].latency_ps
			      : 0);
}

uint32_t
advice_percent(uint64_t part, uint64_t whole)
{
	const uint64_t percent = (part * 100 + whole / 2) / whole;

	return percent < 99 ? (uint32_t)percent : 99;
}

const char *
advice_others(uint32_t count, const char *one, const char *many, char text[static ADVICE_OTHERS])
{
	text[0] = '\0';
	if (count != 0)
		snprintf(text, ADVICE_OTHERS, " and %u other %s", count, count == 1 ? one : many);
	return text;
}

struct advice_finding *
advice_note(struct advice_findings *all, struct diag_pos pos, const char *key, const char *place,
	    const char *format, ...)
{
	struct advice_finding one = {.pos = pos};
	va_list args;

	va_start(args, format);
	vsnprintf(one.text, sizeof(one.text), format, args);
	va_end(args);
	snprintf(one.key, sizeof(one.key), "%s", key);
	snprintf(one.place, sizeof(one.place), "%s", place);
	for (uint32_t i = 0; i < all->count; i++) {
		struct advice_finding *known = &all->items[i];

		if (diag_pos_compare(known->pos, pos) == 0 && strcmp(known->key, key) == 0 &&
		    strcmp(known->text, one.text) == 0) {
			known->others++;
			return NULL;
		}
	}
	all->items = memory_grow(all->items, all->count, sizeof(one), "findings");
	all->items[all->count] = one;
	return &all->items[all->count++];
}

void
advice_report(struct advice_findings *all, const struct fabric *f, struct diag *diag)
{
	for (uint32_t i = 0; i < all->count; i++) {
		const struct advice_finding *one = &all->items[i];
		int before = (int)strcspn(one->text, "@");
		char others[ADVICE_OTHERS];

		diag_warning(diag, f->config->file, one->pos, one->key, "%.*s%s%s%s%s", before,
			     one->text, one->place,
			     advice_others(one->others, all->one, all->many, others), one->detail,
			     one->text + before + 1);
	}
	free(all->items);
}

void
advice_give(const struct fabric *f, struct diag *diag)
{
	static void (*const kinds[])(const struct fabric *, struct diag *) = {
		advice_short_headroom, advice_short_credits,     advice_short_replay,
		advice_short_pauses,   advice_late_marking,      advice_idle_rates,
		advice_link_mismatch,  advice_paused_cnp,        advice_unprotected_data,
		advice_untrimmed,      advice_priority_mismatch, advice_idle_hosts,
		advice_idle_pins,      advice_deadlock,
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		kinds[i](f, diag);
}

static bool
has(const struct diag *diag, const char *text)
{
	for (unsigned i = 0; i < diag->count; i++)
		if (strcmp(diag->messages[i].text, text) == 0)
			return true;
	return false;
}

void
advice_add_new(const struct fabric *f, const struct diag *before, const struct diag *now,
	       struct diag *diag)
{
	for (unsigned i = 0; i < now->count; i++)
		if (!has(before, now->messages[i].text))
			diag_warning(diag, f->config->file, now->messages[i].pos, NULL, "%s",
				     now->messages[i].words);
}

void
advice_give_new(const struct fabric *f, const struct diag *before, struct diag *diag)
{
	struct diag now = {0};

	advice_give(f, &now);
	advice_add_new(f, before, &now, diag);
	diag_free(&now);
}
