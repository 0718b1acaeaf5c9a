// SPDX-License-Identifier: BSD-3-Clause
// What begins and ends at a switch, and what crosses it. Every switch knows all VRFs of the fabric
// by their VNIs and VLANs: those above the leaves, so that they know whose packets cross them; a
// leaf without a host of a VRF has no route there. In a fabric with tunnels every switch has an
// address of its own; a lone one has where `vtep` gives it one.
#include "build_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CLASS_SELECTOR_SHIFT 3 // of a priority's DSCP where nothing maps to it (RFC 2474)

static bool
wears(const struct topo_vrf *vrf, enum config_encap encap)
{
	return vrf->name[0] != '\0' && vrf->encap == encap && (vrf->leaving || !vrf->held);
}

// Whether what wears this VRF's VNI or VLAN is looked up in it, and not in another in its place.
static bool
ends_in(const struct topology *t, uint16_t vrf, enum config_encap encap)
{
	const struct topo_vrf *v = &t->vrfs[vrf];

	if (!wears(v, encap))
		return false;
	for (uint16_t i = 0; !v->leaving && i < t->vrf_count; i++)
		if (t->vrfs[i].leaving && wears(&t->vrfs[i], encap) && t->vrfs[i].vni == v->vni &&
		    t->vrfs[i].vid == v->vid)
			return false;
	return true;
}

static bool
any_wears(const struct topology *t, enum config_encap encap)
{
	uint16_t v = 0;

	while (v < t->vrf_count && !wears(&t->vrfs[v], encap))
		v++;
	return v < t->vrf_count;
}

uint8_t
tables_tunnel_version(const struct topology *t)
{
	if (t->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		return t->config->single.vtep.version;
	return any_wears(t, CONFIG_ENCAP_VXLAN) ? (uint8_t)t->config->fabric.underlay : 0;
}

// Returns whether VXLAN begins and ends here.
static bool
set_end(const struct tables_draft *draft, struct tunnel_tables *to)
{
	const struct config *config = draft->topology->config;
	const struct topo_node *node = draft->node;

	to->version = tables_tunnel_version(draft->topology);
	if (config->fabric.topology == CONFIG_TOPOLOGY_SINGLE) {
		memcpy(to->local, config->single.vtep.bytes, sizeof(to->local));
		memcpy(to->mac, config->single.mac.bytes, sizeof(to->mac));
	} else if (to->version != 0) {
		if (to->version == 6)
			memcpy(to->local, node->loopback6, sizeof(node->loopback6));
		else
			memcpy(to->local, node->loopback4, sizeof(node->loopback4));
		memcpy(to->mac, node->router_mac, sizeof(to->mac));
	}
	return to->version != 0;
}

static void
set_priorities(const struct tables_draft *draft, struct tunnel_tables *to)
{
	for (unsigned p = 0; p < PRIORITIES; p++) {
		int dscp = config_priority_dscp(draft->settings, p);

		to->priority_dscp[p] = dscp >= 0 ? (uint8_t)dscp
						 : (uint8_t)(p << CLASS_SELECTOR_SHIFT);
	}
}

static void
add_vni(struct tunnel_tables *to, uint32_t vni, uint16_t vrf)
{
	uint32_t at = vni * TUNNEL_HASH >> 8 & to->vni_mask;

	while (to->vnis[at].vni != 0)
		at = (at + 1) & to->vni_mask;
	to->vnis[at] = (struct tunnel_vni){.vni = vni, .vrf = vrf};
}

// At most half full, so that what is not there is soon known not to be.
static int
set_vnis(const struct topology *t, struct tunnel_tables *to)
{
	uint32_t count = 0, slots = 2;

	for (uint16_t v = 0; v < t->vrf_count; v++)
		count += ends_in(t, v, CONFIG_ENCAP_VXLAN);
	while (slots < 2 * count)
		slots *= 2;
	to->vnis = calloc(slots, sizeof(*to->vnis));
	if (to->vnis == NULL)
		return -ENOMEM;
	to->vni_mask = slots - 1;
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (ends_in(t, v, CONFIG_ENCAP_VXLAN))
			add_vni(to, t->vrfs[v].vni, v);
	return 0;
}

static int
set_vids(const struct topology *t, struct tunnel_tables *to)
{
	to->vids = calloc(TUNNEL_VIDS, sizeof(*to->vids));
	if (to->vids == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < TUNNEL_VIDS; i++)
		to->vids[i] = VRF_NONE;
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (ends_in(t, v, CONFIG_ENCAP_VLAN))
			to->vids[t->vrfs[v].vid] = v;
	return 0;
}

static int
set_encaps(const struct route_list *routes, struct tunnel_tables *to)
{
	to->encaps = calloc(routes->encap_count + 1u, sizeof(*to->encaps));
	if (to->encaps == NULL)
		return -ENOMEM;
	to->encap_count = routes->encap_count + 1;
	for (uint32_t i = 0; i < routes->encap_count; i++) {
		const struct route_encap *from = &routes->encaps[i];
		struct encap *encap = &to->encaps[i + 1];

		if (from->kind == CONFIG_ENCAP_VLAN) {
			encap->kind = ENCAP_VLAN;
			encap->vid = (uint16_t)from->id;
			continue;
		}
		encap->kind = ENCAP_VXLAN;
		encap->pipe = from->pipe;
		encap->vni = from->id;
		memcpy(encap->remote, from->remote, sizeof(encap->remote));
		memcpy(encap->mac, from->mac, sizeof(encap->mac));
	}
	return 0;
}

int
tables_add_tunnels(struct tables_draft *draft, const struct route_list *routes)
{
	const struct topology *t = draft->topology;
	bool vlan = any_wears(t, CONFIG_ENCAP_VLAN);
	struct tunnel_tables *to = calloc(1, sizeof(*to));
	int error = 0;

	if (to == NULL)
		return -ENOMEM;
	if (!set_end(draft, to) && !vlan) {
		free(to);
		return 0;
	}
	draft->t->tunnels = to;
	set_priorities(draft, to);
	error = set_encaps(routes, to);
	if (error == 0 && to->version != 0)
		error = set_vnis(t, to);
	if (error == 0 && vlan)
		error = set_vids(t, to);
	return error;
}
