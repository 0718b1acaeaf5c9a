// SPDX-License-Identifier: BSD-3-Clause
// What the fabric advertises of the addresses behind a leaf, in as few prefixes as possible. A VRF
// that has all hosts of the leaf gets the leaf's prefix (10.x.leaf.0/24, its IPv6 /112) if that
// covers their addresses. A VRF that shares the leaf, or whose hosts have addresses of their own,
// gets each address. The underlay gets the prefix as soon as one host there is plain: the leaf
// itself finds only hosts that exist and are plain. A leaf's prefix is not advertised while a
// border's prefix lies within it, because that is the longer match.
//
// A border is advertised as long as its host's link is up, so that another border of its tenant
// with the same prefix can take over.
//
// Where there are borders, a leaf drops packets for addresses of its prefix that no host has: by a
// border's wider prefix they could come back.
#include "routes_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

const struct topo_port *
advertised_host(const struct topology *t, const struct topo_port *port)
{
	if (port->peer_node == TOPOLOGY_NONE || port->peer_node < t->first_host)
		return NULL;
	return &t->nodes[port->peer_node].ports[port->peer_port];
}

// The bits of these prefixes end with bytes.
static bool
covers(const struct config_prefix *wide, const struct config_prefix *narrow)
{
	return wide->version == narrow->version && wide->length <= narrow->length &&
	       memcmp(wide->address, narrow->address, wide->length / 8) == 0;
}

static void
add(struct offers *o, struct config_prefix prefix, uint16_t vrf, uint16_t port, bool border)
{
	o->items[o->count++] =
		(struct offer){.prefix = prefix, .vrf = vrf, .port = port, .border = border};
}

static void
add_borders(struct leaf_offers *o, uint32_t leaf)
{
	const struct topology *t = o->topology;

	for (uint32_t i = 0; i < t->border_count; i++) {
		const struct topo_border *border = &t->borders[i];
		const struct topo_port *host = topology_host_port(t, border->host, border->port);

		if (host->peer_node == leaf && !(o->link_down != NULL && o->link_down[host->link]))
			add(&o->local, border->prefix, border->vrf, host->peer_port, true);
	}
}

static int
compare(const void *a, const void *b)
{
	const struct offer *one = a, *other = b;

	if (one->vrf != other->vrf)
		return one->vrf < other->vrf ? -1 : 1;
	if (one->border != other->border)
		return one->border ? 1 : -1;
	if (one->port != other->port)
		return one->port < other->port ? -1 : 1;
	return one->prefix.version < other->prefix.version
		       ? -1
		       : one->prefix.version > other->prefix.version;
}

static void
list_local(struct leaf_offers *o, uint32_t leaf)
{
	const struct topo_node *node = &o->topology->nodes[leaf];

	o->local.count = 0;
	for (uint16_t p = 0; p < node->port_count; p++) {
		const struct topo_port *host = advertised_host(o->topology, &node->ports[p]);

		if (host == NULL)
			continue;
		add(&o->local, address_host_prefix(4, host->ip4), node->ports[p].vrf, p, false);
		add(&o->local, address_host_prefix(6, host->ip6), node->ports[p].vrf, p, false);
	}
	add_borders(o, leaf);
	if (o->local.count > 1)
		qsort(o->local.items, o->local.count, sizeof(*o->local.items), compare);
}

static bool
is_plain(const struct leaf_offers *o, const struct offer *offer)
{
	return o->topology->vrfs[offer->vrf].encap == CONFIG_ENCAP_PLAIN;
}

// Whether the leaf's prefix says all of the hosts' addresses of its version, for one VRF.
static bool
says_all(const struct leaf_offers *o, uint32_t leaf, const struct config_prefix *prefix)
{
	const struct offers *local = &o->local;

	if (o->bordered[leaf])
		return false;
	for (uint32_t i = 0; i < local->count; i++) {
		const struct offer *item = &local->items[i];

		if (item->vrf != local->items[0].vrf ||
		    (!item->border && item->prefix.version == prefix->version &&
		     !covers(prefix, &item->prefix)))
			return false;
	}
	return true;
}

// Lists what the prefix does not say one by one, and the prefix once for the rest. transit: only
// what is plain, for the underlay.
static void
list_offers(struct leaf_offers *o, uint32_t leaf, const struct config_prefix *prefix, bool transit)
{
	struct offers *to = transit ? &o->transit : &o->remote;
	bool complete = says_all(o, leaf, prefix);
	const struct offer *covered = NULL;

	for (uint32_t i = 0; i < o->local.count; i++) {
		const struct offer *item = &o->local.items[i];

		if (item->prefix.version != prefix->version || (transit && !is_plain(o, item)))
			continue;
		if (item->border ||
		    (transit ? o->bordered[leaf] || !covers(prefix, &item->prefix) : !complete)) {
			to->items[to->count++] = *item;
			continue;
		}
		if (covered == NULL)
			add(to, *prefix, item->vrf, item->port, false);
		covered = item;
	}
	if (covered != NULL)
		add(&o->gaps, *prefix, transit ? TOPOLOGY_VRF_DEFAULT : covered->vrf, 0, false);
}

void
advertised_aim(struct leaf_offers *o, uint32_t leaf)
{
	o->remote.count = o->transit.count = o->gaps.count = 0;
	list_local(o, leaf);
	for (uint8_t version = 4; version <= 6; version += 2) {
		struct config_prefix prefix =
			topology_leaf_prefix(&o->topology->nodes[leaf], version);

		list_offers(o, leaf, &prefix, false);
		list_offers(o, leaf, &prefix, true);
	}
	if (o->topology->border_count == 0)
		o->gaps.count = 0;
	if (o->remote.count > 1)
		qsort(o->remote.items, o->remote.count, sizeof(*o->remote.items), compare);
}

void
advertised_create(struct leaf_offers *o, const struct topology *t, const bool *link_down)
{
	size_t most = t->border_count + 2 * PORTS_MAX;

	*o = (struct leaf_offers){.topology = t, .link_down = link_down};
	o->local.items = memory_array(most, sizeof(*o->local.items), "prefixes");
	o->remote.items = memory_array(most, sizeof(*o->remote.items), "prefixes");
	o->transit.items = memory_array(most, sizeof(*o->transit.items), "prefixes");
	o->gaps.items = memory_array(4, sizeof(*o->gaps.items), "prefixes");
	o->bordered = memory_array(t->leaf_count, sizeof(*o->bordered), "leaves");
	for (uint32_t n = 0; t->border_count != 0 && n < t->leaf_count; n++) {
		struct config_prefix ip4 = topology_leaf_prefix(&t->nodes[n], 4);
		struct config_prefix ip6 = topology_leaf_prefix(&t->nodes[n], 6);

		for (uint32_t i = 0; i < t->border_count; i++)
			o->bordered[n] |= covers(&ip4, &t->borders[i].prefix) ||
					  covers(&ip6, &t->borders[i].prefix);
	}
}

void
advertised_destroy(struct leaf_offers *o)
{
	free(o->local.items);
	free(o->remote.items);
	free(o->transit.items);
	free(o->gaps.items);
	free(o->bordered);
	*o = (struct leaf_offers){0};
}
