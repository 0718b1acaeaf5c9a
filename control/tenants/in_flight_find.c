// SPDX-License-Identifier: BSD-3-Clause
// Finds what the old tables delivered and the new ones do not. An admitted packet keeps the
// encapsulation that its VRF had (none, a VLAN, a VNI), and switches on its way look it up by that
// key. So for each key and switch the old routes are compared with the new ones. Routes that are
// missing stay in force, but only for packets from other switches: they go into a VRF of their own,
// `leaving`, that takes the place of the key's new VRF for such packets and also holds all routes
// of that one. No host port is in a leaving VRF, so no new packet can enter what its host has left.
//
// A key that now belongs to another tenant delivers only to that tenant.
#include "change_internal.h"

#include "control/base/memory.h"
#include "control/fabric/fabric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Between local routes, which stay, and those to other switches.
#define IN_FLIGHT_DISTANCE ((UINT32_C(1) << 29) - 1)

static bool
is_free(const struct topo_vrf *vrf)
{
	return vrf->name[0] == '\0' && !vrf->held;
}

// The leaving VRF of an old VRF's key, added to the topology if it is new; VRF_NONE without an
// index for it.
static uint16_t
take_vrf(struct topology *t, const struct topo_vrf *old)
{
	uint16_t v = in_flight_routes_find_vrf(t, old, true);

	if (v != VRF_NONE)
		return v;
	v = 0;
	while (v < t->vrf_count && !is_free(&t->vrfs[v]))
		v++;
	if (v == TOPOLOGY_VRFS_MAX)
		return VRF_NONE;
	if (v == t->vrf_count)
		t->vrfs = memory_resize(t->vrfs, ++t->vrf_count, sizeof(*t->vrfs), "VRFs");
	t->vrfs[v] = (struct topo_vrf){
		.tenant = old->tenant,
		.encap = old->encap,
		.pipe = old->pipe,
		.vni = old->vni,
		.vid = old->vid,
		.held = true,
		.leaving = true,
	};
	// No tenant can have such a name.
	snprintf(t->vrfs[v].name, sizeof(t->vrfs[v].name), "(%.*s)", CONFIG_NAME_MAX - 2,
		 old->name);
	return v;
}

// ---- comparing ----------------------------------------------------------------------------------

struct comparison {
	struct drain *d;
	struct topology *t;
	const struct tenant_snapshot *before;
	const struct route_list *old, *new;
	uint32_t node;
	uint16_t *now; // by VRF of before: the VRF that has its key now, or VRF_NONE
	bool full;     // a leaving VRF found no index
};

static const struct route_member *
members_of(const struct route_list *list, const struct route *route, uint32_t *count)
{
	const struct route_group *group = &list->groups[route->group];

	*count = group->count;
	return &list->members[group->first];
}

static bool
same_members(const struct comparison *c, const struct route *a, const struct route *b)
{
	const struct route_member *x, *y;
	uint32_t count, other;

	if (a->group == ROUTES_BLACKHOLE || b->group == ROUTES_BLACKHOLE)
		return a->group == b->group;
	x = members_of(c->old, a, &count);
	y = members_of(c->new, b, &other);
	if (count != other)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (x[i].port != y[i].port || memcmp(x[i].mac, y[i].mac, 6) != 0)
			return false;
	return true;
}

static bool
same_encap(const struct comparison *c, const struct route *a, const struct route *b)
{
	const struct route_encap *x, *y;

	if (a->encap == ROUTES_PLAIN || b->encap == ROUTES_PLAIN)
		return a->encap == b->encap;
	x = &c->old->encaps[a->encap];
	y = &c->new->encaps[b->encap];
	return x->kind == y->kind && x->id == y->id && x->pipe == y->pipe &&
	       memcmp(x->remote, y->remote, sizeof(x->remote)) == 0;
}

// The leaf's port to the host that a route delivers to, or -1.
static int
host_behind(const struct comparison *c, const struct route *route)
{
	const struct topo_node *node = &c->t->nodes[c->node];
	const struct route_member *members;
	uint32_t count;

	if (route->group == ROUTES_BLACKHOLE)
		return -1;
	members = members_of(c->old, route, &count);
	return count == 1 && node->ports[members->port].peer_node >= c->t->first_host &&
			       node->ports[members->port].peer_node != TOPOLOGY_NONE
		       ? members->port
		       : -1;
}

// Whether a route leads to the address of a host that has moved.
static bool
is_moved(const struct comparison *c, const struct route *route)
{
	const struct config_prefix *prefix = &route->prefix;
	struct drain_host wanted = {
		.host.version = prefix->version,
		.host.kind = drain_encap(c->before->vrfs[route->vrf].encap),
		.host.id = drain_id(&c->before->vrfs[route->vrf]),
	};

	if (prefix->length != (prefix->version == 4 ? 32 : 128))
		return false;
	memcpy(wanted.host.address, prefix->address, prefix->version == 4 ? 4 : 16);
	return c->d->host_count != 0 && bsearch(&wanted, c->d->hosts, c->d->host_count,
						sizeof(wanted), drain_host_compare) != NULL;
}

static void
compare_route(struct comparison *c, const struct route *old)
{
	const struct topo_vrf *vrf = &c->before->vrfs[old->vrf];
	uint16_t now = c->now[old->vrf], leaving;
	const struct route *new = NULL;

	if (!in_flight_routes_keyed(c->before->vrfs, old->vrf) || vrf->held ||
	    old->group == ROUTES_BLACKHOLE)
		return;
	if (now != VRF_NONE)
		new = routes_find(c->new, now, &old->prefix);
	if (new != NULL && same_members(c, old, new) && same_encap(c, old, new))
		return;
	// What comes out of a tunnel at a leaf is for one of its hosts.
	if (vrf->encap == CONFIG_ENCAP_VXLAN && host_behind(c, old) < 0)
		return;
	if (now != VRF_NONE && strcmp(vrf->name, c->t->vrfs[now].name) != 0)
		return; // the key belongs to another tenant
	leaving = take_vrf(c->t, vrf);
	if (leaving == VRF_NONE)
		c->full = true;
	else
		in_flight_routes_copy(c->old, old, leaving, IN_FLIGHT_DISTANCE,
				      &c->d->lists[c->node][is_moved(c, old)]);
}

static void
compare_node(struct comparison *c, const struct fabric *f, const struct routes *old)
{
	struct route_list before = {0}, after = {0};

	c->old = fabric_merge_learned(f, c->node, &old->nodes[c->node], &before);
	c->new = fabric_merge_learned(f, c->node, &f->routes->nodes[c->node], &after);
	for (uint32_t i = 0; i < c->old->count; i++)
		compare_route(c, &c->old->routes[i]);
	routes_clear(&before);
	routes_clear(&after);
}

int
in_flight_routes_find(struct drain *d, struct fabric *f, const struct tenant_snapshot *before,
		      const struct routes *old, struct diag *diag)
{
	struct topology *t = f->topology;
	struct comparison c = {.d = d, .t = t, .before = before};

	d->lists = memory_array(t->first_host, sizeof(*d->lists), "route lists");
	c.now = memory_array(before->vrf_count, sizeof(*c.now), "VRF indices");
	for (uint16_t v = 0; v < before->vrf_count; v++)
		c.now[v] = in_flight_routes_find_vrf(t, &before->vrfs[v], false);
	for (c.node = 0; !c.full && c.node < t->first_host; c.node++)
		compare_node(&c, f, old);
	free(c.now);
	if (!c.full)
		return 0;
	diag_error(diag, t->config->file, (struct diag_pos){0}, "tenants",
		   "more than %d VRFs are not supported, and packets in flight need some of their "
		   "own: try again in a moment, or with fewer tenants at once",
		   TOPOLOGY_VRFS_MAX);
	return -EINVAL;
}

// ---- in force -----------------------------------------------------------------------------------

bool
in_flight_routes_at(const struct drain *d, uint32_t node)
{
	return d->lists[node][0].count != 0 || d->lists[node][1].count != 0;
}

static bool
is_used(const struct fabric *f, uint16_t vrf)
{
	for (const struct drain *d = f->drains; d != NULL; d = d->next)
		for (uint32_t n = 0; n < f->topology->first_host; n++)
			for (unsigned i = 0; i < 2; i++)
				for (uint32_t r = 0; r < d->lists[n][i].count; r++)
					if (d->lists[n][i].routes[r].vrf == vrf)
						return true;
	return false;
}

void
in_flight_routes_release(struct fabric *f)
{
	struct topology *t = f->topology;

	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (t->vrfs[v].leaving && !is_used(f, v))
			t->vrfs[v] = (struct topo_vrf){.tenant = TENANT_NONE};
}
