// SPDX-License-Identifier: BSD-3-Clause
// Which leaf is behind an address: all hosts' addresses, sorted.
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct destination {
	uint8_t address[16];
	uint32_t leaf;
};

struct tables_destinations {
	uint32_t none;
	uint32_t count;
	struct destination *ip4, *ip6;
};

static int
compare(const void *a, const void *b)
{
	const struct destination *one = a, *other = b;

	return memcmp(one->address, other->address, sizeof(one->address));
}

static void
fill(struct tables_destinations *d, const struct topology *t)
{
	for (uint32_t n = t->first_host; n < t->node_count; n++) {
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];
			uint32_t leaf = port->peer_node < t->leaf_count ? port->peer_node
									: t->leaf_count;

			memcpy(d->ip4[d->count].address, port->ip4, sizeof(port->ip4));
			memcpy(d->ip6[d->count].address, port->ip6, sizeof(port->ip6));
			d->ip4[d->count].leaf = d->ip6[d->count].leaf = leaf;
			d->count++;
		}
	}
	qsort(d->ip4, d->count, sizeof(*d->ip4), compare);
	qsort(d->ip6, d->count, sizeof(*d->ip6), compare);
}

int
tables_find_destinations(struct tables_destinations **out, const struct topology *t)
{
	struct tables_destinations *d = calloc(1, sizeof(*d));
	size_t ports = 1;

	if (d == NULL)
		return -ENOMEM;
	for (uint32_t n = t->first_host; n < t->node_count; n++)
		ports += t->nodes[n].port_count;
	d->none = t->leaf_count;
	d->ip4 = calloc(ports, sizeof(*d->ip4));
	d->ip6 = calloc(ports, sizeof(*d->ip6));
	if (d->ip4 == NULL || d->ip6 == NULL) {
		tables_free_destinations(d);
		return -ENOMEM;
	}
	fill(d, t);
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

static bool
covers(const struct config_prefix *prefix, const uint8_t *address)
{
	unsigned bytes = prefix->length / 8, bits = prefix->length % 8;

	return memcmp(prefix->address, address, bytes) == 0 &&
	       (bits == 0 || ((prefix->address[bytes] ^ address[bytes]) >> (8 - bits)) == 0);
}

uint32_t
tables_destination(const struct tables_destinations *d, const struct config_prefix *prefix)
{
	const struct destination *all = prefix->version == 4 ? d->ip4 : d->ip6;
	uint32_t low = 0, high = d->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (memcmp(all[middle].address, prefix->address, sizeof(prefix->address)) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->count && covers(prefix, all[low].address) ? all[low].leaf : d->none;
}
