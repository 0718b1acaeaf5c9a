// SPDX-License-Identifier: BSD-3-Clause
#include "experiment.h"

#include "control/advice/advice.h"
#include "control/base/activity.h"
#include "control/base/memory.h"
#include "control/edit/edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Headers of the largest kind (Ethernet, tag, IPv6, UDP, BTH, RETH), and pause frames: payload is
// counted, not stored. A multiple of a cache line.
#define EXPERIMENT_DATA_ROOM 128
#define EXPERIMENT_DATA_ROOM_TUNNELS (EXPERIMENT_DATA_ROOM + PACKET_TUNNEL_ROOM)

#define NODES_PER_THREAD 64 // with fewer, a thread costs more than it gains

static int
check_kind(const struct config *config, enum experiment_kind kind, struct diag *diag)
{
	bool single = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;

	if (kind == EXPERIMENT_ANY || single == (kind == EXPERIMENT_SWITCH))
		return 0;
	diag_error(
		diag, config->file, (struct diag_pos){0}, NULL,
		single ? "this is one switch, which has no hosts to run a workload: use `roost "
			 "replay`"
		       : "replay takes one switch (`switch:` with `ports:`), but this is a fabric: "
			 "use `roost sim`");
	return -EINVAL;
}

int
experiment_load(struct experiment *e, const struct experiment_options *o, struct diag *diag)
{
	int rc;

	memset(e, 0, sizeof(*e));
	activity("reading the file");
	rc = config_load(&e->config, o->file, diag);
	if (rc == 0 && o->seed_given)
		e->config->fabric.seed = o->seed;
	if (rc == 0)
		rc = check_kind(e->config, o->kind, diag);
	if (rc == 0)
		activity("laying out the fabric");
	if (rc == 0)
		rc = topology_create(&e->topology, e->config, diag);
	return rc != 0 ? rc : topology_check_names(e->topology, diag);
}

static int
create_fabric(struct experiment *e, uint32_t data_room, struct diag *diag)
{
	struct fabric_options options = {.seed = e->config->fabric.seed};
	int rc = packet_pool_create(&e->packets, data_room);

	if (rc != 0)
		return rc;
	e->pools = memory_array(e->topology->node_count, sizeof(*e->pools), "packet pools");
	for (uint32_t i = 0; i < e->topology->node_count; i++)
		e->pools[i] = e->packets;
	options.pools = e->pools;
	return fabric_create(&e->fabric, e->config, e->topology, &options, diag);
}

static int
create_work(struct experiment *e, struct diag *diag)
{
	int rc;

	activity("making the workload");
	rc = workload_create(&e->workload, e->topology, e->fabric->routes, e->fabric->hosts, diag);
	activity("making queue pairs");

	if (rc == 0)
		rc = fabric_flows_create(&e->flows, e->fabric, e->workload, diag);
	return rc != 0 ? rc : samples_check(e->flows, diag);
}

// When the last stream ends. One without an end never lets the fabric drain.
static ps_t
streams_end(const struct workload *w)
{
	ps_t end = 0;

	for (uint32_t i = 0; i < w->stream_count; i++)
		if (w->streams[i].until_ps > end)
			end = w->streams[i].until_ps;
	return end;
}

// Threads meet twice a window, and one fetches from the other's caches what their nodes exchange.
static uint32_t
choose_threads(const struct run *r)
{
	uint32_t most = r->node_count / NODES_PER_THREAD, cores = parallel_cores();

	if (most > PARALLEL_THREADS_MAX)
		most = PARALLEL_THREADS_MAX;
	return most < cores ? most : cores;
}

int
experiment_build(struct experiment *e, const struct experiment_options *o, uint32_t data_room,
		 struct diag *diag)
{
	bool single = e->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	int rc = routes_check_events(e->topology, diag);

	if (rc == 0)
		rc = create_fabric(e, data_room, diag);
	activity("looking for routing loops and settings that hurt");
	if (rc == 0)
		advice_give(e->fabric, diag);
	if (rc == 0 && !single)
		rc = create_work(e, diag);
	if (rc == 0)
		rc = run_create(&e->run, e->fabric, o->window, o->visit, diag);
	if (rc != 0)
		return rc;
	e->run->threads = o->threads != 0 ? o->threads : choose_threads(e->run);
	e->run->threads_required = o->threads != 0;
	e->run->until = o->until;
	if (o->until == PS_NEVER && !e->config->stop.idle)
		e->run->until = e->config->stop.time_ps;
	if (single)
		return 0;
	e->run->streams_until = streams_end(e->workload);
	advice_give_work(e->fabric, e->workload, e->run->until, diag);
	return 0;
}

static int
create(struct experiment *e, const struct experiment_options *o, struct diag *diag)
{
	int rc = experiment_load(e, o, diag);

	if (rc != 0)
		return rc;
	// With tenants there are tunnels, now or after an event.
	return experiment_build(e, o,
				e->config->tenants != NULL ? EXPERIMENT_DATA_ROOM_TUNNELS
							   : EXPERIMENT_DATA_ROOM,
				diag);
}

int
experiment_create(struct experiment *e, const struct experiment_options *o, struct diag *diag)
{
	int rc;

	activity_begin(stderr, isatty(STDERR_FILENO), NULL);
	rc = create(e, o, diag);
	activity_end();
	return rc;
}

int
experiment_check_end(const struct experiment *e, struct diag *diag)
{
	if (e->run->until != PS_NEVER || e->run->streams_until != PS_NEVER)
		return 0;
	for (uint32_t i = 0; i < e->workload->stream_count; i++)
		if (e->workload->streams[i].until_ps == PS_NEVER)
			diag_error(diag, e->config->file,
				   e->config->workload[e->workload->streams[i].item].pos,
				   "workload",
				   "this stream never ends: write `until`, or `stop` for the run");
	return -EINVAL;
}

void
experiment_destroy(struct experiment *e)
{
	run_destroy(e->run);
	fabric_flows_destroy(e->flows);
	workload_destroy(e->workload);
	fabric_destroy(e->fabric);
	free(e->pools);
	packet_pool_destroy(e->packets);
	topology_destroy(e->topology);
	config_free(e->config);
}

// ---- results ------------------------------------------------------------------------------------

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

void
outcome_create(struct outcome *o, const struct experiment *e, double setup_s, double wall_s)
{
	*o = (struct outcome){
		.result =
			{
				.file = e->config->file,
				.settings = config_tree(e->config),
				.seed = e->config->fabric.seed,
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
				.threads = e->run->threads > 1 ? e->run->threads : 1,
			},
	};
	fabric_flows_pairs(e->flows, &o->result.pairs);
	o->flows = fabric_flows_report(e->flows, &o->result.flow_count);
	o->collectives = fabric_flows_collectives(e->flows, &o->result.collective_count);
	o->result.flows = o->flows;
	o->result.collectives = o->collectives;
	add_totals(e, &o->result);
}

void
outcome_destroy(struct outcome *o)
{
	free(o->collectives);
	free(o->flows);
}
