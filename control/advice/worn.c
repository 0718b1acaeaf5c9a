// SPDX-License-Identifier: BSD-3-Clause
// What packets wear as they are followed. In VXLAN they go by the outer address in the VRF of the
// port that they come in by, up to the switch that has it; there, or with a tag, by the VRF that
// the VNI or the VLAN stands for. What a group says they wear from there on is found again in a
// list of the destination's own, as each switch numbers its encapsulations for itself.
#include "advice_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
same(const struct encap *a, const struct encap *b)
{
	return a->kind == b->kind && a->vid == b->vid && a->vni == b->vni &&
	       memcmp(a->remote, b->remote, sizeof(a->remote)) == 0;
}

static int
make_room(struct reach *r)
{
	uint32_t room = 2 * r->wear_room;
	size_t steps = (size_t)r->wear_room * r->link_count;
	struct encap *wears = realloc(r->wears, room * sizeof(*wears));
	uint32_t *seen, *queue;

	if (wears == NULL)
		return -ENOMEM;
	r->wears = wears;
	seen = realloc(r->seen, (2 * steps + 1) * sizeof(*seen));
	if (seen == NULL)
		return -ENOMEM;
	memset(&seen[steps], 0, (steps + 1) * sizeof(*seen));
	r->seen = seen;
	queue = realloc(r->queue, (2 * steps + 1) * sizeof(*queue));
	if (queue == NULL)
		return -ENOMEM;
	r->queue = queue;
	r->wear_room = room;
	return 0;
}

static int
find_wear(struct reach *r, const struct encap *encap, uint32_t *out)
{
	for (uint32_t i = 0; i < r->wear_count; i++) {
		if (!same(&r->wears[i], encap))
			continue;
		*out = i;
		return 0;
	}
	if (r->wear_count == r->wear_room && make_room(r) != 0)
		return -ENOMEM;
	r->wears[r->wear_count] = *encap;
	*out = r->wear_count++;
	return 0;
}

int
reach_set_out(struct reach *r, const struct tables *t, uint16_t vrf,
	      const struct reach_destination *d, const struct next_hop_group **group,
	      uint32_t *wear)
{
	uint32_t number = reach_look_up(t, vrf, d);

	*group = number == LPM_NONE ? NULL : &t->groups[number];
	*wear = 0;
	if (*group == NULL || (*group)->encap == 0)
		return 0;
	return find_wear(r, &t->tunnels->encaps[(*group)->encap], wear);
}

// Whether a tunnel ends at a switch.
static bool
ends(const struct tunnel_tables *t, const struct encap *encap)
{
	return t != NULL && t->version != 0 &&
	       memcmp(t->local, encap->remote, t->version == 6 ? 16 : 4) == 0;
}

int
reach_go_on(struct reach *r, const struct tables *const *tables, uint32_t step,
	    const struct reach_destination *d, const struct next_hop_group **group, uint32_t *wear)
{
	const struct topo_port *port = reach_port(r, step % r->link_count);
	const struct tables *t = tables[port->peer_node];
	const struct port_tables *in = &t->ports[port->peer_port];
	const struct encap *encap = &r->wears[step / r->link_count];
	uint16_t vrf = in->vrf;

	if (encap->kind == ENCAP_VXLAN && !(in->underlay && ends(t->tunnels, encap))) {
		const struct reach_destination outer = {
			.address = encap->remote,
			.ip6 = t->tunnels != NULL && t->tunnels->version == 6,
		};
		uint32_t number = reach_look_up(t, vrf, &outer);

		*group = number == LPM_NONE ? NULL : &t->groups[number];
		*wear = step / r->link_count;
		return 0;
	}
	if (encap->kind == ENCAP_VXLAN)
		vrf = tunnel_find_vni(t->tunnels, encap->vni);
	else if (encap->kind == ENCAP_VLAN && in->underlay && t->tunnels != NULL)
		vrf = t->tunnels->vids == NULL ? VRF_NONE : t->tunnels->vids[encap->vid];
	*group = NULL;
	return vrf == VRF_NONE ? 0 : reach_set_out(r, t, vrf, d, group, wear);
}
