// SPDX-License-Identifier: BSD-3-Clause
// Components, and how large a packet may be in each. The planes of a fabric share only hosts, so
// the graph of its switches has several components, and a packet never leaves the one that it
// enters. Links between switches have room for tenants' encapsulation unless the file sets an MTU.
#include "topology_internal.h"

#include "control/base/memory.h"

static uint32_t
find_first(uint32_t *component, uint32_t n)
{
	while (component[n] != n)
		n = component[n] = component[component[n]];
	return n;
}

static void
find_least_mtus(struct topology *t)
{
	for (uint32_t n = 0; n < t->first_host; n++)
		t->component_mtu[n] = UINT32_MAX;
	for (uint32_t l = 0; l < t->link_count; l++) {
		uint32_t *mtu;

		if (t->links[l].host)
			continue;
		mtu = &t->component_mtu[t->component[t->links[l].a.node]];
		if (t->links[l].mtu < *mtu)
			*mtu = t->links[l].mtu;
	}
}

void
builder_find_components(struct topology *t)
{
	uint32_t switches = t->first_host;

	t->component = memory_array(switches, sizeof(*t->component), "components");
	t->component_mtu = memory_array(switches, sizeof(*t->component_mtu), "components");
	for (uint32_t n = 0; n < switches; n++)
		t->component[n] = n;
	for (uint32_t l = 0; l < t->link_count; l++) {
		uint32_t a, b;

		if (t->links[l].host)
			continue;
		a = find_first(t->component, t->links[l].a.node);
		b = find_first(t->component, t->links[l].b.node);
		t->component[a < b ? b : a] = a < b ? a : b;
	}
	for (uint32_t n = 0; n < switches; n++)
		t->component[n] = find_first(t->component, n);
	find_least_mtus(t);
}

// ---- room for encapsulation ---------------------------------------------------------------------

// The VRF whose packets grow most between switches.
static const struct topo_vrf *
find_largest(const struct topology *t, uint32_t *bytes)
{
	const struct topo_vrf *found = NULL;

	*bytes = 0;
	for (uint16_t v = 0; v < t->vrf_count; v++) {
		uint32_t one = config_encap_mtu_bytes(t->vrfs[v].encap, t->config->fabric.underlay);

		if (t->vrfs[v].name[0] == '\0' || t->vrfs[v].tenant == TENANT_NONE ||
		    (found != NULL && one <= *bytes))
			continue;
		found = &t->vrfs[v];
		*bytes = one;
	}
	return found;
}

static uint32_t
hosts_mtu(const struct topology *t)
{
	return t->attached_mtu > t->config->fabric.mtu ? t->attached_mtu : t->config->fabric.mtu;
}

// Warns once, of the link that has least room.
static void
warn_of_room(const struct topology *t, const struct topo_vrf *vrf, uint32_t bytes,
	     struct diag *diag)
{
	uint32_t least = TOPOLOGY_NONE, hosts = hosts_mtu(t);
	char name[TOPOLOGY_NAME_MAX];

	for (uint32_t l = 0; l < t->link_count; l++)
		if (!t->links[l].host &&
		    (least == TOPOLOGY_NONE || t->links[l].mtu < t->links[least].mtu))
			least = l;
	if (least == TOPOLOGY_NONE || t->links[least].mtu >= hosts + bytes)
		return;
	diag_warning(diag, t->config->file, t->links[least].pos, "fabric.links",
		     "%s carries %u bytes of IP, too few for what hosts of tenant %s may send (%u, "
		     "and %u around it): such packets are dropped as mtu-exceeded",
		     topology_link_name(t, least, name), t->links[least].mtu, vrf->name, hosts,
		     bytes);
}

void
builder_make_room(struct topology *t, struct diag *diag)
{
	uint32_t bytes, mtu;
	const struct topo_vrf *largest = find_largest(t, &bytes);

	mtu = hosts_mtu(t) + bytes;
	for (uint32_t l = 0; l < t->link_count; l++) {
		struct topo_link *link = &t->links[l];

		if (!link->mtu_auto || link->mtu >= mtu)
			continue;
		link->mtu = mtu;
		t->nodes[link->a.node].ports[link->a.port].mtu = mtu;
		t->nodes[link->b.node].ports[link->b.port].mtu = mtu;
	}
	find_least_mtus(t);
	if (largest != NULL && topology_sliced(t))
		warn_of_room(t, largest, bytes, diag);
}

// ---- paths --------------------------------------------------------------------------------------

bool
topology_joined(const struct topology *t, uint32_t from_host, uint8_t from_port, uint32_t to_host,
		uint8_t to_port)
{
	return t->component[topology_host_port(t, from_host, from_port)->peer_node] ==
	       t->component[topology_host_port(t, to_host, to_port)->peer_node];
}

uint32_t
topology_path_mtu(const struct topology *t, uint32_t from_host, uint8_t from_port, uint32_t to_host,
		  uint8_t to_port)
{
	const struct topo_port *from = topology_host_port(t, from_host, from_port);
	const struct topo_port *to = topology_host_port(t, to_host, to_port);
	uint32_t mtu = from->mtu < to->mtu ? from->mtu : to->mtu;
	uint32_t between = t->component_mtu[t->component[from->peer_node]];
	uint32_t added = config_encap_mtu_bytes(t->vrfs[to->vrf].encap, t->config->fabric.underlay);

	between = between > added ? between - added : 0;
	return from->peer_node != to->peer_node && between < mtu ? between : mtu;
}
