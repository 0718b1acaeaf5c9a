// SPDX-License-Identifier: BSD-3-Clause
// A link is full only if the receive buffer of a lane holds what is on its way in a round trip.
// InfiniBand grants no more ahead than half of what its counters count, so `credit.buffer: auto`
// cannot make up for a link that is too fast and too long.
#include "advice_internal.h"

#include "control/model/tables/build.h"

#include <inttypes.h>

// "leaf-spine" at both ends of a link between a leaf and a spine; nothing for a port of one switch.
static void
write_kind(const struct fabric *f, uint32_t node, const struct topo_port *port, size_t size,
	   char *kind)
{
	const struct topo_node *nodes = f->topology->nodes;
	enum config_role low, high;

	kind[0] = '\0';
	if (port->peer_node == TOPOLOGY_NONE)
		return;
	low = nodes[node].role;
	high = nodes[port->peer_node].role;
	if (high < low || high == CONFIG_ROLE_HOST) {
		enum config_role other = low;

		low = high;
		high = other;
	}
	snprintf(kind, size, "%s-%s ", config_role_name(low), config_role_name(high));
}

// A NIC takes no time.
static ps_t
latencies(const struct fabric *f, uint32_t node, const struct topo_port *port)
{
	ps_t own = f->switches[node].latency_ps;

	if (port->peer_node == TOPOLOGY_NONE)
		return 2 * own;
	return own + (port->peer_node < f->topology->first_host
			      ? f->switches[port->peer_node].latency_ps
			      : 0);
}

static void
check_port(const struct fabric *f, uint32_t node, uint16_t p, struct advice_findings *all)
{
	const struct topo_port *port = &f->topology->nodes[node].ports[p];
	const uint64_t granted = (uint64_t)f->tables[node]->credits->most * f->tables[node]->cell;
	const uint64_t needed = tables_credit_needed(f->topology->config, &f->switches[node], port,
						     latencies(f, node, port));
	char kind[40], name[TOPOLOGY_NAME_MAX];

	if (needed <= granted)
		return;
	write_kind(f, node, port, sizeof(kind), kind);
	topology_port_name(f->topology, node, p, name);
	advice_note(
		all,
		advice_pos(f, node, ADVICE_FIRST_SET, "qos.credit.buffer qos.flow-control preset"),
		"qos.credit.buffer", name,
		"%slinks of %g Gb/s and %g ns need %" PRIu64
		" B for a round trip, and at most %" PRIu64
		" B are granted ahead: a lane gets %" PRIu64 " %% of the rate at @",
		kind, (double)port->rate_bps / 1e9, (double)port->delay_ps / 1e3, needed, granted,
		granted * 100 / needed);
}

void
advice_short_credits(const struct fabric *f, struct diag *diag)
{
	struct advice_findings all = {.one = "port", .many = "ports"};

	for (uint32_t n = 0; n < f->topology->first_host; n++)
		for (uint16_t p = 0; f->tables[n]->credits != NULL &&
				     f->switches[n].credit.buffer.kind != CONFIG_AMOUNT_BYTES &&
				     p < f->topology->nodes[n].port_count;
		     p++)
			check_port(f, n, p, &all);
	advice_report(&all, f, diag);
}
