// SPDX-License-Identifier: BSD-3-Clause
// Routes that follow from the topology. For each leaf, updown.c gives every other switch its next
// hops towards it, and advertised.c what is behind it; then
//   - a leaf's VRF has routes to the VRF's own hosts and borders on that leaf, and to those of the
//     VRFs that it exchanges routes with, if it has a host itself. The destination's VRF decides
//     the encapsulation: none, its VLAN, or VXLAN with its VNI to the far leaf's loopback, by the
//     next hops that lead to that leaf. A VRF does not pass on what it has learned from another:
//     only a VRF's own offers are advertised;
//   - the leaf's own hosts have routes there, to the ports that they are connected to;
//   - a switch between, a spine or a leaf that others pass through, has in the underlay (VRF
//     `default`) what crosses it plain and, where VXLAN is used, the loopbacks of leaves, and in
//     the VRF of each VLAN what crosses it with its tag. So has the leaf itself of plain VRFs, so
//     that what comes down is delivered;
//   - where hosts are in the underlay, every switch has routes to the loopbacks of those that it
//     has a path to.
// Where there are borders, a leaf that a switch between cannot reach is a blackhole in the
// underlay: by a border's wider prefix its packets would leave the fabric. Within a VRF they follow
// the routes that are left, because a default route takes whatever no other route covers.
//
// A route never leads back: the leaf itself has routes only to addresses that exist, and there are
// no routes between VRFs that no leak joins. Where several routes of a VRF have one prefix (borders
// of a tenant may) the nearest stays: the VRF's own before learned ones, hosts before borders, this
// leaf before others, and among those the first leaf.
#include "routes_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// In the order in which they count; then comes the leaf, then its port.
#define DISTANCE_REMOTE (UINT32_C(1) << 29)
#define DISTANCE_BORDER (UINT32_C(1) << 30)
#define DISTANCE_LEAKED (UINT32_C(1) << 31)
#define DISTANCE_LAST UINT32_MAX

// The encapsulation of packets to a VRF that was made last at a switch.
struct sent {
	uint32_t leaf;  // VXLAN: to this one
	uint32_t encap; // ROUTES_PLAIN: none was made
};

struct computation {
	const struct topology *t;
	struct routes *routes;
	struct updown updown;
	struct leaf_offers offers;
	bool *here;        // by leaf and VRF: it has hosts in it
	struct sent *sent; // by switch and VRF
	bool *passed;      // by switch: another sends through it to the leaf aimed at
	uint32_t *groups;  // by switch: towards the leaf aimed at; NO_WAY
	uint32_t *mtus;    // by switch: of the paths to the leaf aimed at; 0: not looked for yet
	uint32_t leaf;     // aimed at
	bool vxlan;        // some VRF crosses the fabric in tunnels
};

#define NO_WAY UINT32_MAX

static inline bool
is_leaf(const struct computation *c, uint32_t at)
{
	return at < c->t->leaf_count;
}

static void
append(struct computation *c, uint32_t at, uint16_t vrf, const struct offer *offer, uint32_t group,
       uint32_t encap)
{
	uint32_t distance = c->leaf << 8 | offer->port;

	if (at != c->leaf)
		distance |= DISTANCE_REMOTE;
	if (offer->border)
		distance |= DISTANCE_BORDER;
	if (vrf != offer->vrf && vrf != TOPOLOGY_VRF_DEFAULT)
		distance |= DISTANCE_LEAKED;
	routes_append(&c->routes->nodes[at], &(struct route){.prefix = offer->prefix,
							     .vrf = vrf,
							     .group = group,
							     .encap = encap,
							     .distance = distance});
}

// The largest IP packet that gets from `at` to the leaf aimed at by whichever path. Every step
// leads nearer to it.
static uint32_t
path_mtu(struct computation *c, uint32_t at)
{
	const struct topo_node *node = &c->t->nodes[at];
	const struct updown_link *next[PORTS_MAX];
	uint32_t mtu = UINT32_MAX, count;

	if (at == c->leaf || c->mtus[at] != 0)
		return at == c->leaf ? mtu : c->mtus[at];
	count = updown_next(&c->updown, at, next);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t beyond = path_mtu(c, next[i]->peer);

		if (node->ports[next[i]->port].mtu < mtu)
			mtu = node->ports[next[i]->port].mtu;
		if (beyond < mtu)
			mtu = beyond;
	}
	c->mtus[at] = mtu;
	return mtu;
}

// The encapsulation of packets from `at` to a VRF's hosts at the current leaf.
static uint32_t
find_encap(struct computation *c, uint32_t at, uint16_t vrf)
{
	const struct topo_vrf *to = &c->t->vrfs[vrf];
	const struct topo_node *leaf = &c->t->nodes[c->leaf];
	struct sent *sent = &c->sent[(size_t)at * c->t->vrf_count + vrf];
	uint8_t underlay = routes_underlay(c->t);
	struct route_encap encap = {.kind = to->encap};

	if (to->encap == CONFIG_ENCAP_PLAIN ||
	    (sent->encap != ROUTES_PLAIN &&
	     (to->encap == CONFIG_ENCAP_VLAN || sent->leaf == c->leaf)))
		return sent->encap;
	if (to->encap == CONFIG_ENCAP_VXLAN) {
		encap.pipe = to->pipe;
		encap.id = to->vni;
		encap.mtu = path_mtu(c, at);
		memcpy(encap.mac, leaf->router_mac, sizeof(encap.mac));
		memcpy(encap.remote, topology_loopback(leaf, underlay), address_bytes(underlay));
	} else {
		encap.id = to->vid;
	}
	sent->leaf = c->leaf;
	sent->encap = routes_append_encap(&c->routes->nodes[at], &encap);
	return sent->encap;
}

// Whether some VRF at a leaf has routes to this one's hosts.
static bool
is_known(const struct computation *c, uint32_t at, uint16_t vrf)
{
	const bool *here = &c->here[(size_t)at * c->t->vrf_count];
	const struct topo_vrf *to = &c->t->vrfs[vrf];

	for (uint16_t i = 0; i < to->leak_count; i++)
		if (here[to->leaks[i]])
			return true;
	return here[vrf];
}

// Appends an offer in all VRFs at a leaf that know its own.
static void
append_known(struct computation *c, uint32_t at, const struct offer *offer, uint32_t group,
	     uint32_t encap)
{
	const struct topo_vrf *vrf = &c->t->vrfs[offer->vrf];
	const bool *here = &c->here[(size_t)at * c->t->vrf_count];

	if (here[offer->vrf])
		append(c, at, offer->vrf, offer, group, encap);
	for (uint16_t i = 0; i < vrf->leak_count; i++)
		if (here[vrf->leaks[i]])
			append(c, at, vrf->leaks[i], offer, group, encap);
}

// The leaf's own hosts and borders.
static void
append_local(struct computation *c)
{
	const struct topo_node *leaf = &c->t->nodes[c->leaf];
	const struct offers *local = &c->offers.local, *gaps = &c->offers.gaps;
	struct route_list *list = &c->routes->nodes[c->leaf];

	for (uint32_t i = 0; i < local->count; i++) {
		const struct offer *offer = &local->items[i];
		struct route_member member = {.port = offer->port};
		uint32_t group;

		memcpy(member.mac, advertised_host(c->t, &leaf->ports[offer->port])->mac, 6);
		group = routes_add_group(list, &member, 1);
		append_known(c, c->leaf, offer, group, ROUTES_PLAIN);
		if (c->t->vrfs[offer->vrf].encap == CONFIG_ENCAP_PLAIN &&
		    offer->vrf != TOPOLOGY_VRF_DEFAULT)
			append(c, c->leaf, TOPOLOGY_VRF_DEFAULT, offer, group, ROUTES_PLAIN);
	}
	for (uint32_t i = 0; i < gaps->count; i++)
		routes_append(list, &(struct route){.prefix = gaps->items[i].prefix,
						    .vrf = gaps->items[i].vrf,
						    .group = ROUTES_BLACKHOLE,
						    .encap = ROUTES_PLAIN,
						    .distance = DISTANCE_LAST});
}

// What VRFs at another leaf know of the one aimed at, and at switches between what comes with tags.
static void
append_remote(struct computation *c, uint32_t at)
{
	const struct offers *remote = &c->offers.remote;

	for (uint32_t i = 0; i < remote->count; i++) {
		const struct offer *offer = &remote->items[i];
		bool known = is_leaf(c, at) && is_known(c, at, offer->vrf);
		bool crosses =
			c->t->vrfs[offer->vrf].encap == CONFIG_ENCAP_VLAN &&
			(!is_leaf(c, at) ||
			 (c->passed[at] && !c->here[(size_t)at * c->t->vrf_count + offer->vrf]));
		uint32_t encap = ROUTES_PLAIN;

		if (known || crosses)
			encap = find_encap(c, at, offer->vrf);
		if (known)
			append_known(c, at, offer, c->groups[at], encap);
		if (crosses)
			append(c, at, offer->vrf, offer, c->groups[at], encap);
	}
}

// What the underlay of a switch between has of the leaf aimed at, and any switch of its loopback.
// group: that which leads there, or ROUTES_BLACKHOLE.
static void
append_underlay(struct computation *c, uint32_t at, uint32_t group)
{
	const struct topo_node *leaf = &c->t->nodes[c->leaf];
	const struct offers *transit = &c->offers.transit;
	uint8_t underlay = routes_underlay(c->t);
	struct offer loopback = {.vrf = TOPOLOGY_VRF_DEFAULT};

	for (uint32_t i = 0; i < transit->count; i++) {
		const struct offer *offer = &transit->items[i];

		if (!is_leaf(c, at) || (c->passed[at] && offer->vrf != TOPOLOGY_VRF_DEFAULT))
			append(c, at, TOPOLOGY_VRF_DEFAULT, offer, group, ROUTES_PLAIN);
	}
	loopback.prefix = address_host_prefix(underlay, topology_loopback(leaf, underlay));
	if (c->vxlan)
		append(c, at, loopback.vrf, &loopback, group, ROUTES_PLAIN);
}

// The loopbacks of the switch aimed at.
static void
append_loopbacks(struct computation *c, uint32_t at)
{
	const struct topo_node *to = &c->t->nodes[c->leaf];

	for (uint8_t version = 4; version <= 6; version += 2)
		routes_append(&c->routes->nodes[at],
			      &(struct route){.prefix = address_host_prefix(
						      version, topology_loopback(to, version)),
					      .vrf = TOPOLOGY_VRF_DEFAULT,
					      .loopback = true,
					      .group = c->groups[at],
					      .encap = ROUTES_PLAIN});
}

// The switch's group towards the leaf aimed at; NO_WAY when it has none.
static void
group_towards(struct computation *c, uint32_t at)
{
	const struct updown_link *next[PORTS_MAX];
	struct route_member members[PORTS_MAX];
	uint32_t count = at != c->leaf ? updown_next(&c->updown, at, next) : 0;

	_Static_assert(PORTS_MAX <= GROUP_MEMBERS_MAX, "all ports fit a group");
	c->groups[at] = NO_WAY;
	for (uint32_t i = 0; i < count; i++) {
		members[i] = (struct route_member){.port = next[i]->port};
		memcpy(members[i].mac, next[i]->mac, sizeof(members[i].mac));
		c->passed[next[i]->peer] = true;
	}
	if (count != 0)
		c->groups[at] = routes_add_group(&c->routes->nodes[at], members, count);
}

// In the part of the fabric that the leaf is in: `joined` switches.
static void
append_joined(struct computation *c, const uint32_t *joined, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		group_towards(c, joined[i]);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = joined[i];

		if (c->groups[at] == NO_WAY)
			continue;
		append_remote(c, at);
		append_underlay(c, at, c->groups[at]);
		if (!topology_sliced(c->t))
			append_loopbacks(c, at);
	}
}

// What all switches know of one leaf.
static void
compute_leaf(struct computation *c, uint32_t leaf)
{
	uint32_t switches = c->t->first_host, count;
	const uint32_t *joined;

	c->leaf = leaf;
	advertised_aim(&c->offers, leaf);
	joined = updown_aim(&c->updown, leaf, &count);
	memset(c->passed, 0, switches * sizeof(*c->passed));
	memset(c->mtus, 0, switches * sizeof(*c->mtus));
	for (uint32_t at = 0; at < switches; at++)
		c->groups[at] = NO_WAY;
	append_local(c);
	append_joined(c, joined, count);
	for (uint32_t at = 0; c->t->border_count != 0 && at < switches; at++)
		if (at != leaf && c->groups[at] == NO_WAY)
			append_underlay(c, at, ROUTES_BLACKHOLE);
}

// What all switches know of one above the leaves.
static void
compute_upper(struct computation *c, uint32_t upper)
{
	uint32_t count;
	const uint32_t *joined = updown_aim(&c->updown, upper, &count);

	c->leaf = upper;
	for (uint32_t i = 0; i < count; i++) {
		group_towards(c, joined[i]);
		if (c->groups[joined[i]] != NO_WAY)
			append_loopbacks(c, joined[i]);
	}
}

// A VRF is where a host of it is; `default`, where the hosts are in it, on every leaf.
static void
note_vrfs(struct computation *c)
{
	const struct topology *t = c->t;
	for (uint32_t n = 0; n < t->leaf_count; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];

			if (advertised_host(t, port) != NULL)
				c->here[(size_t)n * t->vrf_count + port->vrf] = true;
		}
	for (uint32_t n = 0; n < t->leaf_count && !topology_sliced(t); n++)
		c->here[(size_t)n * t->vrf_count + TOPOLOGY_VRF_DEFAULT] = true;
	for (uint16_t v = 0; v < t->vrf_count; v++)
		c->vxlan |= t->vrfs[v].name[0] != '\0' && t->vrfs[v].encap == CONFIG_ENCAP_VXLAN;
}

static void
start(struct computation *c, const bool *link_down)
{
	const struct topology *t = c->t;
	size_t places = (size_t)t->first_host * t->vrf_count;

	updown_create(&c->updown, t, link_down);
	advertised_create(&c->offers, t, link_down);
	c->here = memory_array((size_t)t->leaf_count * t->vrf_count, sizeof(*c->here), "VRFs");
	c->sent = memory_array(places, sizeof(*c->sent), "encapsulations");
	c->passed = memory_array(t->first_host, sizeof(*c->passed), "switches");
	c->mtus = memory_array(t->first_host, sizeof(*c->mtus), "switches");
	c->groups = memory_array(t->first_host, sizeof(*c->groups), "next-hop groups");
	for (size_t i = 0; i < places; i++)
		c->sent[i].encap = ROUTES_PLAIN;
	note_vrfs(c);
}

void
routes_compute(struct routes *routes, const struct topology *t, const bool *link_down)
{
	struct computation c = {.t = t, .routes = routes};

	start(&c, link_down);
	for (uint32_t leaf = 0; leaf < t->leaf_count; leaf++)
		compute_leaf(&c, leaf);
	for (uint32_t n = t->leaf_count; n < t->first_host && !topology_sliced(t); n++)
		compute_upper(&c, n);
	for (uint32_t n = 0; n < routes->node_count; n++)
		routes_sort(&routes->nodes[n]);
	free(c.here);
	free(c.sent);
	free(c.passed);
	free(c.mtus);
	free(c.groups);
	updown_destroy(&c.updown);
	advertised_destroy(&c.offers);
}
