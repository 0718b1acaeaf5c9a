// SPDX-License-Identifier: BSD-3-Clause
// Headroom that the file sets shorter than what still arrives after XOFF: a lossless group would
// drop. And a headroom pool in which not even one group finds the headroom it may take.
#include "advice_internal.h"

#include "control/model/tables/build.h"

#include <inttypes.h>
#include <stdlib.h>

// Of a finding: the group, and bytes.
enum { GROUP, WRITTEN, NEEDED };

// Ports share what a profile says, so what was found of a profile is found of all its ports.
static int
check_group(const struct fabric *f, uint32_t node, unsigned group, struct advice_findings *all)
{
	const struct topo_node *place = &f->topology->nodes[node];
	const struct switch_config *settings = &f->switches[node];
	const struct tables *t = f->tables[node];
	struct advice_finding one = {.figures[GROUP] = group};
	const struct port_profile *last = NULL;
	int rc = 0;

	for (uint16_t p = 0; rc == 0 && p < place->port_count; p++) {
		const struct port_profile *profile = t->ports[p].profile;

		if (profile->pg[group].pfc_priorities == 0)
			continue;
		one.first = (struct topo_ref){.node = node, .port = p};
		one.figures[WRITTEN] = (uint64_t)profile->pg[group].headroom * t->cell;
		if (profile != last)
			one.figures[NEEDED] =
				tables_headroom_needed(f->topology, settings, &place->ports[p]);
		last = profile;
		if (one.figures[WRITTEN] >= one.figures[NEEDED])
			continue;
		if (one.pos.line == 0)
			one.pos = advice_pos(f, node, "qos.pg.%u.headroom", (unsigned)group);
		rc = advice_add_finding(all, &one);
	}
	return rc;
}

static void
report(const struct fabric *f, const struct advice_findings *all, struct diag *diag)
{
	char name[TOPOLOGY_NAME_MAX], others[ADVICE_OTHERS], key[32];

	for (uint32_t i = 0; i < all->count; i++) {
		const struct advice_finding *one = &all->items[i];
		const struct topo_port *port =
			&f->topology->nodes[one->first.node].ports[one->first.port];

		snprintf(key, sizeof(key), "qos.pg.%u.headroom", (unsigned)one->figures[GROUP]);
		diag_warning(
			diag, f->config->file, one->pos, key,
			"%" PRIu64 " B are less than the %" PRIu64
			" B that may still arrive after XOFF at %s%s (%g Gb/s, %g ns): the group "
			"can drop packets",
			one->figures[WRITTEN], one->figures[NEEDED],
			topology_port_name(f->topology, one->first.node, one->first.port, name),
			advice_others(one->others, "port", "ports", others),
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
	diag_warning(diag, f->config->file, advice_pos(f, node, "buffer.headroom-pool.size"),
		     "buffer.headroom-pool.size",
		     "%" PRIu64 " B, shared by all groups, is less than the %" PRIu64
		     " B of headroom that one group may need",
		     (uint64_t)t->pools[POOL_HEADROOM].size * t->cell, (uint64_t)most * t->cell);
}

int
advice_short_headroom(const struct fabric *f, struct diag *diag)
{
	struct advice_findings all = {0};
	int rc = 0;

	for (uint32_t n = 0; rc == 0 && n < f->topology->first_host; n++) {
		check_pool(f, n, diag);
		for (unsigned g = 0; rc == 0 && g < PRIORITIES; g++)
			if (f->switches[n].groups[g].lossless &&
			    f->switches[n].groups[g].headroom.kind == CONFIG_AMOUNT_BYTES)
				rc = check_group(f, n, g, &all);
	}
	if (rc == 0)
		report(f, &all, diag);
	free(all.items);
	return rc;
}
