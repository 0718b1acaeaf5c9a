// SPDX-License-Identifier: BSD-3-Clause
// Edge NICs: the nodes of attached hosts that have one (`attach.HOST.nic`). Behind each port that
// the topology gives the host's node stands one for the host's side, which the topology does not
// know: its tables and names are made here.
#include "fabric_internal.h"

#include "control/base/memory.h"
#include "control/model/tables/build.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"
#include "dataplane/node/ports.h"
#include "pipelines/pipelines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_LEAST_BYTES UINT64_C(1000000)
// Both in what may still come behind an XOFF: the least that `auto` holds, and that memory may
// leave.
#define BUFFER_HEADROOMS 4
#define BUFFER_HEADROOMS_LEAST 2

// Among the first `count` entries.
static const struct config_attach *
find_attach(const struct topology *t, unsigned count, uint32_t host, uint16_t port)
{
	for (unsigned i = 0; i < count; i++) {
		const struct config_attach *attach = &t->config->attach[i];
		struct topo_attached at;

		if (topology_find_attached(t, attach, &at) && at.host == host && port >= at.first &&
		    port < at.first + at.count)
			return attach;
	}
	return NULL;
}

const struct config_attach *
fabric_find_attach(const struct topology *t, uint32_t host, uint16_t port)
{
	return find_attach(t, t->config->attach_count, host, port);
}

bool
fabric_wants_edge(const struct fabric *f, uint32_t node, uint16_t port)
{
	const struct config_attach *attach =
		fabric_find_attach(f->topology, topology_host_of(f->topology, node), port);

	return attach != NULL && attach->nic;
}

bool
fabric_edge_is_free(const struct fabric *f, uint32_t node, uint16_t port)
{
	return fabric_has_edge(f, node) &&
	       fabric_find_attach(f->topology, topology_host_of(f->topology, node), port) == NULL;
}

static uint64_t
headroom_of(const struct topology *t, const struct switch_config *leaf, uint32_t host,
	    uint16_t port)
{
	return tables_headroom_needed(t, leaf, &topology_host(t, host)->ports[port]);
}

struct fabric_nic_buffer
fabric_nic_buffer(const struct topology *t, const struct switch_config *leaf, uint32_t host,
		  uint16_t port, const struct config_attach *attach)
{
	uint64_t headroom = headroom_of(t, leaf, host, port);
	uint64_t bytes = attach != NULL ? attach->buffer_bytes : 0;
	uint64_t least = headroom * BUFFER_HEADROOMS_LEAST;

	if (bytes == 0)
		bytes = headroom * BUFFER_HEADROOMS > BUFFER_LEAST_BYTES
				? headroom * BUFFER_HEADROOMS
				: BUFFER_LEAST_BYTES;
	return (struct fabric_nic_buffer){bytes, least < bytes ? least : bytes};
}

struct fabric_nic_most
fabric_nic_most(const struct fabric *f, uint32_t host, uint16_t port)
{
	const struct topo_port *eth = &topology_host(f->topology, host)->ports[port];
	const struct config_attach *file =
		find_attach(f->topology, f->file_attach_count, host, port);
	const struct fabric_nic_buffer wanted =
		fabric_nic_buffer(f->topology, &f->switches[eth->peer_node], host, port, file);
	uint64_t limit = file != NULL ? f->packets.nic_bytes : f->packets.later_nic_bytes;

	if (limit == 0)
		return (struct fabric_nic_most){UINT64_MAX, UINT64_MAX};
	limit = limit > wanted.least_bytes ? limit : wanted.least_bytes;
	return (struct fabric_nic_most){wanted.bytes < limit ? wanted.bytes : limit, wanted.bytes};
}

// XOFF leaves room for what may still arrive behind it: the headroom that the leaf would need on
// this link.
static struct edge_buffer
buffer_of(const struct fabric *f, uint32_t host, uint16_t port, const struct config_attach *attach)
{
	const struct topo_node *place = topology_host(f->topology, host);
	const struct topo_port *eth = &place->ports[port];
	const struct tables *t = f->tables[f->topology->first_host + host];
	const struct switch_config *leaf = &f->switches[eth->peer_node];
	uint64_t headroom = headroom_of(f->topology, leaf, host, port);
	const struct fabric_nic_buffer wanted =
		fabric_nic_buffer(f->topology, leaf, host, port, attach);
	const struct fabric_nic_most most = fabric_nic_most(f, host, port);
	uint64_t limit = (wanted.bytes < most.bytes ? wanted.bytes : most.bytes) / t->cell;
	struct edge_buffer buffer;

	buffer.limit = limit < POOL_UNLIMITED ? (uint32_t)limit : POOL_UNLIMITED - 1;
	headroom /= t->cell;
	buffer.xoff = headroom < buffer.limit ? buffer.limit - 1 - (uint32_t)headroom : 0;
	buffer.xon = buffer.xoff / 2;
	return buffer;
}

static struct reorder_settings
reorder_of(const struct config_attach *attach)
{
	return (struct reorder_settings){
		.packets = attach->reorder_window,
		.timeout = attach->reorder_timeout_ps,
		.first = attach->reorder_first_ps,
	};
}

int
fabric_create_edge(struct fabric *f, uint32_t host, struct edge **out)
{
	const struct topo_node *place = topology_host(f->topology, host);
	struct node *node = f->nodes[f->topology->first_host + host];
	struct edge_buffer buffers[EDGE_LINKS_MAX];
	int rc;

	for (uint16_t i = 0; i < place->port_count && i < EDGE_LINKS_MAX; i++)
		buffers[i] = buffer_of(f, host, i, fabric_find_attach(f->topology, host, i));
	rc = edge_create(out, node, place->port_count, buffers);
	for (uint16_t i = 0; rc == 0 && i < place->port_count; i++) {
		const struct config_attach *attach = fabric_find_attach(f->topology, host, i);
		struct reorder_settings settings;

		if (attach == NULL || !attach->reorder)
			continue;
		settings = reorder_of(attach);
		rc = edge_set_reorder(*out, node, i, &settings);
	}
	return rc;
}

int
fabric_plan_edge_link(const struct fabric *f, uint32_t host, uint16_t port,
		      const struct config_attach *attach, struct fabric_edge_link *out)
{
	const struct reorder_settings settings = reorder_of(attach);

	*out = (struct fabric_edge_link){.buffer = buffer_of(f, host, port, attach)};
	return attach->reorder ? reorder_create(&out->reorder, &settings) : 0;
}

// ---- while the fabric runs ----------------------------------------------------------------------
// A node that stands for a host, or waits to: what the fabric keeps by node, of this node.

struct fabric_stand_in {
	struct node *node;
	struct tables *tables;
	struct report_node names;
	struct edge *edge;
	bool has_edge;
};

// The wires of a node that is aside lead nowhere, so that whatever it does is lost.
static int
give_wires(struct node *n, uint16_t links)
{
	int rc = 0;

	for (uint16_t i = 0; rc == 0 && i < links; i++) {
		rc = wire_create(&n->ports[i].in, 1, false, 0);
		if (rc == 0)
			rc = wire_create(&n->ports[i].out, 1, false, 0);
	}
	return rc;
}

static int
make_edge_node(struct fabric *f, uint32_t node, struct fabric_stand_in *s, struct diag *diag)
{
	const struct topo_node *place = &f->topology->nodes[node];
	uint32_t host = topology_host_of(f->topology, node);
	struct edge_buffer buffers[EDGE_LINKS_MAX];
	int rc;

	// The host has an edge NIC while its tables are made.
	f->has_edge[host] = true;
	rc = fabric_build_tables(f, node, &f->switches[place->ports[0].peer_node], &s->tables,
				 diag);
	f->has_edge[host] = false;
	if (rc != 0)
		return rc;
	for (uint16_t i = 0; i < place->port_count && i < EDGE_LINKS_MAX; i++)
		buffers[i] = buffer_of(f, host, i, NULL);
	rc = node_create(&s->node, NODE_NIC, 2 * place->port_count, node, f->seed,
			 f->nodes[node]->packets);
	if (rc == 0)
		rc = give_wires(s->node, place->port_count);
	if (rc == 0)
		rc = edge_create(&s->edge, s->node, place->port_count, buffers);
	return rc == 0 ? 0 : diag_fail(diag, -rc, "the NIC of %s: %s", place->name, strerror(-rc));
}

static void
free_wire(const struct node *n, struct wire *w)
{
	while (w != NULL && wire_count(w) != 0)
		packet_free(n->packets, wire_take(w));
	wire_destroy(w);
}

static void
free_stand_in(struct fabric_stand_in *s, const struct topo_node *place)
{
	for (uint16_t i = 0; s->node != NULL && i < place->port_count; i++) {
		free_wire(s->node, s->node->ports[i].in);
		free_wire(s->node, s->node->ports[i].out);
	}
	fabric_unname_node(&s->names, place->port_count);
	edge_destroy(s->edge);
	node_destroy(s->node);
	tables_destroy(s->tables);
	free(s);
}

int
fabric_create_stand_in(struct fabric *f, uint32_t host, struct diag *diag)
{
	const uint32_t node = f->topology->first_host + host;
	const struct topo_node *place = &f->topology->nodes[node];
	struct fabric_stand_in *s = memory_new(sizeof(*s), "NIC of a host");
	int rc = make_edge_node(f, node, s, diag);

	if (rc != 0) {
		free_stand_in(s, place);
		return rc;
	}
	s->has_edge = true;
	s->node->ops = &pipeline_edge;
	s->node->name = place->name;
	node_share_generation(s->node, &f->generation);
	node_set_tables(s->node, s->tables);
	node_adopt_tables(s->node, s->tables);
	for (uint16_t i = 0; i < s->node->port_count; i++)
		node_set_carrier(s->node, &s->node->ports[i], false, 0);
	fabric_name_node(&s->names, f->topology, node, s->node);
	fabric_name_host_sides(&s->names, place->port_count);
	f->stand_ins[host] = s;
	return 0;
}

struct node *
fabric_stand_in_node(const struct fabric *f, uint32_t host)
{
	return f->stand_ins[host] != NULL ? f->stand_ins[host]->node : NULL;
}

void
fabric_swap_stand_in(struct fabric *f, uint32_t host)
{
	const uint32_t node = f->topology->first_host + host;
	struct fabric_stand_in *s = f->stand_ins[host], was = {
								.node = f->nodes[node],
								.tables = f->tables[node],
								.names = f->names[node],
								.edge = f->edges[host],
								.has_edge = f->has_edge[host],
							};

	f->nodes[node] = s->node;
	f->tables[node] = s->tables;
	f->names[node] = s->names;
	f->names[node].vrfs = was.names.vrfs; // as they are now
	f->names[node].tenants = was.names.tenants;
	f->edges[host] = s->edge;
	f->has_edge[host] = s->has_edge;
	f->swaps[host]++;
	*s = was;
}

void
fabric_destroy_stand_in(struct fabric *f, uint32_t host)
{
	if (f->stand_ins[host] != NULL)
		free_stand_in(f->stand_ins[host], topology_host(f->topology, host));
	f->stand_ins[host] = NULL;
}

// Gives each port that the tables have one for the host's side, which does the same, but as fast as
// the device takes it.
void
fabric_add_host_sides(struct tables *t)
{
	const uint16_t links = t->port_count;
	struct port_profile *profiles =
		memory_array(2 * (size_t)links, sizeof(*profiles), "port profiles");
	struct port_tables *ports = memory_array(2 * (size_t)links, sizeof(*ports), "ports");

	memcpy(ports, t->ports, links * sizeof(*ports));
	memcpy(ports + links, t->ports, links * sizeof(*ports));
	for (uint16_t i = 0; i < links; i++) {
		profiles[i] = profiles[links + i] = *t->ports[i].profile;
		profiles[links + i].byte_time = 0;
		profiles[links + i].obeyed = 0;
		profiles[links + i].link_pause = false;
		ports[i].profile = &profiles[i];
		ports[links + i].profile = &profiles[links + i];
	}
	free(t->profiles);
	free(t->ports);
	t->profiles = profiles;
	t->ports = ports;
	t->port_count = 2 * links;
	t->profile_count = 2u * links;
}

// ---- names --------------------------------------------------------------------------------------

static const char *const host_sides[EDGE_LINKS_MAX] = {
	"host1", "host2", "host3", "host4", "host5", "host6", "host7", "host8",
};

void
fabric_name_host_sides(struct report_node *n, uint16_t links)
{
	struct report_port *ports = memory_array(2 * (size_t)links, sizeof(*ports), "port names");

	memcpy(ports, n->ports, links * sizeof(*ports));
	for (uint16_t i = 0; i < links && i < EDGE_LINKS_MAX; i++)
		ports[links + i].name = host_sides[i];
	free((void *)(uintptr_t)n->ports);
	n->ports = ports;
}
