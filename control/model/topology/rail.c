// SPDX-License-Identifier: BSD-3-Clause
// `kind: rail`: a host is a server with one NIC a rail, and eth k of all servers of a group hangs
// on the group's leaf of rail k. Leaf i serves rail (i - 1) % rails + 1 of group (i - 1) / rails;
// all leaves are joined by the spines, so that rails reach each other there.
#include "builder.h"

#include <errno.h>

// The links of one leaf: hosts first, then uplinks.
static int
join_leaf(struct topology *t, uint32_t leaf)
{
	const struct config_fabric *f = &t->config->fabric;
	uint32_t group = leaf / f->rails, rail = leaf % f->rails;
	uint32_t host = t->first_host + group * f->hosts_per_leaf;
	int error = 0;

	for (uint32_t h = 0; error == 0 && h < f->hosts_per_leaf; h++)
		error = builder_join(t, host + h, rail + 1, leaf, h + 1);
	for (uint32_t s = 0; error == 0 && s < f->spines; s++)
		error = builder_join(t, leaf, f->hosts_per_leaf + s + 1, f->leaves + s, leaf + 1);
	return error;
}

int
builder_rail(struct topology *t)
{
	const struct config_fabric *f = &t->config->fabric;
	int error = 0;

	if (builder_add_switches(t, 1, CONFIG_ROLE_LEAF, f->leaves) != 0 ||
	    builder_add_switches(t, 1, CONFIG_ROLE_SPINE, f->spines) != 0 ||
	    builder_add_hosts(t, f->leaves / f->rails * f->hosts_per_leaf) != 0)
		return -ENOMEM;
	for (uint32_t leaf = 0; error == 0 && leaf < f->leaves; leaf++)
		error = join_leaf(t, leaf);
	return error;
}
