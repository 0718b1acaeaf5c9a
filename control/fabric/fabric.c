// SPDX-License-Identifier: BSD-3-Clause
// Creates a fabric: first routes, then nodes with their tables, then wires (a wire's delay includes
// the far node's pipeline latency, so windows follow from the smallest delays), then the hosts'
// NICs. Flows and events are added later. The node of an attached host is an edge NIC (edge_nic.c);
// with `nic: off` it has none, and the wires of its link belong to its device.
#include "fabric.h"

#include "control/config/error_rate.h"
#include "control/base/activity.h"
#include "control/base/memory.h"
#include "control/model/tables/build.h"
#include "dataplane/stages/stale_tenant.h"
#include "fabric_internal.h"
#include "in_flight_routes.h"
#include "pipelines/pipelines.h"
#include "dataplane/base/llr.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"
#include "dataplane/node/ports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	enum node_role role;
	const struct node_ops *ops;
} roles[] = {
	[CONFIG_ROLE_LEAF] = {NODE_LEAF, &pipeline_leaf},
	[CONFIG_ROLE_SPINE] = {NODE_SPINE, &pipeline_spine},
	[CONFIG_ROLE_SUPER_SPINE] = {NODE_SUPER, &pipeline_spine},
	[CONFIG_ROLE_HOST] = {NODE_NIC, &pipeline_nic},
};

static bool
is_attached(const struct fabric *f, const struct fabric_options *options, uint32_t node)
{
	return options->attached != NULL && node >= f->topology->first_host &&
	       options->attached[topology_host_of(f->topology, node)];
}

// An attached host's own NIC, unless the file says that it has none.
static void
note_edge(struct fabric *f, const struct fabric_options *options, uint32_t node)
{
	bool *has = is_attached(f, options, node)
			    ? &f->has_edge[topology_host_of(f->topology, node)]
			    : NULL;

	for (uint16_t p = 0; has != NULL && p < f->topology->nodes[node].port_count; p++)
		*has |= fabric_wants_edge(f, node, p);
}

static int
create_node(struct fabric *f, const struct fabric_options *options, uint32_t i, struct diag *diag)
{
	const struct topo_node *place = &f->topology->nodes[i];
	const bool edge = fabric_has_edge(f, i);
	struct tables *old = NULL;
	int rc;

	if (place->port_count == 0)
		return diag_error(diag, f->config->file, f->config->fabric.topology_pos, "topology",
				  "%s has no link", place->name);
	if (!fabric_is_here(f, i))
		return fabric_rebuild_tables(f, i, &old, diag);
	rc = node_create(&f->nodes[i], roles[place->role].role, place->port_count << edge, i,
			 options->seed, options->pools[i]);
	if (rc != 0)
		return rc;
	node_share_generation(f->nodes[i], &f->generation);
	f->nodes[i]->ops = edge ? &pipeline_edge
			   : place->role == CONFIG_ROLE_HOST && topology_is_infiniband(f->topology)
				   ? &pipeline_adapter
				   : roles[place->role].ops;
	f->nodes[i]->name = place->name;
	rc = fabric_rebuild_tables(f, i, &old, diag);
	if (rc != 0)
		return rc;
	node_adopt_tables(f->nodes[i], f->tables[i]);
	return 0;
}

// A packet has no effect at a node before it has passed the node's pipeline.
static ps_t
far_latency(const struct fabric *f, uint32_t node)
{
	return node < f->topology->first_host ? f->switches[node].latency_ps : 0;
}

uint32_t
fabric_header_bytes(const struct fabric *f, uint32_t node)
{
	return node < f->topology->first_host && config_cuts_through(&f->switches[node])
		       ? f->switches[node].header_bytes
		       : 0;
}

// Nodes run independently for as long as their wires' delay, so the delay cannot be 0.
static int
refuse_wire(const struct fabric *f, uint32_t link, struct topo_end from, struct topo_end to,
	    ps_t delay, struct diag *diag)
{
	char from_name[TOPOLOGY_NAME_MAX], to_name[TOPOLOGY_NAME_MAX];

	topology_port_name(f->topology, from.node, from.port, from_name);
	topology_port_name(f->topology, to.node, to.port, to_name);
	diag_error(diag, f->config->file, f->topology->links[link].pos, "links",
		   "from %s to %s: %s", from_name, to_name,
		   delay == 0
			   ? "the delay must be above 0"
			   : "delay times rate is more than a wire between two workers can hold");
	return -EINVAL;
}

// Of an attached host with an edge NIC, ports that are attached past it are not. Others may be
// attached while the fabric runs.
static bool
is_wired(const struct fabric *f, struct topo_end end)
{
	return !fabric_has_edge(f, end.node) || fabric_wants_edge(f, end.node, end.port) ||
	       fabric_edge_is_free(f, end.node, end.port);
}

static int
create_wire(struct fabric *f, const struct fabric_options *options, uint32_t index,
	    struct topo_end from, struct topo_end to, struct diag *diag)
{
	const struct topo_link *link = &f->topology->links[index / 2];
	struct node *a = f->nodes[from.node], *b = f->nodes[to.node];
	bool shared = options->workers != NULL &&
		      options->workers[from.node] != options->workers[to.node];
	ps_t delay = link->delay_ps + far_latency(f, to.node);
	int rc;

	if (!is_wired(f, from) || !is_wired(f, to))
		return 0; // nobody's
	if (f->owners != NULL && delay != 0)
		fabric_note_delay(f, to.node, delay); // windows are those of all ranks
	if (a == NULL && b == NULL && delay != 0)
		return 0; // a device's, or of other ranks
	if ((a == NULL || b == NULL) && !ranks_many(f->ranks))
		return 0; // a device's
	rc = wire_create(&f->wires[index], delay, shared,
			 shared ? fabric_wire_slots(link->rate_bps, delay) : 0);
	if (rc == -EINVAL)
		return refuse_wire(f, index / 2, from, to, delay, diag);
	if (rc != 0)
		return rc;
	fabric_note_delay(f, to.node, f->wires[index]->delay);
	f->wires[index]->loss = fabric_wire_loss(link->loss_ppm);
	f->wires[index]->cut = a == NULL || b == NULL;
	f->wires[index]->header_bytes = fabric_header_bytes(f, to.node);
	f->wires[index]->retry = a != NULL && f->tables[from.node]->llr != NULL;
	wire_update_special(f->wires[index]);
	if (a != NULL)
		a->ports[from.port].out = f->wires[index];
	if (b != NULL)
		b->ports[to.port].in = f->wires[index];
	// A cut-through switch forwards what others have corrupted.
	if (b != NULL && fabric_header_bytes(f, from.node) != 0)
		b->ports[to.port].rx_faults |= PORT_RX_CORRUPT;
	return 0;
}

void
fabric_note_delay(struct fabric *f, uint32_t to_node, ps_t delay)
{
	f->window = time_min(f->window, delay);
	if (to_node < f->topology->first_host)
		f->lookahead = time_min(f->lookahead, delay);
}

uint32_t
fabric_wire_loss(uint32_t ppm)
{
	return (uint32_t)(((uint64_t)ppm << 32) / CONFIG_PPM - (ppm == CONFIG_PPM));
}

uint64_t
fabric_wire_bit_errors(uint64_t rate)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)((((wide)rate << 64) + ERROR_RATE_UNIT / 2) / ERROR_RATE_UNIT);
}

uint32_t
fabric_wire_slots(uint64_t rate_bps, ps_t delay)
{
	// Smallest frames back to back for the delay, two windows between the workers and one that
	// is being put: what can be in flight.
	uint64_t frame = time_of_bytes(time_byte_time(rate_bps), PACKET_FRAME_MIN);
	uint64_t time = delay + 3 * TIME_WINDOW_MAX;

	return (uint32_t)(time / (frame == 0 ? 1 : frame) + 64);
}

static int
load_hosts(struct fabric *f, struct diag *diag)
{
	int rc = 0;

	for (uint32_t h = 0; rc == 0 && h < f->topology->host_count; h++) {
		rc = config_host(f->config, topology_host(f->topology, h)->name, &f->hosts[h]);
		if (topology_is_infiniband(f->topology))
			f->hosts[h].ip_version = 0;
	}
	for (uint32_t h = 0; rc == 0 && h < f->topology->host_count; h++)
		rc = fabric_check_nic(f, h, diag);
	return rc;
}

static void
create_names(struct fabric *f)
{
	const struct topology *t = f->topology;

	f->names = memory_array(t->node_count, sizeof(*f->names), "node names");
	for (uint32_t i = 0; i < t->node_count; i++) {
		fabric_name_node(&f->names[i], t, i, f->nodes[i]);
		if (fabric_has_edge(f, i))
			fabric_name_host_sides(&f->names[i], t->nodes[i].port_count);
	}
	fabric_label(f, fabric_list_labels(t, NULL));
}

static void *
copy_array(const void *array, uint32_t count, size_t size, const char *what)
{
	return array == NULL ? NULL : memcpy(memory_array(count, size, what), array, count * size);
}

static struct fabric *
make_room(struct config *config, struct topology *t, const struct fabric_options *options)
{
	struct fabric *f = memory_new(sizeof(*f), "fabric");

	*f = (struct fabric){
		.config = config,
		.topology = t,
		.seed = options->seed,
		.epoch = 1,
		.window = TIME_WINDOW_MAX,
		.lookahead = TIME_WINDOW_MAX,
		.packets = options->packets,
		.file_attach_count = config->attach_count,
		.trims = config_trims(config),
		.ranks = options->ranks,
		.owners = ranks_many(options->ranks)
				  ? fabric_place_ranks(t, options->ranks->count)
				  : copy_array(options->parts, t->node_count, sizeof(uint16_t),
					       "parts of nodes"),
		.own = ranks_many(options->ranks) ? (uint16_t)options->ranks->index : options->part,
		.attached = copy_array(options->attached, t->host_count, sizeof(bool), "hosts"),
		.nodes = memory_array(t->node_count, sizeof(struct node *), "nodes"),
		.tables = memory_array(t->node_count, sizeof(struct tables *), "tables"),
		.wires = memory_array(2 * (size_t)t->link_count, sizeof(struct wire *), "wires"),
		.link_down = memory_array(t->link_count, sizeof(*f->link_down), "links"),
		.link_rate = memory_array(t->link_count, sizeof(*f->link_rate), "link rates"),
		.nics = memory_array(t->host_count, sizeof(struct nic *), "NICs"),
		.edges = memory_array(t->host_count, sizeof(struct edge *), "edge NICs"),
		.has_edge = memory_array(t->host_count, sizeof(bool), "hosts"),
		.stand_ins = memory_array(t->host_count, sizeof(*f->stand_ins), "hosts"),
		.swaps = memory_array(t->host_count, sizeof(*f->swaps), "hosts"),
		.switches = memory_array(t->first_host, sizeof(*f->switches), "switch settings"),
		.hosts = memory_array(t->host_count, sizeof(*f->hosts), "host settings"),
	};
	return f;
}

static int
create_wires(struct fabric *f, const struct fabric_options *options, struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < f->topology->link_count; i++) {
		const struct topo_link *link = &f->topology->links[i];

		rc = create_wire(f, options, 2 * i, link->a, link->b, diag);
		if (rc == 0)
			rc = create_wire(f, options, 2 * i + 1, link->b, link->a, diag);
	}
	return rc;
}

int
fabric_create(struct fabric **out, struct config *config, struct topology *topology,
	      const struct fabric_options *options, struct diag *diag)
{
	struct fabric *f = make_room(config, topology, options);
	int rc = load_hosts(f, diag);

	activity("computing routes");
	if (rc == 0)
		rc = routes_create(&f->routes, topology, NULL, diag);
	activity("making nodes");
	for (uint32_t i = 0; rc == 0 && i < topology->node_count; i++) {
		note_edge(f, options, i);
		if (!is_attached(f, options, i) || fabric_has_edge(f, i))
			rc = create_node(f, options, i, diag);
	}
	if (rc == 0)
		rc = tables_check_ports(topology, f->switches, diag);
	activity("making links and NICs");
	if (rc == 0)
		rc = create_wires(f, options, diag);
	for (uint32_t h = 0; rc == 0 && h < topology->host_count; h++)
		if (f->nodes[topology->first_host + h] != NULL)
			rc = f->has_edge[h] ? fabric_create_edge(f, h, &f->edges[h])
					    : fabric_create_nic(f, h, &f->nics[h]);
	if (rc != 0) {
		fabric_destroy(f);
		return rc;
	}
	create_names(f);
	*out = f;
	return 0;
}

static void
free_wire(struct fabric *f, uint32_t index)
{
	const struct topo_link *link = &f->topology->links[index / 2];
	uint32_t to = index % 2 == 0 ? link->b.node : link->a.node;
	struct wire *w = f->wires[index];

	if (w == NULL)
		return;
	while (w->head != w->tail && f->nodes[to] != NULL)
		packet_free(f->nodes[to]->packets, wire_take(w));
	wire_destroy(w);
}

void
fabric_destroy(struct fabric *f)
{
	const struct topology *t;

	if (f == NULL)
		return;
	t = f->topology;
	for (uint32_t i = 0; i < 2 * t->link_count; i++)
		free_wire(f, i);
	for (uint32_t i = 0; i < t->host_count; i++)
		nic_destroy(f->nics[i]);
	for (uint32_t i = 0; i < t->host_count; i++)
		fabric_destroy_stand_in(f, i);
	for (uint32_t i = 0; i < t->host_count; i++)
		edge_destroy(f->edges[i]);
	for (uint32_t i = 0; i < t->node_count; i++)
		node_destroy(f->nodes[i]);
	for (uint32_t i = 0; i < t->node_count; i++)
		tables_destroy(f->tables[i]);
	for (uint32_t i = 0; f->names != NULL && i < t->node_count; i++)
		fabric_unname_node(&f->names[i], t->nodes[i].port_count);
	fabric_forget_learned(f);
	fabric_free_link_views(f);
	routes_destroy(f->routes);
	in_flight_routes_destroy(f->drains, t);
	stale_hosts_destroy(f->moved);
	fabric_free_labels(f->labels);
	free(f->names);
	free(f->attached);
	free(f->owners);
	free(f->hosts);
	free(f->switches);
	free(f->swaps);
	free(f->stand_ins);
	free(f->has_edge);
	free(f->edges);
	free(f->nics);
	free(f->link_rate);
	free(f->link_changes);
	free(f->link_down);
	free(f->wires);
	free(f->tables);
	free(f->nodes);
	free(f);
}

struct node **
fabric_list_nodes(const struct fabric *f, uint32_t *count)
{
	struct node **nodes = memory_array(f->topology->node_count, sizeof(struct node *), "nodes");

	*count = 0;
	for (uint32_t i = 0; i < f->topology->node_count; i++)
		if (f->nodes[i] != NULL)
			nodes[(*count)++] = f->nodes[i];
	return nodes;
}

void
fabric_forget_far_nodes(struct fabric *f)
{
	// Events change switches by comparing what all of them have.
	uint32_t first = f->config->event_count == 0 ? 0 : f->topology->first_host;

	for (uint32_t i = first; i < f->topology->node_count; i++) {
		if (fabric_is_here(f, i))
			continue;
		if (i < f->topology->first_host)
			routes_clear(&f->routes->nodes[i]);
		tables_destroy(f->tables[i]);
		f->tables[i] = NULL;
	}
}

// But for ordered sets: grants of credit are sent again and again on links where nothing else is.
static uint32_t
packets_on(const struct wire *w)
{
	uint32_t count = 0;

	for (uint32_t i = w->head; i != w->tail; i++)
		count += packet_meta(w->slots[i & w->mask].packet)->lane < PACKET_LANE_LLR;
	return count;
}

// Ports of a NIC that have something to send, of which nothing is made yet, and that wait for
// link-level retry.
static uint32_t
blocked_ports(const struct node *n)
{
	uint32_t count = 0;

	for (unsigned i = 0; n->role == NODE_NIC && i < n->port_count; i++)
		count += n->ports[i].llr != NULL && n->ports[i].llr->blocked &&
			 n->ports[i].nonempty != 0;
	return count;
}

uint64_t
fabric_packets_held(const struct fabric *f)
{
	uint64_t held = 0;

	for (uint32_t i = 0; i < f->topology->node_count; i++)
		if (f->nodes[i] != NULL)
			held += node_queued(f->nodes[i]) + blocked_ports(f->nodes[i]);
	for (uint32_t h = 0; h < f->topology->host_count; h++)
		if (f->nics[h] != NULL)
			held += nic_held(f->nics[h]);
	for (uint32_t i = 0; i < 2 * f->topology->link_count; i++)
		if (f->wires[i] != NULL)
			held += packets_on(f->wires[i]);
	return held;
}
