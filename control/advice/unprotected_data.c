// SPDX-License-Identifier: BSD-3-Clause
// A host may mark its data with a DSCP of its own (`dscp`). If its leaf maps that DSCP to a
// priority without PFC, while the host's `priority` has PFC, the data can be lost.
#include "advice_internal.h"

static bool
is_unprotected(const struct fabric *f, uint32_t host, unsigned *priority)
{
	const struct topo_port *port = &topology_host(f->topology, host)->ports[0];
	const struct port_profile *profile =
		f->tables[port->peer_node]->ports[port->peer_port].profile;
	const struct host_config *settings = &f->hosts[host];
	uint8_t lossless = advice_lossless(profile);

	if (settings->dscp < 0)
		return false;
	*priority = advice_priority(profile, (uint8_t)settings->dscp);
	return !(lossless & 1u << *priority) && lossless & 1u << settings->priority;
}

void
advice_unprotected_data(const struct fabric *f, struct diag *diag)
{
	struct diag_pos before = {0};

	for (uint32_t h = 0; h < f->topology->host_count; h++) {
		const struct topo_node *place = topology_host(f->topology, h);
		struct diag_pos pos;
		unsigned priority;

		if (!is_unprotected(f, h, &priority))
			continue;
		pos = advice_host_pos(f, h, "dscp");
		if (diag_pos_compare(pos, before) == 0)
			continue;
		before = pos;
		diag_warning(
			diag, f->config->file, pos, "hosts.dscp",
			"%s puts data of %s (DSCP %d) into priority %u, without PFC, not into %u, "
			"with PFC: packets can be lost",
			f->topology->nodes[place->ports[0].peer_node].name, place->name,
			f->hosts[h].dscp, priority, f->hosts[h].priority);
	}
}
