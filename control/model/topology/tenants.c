// SPDX-License-Identifier: BSD-3-Clause
// Tenants and VRFs. In a fabric with `tenants:` each tenant has a VRF of its name on every leaf,
// and the leaf's port of each of its hosts is in it; hosts that no tenant names belong to the
// tenant `rest`, which always exists. The VRF `default` is the underlay: ports between switches are
// in it. A fabric without `tenants:` has that one VRF, which also has the hosts. On a lone switch
// the ports say which VRF and tenant they are in, and the file's tenants give the encapsulation of
// the VRFs of their names.
//
// Tenants may change while the fabric runs. So everything is computed beside the topology (struct
// slicing) and moved into it when nothing can fail any more. VRFs and tenants keep their indices as
// long as they have their names, because packets in queues and counters refer to them; the index of
// one that is removed is reused only by a later change.
#include "topology_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
topology_free_vrfs(struct topo_vrf *vrfs, uint16_t count)
{
	for (uint16_t i = 0; i < count; i++)
		free(vrfs[i].leaks);
	free(vrfs);
}

// ---- places for names ---------------------------------------------------------------------------

// Returns an index that is valid, since the topology is refused only once it is complete.
static uint16_t
too_many(struct slicing *s, const char *what)
{
	const struct config *config = s->next.config;

	diag_error(s->diag, config->file, (struct diag_pos){0}, "tenants",
		   "more than %d %s are not supported", TOPOLOGY_VRFS_MAX, what);
	return 0;
}

// The VRF of that name: where it was, at an unused index, or behind the others. Returns its index.
static uint16_t
take_vrf(struct slicing *s, const char *name)
{
	struct topology *t = &s->next;
	int at = topology_find_vrf(t, name);

	for (int i = 0; at < 0 && i < t->vrf_count; i++)
		if (t->vrfs[i].name[0] == '\0')
			at = i;
	if (at < 0 && t->vrf_count < TOPOLOGY_VRFS_MAX)
		at = t->vrf_count++;
	if (at < 0)
		return too_many(s, "VRFs");
	snprintf(t->vrfs[at].name, sizeof(t->vrfs[at].name), "%s", name);
	t->vrfs[at].held = false;
	s->vrf_used[at] = true;
	return (uint16_t)at;
}

static uint16_t
take_tenant(struct slicing *s, const char *name, const struct config_tenant *settings)
{
	struct topology *t = &s->next;
	int at = topology_find_tenant(t, name);

	for (int i = 0; at < 0 && i < t->tenant_count; i++)
		if (t->tenants[i].name == NULL)
			at = i;
	if (at < 0 && t->tenant_count < TOPOLOGY_VRFS_MAX)
		at = t->tenant_count++;
	if (at < 0)
		return too_many(s, "tenants");
	if (!s->tenant_used[at])
		t->tenants[at] = (struct topo_tenant){.name = name, .settings = settings};
	s->tenant_used[at] = true;
	return (uint16_t)at;
}

// A tenant with the VRF of its name.
static void
add_tenant(struct slicing *s, const char *name, const struct config_tenant *settings)
{
	const struct config_tenant_encap o = config_tenant_encap(s->next.config, settings);
	uint16_t tenant = take_tenant(s, name, settings);
	struct topo_vrf *v = &s->next.vrfs[take_vrf(s, name)];

	v->tenant = tenant;
	v->encap = o.encap;
	v->pipe = o.pipe;
	v->vni = o.encap == CONFIG_ENCAP_VXLAN ? o.vni : 0;
	v->vid = o.encap == CONFIG_ENCAP_VLAN ? o.vlan : 0;
}

static void
add_tenants(struct slicing *s)
{
	const struct config *config = s->next.config;

	for (unsigned i = 0; i < config->tenant_count; i++) {
		const struct config_tenant *settings = &config->tenants[i];

		if (strcmp(settings->name.text, s->next.vrfs[TOPOLOGY_VRF_DEFAULT].name) != 0)
			add_tenant(s, settings->name.text, settings);
		else
			diag_error(s->diag, config->file, settings->name.pos, "tenants",
				   "a tenant cannot be called %s: that VRF is the fabric's own",
				   settings->name.text);
	}
	if (topology_sliced(&s->next) && config_find_tenant(config, CONFIG_REST) == NULL)
		add_tenant(s, CONFIG_REST, NULL);
}

// ---- hosts and ports ----------------------------------------------------------------------------

static void
put_host(struct slicing *s, uint32_t host, int tenant, int vrf)
{
	for (uint8_t p = 0; p < topology_host(&s->next, host)->port_count; p++) {
		sliced_port(s, host, p)->put.tenant = (uint16_t)tenant;
		sliced_port(s, host, p)->put.vrf = (uint16_t)vrf;
	}
}

// A host has one tenant: the configuration's checks make sure of that.
static void
assign_hosts(struct slicing *s)
{
	const struct config *config = s->next.config;
	bool sliced = topology_sliced(&s->next);
	int rest_tenant = sliced ? topology_find_tenant(&s->next, CONFIG_REST) : TENANT_NONE;
	int rest_vrf = sliced ? topology_find_vrf(&s->next, CONFIG_REST) : TOPOLOGY_VRF_DEFAULT;

	for (uint32_t h = 0; h < s->next.host_count; h++)
		put_host(s, h, rest_tenant, rest_vrf);
	for (unsigned i = 0; i < config->tenant_count; i++) {
		const struct config_tenant *settings = &config->tenants[i];
		int tenant = topology_find_tenant(&s->next, settings->name.text);
		int vrf = topology_find_vrf(&s->next, settings->name.text);
		char key[CONFIG_NAME_MAX + 32];
		uint32_t host;

		snprintf(key, sizeof(key), "tenants.%s.hosts", settings->name.text);
		for (unsigned j = 0; j < settings->hosts.count; j++)
			if (topology_resolve_host(&s->next, &settings->hosts.items[j], key, &host,
						  s->diag) == 0)
				put_host(s, host, tenant, vrf);
			else
				j = config_range_last(&settings->hosts, j);
	}
}

// The VRFs and tenants that a lone switch's ports and routes name.
static void
assign_single(struct slicing *s)
{
	const struct config_single *single = &s->next.config->single;

	for (unsigned i = 0; i < single->port_count; i++) {
		const struct config_port *from = &single->ports[i];
		uint16_t vrf = from->vrf.text != NULL ? take_vrf(s, from->vrf.text)
						      : TOPOLOGY_VRF_DEFAULT;
		uint16_t tenant = from->tenant.text != NULL
					  ? take_tenant(s, from->tenant.text, NULL)
					  : TENANT_NONE;
		int p = topology_port_index(&s->next.nodes[0], from->number);

		s->ports[p].put.vrf = vrf;
		s->ports[p].put.tenant = tenant;
	}
	for (unsigned i = 0; i < single->route_count; i++)
		if (single->routes[i].vrf.text != NULL)
			take_vrf(s, single->routes[i].vrf.text);
}

// ---- leaks --------------------------------------------------------------------------------------

static int
compare_indices(const void *left, const void *right)
{
	return *(const uint16_t *)left - *(const uint16_t *)right;
}

static void
add_leak(struct topo_vrf *vrf, uint16_t to)
{
	vrf->leaks = memory_grow(vrf->leaks, vrf->leak_count, sizeof(*vrf->leaks), "leaks");
	vrf->leaks[vrf->leak_count++] = to;
}

// A leak is declared once and holds both ways.
static void
add_leaks(struct slicing *s)
{
	const struct config *config = s->next.config;
	struct topo_vrf *vrfs = s->next.vrfs;

	for (unsigned i = 0; i < config->tenant_count; i++) {
		const struct config_tenant *from = &config->tenants[i];
		int one = topology_find_vrf(&s->next, from->name.text);

		for (unsigned j = 0; j < from->leak.count; j++) {
			int other = topology_find_vrf(&s->next, from->leak.items[j].text);

			if (one < 0 || other < 0) // an error already
				continue;
			add_leak(&vrfs[one], (uint16_t)other);
			add_leak(&vrfs[other], (uint16_t)one);
		}
	}
	for (uint16_t v = 0; v < s->next.vrf_count; v++)
		if (vrfs[v].leak_count > 1)
			qsort(vrfs[v].leaks, vrfs[v].leak_count, sizeof(*vrfs[v].leaks),
			      compare_indices);
}

bool
topology_vrfs_joined(const struct topology *t, uint16_t one, uint16_t other)
{
	for (uint16_t i = 0; i < t->vrfs[one].leak_count; i++)
		if (t->vrfs[one].leaks[i] == other)
			return true;
	return one == other;
}

// ---- all of it ----------------------------------------------------------------------------------

static void
begin(struct slicing *s, const struct topology *t, struct diag *diag)
{
	const struct config *config = t->config;
	size_t room = (size_t)t->vrf_count + t->tenant_count + config->tenant_count +
		      2u * config->single.port_count + config->single.route_count + 2;
	size_t ports = (size_t)t->host_count * TOPOLOGY_HOST_PORTS_MAX + PORTS_MAX;

	*s = (struct slicing){.next = *t, .diag = diag};
	s->next.vrfs = memory_array(room, sizeof(*s->next.vrfs), "VRFs");
	s->next.tenants = memory_array(room, sizeof(*s->next.tenants), "tenants");
	s->next.borders = NULL;
	s->next.border_count = 0;
	s->vrf_used = memory_array(room, sizeof(*s->vrf_used), "VRFs");
	s->tenant_used = memory_array(room, sizeof(*s->tenant_used), "tenants");
	s->ports = memory_array(ports, sizeof(*s->ports), "ports");
	for (size_t v = 0; v < room; v++)
		s->next.vrfs[v].tenant = TENANT_NONE;
	for (uint16_t v = 0; v < t->vrf_count; v++) {
		struct topo_vrf *vrf = &s->next.vrfs[v];

		if (t->vrfs[v].held)
			*vrf = t->vrfs[v];
		vrf->leaks = NULL;
		vrf->leak_count = 0;
		memcpy(vrf->name, t->vrfs[v].name, sizeof(vrf->name));
	}
	for (uint16_t i = 0; i < t->tenant_count; i++)
		s->next.tenants[i] = (struct topo_tenant){.name = t->tenants[i].name,
							  .held = t->tenants[i].held};
}

// VRFs and tenants that are no longer named lose their names, unless they are held.
static void
drop_unused(struct slicing *s)
{
	for (uint16_t v = 0; v < s->next.vrf_count; v++)
		if (!s->vrf_used[v] && !s->next.vrfs[v].held)
			s->next.vrfs[v].name[0] = '\0';
	for (uint16_t i = 0; i < s->next.tenant_count; i++)
		if (!s->tenant_used[i] && !s->next.tenants[i].held)
			s->next.tenants[i] = (struct topo_tenant){0};
}

static void
work_out(struct slicing *s)
{
	take_vrf(s, "default");
	add_tenants(s);
	if (topology_is_single(&s->next))
		assign_single(s);
	drop_unused(s);
	assign_hosts(s);
	add_leaks(s);
	tenants_give_addresses(s);
	attached_give_addresses(s);
	tenants_find_borders(s);
	tenants_check_addresses(s);
}

void
topology_set_tenant_port(struct topology *t, uint32_t host, uint8_t number,
			 const struct tenant_port *to)
{
	struct topo_port *port = topology_host_port(t, host, number);
	struct topo_port *peer = &t->nodes[port->peer_node].ports[port->peer_port];

	port->vrf = peer->vrf = to->vrf;
	port->tenant = peer->tenant = to->tenant;
	memcpy(port->ip4, to->ip4, sizeof(port->ip4));
	memcpy(port->ip6, to->ip6, sizeof(port->ip6));
}

static void
put_in(struct slicing *s, struct topology *t)
{
	topology_free_vrfs(t->vrfs, t->vrf_count);
	free(t->tenants);
	free(t->borders);
	t->vrfs = s->next.vrfs;
	t->vrf_count = s->next.vrf_count;
	t->tenants = s->next.tenants;
	t->tenant_count = s->next.tenant_count;
	t->borders = s->next.borders;
	t->border_count = s->next.border_count;
	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint8_t p = 0; p < topology_host(t, h)->port_count; p++)
			topology_set_tenant_port(t, h, p, &sliced_port(s, h, p)->put);
	for (uint16_t p = 0; topology_is_single(t) && p < t->nodes[0].port_count; p++) {
		t->nodes[0].ports[p].vrf = s->ports[p].put.vrf;
		t->nodes[0].ports[p].tenant = s->ports[p].put.tenant;
	}
	builder_make_room(t, s->diag);
}

int
topology_retenant(struct topology *t, struct diag *diag)
{
	unsigned before = diag->errors;
	struct slicing s;

	begin(&s, t, diag);
	work_out(&s);
	if (diag->errors == before) {
		put_in(&s, t);
	} else {
		topology_free_vrfs(s.next.vrfs, s.next.vrf_count);
		free(s.next.tenants);
		free(s.next.borders);
	}
	free(s.vrf_used);
	free(s.tenant_used);
	free(s.ports);
	return diag->errors == before ? 0 : -EINVAL;
}
