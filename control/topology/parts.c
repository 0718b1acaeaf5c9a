// SPDX-License-Identifier: BSD-3-Clause
// What is joined with what: the planes of a fabric share only hosts, so its switches fall into
// parts, and a packet never leaves the part that it enters.
#include "builder.h"

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
		t->part_mtu[n] = UINT32_MAX;
	for (uint32_t l = 0; l < t->link_count; l++) {
		uint32_t *mtu;

		if (t->links[l].host)
			continue;
		mtu = &t->part_mtu[t->part[t->links[l].a.node]];
		if (t->links[l].mtu < *mtu)
			*mtu = t->links[l].mtu;
	}
}

int
builder_find_parts(struct topology *t)
{
	uint32_t switches = t->first_host;

	t->part = calloc(switches + 1u, sizeof(*t->part));
	t->part_mtu = calloc(switches + 1u, sizeof(*t->part_mtu));
	if (t->part == NULL || t->part_mtu == NULL)
		return -ENOMEM;
	for (uint32_t n = 0; n < switches; n++)
		t->part[n] = n;
	for (uint32_t l = 0; l < t->link_count; l++) {
		uint32_t a, b;

		if (t->links[l].host)
			continue;
		a = find_first(t->part, t->links[l].a.node);
		b = find_first(t->part, t->links[l].b.node);
		t->part[a < b ? b : a] = a < b ? a : b;
	}
	for (uint32_t n = 0; n < switches; n++)
		t->part[n] = find_first(t->part, n);
	find_least_mtus(t);
	return 0;
}

void
builder_make_room(struct topology *t, uint32_t encap_bytes)
{
	uint32_t mtu = t->config->fabric.mtu + encap_bytes;

	for (uint32_t l = 0; l < t->link_count; l++) {
		struct topo_link *link = &t->links[l];

		if (!link->mtu_auto || link->mtu >= mtu)
			continue;
		link->mtu = mtu;
		t->nodes[link->a.node].ports[link->a.port].mtu = mtu;
		t->nodes[link->b.node].ports[link->b.port].mtu = mtu;
	}
	find_least_mtus(t);
}

bool
topology_joined(const struct topology *t, uint32_t from_host, uint8_t from_port, uint32_t to_host,
		uint8_t to_port)
{
	return t->part[topology_host_port(t, from_host, from_port)->peer_node] ==
	       t->part[topology_host_port(t, to_host, to_port)->peer_node];
}

uint32_t
topology_path_mtu(const struct topology *t, uint32_t from_host, uint8_t from_port, uint32_t to_host,
		  uint8_t to_port)
{
	const struct topo_port *from = topology_host_port(t, from_host, from_port);
	const struct topo_port *to = topology_host_port(t, to_host, to_port);
	uint32_t mtu = from->mtu < to->mtu ? from->mtu : to->mtu;
	uint32_t between = t->part_mtu[t->part[from->peer_node]];
	uint32_t added = config_encap_mtu_bytes(t->vrfs[to->vrf].encap, t->config->fabric.underlay);

	between = between > added ? between - added : 0;
	return from->peer_node != to->peer_node && between < mtu ? between : mtu;
}
