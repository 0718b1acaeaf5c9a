// SPDX-License-Identifier: BSD-3-Clause
// Tunnels and VLANs that end at a switch, and the encapsulation of packets that it sends. Every
// switch knows all VRFs of the fabric by their VNIs and VLANs, those above the leaves too, so that
// they know whose packets cross them; a leaf without a host of a VRF has no route in it. In a
// fabric with tunnels every switch has an address for their ends; a lone switch has one if `vtep`
// is set.
#include "build_internal.h"

#include "control/base/memory.h"

#include <string.h>

#define CLASS_SELECTOR_SHIFT 3 // of a priority's DSCP where nothing maps to it (RFC 2474)

static bool
uses_encap(const struct topo_vrf *vrf, enum config_encap encap)
{
	return vrf->name[0] != '\0' && vrf->encap == encap && (vrf->leaving || !vrf->held);
}

// Whether packets with this VRF's VNI or VLAN are looked up in it: a VRF that is leaving takes
// those of its successor.
static bool
ends_in(const struct topology *t, uint16_t vrf, enum config_encap encap)
{
	const struct topo_vrf *v = &t->vrfs[vrf];

	if (!uses_encap(v, encap))
		return false;
	for (uint16_t i = 0; !v->leaving && i < t->vrf_count; i++)
		if (t->vrfs[i].leaving && uses_encap(&t->vrfs[i], encap) &&
		    t->vrfs[i].vni == v->vni && t->vrfs[i].vid == v->vid)
			return false;
	return true;
}

static bool
any_uses(const struct topology *t, enum config_encap encap)
{
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (uses_encap(&t->vrfs[v], encap))
			return true;
	return false;
}

uint8_t
tables_tunnel_version(const struct topology *t)
{
	if (topology_is_single(t))
		return t->config->single.vtep.version;
	return any_uses(t, CONFIG_ENCAP_VXLAN) ? (uint8_t)t->config->fabric.underlay : 0;
}

// The switch's own end of tunnels.
static void
set_end(const struct tables_draft *draft, struct tunnel_tables *to)
{
	const struct config *config = draft->topology->config;
	const struct topo_node *node = draft->node;

	to->version = tables_tunnel_version(draft->topology);
	if (topology_is_single(draft->topology)) {
		memcpy(to->local, config->single.vtep.bytes, sizeof(to->local));
		memcpy(to->mac, config->single.mac.bytes, sizeof(to->mac));
	} else if (to->version != 0) {
		memcpy(to->local, topology_loopback(node, to->version), address_bytes(to->version));
		memcpy(to->mac, node->router_mac, sizeof(to->mac));
	}
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

// At most half full, so that a search for a VNI that is not in the table ends soon.
static void
set_vnis(const struct topology *t, struct tunnel_tables *to)
{
	uint32_t count = 0, slots = 2;

	for (uint16_t v = 0; v < t->vrf_count; v++)
		count += ends_in(t, v, CONFIG_ENCAP_VXLAN);
	while (slots < 2 * count)
		slots *= 2;
	to->vnis = memory_array(slots, sizeof(*to->vnis), "VNIs");
	to->vni_mask = slots - 1;
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (ends_in(t, v, CONFIG_ENCAP_VXLAN))
			add_vni(to, t->vrfs[v].vni, v);
}

static void
set_vids(const struct topology *t, struct tunnel_tables *to)
{
	to->vids = memory_array(TUNNEL_VIDS, sizeof(*to->vids), "VLANs");
	for (unsigned i = 0; i < TUNNEL_VIDS; i++)
		to->vids[i] = VRF_NONE;
	for (uint16_t v = 0; v < t->vrf_count; v++)
		if (ends_in(t, v, CONFIG_ENCAP_VLAN))
			to->vids[t->vrfs[v].vid] = v;
}

static void
set_encaps(const struct route_list *routes, struct tunnel_tables *to)
{
	to->encaps = memory_array(routes->encap_count + 1u, sizeof(*to->encaps), "encapsulations");
	to->encap_count = routes->encap_count + 1;
	for (uint32_t i = 0; i < routes->encap_count; i++) {
		const struct route_encap *from = &routes->encaps[i];
		struct encap *encap = &to->encaps[i + 1];

		encap->mtu = UINT16_MAX;
		if (from->kind == CONFIG_ENCAP_VLAN) {
			encap->kind = ENCAP_VLAN;
			encap->vid = (uint16_t)from->id;
			continue;
		}
		encap->kind = ENCAP_VXLAN;
		encap->pipe = from->pipe;
		encap->vni = from->id;
		if (from->mtu != 0 && from->mtu < UINT16_MAX)
			encap->mtu = (uint16_t)from->mtu;
		memcpy(encap->remote, from->remote, sizeof(encap->remote));
		memcpy(encap->mac, from->mac, sizeof(encap->mac));
	}
}

void
tables_add_tunnels(struct tables_draft *draft, const struct route_list *routes)
{
	const struct topology *t = draft->topology;
	bool vlan = any_uses(t, CONFIG_ENCAP_VLAN);
	struct tunnel_tables *to;

	if (tables_tunnel_version(t) == 0 && !vlan)
		return;
	to = draft->t->tunnels = memory_new(sizeof(*to), "tunnels");
	set_end(draft, to);
	set_priorities(draft, to);
	set_encaps(routes, to);
	if (to->version != 0)
		set_vnis(t, to);
	if (vlan)
		set_vids(t, to);
}
