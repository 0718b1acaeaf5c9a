// SPDX-License-Identifier: BSD-3-Clause
#include "control/tables/build.h"
#include "fabric.h"

#include <errno.h>

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
