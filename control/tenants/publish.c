// SPDX-License-Identifier: BSD-3-Clause
// Tables of many nodes come into force together: each node is given its own, then the generation of
// the fabric moves on, and the old tables are freed after one grace period for all.
#include "change_internal.h"

#include "control/base/memory.h"
#include "control/fabric/fabric.h"
#include "dataplane/node/adopt.h"

#include <stdlib.h>

void
change_publish(const struct change_env *env, struct tables **tables)
{
	struct fabric *f = env->fabric;
	uint32_t old = 0;

	for (uint32_t i = 0; i < f->topology->node_count; i++)
		if (tables[i] != NULL)
			tables[i] = fabric_set_tables(f, i, tables[i]);
	node_publish(&f->generation);
	for (uint32_t i = 0; i < f->topology->node_count; i++) {
		struct tables *t = tables[i];

		tables[i] = NULL;
		if (t != NULL)
			tables[old++] = t;
	}
	if (old != 0)
		env->hooks->retire(env->hooks->context, tables, old);
	for (uint32_t i = 0; i < old; i++)
		tables[i] = NULL;
}

int
change_make_routes(const struct change_env *env, struct routes **out, struct diag *diag)
{
	const struct fabric *f = env->fabric;
	int rc = routes_create(out, f->topology, f->link_down, diag);

	if (rc != 0)
		return rc;
	rc = link_view_apply(f, *out, diag);
	if (rc == 0)
		rc = routes_apply_steps(*out, f->topology, env->steps, env->done, diag);
	if (rc != 0)
		routes_destroy(*out);
	return rc;
}

int
change_rebuild(const struct change_env *env, struct diag *diag)
{
	struct fabric *f = env->fabric;
	struct tables **tables =
		memory_array(f->topology->node_count, sizeof(struct tables *), "tables");
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < f->topology->first_host; i++)
		rc = fabric_build_tables(f, i, &f->switches[i], &tables[i], diag);
	if (rc == 0)
		change_publish(env, tables);
	for (uint32_t i = 0; i < f->topology->first_host; i++)
		tables_destroy(tables[i]);
	free(tables);
	return rc;
}
