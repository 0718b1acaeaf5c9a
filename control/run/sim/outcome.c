// SPDX-License-Identifier: BSD-3-Clause
#include "outcome.h"

#include <errno.h>
#include <stdlib.h>

static void
add_totals(const struct experiment *e, struct report_result *result)
{
	for (uint32_t h = 0; h < e->topology->host_count; h++) {
		struct nic_totals totals;

		nic_totals(e->fabric->nics[h], &totals);
		result->cnps += totals.received.cnps;
		result->out_of_order += totals.received.out_of_order;
	}
}

int
outcome_create(struct outcome *o, const struct experiment *e, double setup_s, double wall_s)
{
	*o = (struct outcome){
		.result =
			{
				.file = e->config->file,
				.nodes = e->fabric->names,
				.node_count = e->topology->node_count,
				.snapshots = e->run->snapshots,
				.log = fabric_log_entries(e->run->log),
				.log_lost = fabric_log_lost(e->run->log),
				.now = e->run->drive.now,
				.last_event = run_last_arrival(e->run),
				.setup_s = setup_s,
				.wall_s = wall_s,
				.ranks = 1,
			},
	};
	o->flows = fabric_flows_report(e->flows, &o->result.flow_count);
	o->collectives = fabric_flows_collectives(e->flows, &o->result.collective_count);
	if (o->flows == NULL || o->collectives == NULL)
		return -ENOMEM;
	o->result.flows = o->flows;
	o->result.collectives = o->collectives;
	add_totals(e, &o->result);
	return 0;
}

void
outcome_destroy(struct outcome *o)
{
	free(o->collectives);
	free(o->flows);
}
