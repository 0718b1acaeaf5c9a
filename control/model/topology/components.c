// SPDX-License-Identifier: BSD-3-Clause
// What is joined with what: the planes of a fabric share only hosts, so its switches fall into
// parts, and a packet never leaves the part that it enters. And how large a packet may be there:
// links between switches have room for what tenants wear, unless the file says how much they carry.
#include "topology_internal.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t
find_first(uint32_t *part, uint32_t n)
{
	while (part[n] != n)
		n = part[n] = part[part[n]];
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

int
builder_find_components(struct topology *t)
{
	uint32_t switches = t->first_host;

	t->component = calloc(switches + 1u, sizeof(*t->component));
	t->component_mtu = calloc(switches + 1u, sizeof(*t->component_mtu));
	if (t->component == NULL || t->component_mtu == NULL)
		return -ENOMEM;
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
	return 0;
}

// ---- room for what packets wear -----------------------------------------------------------------

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

// Warns once, of the link that has least room.
static void
warn_of_room(const struct topology *t, const struct topo_vrf *vrf, uint32_t bytes,
	     struct config_diag *diag)
{
	uint32_t least = TOPOLOGY_NONE, hosts = t->config->fabric.mtu;
	char name[TOPOLOGY_NAME_MAX];

	for (uint32_t l = 0; l < t->link_count; l++)
		if (!t->links[l].host &&
		    (least == TOPOLOGY_NONE || t->links[l].mtu < t->links[least].mtu))
			least = l;
	if (least == TOPOLOGY_NONE || t->links[least].mtu >= hosts + bytes)
		return;
	config_warning(
		diag, t->config->file, t->links[least].pos, "fabric.links",
		"%s carries %u bytes of IP, too few for what hosts of tenant %s may send (%u, "
		"and %u around it): such packets drop as mtu-exceeded",
		topology_link_name(t, least, name), t->links[least].mtu, vrf->name, hosts, bytes);
}

void
builder_make_room(struct topology *t, struct config_diag *diag)
{
	uint32_t bytes, mtu;
	const struct topo_vrf *largest = find_largest(t, &bytes);

	mtu = t->config->fabric.mtu + bytes;
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
