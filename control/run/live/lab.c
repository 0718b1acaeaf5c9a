// SPDX-License-Identifier: BSD-3-Clause
// Up: the file; a private network namespace (threads inherit it, so before EAL); namespaces and
// veths; EAL; the packet pool and a LIFO for each worker; nodes, each owned by a worker; devices;
// flows; the workers. Down: the same backwards. Nothing is half-done: whatever step fails,
// lab_close() undoes those before it.
//
// A leaf and its hosts go to one worker, spines follow in turn, so that only links between switches
// cross workers.
#include "lab.h"

#include "control/advice/advice.h"
#include "control/io/host/netns.h"
#include "dataplane/device/eal.h"
#include "dataplane/device/pool.h"
#include "devices.h"
#include "lab_events.h"
#include "lab_learn.h"
#include "locals.h"
#include "netdevs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAB_PACKETS_MIN 16384u
#define LAB_PACKETS_MAX 131072u
// Bytes of switch buffer that a packet stands for when the pool is sized.
#define LAB_PACKET_CELLS 512u
#define LAB_LIFO_PACKETS 1024u
#define LAB_ROOM 2048u
#define LAB_FRAME_EXTRA 288u // Ethernet header, tag, and what AF_XDP keeps
#define LAB_EXTRA_MEMORY_MB 64u

static int
check_pace(const struct lab *lab, struct lab_report *report)
{
	const struct config *config = lab->config;

	if (config->live.workers <= LIVE_WORKERS_MAX)
		return 0;
	config_error(report->diag, config->file, (struct config_pos){0}, "live.workers",
		     "%u; at most %d are possible", config->live.workers, LIVE_WORKERS_MAX);
	return -EINVAL;
}

int
lab_load(struct lab *lab, const struct lab_source *source, struct lab_report *report)
{
	int rc;

	memset(lab, 0, sizeof(*lab));
	lab->outer_netns = -1;
	rc = source->text == NULL
		     ? config_load(&lab->config, source->file, report->diag)
		     : config_load_revision(&lab->config, source->text, source->length,
					    source->file, source->beside, report->diag);
	if (rc == 0)
		rc = check_pace(lab, report);
	if (rc == 0)
		rc = topology_create(&lab->topology, lab->config, report->diag);
	if (rc == 0)
		rc = topology_check_names(lab->topology, report->diag);
	if (rc != 0)
		return rc;
	topology_apply_attach(lab->topology);
	return devices_list(lab, report);
}

static void
assign_workers(struct lab *lab)
{
	const struct topology *t = lab->topology;
	uint32_t count = lab->config->live.workers;
	uint32_t switches = t->first_host;

	lab->worker_count = count > switches ? switches : count;
	for (uint32_t i = 0; i < t->node_count; i++) {
		const struct topo_node *n = &t->nodes[i];
		uint32_t anchor = n->role == CONFIG_ROLE_HOST ? n->ports[0].peer_node : i;

		lab->workers[i] = (uint16_t)(anchor % lab->worker_count);
	}
}

static uint64_t
sum_of_buffers(const struct lab *lab)
{
	const struct topology *t = lab->topology;
	struct switch_config settings;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->first_host; i++)
		if (config_switch(lab->config, t->nodes[i].name, t->nodes[i].role, &settings) == 0)
			sum += settings.buffer_bytes;
	return sum;
}

// The most that the switches' buffers come to, as they are and as the file's events will make them.
static uint64_t
most_of_buffers(const struct lab *lab)
{
	unsigned count, held = 0;
	struct config_step *steps = config_list_steps(lab->config, &count);
	struct config_diag scratch = {0};
	uint64_t sum = sum_of_buffers(lab), most = sum;

	for (unsigned i = 0; steps != NULL && i < count; i++) {
		const struct config_event *event = steps[i].event;
		const struct config_edit edit = config_event_edit(event);

		if (!config_event_edits(event) || config_edit(lab->config, &edit, 1, &scratch) != 0)
			continue;
		held++;
		sum = sum_of_buffers(lab);
		most = sum > most ? sum : most;
	}
	while (held-- > 0)
		config_set_undo(lab->config);
	config_diag_free(&scratch);
	free(steps);
	return most;
}

// As many packets as the buffers can take, and how large the buffers may become with as many.
static unsigned
count_packets(struct lab *lab, bool *one_chunk)
{
	uint64_t buffers = most_of_buffers(lab), packets = buffers / LAB_PACKET_CELLS;

	if (packets < LAB_PACKETS_MIN)
		packets = LAB_PACKETS_MIN;
	if (packets > LAB_PACKETS_MAX)
		packets = LAB_PACKETS_MAX;
	lab->buffers_bytes = packets * LAB_PACKET_CELLS;
	if (lab->buffers_bytes < buffers)
		lab->buffers_bytes = buffers;
	return (unsigned)packets + devices_packets_held(lab, one_chunk) +
	       lab->worker_count * LAB_LIFO_PACKETS;
}

static enum eal_hugepages
hugepages_of(enum config_hugepages h)
{
	return h == CONFIG_HUGEPAGES_ON    ? EAL_HUGEPAGES_ON
	       : h == CONFIG_HUGEPAGES_OFF ? EAL_HUGEPAGES_OFF
					   : EAL_HUGEPAGES_AUTO;
}

static int
start_eal(struct lab *lab, const struct pool_options *pool, struct lab_report *report)
{
	const struct config *config = lab->config;
	unsigned cpus[CONFIG_CPUS_MAX];
	const char **pci = calloc(lab->device_count + 1, sizeof(*pci));
	struct eal_options options = {
		.prefix = config->fabric.name.text,
		.workers = lab->worker_count,
		.cpus = cpus,
		.cpu_count = config->live.cpus_auto ? 0 : config->live.cpu_count,
		.hugepages = hugepages_of(config->live.hugepages),
		.memory_mb = (unsigned)(pool_bytes(pool) >> 20) + LAB_EXTRA_MEMORY_MB,
		.pci = pci,
	};
	int rc;

	if (pci == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < options.cpu_count; i++)
		cpus[i] = config->live.cpus[i];
	for (uint32_t i = 0; i < lab->device_count; i++)
		if (strncmp(lab->devices[i].spec, "net_", 4) != 0)
			pci[options.pci_count++] = lab->devices[i].spec;
	rc = eal_start(&options, report->err, report->err_size);
	lab->eal = rc == 0;
	free(pci);
	return rc;
}

static int
create_pools(struct lab *lab, const struct pool_options *options, struct lab_report *report)
{
	int rc = pool_create(&lab->packets, options, report->err, report->err_size);

	for (uint32_t i = 0; rc == 0 && i < lab->worker_count; i++)
		rc = pool_lifo_create(&lab->lifos[i], lab->packets, LAB_LIFO_PACKETS);
	for (uint32_t i = 0; rc == 0 && i < lab->topology->node_count; i++)
		lab->pools[i] = lab->lifos[lab->workers[i]];
	return rc;
}

static int
create_fabric(struct lab *lab, struct lab_report *report)
{
	struct fabric_options options = {
		.pools = lab->pools,
		.workers = lab->workers,
		.attached = lab->attached,
		.seed = lab->config->fabric.seed,
		.buffers_bytes = lab->buffers_bytes,
	};
	int rc = fabric_create(&lab->fabric, lab->config, lab->topology, &options, report->diag);
	uint32_t left_out;

	if (rc == 0)
		rc = advice_give(lab->fabric, report->diag);
	if (rc == 0)
		rc = workload_create(&lab->workload, lab->topology, lab->fabric->routes,
				     lab->fabric->hosts, report->diag);
	if (rc == 0)
		rc = advice_give_work(lab->fabric, lab->workload, PS_NEVER, report->diag);
	if (rc == 0)
		rc = fabric_flows_create(&lab->flows, lab->fabric, lab->workload, report->diag);
	if (rc != 0)
		return rc;
	left_out = fabric_flows_left_out(lab->flows);
	if (left_out != 0)
		fprintf(report->notes,
			"roost: note: %u flow%s of the workload %s an attached host at one end "
			"and %s left to it\n",
			left_out, left_out == 1 ? "" : "s", left_out == 1 ? "has" : "have",
			left_out == 1 ? "is" : "are");
	rc = fabric_log_create(&lab->log, stderr, "`roost show log`", true);
	return rc != 0 ? rc : lab_create_events(lab, report->diag);
}

// Ports that nothing is connected to can send nothing.
static void
close_unconnected(struct lab *lab)
{
	for (uint32_t i = 0; i < lab->topology->node_count; i++)
		for (uint32_t k = 0;
		     lab->fabric->nodes[i] != NULL && k < lab->fabric->nodes[i]->port_count; k++)
			if (lab->fabric->nodes[i]->ports[k].out == NULL)
				node_set_link(lab->fabric->nodes[i],
					      &lab->fabric->nodes[i]->ports[k], false, 0);
}

static int
fill_worker(struct lab *lab, struct live_worker *w)
{
	const struct topology *t = lab->topology;
	bool upstream[LIVE_WORKERS_MAX] = {false};

	w->packets = lab->lifos[w->index];
	w->lcore = w->index + 1;
	w->nodes = calloc(t->node_count, sizeof(struct node *));
	w->ports = calloc(lab->device_count + 1, sizeof(struct live_port *));
	w->shared_out = calloc(2 * t->link_count + 1, sizeof(struct wire *));
	w->upstream = calloc(lab->worker_count, sizeof(*w->upstream));
	if (w->nodes == NULL || w->ports == NULL || w->shared_out == NULL || w->upstream == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->node_count; i++)
		if (lab->fabric->nodes[i] != NULL && lab->workers[i] == w->index)
			w->nodes[w->node_count++] = lab->fabric->nodes[i];
	for (uint32_t i = 0; i < lab->device_count; i++)
		if (lab->workers[lab->devices[i].node] == w->index)
			w->ports[w->port_count++] = &lab->devices[i].live;
	for (uint32_t i = 0; i < 2 * t->link_count; i++) {
		const struct topo_link *link = &t->links[i / 2];
		uint16_t from = lab->workers[i % 2 == 0 ? link->a.node : link->b.node];
		uint16_t to = lab->workers[i % 2 == 0 ? link->b.node : link->a.node];

		if (lab->fabric->wires[i] == NULL || from == to)
			continue;
		if (from == w->index)
			w->shared_out[w->shared_out_count++] = lab->fabric->wires[i];
		upstream[from] |= to == w->index;
	}
	for (uint32_t i = 0; i < lab->worker_count; i++)
		if (upstream[i])
			w->upstream[w->upstream_count++] = (uint16_t)i;
	return 0;
}

static int
start_drive(struct lab *lab)
{
	const struct config *config = lab->config;
	int rc = live_init(&lab->drive, lab->worker_count, lab->fabric->window,
			   config->fabric.dilation, config->live.max_lag_ps,
			   config->live.idle == CONFIG_IDLE_SLEEP);

	lab->drive_ready = rc == 0;
	for (uint32_t i = 0; rc == 0 && i < lab->worker_count; i++)
		rc = fill_worker(lab, &lab->drive.workers[i]);
	if (rc != 0)
		return rc;
	lab->running = true;
	return live_start(&lab->drive);
}

static bool
needs_namespaces(const struct lab *lab)
{
	for (uint32_t i = 0; i < lab->device_count; i++)
		if (lab->devices[i].own_veth)
			return true;
	return false;
}

int
lab_open(struct lab *lab, struct lab_report *report)
{
	struct pool_options pool = {
		.name = "packets",
		.private_bytes = PACKET_META_BYTES,
		.room = LAB_ROOM,
	};
	int rc = 0;

	lab->workers = calloc(lab->topology->node_count, sizeof(*lab->workers));
	lab->pools = calloc(lab->topology->node_count, sizeof(struct packet_pool *));
	if (lab->workers == NULL || lab->pools == NULL)
		return -ENOMEM;
	assign_workers(lab);
	rc = netdevs_ask(lab, report);
	if (rc != 0)
		return rc;
	if (devices_mtu_max(lab) + LAB_FRAME_EXTRA > pool.room)
		pool.room = devices_mtu_max(lab) + LAB_FRAME_EXTRA;
	pool.packets = count_packets(lab, &pool.one_chunk);
	if (needs_namespaces(lab)) {
		rc = netns_enter_private(&lab->outer_netns);
		if (rc != 0) {
			snprintf(report->err, report->err_size,
				 "a network namespace of its own: %s", strerror(-rc));
			return rc;
		}
	}
	rc = devices_prepare(lab, report);
	if (rc == 0)
		rc = start_eal(lab, &pool, report);
	if (rc == 0)
		rc = create_pools(lab, &pool, report);
	if (rc == 0)
		rc = create_fabric(lab, report);
	if (rc == 0)
		rc = devices_open(lab, report);
	if (rc == 0)
		rc = locals_open(&lab->locals, lab, report);
	if (rc != 0)
		return rc;
	close_unconnected(lab);
	rc = start_drive(lab);
	return rc != 0 ? rc : lab_open_learning(lab, report);
}

void
lab_close(struct lab *lab)
{
	lab_close_learning(lab);
	if (lab->running)
		live_stop(&lab->drive);
	events_destroy(lab->events);
	fabric_log_destroy(lab->log);
	locals_close(lab->locals);
	devices_close(lab);
	fabric_flows_destroy(lab->flows);
	workload_destroy(lab->workload);
	fabric_destroy(lab->fabric);
	for (uint32_t i = 0; i < lab->worker_count; i++) {
		free(lab->drive.workers[i].nodes);
		free(lab->drive.workers[i].ports);
		free(lab->drive.workers[i].shared_out);
		free(lab->drive.workers[i].upstream);
		pool_lifo_destroy(lab->lifos[i]);
	}
	if (lab->drive_ready)
		live_destroy(&lab->drive);
	// The pool goes with EAL: freeing it would write all of it first.
	if (lab->eal)
		eal_stop();
	if (lab->outer_netns >= 0)
		close(lab->outer_netns);
	free(lab->pools);
	free(lab->workers);
	free(lab->attached);
	topology_destroy(lab->topology);
	config_free(lab->config);
}
