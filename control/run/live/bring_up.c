// SPDX-License-Identifier: BSD-3-Clause
// Up: the file; a private network namespace (threads inherit it, so before EAL); namespaces and
// veths; EAL; the packet pool and a LIFO for each worker; nodes, each owned by a worker; devices;
// flows; the workers. Down: the same backwards. If a step fails, live_fabric_close() undoes those
// before it.
//
// A leaf and its hosts go to one worker, so that only links between switches cross workers. Each
// worker gets at least one leaf and, of all ports of leaves and of spines, as equal a part as whole
// switches allow. If there are more workers than leaves, some get spines alone.
#include "live_fabric.h"

#include "control/advice/advice.h"
#include "control/base/memory.h"
#include "control/io/host/netns.h"
#include "dataplane/base/huge.h"
#include "dataplane/device/eal.h"
#include "dataplane/device/pool.h"
#include "dataplane/device/quirks.h"
#include "dataplane/node/ports.h"
#include "bfd_agent.h"
#include "capabilities.h"
#include "lldp_agent.h"
#include "watcher.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIVE_EXTRA_MEMORY_MB 64u
#define LIVE_ERR_BYTES 512

int
live_fabric_load(struct live_fabric *live, const struct live_source *source, struct diag *diag)
{
	int rc = source->text == NULL
			 ? config_load(&live->config, source->file, diag)
			 : config_load_revision(&live->config, source->text, source->length,
						source->file, source->beside, diag);

	if (rc == 0)
		config_run_name(&live->config->fabric, source->part, live->name);
	if (rc == 0 && source->text != NULL)
		attach_leave_out_ended(live, source->revision, diag);
	live->revision = source->text != NULL ? source->revision : 0;
	if (rc == 0)
		rc = topology_create(&live->topology, live->config, diag);
	if (rc == 0)
		rc = topology_check_names(live->topology, diag);
	if (rc == 0 && source->part != NULL) {
		live->part = topology_resolve_part(live->topology, source->part, diag);
		rc = live->part != NULL ? 0 : -EINVAL;
	}
	if (rc != 0)
		return rc;
	topology_apply_attach(live->topology);
	return devices_list(live, diag);
}

int
live_check_here(const struct live_fabric *live, uint32_t node, struct diag *diag)
{
	const struct config_part *part = topology_part_of(live->topology, node);
	char name[CONFIG_RUN_NAME_MAX];

	if (live_is_here(live, node))
		return 0;
	return diag_fail(diag, EINVAL, "%s is in part %s, which another process runs: use -f %s",
			 live->topology->nodes[node].name, part->name.text,
			 config_run_name(&live->config->fabric, part->name.text, name));
}

static uint16_t
part_index(const struct live_fabric *live)
{
	return live->part != NULL ? (uint16_t)(live->part - live->config->fabric.parts) : 0;
}

static void
assign_workers(struct live_fabric *live)
{
	const struct topology *t = live->topology;
	uint32_t count = live->config->live.workers;
	uint32_t switches = 0, leaves = 0, next = 0;

	for (uint32_t i = 0; i < t->first_host; i++) {
		switches += live_is_here(live, i);
		leaves += live_is_here(live, i) && t->nodes[i].role == CONFIG_ROLE_LEAF;
	}
	live->worker_count = count > switches ? switches : count;
	if (live->worker_count <= leaves) {
		live->workers = fabric_place(t, live->part != NULL ? t->parts : NULL,
					     part_index(live), live->worker_count);
		return;
	}
	live->workers = memory_array(t->node_count, sizeof(*live->workers), "nodes");
	for (uint32_t i = 0; i < t->node_count; i++) {
		const struct topo_node *n = &t->nodes[i];

		if (!live_is_here(live, i))
			continue;
		live->workers[i] = n->role == CONFIG_ROLE_HOST
					   ? live->workers[n->ports[0].peer_node]
					   : (uint16_t)(next++ % live->worker_count);
	}
}

struct eal_start {
	const struct eal_options *options;
	char err[LIVE_ERR_BYTES];
};

static int
run_eal_start(void *arg)
{
	struct eal_start *start = arg;

	return eal_start(start->options, start->err, sizeof(start->err));
}

static int
start_eal(struct live_fabric *live, const struct pool_options *pool, struct diag *diag)
{
	static const enum eal_hugepages hugepages[] = {
		[CONFIG_HUGEPAGES_AUTO] = EAL_HUGEPAGES_AUTO,
		[CONFIG_HUGEPAGES_ON] = EAL_HUGEPAGES_ON,
		[CONFIG_HUGEPAGES_OFF] = EAL_HUGEPAGES_OFF,
	};
	const struct config *config = live->config;
	unsigned cpus[CONFIG_CPUS_MAX];
	const char **pci = memory_array(live->device_count, sizeof(*pci), "devices");
	struct eal_options options = {
		.prefix = live->name,
		.workers = live->worker_count,
		.cpus = cpus,
		.cpu_count = config->live.cpu_count,
		.hugepages = hugepages[config->live.hugepages],
		.memory_mb = (unsigned)(pool_bytes(pool) >> 20) + LIVE_EXTRA_MEMORY_MB,
		.pci = pci,
	};
	struct eal_start start = {.options = &options};
	int rc;

	for (unsigned i = 0; i < options.cpu_count; i++)
		cpus[i] = config->live.cpus[i];
	for (uint32_t i = 0; i < live->device_count; i++)
		if (device_port_is_on_pci(&live->devices[i]))
			pci[options.pci_count++] = live->devices[i].spec;
	// Drivers of NICs that Linux keeps an interface for (mlx5) look for that.
	rc = netns_run(options.pci_count != 0 ? live->outer_netns : -1, run_eal_start, &start);
	live->eal = rc == 0;
	free(pci);
	return rc == 0 ? 0 : diag_fail(diag, -rc, "%s", start.err);
}

static int
create_pools(struct live_fabric *live, const struct packet_plan *plan, struct diag *diag)
{
	char err[LIVE_ERR_BYTES] = "";
	int rc = pool_create(&live->packets, &plan->devices, err, sizeof(err));

	if (rc != 0)
		return diag_fail(diag, -rc, "%s", err);
	rc = packet_store_create(&live->store, &plan->store);
	if (rc != 0)
		return diag_fail(diag, -rc, "no address space for %zu MB of packets",
				 packet_store_bytes(&plan->store) >> 20);
	for (uint32_t i = 0; rc == 0 && i < live->worker_count; i++)
		rc = pool_lifo_create(&live->lifos[i], live->store, live->packets,
				      LIVE_LIFO_PACKETS, plan->reserve);
	for (uint32_t i = 0; rc == 0 && i < live->topology->node_count; i++)
		live->pools[i] = live->lifos[live->workers[i]];
	return rc;
}

static int
create_fabric(struct live_fabric *live, const struct packet_plan *plan, struct diag *diag)
{
	struct fabric_options options = {
		.pools = live->pools,
		.workers = live->workers,
		.attached = live->attached,
		.parts = live->part != NULL ? live->topology->parts : NULL,
		.part = part_index(live),
		.seed = live->config->fabric.seed,
		.packets = plan->waiting,
	};
	int rc = fabric_create(&live->fabric, live->config, live->topology, &options, diag);
	uint32_t left_out;

	if (rc == 0)
		advice_give(live->fabric, diag);
	if (rc == 0)
		rc = workload_create(&live->workload, live->topology, live->fabric->routes,
				     live->fabric->hosts, diag);
	if (rc == 0)
		advice_give_work(live->fabric, live->workload, PS_NEVER, diag);
	if (rc == 0)
		rc = fabric_flows_create(&live->flows, live->fabric, live->workload, diag);
	if (rc != 0)
		return rc;
	left_out = fabric_flows_left_out(live->flows);
	if (left_out != 0)
		fprintf(live->notes,
			"roost: note: %u flow%s of the workload %s an attached host at one end "
			"and %s left to it\n",
			left_out, left_out == 1 ? "" : "s", left_out == 1 ? "has" : "have",
			left_out == 1 ? "is" : "are");
	live->log = fabric_log_create(stderr, "`roost show log`", true);
	return live_events_create(live, diag);
}

// The link between an attached host's node and its leaf is down where nothing is attached.
static bool
is_connected(const struct live_fabric *live, uint32_t node, uint16_t port)
{
	const struct topo_node *place = &live->topology->nodes[node];
	const struct fabric *f = live->fabric;

	if (f->nodes[node]->ports[port].out == NULL)
		return false;
	if (port >= place->port_count) // the host's side of an edge NIC
		return true;
	if (node < live->topology->first_host && place->ports[port].peer_node != TOPOLOGY_NONE)
		return !fabric_edge_is_free(f, place->ports[port].peer_node,
					    place->ports[port].peer_port);
	return !fabric_edge_is_free(f, node, port);
}

// Ports that nothing is connected to can send nothing.
static void
close_unconnected(struct live_fabric *live)
{
	for (uint32_t i = 0; i < live->topology->node_count; i++) {
		struct node *n = live->fabric->nodes[i];

		for (uint16_t k = 0; n != NULL && k < n->port_count; k++)
			if (!is_connected(live, i, k))
				node_set_carrier(n, &n->ports[k], false, 0);
	}
}

static void
fill_worker(struct live_fabric *live, struct live_worker *w)
{
	const struct topology *t = live->topology;
	bool upstream[LIVE_WORKERS_MAX] = {false};

	w->packets = live->lifos[w->index];
	w->lcore = w->index + 1;
	w->nodes = memory_array(t->node_count, sizeof(struct node *), "nodes");
	w->ports = memory_array(live->device_count, sizeof(struct live_port *), "ports");
	w->shared_out = memory_array(2 * (size_t)t->link_count, sizeof(*w->shared_out), "wires");
	w->upstream = memory_array(live->worker_count, sizeof(*w->upstream), "workers");
	for (uint32_t i = 0; i < t->node_count; i++)
		if (live->fabric->nodes[i] != NULL && live->workers[i] == w->index)
			w->nodes[w->node_count++] = live->fabric->nodes[i];
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].up &&
		    live->workers[live->devices[i].live.node->index] == w->index)
			w->ports[w->port_count++] = &live->devices[i].live;
	for (uint32_t i = 0; i < 2 * t->link_count; i++) {
		const struct topo_link *link = &t->links[i / 2];
		uint16_t from = live->workers[i % 2 == 0 ? link->a.node : link->b.node];
		uint16_t to = live->workers[i % 2 == 0 ? link->b.node : link->a.node];

		if (live->fabric->wires[i] == NULL || from == to)
			continue;
		if (from == w->index)
			w->shared_out[w->shared_out_count++] =
				(struct live_cross){.wire = live->fabric->wires[i], .to = to};
		upstream[from] |= to == w->index;
	}
	for (uint32_t i = 0; i < live->worker_count; i++)
		if (upstream[i])
			w->upstream[w->upstream_count++] = (uint16_t)i;
}

// A bound that no delay of a link between workers falls below, also after events that change it: so
// it is not read off the wires. Links of hosts are the shortest; they cross workers where a host
// has NICs at several leaves.
ps_t
live_fabric_reach(const struct live_fabric *live, ps_t window, ps_t lookahead)
{
	const struct topology *t = live->topology;

	for (uint32_t i = 0; i < t->link_count; i++) {
		const struct topo_link *link = &t->links[i];

		if (live->workers[link->a.node] != live->workers[link->b.node] &&
		    (link->a.node >= t->first_host || link->b.node >= t->first_host))
			return window;
	}
	return lookahead;
}

static void
use_huge_pages(const struct live_fabric *live)
{
	size_t bytes;
	const void *store = packet_store_memory(live->store, &bytes);

	if (live->config->live.hugepages != CONFIG_HUGEPAGES_OFF)
		huge_collapse(store, bytes);
}

static int
start_drive(struct live_fabric *live)
{
	const struct config *config = live->config;
	int rc = live_init(&live->drive, live->worker_count, live->fabric->lookahead,
			   config->fabric.dilation, config->live.max_lag_ps,
			   config->live.idle == CONFIG_IDLE_SLEEP);

	live->drive_ready = rc == 0;
	if (rc != 0)
		return rc;
	live->drive.reach =
		time_min(live_fabric_reach(live, live->fabric->window, live->fabric->lookahead),
			 TIME_WINDOW_MAX);
	for (uint32_t i = 0; i < live->worker_count; i++)
		fill_worker(live, &live->drive.workers[i]);
	live->since = time(NULL);
	live->running = true;
	return live_start(&live->drive);
}

// Checked before anything is made: otherwise, the error would be that of the first call that Linux
// refuses.
static int
check_rights(const struct live_fabric *live, struct diag *diag)
{
	const bool as_root = capabilities_have(CAP_NET_ADMIN);
	char interface[IFNAMSIZ];

	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		const struct device_quirks *quirks = quirks_find(d->spec);
		const char *name = d->attach != NULL ? d->attach->host.text : d->name;

		if (!as_root && quirks != NULL && quirks->flags & QUIRK_INTERFACE)
			return diag_fail(diag, EPERM,
					 "%s: namespaces and interfaces of Linux need root: use "
					 "sudo, a user namespace, or simulated hosts alone",
					 name);
		if (live->in_user_namespace && quirks != NULL && quirks->flags & QUIRK_XDP)
			return diag_fail(diag, EPERM,
					 "%s: Linux allows AF_XDP to no process in a user "
					 "namespace: use `dev: \"net_af_packet0,iface=%s\"`, or "
					 "sudo outside of it",
					 name, device_port_interface(d->spec, interface));
	}
	return 0;
}

static bool
needs_namespaces(const struct live_fabric *live)
{
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].own_veth)
			return true;
	return false;
}

// Also without an attached host: one may be while the fabric runs, and no socket or device that was
// opened before that is to be elsewhere. A fabric of simulated hosts alone runs without root.
static int
enter_private_netns(struct live_fabric *live, struct diag *diag)
{
	int rc = live->topology->host_count != 0 ? netns_enter_private(&live->outer_netns) : 0;

	if (rc == 0 || (rc == -EPERM && !needs_namespaces(live)))
		return 0;
	return diag_fail(diag, -rc, "a network namespace of its own: %s%s", strerror(-rc),
			 rc == -EPERM ? ": the process needs CAP_SYS_ADMIN" : "");
}

int
live_fabric_open(struct live_fabric *live, struct diag *diag)
{
	uint32_t nodes = live->topology->node_count;
	struct packet_plan plan;
	int rc = check_rights(live, diag);

	if (rc == 0)
		rc = devices_query_netdevs(live, diag);
	live->pools = memory_array(nodes, sizeof(struct packet_pool *), "nodes");
	assign_workers(live);
	if (rc == 0)
		rc = device_ports_check(live->devices, live->device_count, live->topology, diag);
	if (rc == 0)
		rc = packet_plan_make(live, &plan, diag);
	if (rc != 0)
		return rc;
	rc = watcher_start(&live->watcher, diag);
	if (rc != 0)
		return rc;
	rc = enter_private_netns(live, diag);
	if (rc == 0)
		rc = devices_prepare(live, diag);
	if (rc == 0)
		rc = start_eal(live, &plan.devices, diag);
	if (rc == 0)
		rc = create_pools(live, &plan, diag);
	if (rc == 0)
		rc = create_fabric(live, &plan, diag);
	if (rc == 0)
		host_names_write(live);
	if (rc == 0)
		rc = devices_open(live, diag);
	if (rc == 0)
		rc = local_addresses_open(live, diag);
	if (rc != 0)
		return rc;
	close_unconnected(live);
	use_huge_pages(live);
	rc = start_drive(live);
	if (rc == 0)
		rc = device_links_open(live, diag);
	if (rc == 0)
		lldp_agent_open(live);
	if (rc == 0)
		rc = learning_open(live, diag);
	return rc != 0 ? rc : bfd_agent_open(live, diag);
}

void
live_fabric_close(struct live_fabric *live)
{
	learning_close(live);
	if (live->running) {
		bfd_agent_close(live);
		lldp_agent_shut_down(live, NULL);
		live_stop(&live->drive);
	}
	lldp_agent_close(live);
	events_destroy(live->events);
	fabric_log_destroy(live->log);
	local_addresses_close(live->local_addresses);
	device_links_close(live->links);
	free(live->links_reported);
	devices_close(live);
	fabric_flows_destroy(live->flows);
	workload_destroy(live->workload);
	fabric_destroy(live->fabric);
	for (uint32_t i = 0; i < live->worker_count; i++) {
		free(live->drive.workers[i].nodes);
		free(live->drive.workers[i].ports);
		free(live->drive.workers[i].shared_out);
		free(live->drive.workers[i].upstream);
		pool_lifo_destroy(live->lifos[i]);
	}
	if (live->drive_ready)
		live_destroy(&live->drive);
	watcher_stop(live->watcher);
	packet_store_destroy(live->store);
	// The pool goes with EAL: freeing it would write all of it first.
	if (live->eal)
		eal_stop();
	if (live->outer_netns >= 0)
		close(live->outer_netns);
	free(live->pools);
	free(live->workers);
	free(live->attached);
	free(live->answer_sources);
	topology_destroy(live->topology);
	config_free(live->config);
	free(live->entries);
	*live = LIVE_FABRIC_NONE(live->notes);
}
