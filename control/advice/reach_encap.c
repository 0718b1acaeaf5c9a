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
	uint32_t room = 2 * r->encap_room;
	size_t steps = (size_t)r->encap_room * r->link_count;
	struct encap *encaps = realloc(r->encaps, room * sizeof(*encaps));
	uint32_t *seen, *queue;

	if (encaps == NULL)
		return -ENOMEM;
	r->encaps = encaps;
	seen = realloc(r->seen, (2 * steps + 1) * sizeof(*seen));
	if (seen == NULL)
		return -ENOMEM;
	memset(&seen[steps], 0, (steps + 1) * sizeof(*seen));
	r->seen = seen;
	queue = realloc(r->queue, (2 * steps + 1) * sizeof(*queue));
	if (queue == NULL)
		return -ENOMEM;
	r->queue = queue;
	r->encap_room = room;
	return 0;
}

static int
find_encap(struct reach *r, const struct encap *encap, uint32_t *out)
{
	for (uint32_t i = 0; i < r->encap_count; i++) {
		if (!same(&r->encaps[i], encap))
			continue;
		*out = i;
		return 0;
	}
	if (r->encap_count == r->encap_room && make_room(r) != 0)
		return -ENOMEM;
	r->encaps[r->encap_count] = *encap;
	*out = r->encap_count++;
	return 0;
}

int
reach_first_hop(struct reach *r, const struct tables *t, uint16_t vrf,
		const struct reach_destination *d, const struct next_hop_group **group,
		uint32_t *encap_index)
{
	uint32_t number = reach_look_up(t, vrf, d);

	*group = number == LPM_NONE ? NULL : &t->groups[number];
	*encap_index = 0;
	if (*group == NULL || (*group)->encap == 0)
		return 0;
	return find_encap(r, &t->tunnels->encaps[(*group)->encap], encap_index);
}

// Whether a tunnel ends at a switch.
static bool
ends(const struct tunnel_tables *t, const struct encap *encap)
{
	return t != NULL && t->version != 0 &&
	       memcmp(t->local, encap->remote, t->version == 6 ? 16 : 4) == 0;
}

int
reach_next_hop(struct reach *r, const struct tables *const *tables, uint32_t step,
	       const struct reach_destination *d, const struct next_hop_group **group,
	       uint32_t *encap_index)
{
	const struct topo_port *port = reach_port(r, step % r->link_count);
	const struct tables *t = tables[port->peer_node];
	const struct port_tables *in = &t->ports[port->peer_port];
	const struct encap *encap = &r->encaps[step / r->link_count];
	uint16_t vrf = in->vrf;

	if (encap->kind == ENCAP_VXLAN && !(in->underlay && ends(t->tunnels, encap))) {
		const struct reach_destination outer = {
			.address = encap->remote,
			.ip6 = t->tunnels != NULL && t->tunnels->version == 6,
		};
		uint32_t number = reach_look_up(t, vrf, &outer);

		*group = number == LPM_NONE ? NULL : &t->groups[number];
		*encap_index = step / r->link_count;
		return 0;
	}
	if (encap->kind == ENCAP_VXLAN)
		vrf = tunnel_find_vni(t->tunnels, encap->vni);
	else if (encap->kind == ENCAP_VLAN && in->underlay && t->tunnels != NULL)
		vrf = t->tunnels->vids == NULL ? VRF_NONE : t->tunnels->vids[encap->vid];
	*group = NULL;
	return vrf == VRF_NONE ? 0 : reach_first_hop(r, t, vrf, d, group, encap_index);
}
