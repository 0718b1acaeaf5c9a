// SPDX-License-Identifier: BSD-3-Clause
// Which leaf is behind an address: hosts' addresses by VRF, those of plain VRFs and the loopbacks
// of leaves in `default` too, sorted.
#include "build_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct destination {
	uint16_t vrf;
	uint8_t address[16];
	uint32_t leaf;
};

struct tables_destinations {
	const struct topology *topology;
	uint32_t none;
	uint32_t count;
	struct destination *ip4, *ip6;
};

static int
compare(const void *a, const void *b)
{
	const struct destination *one = a, *other = b;

	if (one->vrf != other->vrf)
		return one->vrf < other->vrf ? -1 : 1;
	return memcmp(one->address, other->address, sizeof(one->address));
}

static void
add(struct tables_destinations *d, uint16_t vrf, const uint8_t *ip4, const uint8_t *ip6,
    uint32_t leaf)
{
	d->ip4[d->count].vrf = d->ip6[d->count].vrf = vrf;
	d->ip4[d->count].leaf = d->ip6[d->count].leaf = leaf;
	memcpy(d->ip4[d->count].address, ip4, 4);
	memcpy(d->ip6[d->count].address, ip6, 16);
	d->count++;
}

static void
fill(struct tables_destinations *d)
{
	const struct topology *t = d->topology;

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
	qsort(d->ip4, d->count, sizeof(*d->ip4), compare);
	qsort(d->ip6, d->count, sizeof(*d->ip6), compare);
}

int
tables_find_destinations(struct tables_destinations **out, const struct topology *t)
{
	struct tables_destinations *d = calloc(1, sizeof(*d));
	size_t most = t->leaf_count + 1u;

	if (d == NULL)
		return -ENOMEM;
	for (uint32_t n = t->first_host; n < t->node_count; n++)
		most += 2u * t->nodes[n].port_count;
	d->topology = t;
	d->none = t->leaf_count;
	d->ip4 = calloc(most, sizeof(*d->ip4));
	d->ip6 = calloc(most, sizeof(*d->ip6));
	if (d->ip4 == NULL || d->ip6 == NULL) {
		tables_free_destinations(d);
		return -ENOMEM;
	}
	fill(d);
	*out = d;
	return 0;
}

void
tables_free_destinations(struct tables_destinations *d)
{
	if (d == NULL)
		return;
	free(d->ip4);
	free(d->ip6);
	free(d);
}

static uint32_t
find_in(const struct tables_destinations *d, uint16_t vrf, const struct config_prefix *prefix)
{
	const struct destination *all = prefix->version == 4 ? d->ip4 : d->ip6;
	struct destination wanted = {.vrf = vrf};
	uint32_t low = 0, high = d->count;

	memcpy(wanted.address, prefix->address, sizeof(wanted.address));
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare(&all[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->count && all[low].vrf == vrf &&
			       tables_same_bits(prefix->address, all[low].address, prefix->length)
		       ? all[low].leaf
		       : d->none;
}

uint32_t
tables_destination(const struct tables_destinations *d, const struct route_list *routes,
		   const struct route *route)
{
	const struct topo_vrf *vrf = &d->topology->vrfs[route->vrf];
	struct config_prefix end = {.version = (uint8_t)d->topology->config->fabric.underlay};
	uint32_t leaf;

	if (route->encap != ROUTES_PLAIN &&
	    routes->encaps[route->encap].kind == CONFIG_ENCAP_VXLAN) {
		end.length = end.version == 6 ? 128 : 32;
		memcpy(end.address, routes->encaps[route->encap].remote, sizeof(end.address));
		return find_in(d, TOPOLOGY_VRF_DEFAULT, &end);
	}
	leaf = find_in(d, route->vrf, &route->prefix);
	for (uint16_t i = 0; leaf == d->none && i < vrf->leak_count; i++)
		leaf = find_in(d, vrf->leaks[i], &route->prefix);
	return leaf;
}
