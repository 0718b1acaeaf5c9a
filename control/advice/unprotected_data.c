// SPDX-License-Identifier: BSD-3-Clause
// A host whose data carries a DSCP of its own choice (`dscp`): where its leaf takes that for a
// priority without PFC while the one it is said to send by has it, its data can be lost.
#include "advice_internal.h"

// Where the file says so.
static struct diag_pos
find_pos(const struct fabric *f, uint32_t host)
{
	struct diag_pos pos =
		config_written_at(f->config, topology_host(f->topology, host)->name, "dscp");

	return pos.line != 0 ? pos : config_written_at(f->config, "hosts", "dscp");
}

static bool
is_unprotected(const struct fabric *f, uint32_t host, unsigned *priority)
{
	const struct topo_port *port = &topology_host(f->topology, host)->ports[0];
	const struct tables *leaf = f->tables[port->peer_node];
	const struct host_config *settings = &f->hosts[host];
	uint8_t lossless = advice_lossless(&f->switches[port->peer_node]);

	if (settings->dscp < 0)
		return false;
	*priority = advice_priority(leaf->ports[port->peer_port].profile, (uint8_t)settings->dscp);
	return !(lossless & 1u << *priority) && lossless & 1u << settings->priority;
}

static bool
is_same_place(struct diag_pos a, struct diag_pos b)
{
	return a.line == b.line && a.column == b.column;
}

int
advice_unprotected_data(const struct fabric *f, struct diag *diag)
{
	struct diag_pos told = {0};

	for (uint32_t h = 0; h < f->topology->host_count; h++) {
		const struct topo_node *place = topology_host(f->topology, h);
		struct diag_pos pos;
		unsigned priority;

		if (!is_unprotected(f, h, &priority))
			continue;
		pos = find_pos(f, h);
		if (is_same_place(pos, told))
			continue;
		told = pos;
		diag_warning(
			diag, f->config->file, pos, "hosts.dscp",
			"%s puts data of %s (DSCP %d) into priority %u, without PFC, not into %u, "
			"with PFC: packets can be lost",
			f->topology->nodes[place->ports[0].peer_node].name, place->name,
			f->hosts[h].dscp, priority, f->hosts[h].priority);
	}
	return 0;
}
