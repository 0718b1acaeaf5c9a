// SPDX-License-Identifier: BSD-3-Clause
// A snapshot is built in the order in which its parts need each other: what every port does
// (profiles.c, with classes.c and port_qos.c); the pools, which get what the ports' headroom and
// reserved space leave (pools.c); the tenants' shares of the pools (shares.c); histograms
// (histograms.c); where packets go (forwarding.c); and which tunnels and VLANs end here
// (tunnels.c, ipip.c). All of it is plain arithmetic on complete settings. Whatever the dataplane
// would have to divide or round is divided and rounded here.
//
// Lengths become cells. Limits are rounded down (pool sizes, static limits, XON, ECN thresholds),
// because they are compared with "more than"; space that is set aside is rounded up (reserved,
// guarantees, headroom).
#include "build_internal.h"

#include "dataplane/base/random.h"
#include "control/base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

void
tables_blame(struct tables_draft *draft, struct config_error_origin *origin, const char *format,
	     ...)
{
	const struct config *config = draft->topology->config;
	struct switch_config scratch;
	char key[sizeof(origin->key)];
	va_list args;

	va_start(args, format);
	vsnprintf(key, sizeof(key), format, args);
	va_end(args);
	if (!draft->marked && config->private != NULL)
		config_switch_marked(config, draft->node->name, draft->node->role, &scratch,
				     &draft->marks);
	draft->marked = true;
	config_blame(origin, &draft->marks, "%s", key);
}

int
tables_report(const struct tables_draft *draft, bool warning, struct diag_pos pos, const char *key,
	      const char *format, ...)
{
	const char *file = draft->topology->config->file;
	char text[320];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return (warning ? diag_warning : diag_error)(draft->diag, file, pos, key, "on %s %s",
						     draft->node->name, text);
}

// A switch's own seed, so that the hashes of two switches in a row do not agree.
static uint32_t
hash_seed(const struct tables_draft *draft)
{
	uint64_t hash = FNV_BASIS;

	if (!draft->settings->routing.hash_seed_auto)
		return draft->settings->routing.hash_seed;
	for (const char *c = draft->node->name; *c != '\0'; c++)
		hash = (hash ^ (uint8_t)*c) * FNV_PRIME;
	return (uint32_t)(random_mix(hash ^ random_mix(draft->topology->config->fabric.seed)) >>
			  32);
}

static void
set_routing(struct tables_draft *draft)
{
	const struct config_routing *routing = &draft->settings->routing;
	struct tables *t = draft->t;

	_Static_assert(GRADES_MAX >= CONFIG_GRADES_MAX, "every grade of the file fits");
	for (unsigned i = 0; i < GRADES_MAX; i++)
		t->grades[i] = i < routing->grade_count
				       ? tables_cells_up(t, routing->grades_bytes[i])
				       : UINT32_MAX;
	t->eligible_data_only = routing->eligible_opcodes == CONFIG_OPCODES_DATA;
	t->eligible_udp_dport = routing->eligible_udp_dport;
	t->eligible_profile = (struct eligible_profile){
		.dscps = routing->eligible_dscps,
		.priorities = routing->eligible_priorities,
		.bth_reserved = routing->eligible_bth_reserved,
	};
	t->eligible_narrow = routing->eligible_dscps != UINT64_MAX ||
			     routing->eligible_priorities != UINT8_MAX ||
			     routing->eligible_bth_reserved != 0;
	t->hash_seed = hash_seed(draft);
	t->flowlet_gap = routing->flowlet_gap_ps;
	t->flowlets = routing->mode == GROUP_FLOWLET;
	t->utilisation = routing->utilisation_ppm != 0 &&
			 (routing->mode == GROUP_FLOWLET || routing->mode == GROUP_ADAPTIVE);
	t->notices = (struct notice_profile){
		.on = routing->notices.on,
		.depth = tables_cells_down(t, routing->notices.depth_bytes),
		.hold = routing->notices.hold_ps,
	};
}

// What happens to packets that find no room.
static void
set_trim(struct tables_draft *draft)
{
	const struct config_trim *trim = &draft->settings->trim;
	const struct config *config = draft->topology->config;

	draft->t->trims = config->private != NULL && config_trims(config);
	if (trim->on)
		draft->t->trim = (struct trim_profile){
			.size = (uint16_t)trim->size_bytes,
			.dscp = trim->dscp,
			.tc = trim->tc,
			.eligible = trim->eligible_tc,
		};
}

// The watchdog looks at all ports at once, if it is on at any.
static void
set_watchdog_poll(struct tables_draft *draft)
{
	struct tables *t = draft->t;

	for (uint32_t i = 0; i < t->profile_count; i++)
		if (t->profiles[i].watchdog.on)
			t->watchdog_poll = draft->settings->watchdog.poll_ps;
}

static void
set_priorities(struct tables_draft *draft)
{
	struct tables *t = draft->t;

	for (unsigned p = 0; p < PRIORITIES; p++) {
		t->priority_to_pg[p] = draft->host ? (uint8_t)p
						   : draft->settings->priority_to_group[p];
		t->priority_to_tc[p] = draft->host ? (uint8_t)p
						   : draft->settings->priority_to_class[p];
		t->tc_priorities[t->priority_to_tc[p]] |= (uint8_t)(1u << p);
	}
}

static struct tables_draft
start(const struct topology *topology, uint32_t node, const struct switch_config *settings,
      struct diag *diag)
{
	uint32_t cell = settings->cell_bytes;
	struct tables_draft draft = {
		.t = memory_new(sizeof(*draft.t), "switch tables"),
		.topology = topology,
		.node = &topology->nodes[node],
		.node_index = node,
		.settings = settings,
		.diag = diag,
		.host = topology->nodes[node].role == CONFIG_ROLE_HOST,
	};

	draft.t->epoch = 1;
	draft.t->cell = cell;
	draft.t->cell_magic = ((UINT64_C(1) << 32) + cell - 1) / cell;
	set_priorities(&draft);
	return draft;
}

static int
finish(struct tables_draft *draft, int error, struct tables **out)
{
	config_marks_free(&draft->marks);
	if (error != 0)
		tables_destroy(draft->t);
	else
		*out = draft->t;
	return error;
}

int
tables_build(struct tables **out, const struct topology *topology, uint32_t node,
	     const struct switch_config *settings, const struct route_list *routes,
	     struct diag *diag)
{
	struct tables_draft draft = start(topology, node, settings, diag);
	struct route_list guarded;
	int error;

	set_routing(&draft);
	error = tables_add_credits(&draft);
	if (error == 0)
		error = tables_add_llr(&draft);
	if (error == 0)
		error = tables_add_profiles(&draft);
	if (error == 0)
		error = draft.t->credits != NULL ? tables_add_lane_pools(&draft)
						 : tables_add_pools(&draft);
	if (error != 0)
		return finish(&draft, error, out);
	tables_add_tenants(&draft);
	tables_add_histograms(&draft);
	tables_add_answers(&draft);
	set_trim(&draft);
	draft.t->cut_through = config_cuts_through(settings);
	set_watchdog_poll(&draft);
	error = tables_add_pins(&draft);
	if (error != 0)
		return finish(&draft, error, out);
	tables_guard_tunnels(&draft, routes, &guarded);
	tables_guard_own(&draft, routes, &guarded);
	error = tables_add_forwarding(&draft, &guarded);
	free(guarded.routes);
	tables_add_tunnels(&draft, routes);
	tables_add_ipip(&draft);
	return finish(&draft, error, out);
}

int
tables_build_host(struct tables **out, const struct topology *topology, uint32_t node,
		  const struct switch_config *settings, struct diag *diag)
{
	struct tables_draft draft = start(topology, node, settings, diag);
	int error;

	for (unsigned i = 0; i < POOL_COUNT; i++)
		draft.t->pools[i] =
			(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	tables_set_answer_rate(&draft);
	error = tables_add_credits(&draft);
	if (error == 0)
		error = tables_add_llr(&draft);
	if (error == 0)
		error = tables_add_profiles(&draft);
	return finish(&draft, error, out);
}
