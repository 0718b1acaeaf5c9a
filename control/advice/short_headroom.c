// SPDX-License-Identifier: BSD-3-Clause
// A lossless group drops packets if its configured headroom is smaller than what still arrives
// after XOFF, or if the headroom pool is smaller than the headroom that a single group may need.
#include "advice_internal.h"

#include "control/model/tables/build.h"

#include <inttypes.h>
#include <stdio.h>

// A group of a switch, and where the file sets its headroom for all ports.
struct search {
	const struct fabric *f;
	uint32_t node;
	unsigned group;
	struct diag_pos general; // line 0: not looked up yet, or nowhere
	struct advice_findings *all;
};

// Where the headroom is set for a port, and by which key.
static struct diag_pos
find_pos(struct search *s, uint16_t number, char key[static 40])
{
	struct diag_pos pos = {0};

	if (config_find_port(&s->f->switches[s->node], number) != NULL) {
		snprintf(key, 40, "qos.ports.swp%u.pg.%u.headroom", number, s->group);
		pos = advice_pos(s->f, s->node, ADVICE_FIRST_SET, "%s", key);
	}
	if (pos.line != 0)
		return pos;
	snprintf(key, 40, "qos.pg.%u.headroom", s->group);
	if (s->general.line == 0)
		s->general = advice_pos(s->f, s->node, ADVICE_FIRST_SET, "%s", key);
	return s->general;
}

static void
note_short(struct search *s, uint16_t p, uint64_t written, uint64_t needed)
{
	const struct topo_port *port = &s->f->topology->nodes[s->node].ports[p];
	char name[TOPOLOGY_NAME_MAX], key[40];
	struct diag_pos pos = find_pos(s, port->number, key);
	struct advice_finding *one;

	topology_port_name(s->f->topology, s->node, p, name);
	one = advice_note(s->all, pos, key, name,
			  "%" PRIu64 " B are less than the %" PRIu64
			  " B that may still arrive after XOFF at @: the group can drop packets",
			  written, needed);
	if (one != NULL)
		snprintf(one->detail, sizeof(one->detail), " (%g Gb/s, %g ns)",
			 (double)port->rate_bps / 1e9, (double)port->delay_ps / 1e3);
}

// Whether the headroom of a port's group is set as a size.
static bool
is_sized(const struct switch_config *settings, unsigned number, unsigned group)
{
	const struct config_port_qos *own = config_find_port(settings, number);
	bool differs = own != NULL && own->set & CONFIG_PORT_QOS_GROUPS;
	const struct config_group *g = differs ? &own->groups[group] : &settings->groups[group];

	return g->lossless && g->headroom.kind == CONFIG_AMOUNT_BYTES;
}

// Ports that share a profile need the same headroom.
static void
check_group(const struct fabric *f, uint32_t node, unsigned group, struct advice_findings *all)
{
	const struct topo_node *place = &f->topology->nodes[node];
	const struct tables *t = f->tables[node];
	const struct port_profile *last = NULL;
	struct search s = {.f = f, .node = node, .group = group, .all = all};
	uint64_t needed = 0;

	for (uint16_t p = 0; p < place->port_count; p++) {
		const struct port_profile *profile = t->ports[p].profile;
		uint64_t written = (uint64_t)profile->pg[group].headroom * t->cell;
		const struct topo_port *port = &place->ports[p];

		if (profile->pg[group].pfc_priorities == 0 ||
		    !is_sized(&f->switches[node], port->number, group))
			continue;
		if (profile != last)
			needed = tables_headroom_needed(f->topology, &f->switches[node], port);
		last = profile;
		if (written < needed)
			note_short(&s, p, written, needed);
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
			check_group(f, n, g, &all);
	}
	advice_report(&all, f, diag);
}
