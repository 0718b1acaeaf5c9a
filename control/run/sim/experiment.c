// SPDX-License-Identifier: BSD-3-Clause
#include "experiment.h"

#include "control/advice/advice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Headers of the largest kind (Ethernet, tag, IPv6, UDP, BTH, RETH), and pause frames: payload is
// counted, not stored. A multiple of a cache line.
#define EXPERIMENT_DATA_ROOM 128
#define EXPERIMENT_DATA_ROOM_TUNNELS (EXPERIMENT_DATA_ROOM + PACKET_TUNNEL_ROOM)

static int
check_kind(const struct config *config, struct diag *diag)
{
	if (config->fabric.topology != CONFIG_TOPOLOGY_SINGLE)
		return 0;
	diag_error(diag, config->file, (struct diag_pos){0}, NULL,
		   "this is one switch, which has no hosts to run a workload: use `roost replay`");
	return -EINVAL;
}

static int
create_fabric(struct experiment *e, const struct experiment_options *o, struct diag *diag)
{
	struct fabric_options options = {.seed = o->seed_given ? o->seed : e->config->fabric.seed};
	bool tunnels = e->config->tenants != NULL; // there may be some, now or after an event
	int rc = packet_pool_create(&e->packets,
				    tunnels ? EXPERIMENT_DATA_ROOM_TUNNELS : EXPERIMENT_DATA_ROOM);

	if (rc != 0)
		return rc;
	e->pools = calloc(e->topology->node_count, sizeof(struct packet_pool *));
	if (e->pools == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->topology->node_count; i++)
		e->pools[i] = e->packets;
	options.pools = e->pools;
	return fabric_create(&e->fabric, e->config, e->topology, &options, diag);
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

int
experiment_create(struct experiment *e, const struct experiment_options *o, struct diag *diag)
{
	int rc;

	memset(e, 0, sizeof(*e));
	rc = config_load(&e->config, o->file, diag);
	if (rc == 0 && o->seed_given)
		e->config->fabric.seed = o->seed;
	if (rc == 0)
		rc = check_kind(e->config, diag);
	if (rc == 0)
		rc = topology_create(&e->topology, e->config, diag);
	if (rc == 0)
		rc = topology_check_names(e->topology, diag);
	if (rc == 0)
		rc = routes_check_events(e->topology, diag);
	if (rc == 0)
		rc = create_fabric(e, o, diag);
	if (rc == 0)
		advice_give(e->fabric, diag);
	if (rc == 0)
		rc = workload_create(&e->workload, e->topology, e->fabric->routes, e->fabric->hosts,
				     diag);
	if (rc == 0)
		rc = fabric_flows_create(&e->flows, e->fabric, e->workload, diag);
	if (rc == 0)
		rc = samples_check(e->fabric, e->flows, diag);
	if (rc == 0)
		rc = run_create(&e->run, e->fabric, o->window, o->visit, diag);
	if (rc != 0)
		return rc;
	e->run->streams_until = streams_end(e->workload);
	e->run->until = o->until;
	if (o->until == PS_NEVER && !e->config->stop.idle)
		e->run->until = e->config->stop.time_ps;
	advice_give_work(e->fabric, e->workload, e->run->until, diag);
	return 0;
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
