// SPDX-License-Identifier: BSD-3-Clause
#include "control/tables/build.h"
#include "fabric.h"

#include <errno.h>

#define CLOCK_RANDOM UINT64_C(0x636c636b) // "clck"
#define CLOCK_UNIT 1000                   // draws are in 10^-9: thousandths of a ppm

// A host's own clock differs from the nominal one by up to clock-ppm, as the seed and the host decide.
static void
skew_clock(const struct fabric *f, uint32_t host, struct tables *t)
{
	struct random random = random_stream(f->seed, CLOCK_RANDOM << 32 | host);
	int64_t most = (int64_t)f->hosts[host].clock_ppm * CLOCK_UNIT;
	int64_t skew = (int64_t)random_below(&random, (uint32_t)(2 * most + 1)) - most;

	for (uint32_t i = 0; i < t->profile_count; i++) {
		struct port_profile *profile = &t->profiles[i];

		profile->byte_time += (uint64_t)((int64_t)profile->byte_time * skew / (CLOCK_UNIT * 1000000));
		profile->quantum_time += (uint64_t)((int64_t)profile->quantum_time * skew / (CLOCK_UNIT * 1000000));
	}
}

int
fabric_rebuild_tables(struct fabric *f, uint32_t node, struct tables **old, struct config_diag *diag)
{
	const struct topology *topology = f->topology;
	const struct topo_node *place = &topology->nodes[node];
	struct switch_config settings;
	struct tables *t;
	int rc;

	*old = NULL;
	if (f->nodes[node] == NULL)
		return 0; // an attached host
	if (place->role == CONFIG_ROLE_HOST) {
		rc = tables_build_host(&t, topology, node, &f->switches[place->ports[0].peer_node], diag);
		if (rc == 0)
			skew_clock(f, topology_host_of(topology, node), t);
	} else {
		rc = config_switch(f->config, place->name, place->role, &settings);
		if (rc == 0)
			rc = tables_build(&t, topology, node, &settings, &f->routes->nodes[node], diag);
	}
	if (rc != 0)
		return rc;
	if (place->role != CONFIG_ROLE_HOST)
		f->switches[node] = settings;
	*old = f->tables[node];
	f->tables[node] = t;
	node_set_tables(f->nodes[node], t);
	return 0;
}
