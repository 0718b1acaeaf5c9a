// SPDX-License-Identifier: BSD-3-Clause
// A link is full only if the receive buffer of a lane holds what is on its way in a round trip.
// InfiniBand grants no more ahead than half of what its counters count, so `credit.buffer: auto`
// cannot make up for a link that is too fast and too long.
#include "advice_internal.h"

#include "control/model/tables/build.h"

#include <inttypes.h>

static void
check_port(const struct fabric *f, uint32_t node, uint16_t p, struct advice_findings *all)
{
	const struct topo_port *port = &f->topology->nodes[node].ports[p];
	const uint64_t granted = (uint64_t)f->tables[node]->credits->most * f->tables[node]->cell;
	const uint64_t needed = tables_credit_needed(f->topology->config, &f->switches[node], port,
						     advice_latencies(f, node, port));
	char kind[ADVICE_KIND_MAX], name[TOPOLOGY_NAME_MAX];

	if (needed <= granted)
		return;
	advice_link_kind(f, node, port, kind);
	topology_port_name(f->topology, node, p, name);
	advice_note(
		all,
		advice_pos(f, node, ADVICE_FIRST_SET, "qos.credit.buffer qos.flow-control preset"),
		"qos.credit.buffer", name,
		"%slinks of %g Gb/s with a delay of %.0f ns need %" PRIu64
		" B for a round trip, and at most %" PRIu64
		" B are granted ahead: a lane gets %u %% of the rate at @: use shorter cables or a "
		"lower rate",
		kind, (double)port->rate_bps / 1e9, (double)port->delay_ps / 1e3, needed, granted,
		advice_percent(granted, needed));
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
