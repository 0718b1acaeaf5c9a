// SPDX-License-Identifier: BSD-3-Clause
// Which leaf is behind an address: hosts' addresses by VRF, those of plain VRFs and the loopbacks
// of leaves in `default` too, sorted.
#include "build_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct destination {
	uint16_t vrf;
	uint8_t version;
	uint8_t address[16];
	uint32_t leaf;
};

struct tables_destinations {
	const struct topology *topology;
	uint32_t none;
	uint32_t count;
	struct destination *all;
};

static int
compare(const void *a, const void *b)
{
	const struct destination *one = a, *other = b;

	if (one->vrf != other->vrf)
		return one->vrf < other->vrf ? -1 : 1;
	if (one->version != other->version)
		return one->version < other->version ? -1 : 1;
	return memcmp(one->address, other->address, sizeof(one->address));
}

static void
add(struct tables_destinations *d, uint16_t vrf, const uint8_t *ip4, const uint8_t *ip6,
    uint32_t leaf)
{
	struct destination *to = &d->all[d->count];

	to[0] = (struct destination){.vrf = vrf, .version = 4, .leaf = leaf};
	to[1] = (struct destination){.vrf = vrf, .version = 6, .leaf = leaf};
	memcpy(to[0].address, ip4, 4);
	memcpy(to[1].address, ip6, 16);
	d->count += 2;
}

struct tables_destinations *
tables_find_destinations(const struct topology *t)
{
	struct tables_destinations *d = memory_new(sizeof(*d), "destinations");
	size_t most = t->leaf_count;

	for (uint32_t n = t->first_host; n < t->node_count; n++)
		most += 2u * t->nodes[n].port_count;
	d->topology = t;
	d->none = t->leaf_count;
	d->all = memory_array(2 * most, sizeof(*d->all), "destinations");
	for (uint32_t n = t->first_host; n < t->node_count; n++) {
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];
			uint32_t leaf = port->peer_node < t->leaf_count ? port->peer_node : d->none;

			add(d, port->vrf, port->ip4, port->ip6, leaf);
			if (port->vrf != TOPOLOGY_VRF_DEFAULT &&
			    t->vrfs[port->vrf].encap == CONFIG_ENCAP_PLAIN)
				add(d, TOPOLOGY_VRF_DEFAULT, port->ip4, port->ip6, leaf);
		}
	}
	for (uint32_t n = 0; n < t->leaf_count; n++)
		add(d, TOPOLOGY_VRF_DEFAULT, t->nodes[n].loopback4, t->nodes[n].loopback6, n);
	qsort(d->all, d->count, sizeof(*d->all), compare);
	return d;
}

void
tables_free_destinations(struct tables_destinations *d)
{
	if (d != NULL)
		free(d->all);
	free(d);
}

static uint32_t
find_in(const struct tables_destinations *d, uint16_t vrf, const struct config_prefix *prefix)
{
	struct destination wanted = {.vrf = vrf, .version = prefix->version};
	uint32_t low = 0, high = d->count;

	memcpy(wanted.address, prefix->address, sizeof(wanted.address));
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare(&d->all[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->count && d->all[low].vrf == vrf && d->all[low].version == prefix->version &&
			       tables_same_bits(prefix->address, d->all[low].address,
						prefix->length)
		       ? d->all[low].leaf
		       : d->none;
}

uint32_t
tables_destination(const struct tables_destinations *d, const struct route_list *routes,
		   const struct route *route)
{
	const struct topo_vrf *vrf = &d->topology->vrfs[route->vrf];
	struct config_prefix end;
	uint32_t leaf;

	if (route->encap != ROUTES_PLAIN &&
	    routes->encaps[route->encap].kind == CONFIG_ENCAP_VXLAN) {
		end = address_host_prefix((uint8_t)d->topology->config->fabric.underlay,
					  routes->encaps[route->encap].remote);
		return find_in(d, TOPOLOGY_VRF_DEFAULT, &end);
	}
	leaf = find_in(d, route->vrf, &route->prefix);
	for (uint16_t i = 0; leaf == d->none && i < vrf->leak_count; i++)
		leaf = find_in(d, vrf->leaks[i], &route->prefix);
	return leaf;
}
