// SPDX-License-Identifier: BSD-3-Clause
// `kind: leaf-spine`: every leaf has its hosts on its first ports and one uplink to every spine
// behind them; a spine has one port a leaf, in order. `planes: N` makes N disjoint copies, with one
// NIC of each host (eth1 .. ethN) in each.
#include "builder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static int
check_sizes(const struct config *config, struct config_diag *diag)
{
	const struct config_fabric *f = &config->fabric;
	uint64_t leaf_ports = (uint64_t)f->hosts_per_leaf + f->spines;
	unsigned before = diag->errors;

	if (leaf_ports > PORTS_MAX)
		config_error(diag, config->file, f->topology_pos, "fabric.topology",
			     "a leaf would have %" PRIu64
			     " ports (%u hosts and %u uplinks); at most %d fit",
			     leaf_ports, f->hosts_per_leaf, f->spines, PORTS_MAX);
	if (f->leaves > PORTS_MAX)
		config_error(diag, config->file, f->topology_pos, "fabric.topology.leaves",
			     "a spine would have %u ports, one for each leaf; at most %d fit",
			     f->leaves, PORTS_MAX);
	if (f->planes > TOPOLOGY_PLANES_MAX)
		config_error(diag, config->file, f->topology_pos, "fabric.topology.planes",
			     "%u planes; addresses have room for %d", f->planes,
			     TOPOLOGY_PLANES_MAX);
	if (f->leaves == 0)
		config_error(diag, config->file, f->topology_pos, "fabric.topology.leaves",
			     "a fabric has at least one leaf");
	if (f->leaves > 1 && f->spines == 0)
		config_error(diag, config->file, f->topology_pos, "fabric.topology.spines",
			     "nothing joins %u leaves without a spine", f->leaves);
	return diag->errors == before ? 0 : -EINVAL;
}

static int
add_switches(struct topology *t, uint32_t planes, enum config_role role, uint32_t count)
{
	const char *word = role == CONFIG_ROLE_LEAF ? "leaf" : "spine";

	for (uint32_t plane = 0; plane < planes; plane++) {
		for (uint32_t i = 1; i <= count; i++) {
			char name[CONFIG_NAME_MAX + 1];

			if (planes > 1)
				snprintf(name, sizeof(name), "p%u-%s%u", plane + 1, word, i);
			else
				snprintf(name, sizeof(name), "%s%u", word, i);
			if (builder_add_node(t, name, role, (uint16_t)plane, i) == TOPOLOGY_NONE)
				return -ENOMEM;
		}
	}
	return 0;
}

static int
add_hosts(struct topology *t, uint32_t count)
{
	for (uint32_t i = 1; i <= count; i++) {
		char name[CONFIG_NAME_MAX + 1];

		snprintf(name, sizeof(name), "h%u", i);
		if (builder_add_node(t, name, CONFIG_ROLE_HOST, 0, i) == TOPOLOGY_NONE)
			return -ENOMEM;
	}
	return 0;
}

// The links of one leaf: hosts first, then uplinks.
static int
join_leaf(struct topology *t, uint32_t plane, uint32_t leaf, uint32_t first_spine,
	  uint32_t first_host)
{
	const struct config_fabric *f = &t->config->fabric;
	uint32_t node = plane * f->leaves + leaf;
	int error = 0;

	for (uint32_t h = 0; error == 0 && h < f->hosts_per_leaf; h++)
		error = builder_add_link(t, first_host + leaf * f->hosts_per_leaf + h, plane + 1,
					 node, h + 1, &f->host_link,
					 f->host_link.mtu != 0 ? f->host_link.mtu : f->mtu);
	for (uint32_t s = 0; error == 0 && s < f->spines; s++)
		error = builder_add_link(t, node, f->hosts_per_leaf + s + 1,
					 first_spine + plane * f->spines + s, leaf + 1,
					 &f->fabric_link,
					 f->fabric_link.mtu != 0 ? f->fabric_link.mtu : f->mtu);
	return error;
}

int
builder_leaf_spine(struct topology *t, struct config_diag *diag)
{
	const struct config_fabric *f = &t->config->fabric;
	uint32_t planes = f->planes != 0 ? f->planes : 1;
	uint32_t first_spine, first_host;
	int error = check_sizes(t->config, diag);

	if (error != 0)
		return error;
	first_spine = planes * f->leaves;
	first_host = first_spine + planes * f->spines;
	if (add_switches(t, planes, CONFIG_ROLE_LEAF, f->leaves) != 0 ||
	    add_switches(t, planes, CONFIG_ROLE_SPINE, f->spines) != 0 ||
	    add_hosts(t, f->leaves * f->hosts_per_leaf) != 0)
		return -ENOMEM;
	for (uint32_t plane = 0; error == 0 && plane < planes; plane++)
		for (uint32_t leaf = 0; error == 0 && leaf < f->leaves; leaf++)
			error = join_leaf(t, plane, leaf, first_spine, first_host);
	return error;
}
