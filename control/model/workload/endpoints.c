// SPDX-License-Identifier: BSD-3-Clause
// The members of an item, and how one end reaches another. An end is a NIC of a host. The planes of
// a fabric are joined only inside hosts, so bytes for another plane are first handed over, inside
// their host, to the NIC of that plane. With `pxn: on`, and by rings, the same is done where NICs
// represent rails, though the network would join them.
#include "workload_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S UINT64_C(1000000000000)

int
item_resolve(const struct item *item, const struct config_name *name, const char *key,
	     struct topo_endpoint *out)
{
	return topology_resolve_endpoint(item->topology, item->file, name, key, out, item->diag);
}

void
item_expand(const struct item *item, const struct topo_endpoint *end, struct item_members *m)
{
	uint16_t ports = end->whole ? topology_host(item->topology, end->host)->port_count : 1;

	m->groups = memory_grow(m->groups, m->group_count, sizeof(*m->groups), "hosts");
	m->groups[m->group_count++] = m->count;
	for (uint16_t p = 0; p < ports; p++) {
		m->ends = memory_grow(m->ends, m->count, sizeof(*m->ends), "NICs");
		m->ends[m->count++] = (struct topo_endpoint){
			.host = end->host,
			.port = end->whole ? (uint8_t)p : end->port,
		};
	}
}

// The key that names hosts, and which NICs it has named, by host and NIC.
struct names {
	const char *key;
	bool *seen;
};

static int
add_named(const struct item *item, const struct names *from, const struct config_name *name,
	  struct item_members *m)
{
	const struct topology *t = item->topology;
	const char *tenant = item->work->tenant.text;
	struct topo_endpoint end;
	uint32_t first = m->count;

	if (item_resolve(item, name, from->key, &end) != 0)
		return -EINVAL;
	if (tenant != NULL && !topology_host_is_in(t, end.host, tenant))
		return diag_error(item->diag, item->file, name->pos, from->key,
				  "%s is not in tenant %s", topology_host(t, end.host)->name,
				  tenant);
	item_expand(item, &end, m);
	for (uint32_t i = first; i < m->count; i++) {
		bool *it = &from->seen[m->ends[i].host * TOPOLOGY_HOST_PORTS_MAX + m->ends[i].port];

		if (*it)
			return diag_error(item->diag, item->file, name->pos, from->key,
					  "%s.%s appears twice", topology_host(t, end.host)->name,
					  topology_host_port(t, end.host, m->ends[i].port)->name);
		*it = true;
	}
	return 0;
}

static int
add_all_named(const struct item *item, const struct config_names *names, const char *key,
	      struct item_members *m)
{
	struct names from = {
		.key = key,
		.seen = memory_array((size_t)item->topology->host_count * TOPOLOGY_HOST_PORTS_MAX,
				     sizeof(*from.seen), "NICs"),
	};
	int result = 0;

	for (unsigned i = 0; i < names->count; i++) {
		if (add_named(item, &from, &names->items[i], m) == 0)
			continue;
		result = -EINVAL;
		i = config_range_last(names, i);
	}
	free(from.seen);
	return result;
}

int
item_find_receivers(const struct item *item, struct item_members *out)
{
	*out = (struct item_members){0};
	return add_all_named(item, &item->work->receivers, "workload.receivers", out);
}

int
item_find_members(const struct item *item, struct item_members *out)
{
	const char *tenant = item->work->tenant.text;
	int error = 0;

	*out = (struct item_members){0};
	if (item->work->hosts.count > 0)
		error = add_all_named(item, &item->work->hosts, "workload.hosts", out);
	else
		for (uint32_t h = 0; h < item->topology->host_count; h++)
			if (tenant == NULL || topology_host_is_in(item->topology, h, tenant))
				item_expand(item, &(struct topo_endpoint){.host = h, .whole = true},
					    out);
	if (error != 0 || out->count >= (item->work->receivers.count != 0 ? 1 : 2))
		return error;
	return diag_error(item->diag, item->file, item->work->pos, "workload",
			  "%u %s; at least two are needed", out->count,
			  out->count == 1 ? "host" : "hosts");
}

void
item_free_members(struct item_members *members)
{
	free(members->ends);
	free(members->groups);
}

static const char *
tenant_name(const struct topology *t, uint32_t host)
{
	uint16_t tenant = topology_host_tenant(t, host);

	return tenant == TENANT_NONE ? "no tenant" : t->tenants[tenant].name;
}

// delay + bytes * 8 / rate, to the next picosecond.
ps_t
item_handover(const struct host_config *host, uint64_t bytes)
{
	__extension__ typedef unsigned __int128 wide;
	wide bits = (wide)bytes * 8 * PS_PER_S;

	return host->inside_delay_ps +
	       (ps_t)((bits + host->inside_rate_bps - 1) / host->inside_rate_bps);
}

ps_t
item_forward(const struct host_config *host, uint64_t bytes)
{
	uint64_t chunk = host->inside_chunk_bytes;

	return item_handover(host, chunk != 0 && chunk < bytes ? chunk : bytes);
}

// The NIC of the source host by which the destination is reached: its own where nothing says
// otherwise, else that of the same number as the destination's, else the first that is joined.
static int
find_port(const struct item *item, const struct item_flow *flow)
{
	const struct topology *t = item->topology;
	const struct topo_endpoint *src = &flow->src, *dst = &flow->dst;
	uint16_t count = topology_host(t, src->host)->port_count;
	bool own = topology_joined(t, src->host, src->port, dst->host, dst->port);
	bool twin = dst->port < count &&
		    topology_joined(t, src->host, dst->port, dst->host, dst->port);

	if (own && !(twin && (flow->by_twin || item->hosts[src->host].pxn)))
		return src->port;
	if (twin)
		return dst->port;
	for (uint8_t p = 0; p < count; p++)
		if (topology_joined(t, src->host, p, dst->host, dst->port))
			return p;
	return -ENOENT;
}

static int
refuse_path(const struct item *item, const struct item_flow *flow)
{
	const struct topology *t = item->topology;
	uint32_t src = flow->src.host, dst = flow->dst.host;
	const char *from = topology_host(t, src)->name, *to = topology_host(t, dst)->name;

	if (topology_host_tenant(t, src) == topology_host_tenant(t, dst))
		return diag_error(item->diag, item->file, flow->pos, "workload",
				  "no route leads from %s to %s", from, to);
	return diag_error(item->diag, item->file, flow->pos, "workload",
			  "traffic between tenants that no route joins: %s (%s) to %s (%s)", from,
			  tenant_name(t, src), to, tenant_name(t, dst));
}

// Whether an event may join hosts that no route joins at the start.
static bool
tenants_may_change(const struct config *config)
{
	for (unsigned i = 0; i < config->event_count; i++)
		if (config_event_edits(&config->events[i]) &&
		    strncmp(config->events[i].key.text, "tenants", strlen("tenants")) == 0)
			return true;
	return false;
}

int
item_find_path(const struct item *item, const struct item_flow *flow, struct item_path *out)
{
	const struct topology *t = item->topology;
	const struct topo_endpoint *src = &flow->src, *dst = &flow->dst;
	const char *tenant = item->work->tenant.text, *why = NULL;
	const struct host_config *host = &item->hosts[src->host];
	uint64_t bytes = flow->handed_bytes != 0 ? flow->handed_bytes : flow->bytes;
	int port = src->port;

	if (src->host == dst->host && (!flow->may_be_inside || src->port == dst->port))
		why = "would send to itself";
	else if (tenant != NULL && !topology_host_is_in(t, src->host, tenant))
		why = "is not in tenant ";
	if (why != NULL)
		return diag_error(item->diag, item->file, flow->pos, "workload", "%s %s%s",
				  topology_host(t, src->host)->name, why,
				  src->host == dst->host ? "" : tenant);
	if (src->host != dst->host)
		port = find_port(item, flow);
	if (src->host != dst->host &&
	    (port < 0 ||
	     (!routes_join(item->routes, t, src->host, (uint8_t)port, dst->host, dst->port) &&
	      !tenants_may_change(t->config))))
		return refuse_path(item, flow);
	*out = (struct item_path){.src_port = (uint8_t)port, .inside = src->host == dst->host};
	if (out->inside)
		out->handover_ps = item_handover(host, bytes);
	else if (port != src->port)
		out->handover_ps = item_forward(host, bytes);
	return 0;
}

// ---- all pairs of many --------------------------------------------------------------------------
// Whether there is a way from one NIC to another depends only on the leaf and VRF of the port that
// the source uses, and which port that is, on what the destination's port is like. So each member
// is looked up once for each leaf and VRF, not for each member.

// What ports of destinations are like.
struct target {
	uint32_t component;
	uint8_t port;
	uint32_t member; // an example
};

// What ports of sources are like.
struct origin {
	uint32_t leaf;
	uint16_t vrf;
	struct topo_endpoint end; // an example
	struct origin *next;      // of the leaf's
	bool *reaches;            // by target: some member sends there by such a port
};

struct pair_check {
	const struct item *item;
	const struct item_members *members;
	struct target *targets;
	uint32_t target_count;
	uint32_t *target_of;     // by member
	struct origin **origins; // by leaf
};

static void
find_targets(struct pair_check *p)
{
	const struct topology *t = p->item->topology;

	p->target_of = memory_array(p->members->count, sizeof(*p->target_of), "NICs");
	for (uint32_t i = 0; i < p->members->count; i++) {
		const struct topo_endpoint *end = &p->members->ends[i];
		uint32_t leaf = topology_host_port(t, end->host, end->port)->peer_node, k = 0;

		while (k < p->target_count && (p->targets[k].component != t->component[leaf] ||
					       p->targets[k].port != end->port))
			k++;
		p->target_of[i] = k;
		if (k < p->target_count)
			continue;
		p->targets = memory_grow(p->targets, k, sizeof(*p->targets), "kinds of NICs");
		p->targets[p->target_count++] = (struct target){t->component[leaf], end->port, i};
	}
}

static struct origin *
find_origin(struct pair_check *p, struct topo_endpoint end)
{
	const struct topo_port *port = topology_host_port(p->item->topology, end.host, end.port);
	struct origin **first = &p->origins[port->peer_node], *o = *first;

	while (o != NULL && o->vrf != port->vrf)
		o = o->next;
	if (o != NULL)
		return o;
	o = memory_new(sizeof(*o), "kinds of NICs");
	*o = (struct origin){.leaf = port->peer_node, .vrf = port->vrf, .end = end, .next = *first};
	o->reaches = memory_array(p->target_count, sizeof(*o->reaches), "kinds of NICs");
	*first = o;
	return o;
}

static struct item_flow
pair_flow(const struct pair_check *p, struct topo_endpoint src, uint32_t member)
{
	return (struct item_flow){
		.src = src, .dst = p->members->ends[member], .pos = p->item->work->pos};
}

// Refuses a member that has no port towards a target.
static int
check_ports(struct pair_check *p, uint32_t member, uint32_t target)
{
	struct topo_endpoint src = p->members->ends[member];
	struct item_flow flow = pair_flow(p, src, p->targets[target].member);
	int port = find_port(p->item, &flow);

	if (port >= 0) {
		struct topo_endpoint by = {.host = src.host, .port = (uint8_t)port};

		find_origin(p, by)->reaches[target] = true;
		return 0;
	}
	for (uint32_t i = 0; i < p->members->count; i++) {
		flow = pair_flow(p, src, i);
		if (p->target_of[i] == target && flow.dst.host != src.host)
			return refuse_path(p->item, &flow);
	}
	return 0; // all of them are in the same host
}

static int
check_origin(struct pair_check *p, const struct origin *o)
{
	const struct item *item = p->item;

	for (uint32_t i = 0; i < p->members->count; i++) {
		struct item_flow flow = pair_flow(p, o->end, i);

		if (o->reaches[p->target_of[i]] &&
		    !routes_join(item->routes, item->topology, o->end.host, o->end.port,
				 flow.dst.host, flow.dst.port) &&
		    !tenants_may_change(item->topology->config))
			return refuse_path(item, &flow);
	}
	return 0;
}

int
item_check_pairs(const struct item *item, const struct item_members *members)
{
	struct pair_check p = {.item = item, .members = members};
	uint32_t nodes = item->topology->node_count;
	int error = 0;

	find_targets(&p);
	p.origins = memory_array(nodes, sizeof(*p.origins), "kinds of NICs");
	for (uint32_t i = 0; error == 0 && i < members->count; i++)
		for (uint32_t k = 0; error == 0 && k < p.target_count; k++)
			error = check_ports(&p, i, k);
	for (uint32_t leaf = 0; leaf < nodes; leaf++) {
		while (p.origins[leaf] != NULL) {
			struct origin *o = p.origins[leaf];

			p.origins[leaf] = o->next;
			if (error == 0)
				error = check_origin(&p, o);
			free(o->reaches);
			free(o);
		}
	}
	free(p.origins);
	free(p.target_of);
	free(p.targets);
	return error;
}
