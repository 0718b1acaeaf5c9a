// SPDX-License-Identifier: BSD-3-Clause
#include "topology_internal.h"

#include "addresses.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdio.h>

uint32_t
builder_add_node(struct topology *t, const char *name, enum config_role role, uint16_t plane,
		 uint32_t number)
{
	struct topo_node *node;

	t->nodes = memory_grow(t->nodes, t->node_count, sizeof(*t->nodes), "nodes");
	node = &t->nodes[t->node_count];
	*node = (struct topo_node){
		.role = role,
		.plane = plane,
		.number = number,
		.pod = (uint16_t)((number - 1) / ADDRESSES_LEAVES_PER_POD),
		.pod_number = (uint16_t)((number - 1) % ADDRESSES_LEAVES_PER_POD + 1),
	};
	snprintf(node->name, sizeof(node->name), "%s", name);
	t->leaf_count += role == CONFIG_ROLE_LEAF;
	t->spine_count += role == CONFIG_ROLE_SPINE;
	t->super_count += role == CONFIG_ROLE_SUPER_SPINE;
	t->host_count += role == CONFIG_ROLE_HOST;
	t->first_host = t->leaf_count + t->spine_count + t->super_count;
	return t->node_count++;
}

struct topo_port *
builder_add_port(struct topology *t, uint32_t index, unsigned number)
{
	struct topo_node *node = &t->nodes[index];
	struct topo_port *port;

	node->ports = memory_grow(node->ports, node->port_count, sizeof(*node->ports), "ports");
	port = &node->ports[node->port_count++];
	*port = (struct topo_port){
		.number = (uint16_t)number,
		.peer_node = TOPOLOGY_NONE,
		.link = TOPOLOGY_NONE,
		.tenant = TENANT_NONE,
	};
	snprintf(port->name, sizeof(port->name), "%s%hu",
		 node->role == CONFIG_ROLE_HOST ? "eth" : "swp", (unsigned short)number);
	return port;
}

struct config_link
builder_link(const struct topology *t, uint32_t a, uint32_t b)
{
	const struct config_fabric *f = &t->config->fabric;
	enum config_role one = t->nodes[a].role, other = t->nodes[b].role;

	if (one == CONFIG_ROLE_HOST || other == CONFIG_ROLE_HOST)
		return f->host_link;
	if (one == CONFIG_ROLE_SUPER_SPINE || other == CONFIG_ROLE_SUPER_SPINE)
		return config_link_over(&f->fabric_link, &f->super_link);
	return f->fabric_link;
}

void
builder_set_link(struct topology *t, struct topo_port *port, const struct config_link *link)
{
	port->rate_bps = link->rate_bps;
	port->delay_ps = link->delay_ps;
	port->cable_mm = link->cable_mm;
	port->mtu = link->mtu != 0 ? link->mtu : t->config->fabric.mtu;
}

void
builder_add_link(struct topology *t, struct topo_end a, struct topo_end b,
		 const struct config_link *written)
{
	const struct config_link usual = builder_link(t, a.node, b.node);
	const struct config_link *link = written != NULL ? written : &usual;
	const struct topo_end ends[2] = {a, b};
	bool host = t->nodes[a.node].role == CONFIG_ROLE_HOST ||
		    t->nodes[b.node].role == CONFIG_ROLE_HOST;

	t->links = memory_grow(t->links, t->link_count, sizeof(*t->links), "links");
	for (unsigned i = 0; i < 2; i++) {
		struct topo_port *port = builder_add_port(t, ends[i].node, ends[i].number);

		port->link = t->link_count;
		builder_set_link(t, port, link);
	}
	t->links[t->link_count++] = (struct topo_link){
		.a = a,
		.b = b,
		.rate_bps = link->rate_bps,
		.delay_ps = link->delay_ps,
		.cable_mm = link->cable_mm,
		.mtu = link->mtu != 0 ? link->mtu : t->config->fabric.mtu,
		.mtu_auto = link->mtu == 0 && !host,
		.loss_ppm = link->loss_ppm,
		.pos = link->pos,
		.host = host,
	};
}

void
builder_add_switches(struct topology *t, uint32_t planes, enum config_role role, uint32_t count)
{
	for (uint32_t plane = 0; plane < planes; plane++) {
		for (uint32_t i = 1; i <= count; i++) {
			char name[CONFIG_NAME_MAX + 1];

			if (planes > 1)
				snprintf(name, sizeof(name), "p%u-%s%u", plane + 1,
					 config_role_prefix(role), i);
			else
				snprintf(name, sizeof(name), "%s%u", config_role_prefix(role), i);
			builder_add_node(t, name, role, (uint16_t)plane, i);
		}
	}
}

void
builder_add_hosts(struct topology *t, uint32_t count)
{
	for (uint32_t i = 1; i <= count; i++) {
		char name[CONFIG_NAME_MAX + 1];

		snprintf(name, sizeof(name), "h%u", i);
		builder_add_node(t, name, CONFIG_ROLE_HOST, 0, i);
	}
}

// ---- links that the file names: `fabric.links: {leaf1-spine2: {rate: 40G}}` ---------------------

static int
apply_named_link(struct topology *t, const struct config_named_link *named, struct diag *diag)
{
	struct topo_link *link;
	struct config_link now;
	uint32_t index;

	if (topology_resolve_link(t, &named->name, "fabric.links", &index, diag) != 0)
		return -EINVAL;
	link = &t->links[index];
	now = (struct config_link){
		.rate_bps = link->rate_bps,
		.delay_ps = link->delay_ps,
		.cable_mm = link->cable_mm,
		.mtu = link->mtu_auto ? 0 : link->mtu,
		.pos = link->pos,
	};
	now = config_link_over(&now, &named->written);
	link->rate_bps = now.rate_bps;
	link->delay_ps = now.delay_ps;
	link->cable_mm = now.cable_mm;
	link->mtu = now.mtu != 0 ? now.mtu : t->config->fabric.mtu;
	link->mtu_auto = now.mtu == 0 && !link->host;
	link->pos = now.pos;
	builder_set_link(t, &t->nodes[link->a.node].ports[link->a.port], &now);
	builder_set_link(t, &t->nodes[link->b.node].ports[link->b.port], &now);
	return 0;
}

int
builder_apply_named_links(struct topology *t, struct diag *diag)
{
	const struct config_fabric *f = &t->config->fabric;
	int result = 0;

	for (unsigned i = 0; i < f->named_link_count; i++)
		if (apply_named_link(t, &f->named_links[i], diag) != 0)
			result = -EINVAL;
	return result;
}
