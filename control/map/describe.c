// SPDX-License-Identifier: BSD-3-Clause
// The nodes, links, hosts and tenants of a fabric as JSON.
#include "map.h"

#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/model/topology/addresses.h"
#include "control/show/show.h"

#include <arpa/inet.h>
#include <stdlib.h>

json_t *
map_link(const struct topology *t, uint32_t index, const struct map_link_state *now)
{
	const struct topo_link *link = &t->links[index];
	char name[TOPOLOGY_NAME_MAX], a[TOPOLOGY_NAME_MAX], b[TOPOLOGY_NAME_MAX];

	return json_pack("{s:s,s:s,s:s,s:I,s:I,s:s}", "link", topology_link_name(t, index, name),
			 "a", topology_port_name(t, link->a.node, link->a.port, a), "b",
			 topology_port_name(t, link->b.node, link->b.port, b), "rate_bps",
			 (json_int_t)now->rate_bps, "delay_ps", (json_int_t)now->delay_ps, "state",
			 now->down ? "down" : "up");
}

// ---- hosts --------------------------------------------------------------------------------------

static json_t *
text_json(const char *text)
{
	char *copy = memory_text(text);
	json_t *out;

	utf8_repair(copy);
	out = json_string(copy);
	free(copy);
	return out;
}

json_t *
map_attached_text(const struct config_attach *attach)
{
	char *text;
	json_t *out;

	if (attach->netns.text != NULL)
		text = memory_format("namespace %s", attach->netns.text);
	else if (attach->container.text != NULL)
		text = memory_format("namespace of container %s", attach->container.text);
	else if (attach->tap.text != NULL)
		text = memory_format("tap %s", attach->tap.text);
	else if (attach->pid != 0)
		text = memory_format("namespace of process %u", attach->pid);
	else
		text = memory_text("a device");
	out = text_json(text);
	free(text);
	return out;
}

static json_t *
nic_json(const struct map_source *s, uint32_t host, uint16_t p)
{
	const struct topology *t = s->topology;
	const struct topo_port *nic = topology_host_port(t, host, (uint8_t)p);
	char ip4[INET_ADDRSTRLEN], ip6[INET6_ADDRSTRLEN], port[TOPOLOGY_NAME_MAX];
	json_t *out;

	inet_ntop(AF_INET, nic->ip4, ip4, sizeof(ip4));
	inet_ntop(AF_INET6, nic->ip6, ip6, sizeof(ip6));
	topology_port_name(t, nic->peer_node, nic->peer_port, port);
	out = json_pack("{s:s,s:s,s:s,s:s*,s:s,s:s,s:s?}", "host", topology_host(t, host)->name,
			"nic", nic->name, "address", ip4, "address6",
			s->uses_ip6(s->context, host) ? ip6 : NULL, "port", port, "vrf",
			t->vrfs[nic->vrf].name, "tenant",
			nic->tenant != TENANT_NONE ? t->tenants[nic->tenant].name : NULL);
	show_set_mac(out, nic->mac);
	if (topology_is_infiniband(t)) {
		json_object_set_new(out, "lid", json_integer(nic->lid));
		json_object_set_new(out, "pkey",
				    json_integer(topology_pkey(nic) | TOPOLOGY_PKEY_MEMBER));
	}
	json_object_set_new(out, "is", s->what(s->context, host, p));
	return out;
}

json_t *
map_hosts(const struct map_source *s)
{
	const struct topology *t = s->topology;
	json_t *out = json_array();

	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint16_t p = 0; p < topology_host(t, h)->port_count; p++)
			json_array_append_new(out, nic_json(s, h, p));
	return out;
}

// ---- switches -----------------------------------------------------------------------------------

static uint32_t
root_of(uint32_t *parent, uint32_t node)
{
	while (parent[node] != node)
		node = parent[node] = parent[parent[node]];
	return node;
}

// Numbers the pods of each plane from 1, by switch: leaves and spines that are joined without a
// super-spine. For free().
static uint32_t *
find_pods(const struct topology *t)
{
	uint32_t *parent = memory_array(t->first_host, sizeof(*parent), "switches of pods");
	uint32_t *pods = memory_array(t->first_host, sizeof(*pods), "pods");
	uint32_t counts[ADDRESSES_PLANES] = {0};
	const uint32_t inside = t->leaf_count + t->spine_count;

	for (uint32_t n = 0; n < t->first_host; n++)
		parent[n] = n;
	for (uint32_t l = 0; l < t->link_count; l++)
		if (t->links[l].a.node < inside && t->links[l].b.node < inside)
			parent[root_of(parent, t->links[l].a.node)] =
				root_of(parent, t->links[l].b.node);
	for (uint32_t n = 0; n < inside; n++) {
		uint32_t root = root_of(parent, n);

		if (pods[root] == 0)
			pods[root] = ++counts[t->nodes[n].plane % ADDRESSES_PLANES];
		pods[n] = pods[root];
	}
	free(parent);
	return pods;
}

static json_t *
switch_json(const struct map_source *s, uint32_t n, const uint32_t *pods)
{
	const struct topology *t = s->topology;
	const struct config_fabric *f = &t->config->fabric;
	const struct topo_node *node = &t->nodes[n];
	struct switch_config settings;
	json_t *out =
		json_pack("{s:s,s:s}", "name", node->name, "role", config_role_name(node->role));

	if (f->planes > 1)
		json_object_set_new(out, "plane", json_integer(node->plane + 1));
	if (t->super_count != 0 && node->role != CONFIG_ROLE_SUPER_SPINE)
		json_object_set_new(out, "pod", json_integer((json_int_t)pods[n]));
	if (topology_is_infiniband(t))
		json_object_set_new(out, "lid", json_integer(topology_lid(t, n, 0)));
	if (f->topology == CONFIG_TOPOLOGY_RAIL && node->role == CONFIG_ROLE_LEAF)
		json_object_set_new(out, "rail",
				    json_integer((json_int_t)((node->number - 1) % f->rails) + 1));
	s->settings(s->context, n, &settings);
	if (s->all_lanes || topology_is_infiniband(t) || config_has_credits(settings.flow_control))
		json_object_set_new(out, "lanes", map_lanes(&settings));
	return out;
}

json_t *
map_describe(const struct map_source *s)
{
	const struct topology *t = s->topology;
	json_t *nodes = json_array(), *links = json_array(), *tenants = json_array();
	uint32_t *pods = find_pods(t);

	for (uint32_t n = 0; n < t->first_host; n++)
		json_array_append_new(nodes, switch_json(s, n, pods));
	for (uint32_t h = 0; h < t->host_count; h++)
		json_array_append_new(nodes, json_pack("{s:s,s:s}", "name",
						       topology_host(t, h)->name, "role", "host"));
	for (uint32_t l = 0; l < t->link_count; l++)
		json_array_append_new(links, s->link(s->context, l));
	for (uint16_t i = 0; i < t->tenant_count; i++)
		json_array_append_new(tenants, t->tenants[i].name != NULL
						       ? json_string(t->tenants[i].name)
						       : json_null());
	free(pods);
	return json_pack("{s:s?,s:o,s:o,s:o,s:o}", "name", t->config->fabric.name.text, "nodes",
			 nodes, "links", links, "hosts", map_hosts(s), "tenants", tenants);
}
