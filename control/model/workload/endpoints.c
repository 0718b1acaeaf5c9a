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

static int
add_named(const struct item *item, const struct config_name *name, bool *seen,
	  struct item_members *m)
{
	const struct topology *t = item->topology;
	const char *tenant = item->work->tenant.text;
	struct topo_endpoint end;
	uint32_t first = m->count;

	if (item_resolve(item, name, "workload.hosts", &end) != 0)
		return -EINVAL;
	if (tenant != NULL && !topology_host_is_in(t, end.host, tenant))
		return diag_error(item->diag, item->file, name->pos, "workload.hosts",
				  "%s is not in tenant %s", topology_host(t, end.host)->name,
				  tenant);
	item_expand(item, &end, m);
	for (uint32_t i = first; i < m->count; i++) {
		bool *it = &seen[m->ends[i].host * TOPOLOGY_HOST_PORTS_MAX + m->ends[i].port];

		if (*it)
			return diag_error(item->diag, item->file, name->pos, "workload.hosts",
					  "%s.%s appears twice", topology_host(t, end.host)->name,
					  topology_host_port(t, end.host, m->ends[i].port)->name);
		*it = true;
	}
	return 0;
}

static int
add_all_named(const struct item *item, struct item_members *m)
{
	const struct config_names *names = &item->work->hosts;
	bool *seen = memory_array((size_t)item->topology->host_count * TOPOLOGY_HOST_PORTS_MAX,
				  sizeof(*seen), "NICs");
	int result = 0;

	for (unsigned i = 0; i < names->count; i++) {
		if (add_named(item, &names->items[i], seen, m) == 0)
			continue;
		result = -EINVAL;
		i = config_range_last(names, i);
	}
	free(seen);
	return result;
}

int
item_find_members(const struct item *item, struct item_members *out)
{
	const char *tenant = item->work->tenant.text;
	int error = 0;

	*out = (struct item_members){0};
	if (item->work->hosts.count > 0)
		error = add_all_named(item, out);
	else
		for (uint32_t h = 0; h < item->topology->host_count; h++)
			if (tenant == NULL || topology_host_is_in(item->topology, h, tenant))
				item_expand(item, &(struct topo_endpoint){.host = h, .whole = true},
					    out);
	if (error != 0 || out->count >= 2)
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
static ps_t
handover(const struct host_config *host, uint64_t bytes)
{
	__extension__ typedef unsigned __int128 wide;
	wide bits = (wide)bytes * 8 * PS_PER_S;

	return host->inside_delay_ps +
	       (ps_t)((bits + host->inside_rate_bps - 1) / host->inside_rate_bps);
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
	if (out->inside || port != src->port)
		out->handover_ps = handover(&item->hosts[src->host], flow->handed_bytes != 0
									     ? flow->handed_bytes
									     : flow->bytes);
	return 0;
}
