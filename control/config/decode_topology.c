// SPDX-License-Identifier: BSD-3-Clause
// Whether a topology's numbers fit together: every switch has at most 256 ports, a host at most 8,
// and all nodes have 16-bit numbers.
#include "schema_keys_internal.h"

#include "fabric_file.h"

#include <errno.h>
#include <inttypes.h>

#define PORTS_MAX 256
#define RAILS_MAX 8
#define NODES_MAX 65535

void
config_count_nodes(const struct config_fabric *f, struct config_counts *out)
{
	uint32_t pods = f->topology == CONFIG_TOPOLOGY_CLOS3 ? f->pods : 1;
	uint32_t half = f->k / 2;

	*out = (struct config_counts){.planes = f->planes > 1 ? f->planes : 1};
	switch (f->topology) {
	case CONFIG_TOPOLOGY_LEAF_SPINE:
	case CONFIG_TOPOLOGY_CLOS3:
		out->leaves = pods * f->leaves;
		out->spines = pods * f->spines;
		out->supers = f->topology == CONFIG_TOPOLOGY_CLOS3 ? f->supers : 0;
		out->hosts = out->leaves * f->hosts_per_leaf;
		break;
	case CONFIG_TOPOLOGY_RAIL:
		out->leaves = f->leaves;
		out->spines = f->spines;
		out->hosts = f->rails != 0 ? f->leaves / f->rails * f->hosts_per_leaf : 0;
		break;
	case CONFIG_TOPOLOGY_FAT_TREE:
		out->leaves = out->spines = f->k * half;
		out->supers = half * half;
		out->hosts = f->k * half * half;
		break;
	case CONFIG_TOPOLOGY_EXPLICIT:
	case CONFIG_TOPOLOGY_FILE:
	case CONFIG_TOPOLOGY_SINGLE:
		break;
	}
}

static void
check_ports(struct decoder *d, struct diag_pos pos, const char *what, uint32_t ports)
{
	if (ports > PORTS_MAX)
		decode_error(d, pos, "a %s would have %u ports: %d at most", what, ports,
			     PORTS_MAX);
}

static void
check_joined(struct decoder *d, struct diag_pos pos, const struct config_fabric *f)
{
	if (f->spines == 0 && f->leaves > 1)
		decode_error(d, pos, "%u leaves without a spine cannot reach each other",
			     f->leaves);
}

static void
check_rails(struct decoder *d, struct diag_pos pos, struct config_fabric *f)
{
	if (f->rails == 0)
		f->rails = f->leaves;
	if (f->rails > RAILS_MAX)
		decode_error(d, pos,
			     "a host would have %u NICs, one for each leaf: write \"rails\", %d "
			     "at most",
			     f->rails, RAILS_MAX);
	else if (f->rails != 0 && f->leaves % f->rails != 0)
		decode_error(d, pos, "%u leaves cannot be shared evenly by %u rails", f->leaves,
			     f->rails);
	check_ports(d, pos, "leaf", f->hosts_per_leaf + f->spines);
	check_joined(d, pos, f);
}

static void
check_clos3(struct decoder *d, struct diag_pos pos, const struct config_fabric *f)
{
	check_ports(d, pos, "leaf", f->hosts_per_leaf + f->spines);
	check_joined(d, pos, f);
	if (f->spines != 0 && f->supers % f->spines != 0)
		decode_error(
			d, pos,
			"%u super-spines cannot be shared evenly by %u groups, one for each spine "
			"of a pod",
			f->supers, f->spines);
	else if (f->spines != 0)
		check_ports(d, pos, "spine", f->leaves + f->supers / f->spines);
	if (f->pods > 1 && (f->supers == 0 || f->spines == 0))
		decode_error(d, pos, "%u pods without a super-spine cannot reach each other",
			     f->pods);
}

void
check_topology(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_fabric *f = &((struct config *)base)->fabric;
	unsigned before = d->diag->errors;
	struct config_counts counts;
	uint64_t nodes;

	switch (f->topology) {
	case CONFIG_TOPOLOGY_LEAF_SPINE:
		check_joined(d, node->pos, f);
		check_ports(d, node->pos, "leaf", f->hosts_per_leaf + f->spines);
		break;
	case CONFIG_TOPOLOGY_RAIL:
		check_rails(d, node->pos, f);
		break;
	case CONFIG_TOPOLOGY_FAT_TREE:
		if (f->k % 2 != 0)
			decode_error(d, node->pos,
				     "k is %u: half the ports of a switch go up, so "
				     "it must be even",
				     f->k);
		break;
	case CONFIG_TOPOLOGY_CLOS3:
		check_clos3(d, node->pos, f);
		break;
	case CONFIG_TOPOLOGY_FILE:
		if (f->path.text != NULL)
			fabric_file_load(f, d->arena, d->file, d->beside, d->diag);
		break;
	case CONFIG_TOPOLOGY_EXPLICIT:
	case CONFIG_TOPOLOGY_SINGLE:
		break;
	}
	if (d->diag->errors > before)
		return;
	config_count_nodes(f, &counts);
	nodes = (uint64_t)counts.planes * (counts.leaves + counts.spines + counts.supers) +
		counts.hosts + f->node_count;
	if (nodes > NODES_MAX)
		decode_error(d, node->pos, "%" PRIu64 " nodes: %d at most", nodes, NODES_MAX);
}
