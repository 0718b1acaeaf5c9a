// SPDX-License-Identifier: BSD-3-Clause
#include "experiment.h"

#include "control/advice/advice.h"
#include "control/base/activity.h"
#include "control/base/memory.h"
#include "control/base/program.h"
#include "control/config/yaml_emit.h"
#include "control/edit/edit.h"

#include <errno.h>
#include <inttypes.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
	rc = config_load_replaced(&e->config, o->file, o->replacements, o->replacement_count, diag);
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
create_fabric(struct experiment *e, const struct experiment_options *o, uint32_t data_room,
	      struct diag *diag)
{
	struct fabric_options options = {.seed = e->config->fabric.seed, .ranks = o->ranks};
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

	if (ranks_many(r->fabric->ranks))
		cores = (cores + r->fabric->ranks->sharers - 1) / r->fabric->ranks->sharers;
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
		rc = create_fabric(e, o, data_room, diag);
	activity("looking for routing loops and settings that hurt");
	if (rc == 0 && ranks_first(o->ranks))
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
	if (ranks_first(o->ranks))
		advice_give_work(e->fabric, e->workload, e->run->until, diag);
	fabric_forget_far_nodes(e->fabric);
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

// A number for all that the outcome depends on, and for the layout of what ranks exchange.
static uint64_t
fingerprint(const struct experiment *e, const struct experiment_options *o)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX sha;
	char *text = NULL;
	uint64_t bytes, out;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (to == NULL)
		memory_exhausted(1, 1, "the settings");
	yaml_write_json(config_tree(e->config), to);
	workload_count_flows(e->workload, &bytes);
	fprintf(to, "%s %zu %zu %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, roost_version,
		sizeof(struct wire_slot), sizeof(struct packet_meta), e->topology->node_count,
		e->workload->flow_count, bytes, e->config->fabric.seed, e->run->until, o->window);
	if (fclose(to) != 0)
		memory_exhausted(1, length, "the settings");
	SHA256Init(&sha);
	SHA256Update(&sha, (const uint8_t *)text, length);
	SHA256Final(digest, &sha);
	free(text);
	memcpy(&out, digest, sizeof(out));
	return out;
}

// Each rank has read the file itself. On machines that do not share it, it may be another one.
static int
check_same_run(const struct experiment *e, const struct experiment_options *o, struct diag *diag)
{
	const struct ranks *ranks = o->ranks;
	uint64_t own = fingerprint(e, o), first = ranks->index == 0 ? own : 0, differs;
	int rc = ranks_reduce(o->ranks, RANKS_SUM, &first, 1);

	differs = own != first ? ranks->index : UINT64_MAX;
	if (rc == 0)
		rc = ranks_reduce(o->ranks, RANKS_LEAST, &differs, 1);
	if (rc != 0 || differs == UINT64_MAX)
		return rc;
	if (ranks->index != 0)
		return -ECANCELED;
	return diag_fail(diag, EINVAL,
			 "roost sim: rank %" PRIu64 " is to run something else: give all ranks "
			 "the same roost, options and copy of %s",
			 differs, e->config->file);
}

int
experiment_create(struct experiment *e, const struct experiment_options *o, struct diag *diag)
{
	int rc;

	activity_begin(stderr, isatty(STDERR_FILENO) && ranks_first(o->ranks), NULL);
	rc = create(e, o, diag);
	activity_end();
	rc = ranks_agree(o->ranks, rc);
	return rc == 0 && ranks_many(o->ranks) ? check_same_run(e, o, diag) : rc;
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

// Sums over the NICs of all ranks.
static int
add_totals(const struct experiment *e, struct report_result *result)
{
	uint64_t sums[4] = {0};
	int rc;

	for (uint32_t h = 0; h < e->topology->host_count; h++) {
		struct nic_totals totals;

		if (e->fabric->nics[h] == NULL)
			continue;
		nic_totals(e->fabric->nics[h], &totals);
		sums[0] += totals.received.cnps;
		sums[1] += totals.received.out_of_order;
		sums[2] += totals.assumed_bad;
		sums[3] += totals.probes;
	}
	rc = ranks_reduce(e->fabric->ranks, RANKS_SUM, sums, 4);
	result->cnps = sums[0];
	result->out_of_order = sums[1];
	result->assumed_bad = sums[2];
	result->probes = sums[3];
	return rc;
}

// VmHWM is of this program. getrusage() also counts what the process held before exec().
uint64_t
experiment_peak_memory(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long long kib = 0;
	struct rusage usage;
	char line[256];

	while (status != NULL && kib == 0 && fgets(line, sizeof(line), status) != NULL)
		if (sscanf(line, "VmHWM: %llu kB", &kib) != 1)
			kib = 0;
	if (status != NULL)
		fclose(status);
	if (kib == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
		kib = (unsigned long long)usage.ru_maxrss;
	return kib * 1024;
}

int
outcome_create(struct outcome *o, const struct experiment *e, double setup_s, double wall_s)
{
	struct report_result *r = &o->result;
	int rc;

	*o = (struct outcome){
		.result =
			{
				.file = e->config->file,
				.settings = config_tree(e->config),
				.seed = e->config->fabric.seed,
				.nodes = e->fabric->names,
				.node_count = e->topology->node_count,
				.log = fabric_log_entries(e->run->log),
				.log_lost = fabric_log_lost(e->run->log),
				.now = e->run->drive.now,
				.last_event = run_last_arrival(e->run),
				.setup_s = setup_s,
				.wall_s = wall_s,
				.memory_bytes = experiment_peak_memory(),
				.ranks = ranks_many(e->fabric->ranks) ? e->fabric->ranks->count : 1,
				.threads = e->run->threads > 1 ? e->run->threads : 1,
			},
	};
	rc = ranks_reduce(e->fabric->ranks, RANKS_MOST, &r->last_event, 1);
	if (rc == 0)
		rc = ranks_reduce(e->fabric->ranks, RANKS_SUM, &r->memory_bytes, 1);
	if (rc == 0)
		rc = fabric_flows_pairs(e->flows, &r->pairs);
	if (rc == 0)
		rc = fabric_flows_report(e->flows, &o->flows, &r->flow_count);
	if (rc == 0)
		rc = fabric_flows_collectives(e->flows, &o->collectives, &r->collective_count);
	if (rc == 0)
		rc = fabric_flows_steps(e->flows, &r->steps);
	r->flows = o->flows;
	r->collectives = o->collectives;
	return rc != 0 ? rc : add_totals(e, r);
}

void
outcome_destroy(struct outcome *o)
{
	report_steps_free(&o->result.steps);
	result_free(&o->result);
	free(o->collectives);
	free(o->flows);
}
