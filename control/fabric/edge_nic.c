// SPDX-License-Identifier: BSD-3-Clause
// Edge NICs: the nodes of attached hosts that have one (`attach.HOST.nic`). Behind each port that
// the topology gives the host's node stands one for the host's side, which the topology does not
// know: its tables and names are made here.
#include "fabric_internal.h"

#include "control/base/memory.h"
#include "control/model/tables/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_LEAST_BYTES UINT64_C(1000000)
#define BUFFER_HEADROOMS 4 // `auto` holds at least so many times what may still come behind an XOFF

const struct config_attach *
fabric_find_attach(const struct topology *t, uint32_t host, uint16_t port)
{
	for (unsigned i = 0; i < t->config->attach_count; i++) {
		const struct config_attach *attach = &t->config->attach[i];
		struct topo_attached at;

		if (topology_find_attached(t, attach, &at) && at.host == host && port >= at.first &&
		    port < at.first + at.count)
			return attach;
	}
	return NULL;
}

bool
fabric_wants_edge(const struct fabric *f, uint32_t node, uint16_t port)
{
	const struct config_attach *attach =
		fabric_find_attach(f->topology, topology_host_of(f->topology, node), port);

	return attach != NULL && attach->nic;
}

// XOFF leaves room for what may still arrive behind it: the headroom that the leaf would need on
// this link.
static struct edge_buffer
buffer_of(const struct fabric *f, uint32_t host, uint16_t port)
{
	const struct topo_node *place = topology_host(f->topology, host);
	const struct topo_port *eth = &place->ports[port];
	const struct tables *t = f->tables[f->topology->first_host + host];
	uint64_t headroom = tables_headroom_needed(f->topology, &f->switches[eth->peer_node], eth);
	const struct config_attach *attach = fabric_find_attach(f->topology, host, port);
	uint64_t bytes = attach != NULL ? attach->buffer_bytes : 0;
	struct edge_buffer buffer;
	uint64_t limit;

	if (bytes == 0)
		bytes = headroom * BUFFER_HEADROOMS > BUFFER_LEAST_BYTES
				? headroom * BUFFER_HEADROOMS
				: BUFFER_LEAST_BYTES;
	limit = bytes / t->cell;
	buffer.limit = limit < POOL_UNLIMITED ? (uint32_t)limit : POOL_UNLIMITED - 1;
	headroom /= t->cell;
	buffer.xoff = headroom < buffer.limit ? buffer.limit - 1 - (uint32_t)headroom : 0;
	buffer.xon = buffer.xoff / 2;
	return buffer;
}

int
fabric_create_edge(struct fabric *f, uint32_t host, struct edge **out)
{
	const struct topo_node *place = topology_host(f->topology, host);
	struct node *node = f->nodes[f->topology->first_host + host];
	struct edge_buffer buffers[EDGE_LINKS_MAX];
	int rc;

	for (uint16_t i = 0; i < place->port_count && i < EDGE_LINKS_MAX; i++)
		buffers[i] = buffer_of(f, host, i);
	rc = edge_create(out, node, place->port_count, buffers);
	for (uint16_t i = 0; rc == 0 && i < place->port_count; i++) {
		const struct config_attach *attach = fabric_find_attach(f->topology, host, i);
		struct reorder_settings settings;

		if (attach == NULL || !attach->reorder)
			continue;
		settings.packets = attach->reorder_window;
		settings.timeout = attach->reorder_timeout_ps;
		settings.first = attach->reorder_first_ps;
		rc = edge_set_reorder(*out, node, i, &settings);
	}
	return rc;
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
