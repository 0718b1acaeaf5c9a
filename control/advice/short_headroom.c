// SPDX-License-Identifier: BSD-3-Clause
// A lossless group drops packets if its configured headroom is smaller than what still arrives
// after XOFF, or if the headroom pool is smaller than the headroom that a single group may need.
#include "advice_internal.h"

#include "control/model/tables/build.h"

#include <inttypes.h>
#include <stdio.h>

// Ports that share a profile need the same headroom.
static void
check_group(const struct fabric *f, uint32_t node, unsigned group, struct advice_findings *all)
{
	const struct topo_node *place = &f->topology->nodes[node];
	const struct tables *t = f->tables[node];
	const struct port_profile *last = NULL;
	struct diag_pos pos = {0};
	uint64_t needed = 0;
	char name[TOPOLOGY_NAME_MAX], key[32];

	snprintf(key, sizeof(key), "qos.pg.%u.headroom", group);
	for (uint16_t p = 0; p < place->port_count; p++) {
		const struct port_profile *profile = t->ports[p].profile;
		uint64_t written = (uint64_t)profile->pg[group].headroom * t->cell;
		const struct topo_port *port = &place->ports[p];
		struct advice_finding *one;

		if (profile->pg[group].pfc_priorities == 0)
			continue;
		if (profile != last)
			needed = tables_headroom_needed(f->topology, &f->switches[node], port);
		last = profile;
		if (written >= needed)
			continue;
		if (pos.line == 0)
			pos = advice_pos(f, node, ADVICE_FIRST_SET, "%s", key);
		one = advice_note(
			all, pos, key, topology_port_name(f->topology, node, p, name),
			"%" PRIu64 " B are less than the %" PRIu64
			" B that may still arrive after XOFF at @: the group can drop packets",
			written, needed);
		if (one != NULL)
			snprintf(one->detail, sizeof(one->detail), " (%g Gb/s, %g ns)",
				 (double)port->rate_bps / 1e9, (double)port->delay_ps / 1e3);
	}
}

static void
check_pool(const struct fabric *f, uint32_t node, struct diag *diag)
{
	const struct tables *t = f->tables[node];
	uint32_t most = 0;

	if (f->switches[node].headroom_pool_bytes == 0)
		return;
	for (uint32_t i = 0; i < t->profile_count; i++)
		for (unsigned g = 0; g < PRIORITIES; g++)
			if (t->profiles[i].pg[g].headroom > most)
				most = t->profiles[i].pg[g].headroom;
	if (most <= t->pools[POOL_HEADROOM].size)
		return;
	diag_warning(diag, f->config->file,
		     advice_pos(f, node, ADVICE_FIRST_SET, "buffer.headroom-pool.size"),
		     "buffer.headroom-pool.size",
		     "%" PRIu64 " B, shared by all groups, is less than the %" PRIu64
		     " B of headroom that one group may need",
		     (uint64_t)t->pools[POOL_HEADROOM].size * t->cell, (uint64_t)most * t->cell);
}

void
advice_short_headroom(const struct fabric *f, struct diag *diag)
{
	struct advice_findings all = {.one = "port", .many = "ports"};

	for (uint32_t n = 0; n < f->topology->first_host; n++) {
		check_pool(f, n, diag);
		for (unsigned g = 0; g < PRIORITIES; g++)
			if (f->switches[n].groups[g].lossless &&
			    f->switches[n].groups[g].headroom.kind == CONFIG_AMOUNT_BYTES)
				check_group(f, n, g, &all);
	}
	advice_report(&all, f, diag);
}
