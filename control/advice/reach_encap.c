// SPDX-License-Identifier: BSD-3-Clause
// The encapsulation of packets that are followed. In VXLAN they go by the outer address, in the VRF
// of the port by which they arrive, up to the switch that owns this address. There, or with a VLAN
// tag, they go by the VRF that the VNI or VLAN stands for. Each switch numbers its encapsulations
// on its own, so those of the destination are kept in a list.
#include "advice_internal.h"

#include "control/base/memory.h"

#include <string.h>

static bool
same(const struct encap *a, const struct encap *b)
{
	return a->kind == b->kind && a->vid == b->vid && a->vni == b->vni &&
	       memcmp(a->remote, b->remote, sizeof(a->remote)) == 0;
}

// Doubles the room for encapsulations and for steps.
static void
make_room(struct reach *r)
{
	size_t steps = (size_t)r->encap_room * r->link_count; // at least as many as arrivals

	r->encap_room *= 2;
	r->encaps = memory_resize(r->encaps, r->encap_room, sizeof(*r->encaps), "encapsulations");
	r->steps = memory_resize(r->steps, 2 * steps, sizeof(*r->steps), "steps");
	memset(&r->steps[steps], 0, steps * sizeof(*r->steps));
	r->queue = memory_resize(r->queue, 2 * steps, sizeof(*r->queue), "steps");
}

static uint32_t
find_encap(struct reach *r, const struct encap *encap)
{
	for (uint32_t i = 0; i < r->encap_count; i++)
		if (same(&r->encaps[i], encap))
			return i;
	if (r->encap_count == r->encap_room)
		make_room(r);
	r->encaps[r->encap_count] = *encap;
	return r->encap_count++;
}

static const struct next_hop_group *
find_group(const struct tables *t, uint16_t vrf, const struct reach_destination *d)
{
	uint32_t number = reach_look_up(t, vrf, d);

	return number == LPM_NONE ? NULL : &t->groups[number];
}

// By a VRF's routes.
static struct reach_hop
hop_of_vrf(struct reach *r, const struct tables *t, uint16_t vrf, const struct reach_destination *d)
{
	struct reach_hop hop = {.group = find_group(t, vrf, d)};

	if (hop.group != NULL && hop.group->encap != 0)
		hop.encap = find_encap(r, &t->tunnels->encaps[hop.group->encap]);
	return hop;
}

// Whether a tunnel ends at a switch.
static bool
ends(const struct tunnel_tables *t, const struct encap *encap)
{
	return t != NULL && t->version != 0 &&
	       memcmp(t->local, encap->remote, t->version == 6 ? 16 : 4) == 0;
}

struct reach_hop
reach_next_hop(struct reach *r, uint32_t step, const struct reach_destination *d)
{
	const struct reach_arrival *at = &r->arrivals[step % r->arrival_count];
	const struct tables *t = r->tables[at->node];
	const struct encap *encap = &r->encaps[step / r->arrival_count];
	uint16_t vrf = at->vrf;

	if (encap->kind == ENCAP_VXLAN && !(at->underlay && ends(t->tunnels, encap))) {
		const struct reach_destination outer = {
			.address = encap->remote,
			.ip6 = t->tunnels != NULL && t->tunnels->version == 6,
		};

		return (struct reach_hop){find_group(t, vrf, &outer), step / r->arrival_count};
	}
	if (encap->kind == ENCAP_VXLAN)
		vrf = tunnel_find_vni(t->tunnels, encap->vni);
	else if (encap->kind == ENCAP_VLAN && at->underlay && t->tunnels != NULL)
		vrf = t->tunnels->vids == NULL ? VRF_NONE : t->tunnels->vids[encap->vid];
	return vrf == VRF_NONE ? (struct reach_hop){0} : hop_of_vrf(r, t, vrf, d);
}
