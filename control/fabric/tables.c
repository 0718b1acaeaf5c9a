// SPDX-License-Identifier: BSD-3-Clause
#include "control/tables/build.h"
#include "fabric.h"

#include <errno.h>

#define CLOCK_RANDOM UINT64_C(0x636c636b) // "clck"
#define CLOCK_UNIT 1000                   // draws are in 10^-9: thousandths of a ppm

// A host's own clock differs from the nominal one by up to clock-ppm, as the seed and the host
// decide.
static void
skew_clock(const struct fabric *f, uint32_t host, struct tables *t)
{
	struct random random = random_stream(f->seed, CLOCK_RANDOM << 32 | host);
	int64_t most = (int64_t)f->hosts[host].clock_ppm * CLOCK_UNIT;
	int64_t skew = (int64_t)random_below(&random, (uint32_t)(2 * most + 1)) - most;

	for (uint32_t i = 0; i < t->profile_count; i++) {
		struct port_profile *profile = &t->profiles[i];

		profile->byte_time +=
			(uint64_t)((int64_t)profile->byte_time * skew / (CLOCK_UNIT * 1000000));
		profile->quantum_time +=
			(uint64_t)((int64_t)profile->quantum_time * skew / (CLOCK_UNIT * 1000000));
	}
}

int
fabric_build_tables(const struct fabric *f, uint32_t node, const struct switch_config *settings,
		    struct tables **out, struct config_diag *diag)
{
	int rc;

	if (f->topology->nodes[node].role != CONFIG_ROLE_HOST) {
		rc = tables_build(out, f->topology, node, settings, &f->routes->nodes[node], diag);
		if (rc == 0)
			(*out)->trims |= f->trims;
		return rc;
	}
	rc = tables_build_host(out, f->topology, node, settings, diag);
	if (rc == 0)
		skew_clock(f, topology_host_of(f->topology, node), *out);
	return rc;
}

struct tables *
fabric_publish_tables(struct fabric *f, uint32_t node, struct tables *t)
{
	struct tables *old = f->tables[node];

	f->tables[node] = t;
	node_set_tables(f->nodes[node], t);
	return old;
}

int
fabric_rebuild_tables(struct fabric *f, uint32_t node, struct tables **old,
		      struct config_diag *diag)
{
	const struct topo_node *place = &f->topology->nodes[node];
	struct switch_config settings;
	struct tables *t;
	int rc = 0;

	*old = NULL;
	if (f->nodes[node] == NULL)
		return 0; // an attached host
	if (place->role == CONFIG_ROLE_HOST)
		settings = f->switches[place->ports[0].peer_node];
	else
		rc = config_switch(f->config, place->name, place->role, &settings);
	if (rc == 0)
		rc = fabric_build_tables(f, node, &settings, &t, diag);
	if (rc != 0)
		return rc;
	if (place->role != CONFIG_ROLE_HOST)
		f->switches[node] = settings;
	*old = fabric_publish_tables(f, node, t);
	return 0;
}
