// SPDX-License-Identifier: BSD-3-Clause
// `routing.pinned` as a switch reads it: an entry becomes a pin for every pair of addresses that
// its source and destination stand for, out of the port that its `via` is there. A switch of which
// `via` is no neighbour and no port passes the entry over; a name that stands for nothing at all is
// an error. Where several links lead to `via`, the pairs take them in turn. Of two entries for one
// pair the first counts.
#include "build_internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEY "routing.pinned"

// The addresses that a name stands for.
struct endpoints {
	uint8_t (*ip4)[4];
	uint8_t (*ip6)[16];
	uint32_t ip4_count, ip6_count;
	// Of each of them, the switch that it hangs on; where there are both, they are of the same.
	uint32_t *entrances;
};

static void
clear(struct endpoints *e)
{
	free(e->ip4);
	free(e->ip6);
	free(e->entrances);
	*e = (struct endpoints){0};
}

static void
add_port(struct endpoints *e, const struct topo_port *port)
{
	e->entrances[e->ip4_count] = port->peer_node;
	memcpy(e->ip4[e->ip4_count++], port->ip4, 4);
	memcpy(e->ip6[e->ip6_count++], port->ip6, 16);
}

static int
make_room(struct endpoints *e, size_t count)
{
	e->ip4 = calloc(count + 1, sizeof(*e->ip4));
	e->ip6 = calloc(count + 1, sizeof(*e->ip6));
	e->entrances = calloc(count + 1, sizeof(*e->entrances));
	return e->ip4 == NULL || e->ip6 == NULL || e->entrances == NULL ? -ENOMEM : 0;
}

// All ports of a host, or all hosts' ports behind a leaf.
static int
add_node(struct endpoints *e, const struct topology *t, uint32_t node)
{
	const struct topo_node *place = &t->nodes[node];
	int error = make_room(e, place->port_count);

	for (uint16_t p = 0; error == 0 && p < place->port_count; p++) {
		const struct topo_port *port = &place->ports[p];

		if (place->role == CONFIG_ROLE_HOST)
			add_port(e, port);
		else if (port->peer_node != TOPOLOGY_NONE && port->peer_node >= t->first_host)
			add_port(e, &t->nodes[port->peer_node].ports[port->peer_port]);
	}
	return error;
}

// The switch that the host with this address hangs on, or TOPOLOGY_NONE.
static uint32_t
find_entrance(const struct topology *t, const uint8_t *address, bool ip6)
{
	for (uint32_t h = 0; h < t->host_count; h++) {
		const struct topo_node *host = topology_host(t, h);

		for (uint16_t p = 0; p < host->port_count; p++)
			if (ip6 ? memcmp(host->ports[p].ip6, address, 16) == 0
				: memcmp(host->ports[p].ip4, address, 4) == 0)
				return host->ports[p].peer_node;
	}
	return TOPOLOGY_NONE;
}

// Returns 0 when the name is an address, -ENOENT when it is not, or -ENOMEM.
static int
add_address(struct endpoints *e, const struct topology *t, const char *text)
{
	uint8_t address[16];

	if (make_room(e, 1) != 0)
		return -ENOMEM;
	if (inet_pton(AF_INET, text, address) == 1)
		memcpy(e->ip4[e->ip4_count++], address, 4);
	else if (inet_pton(AF_INET6, text, address) == 1)
		memcpy(e->ip6[e->ip6_count++], address, 16);
	else
		return -ENOENT;
	e->entrances[0] = find_entrance(t, address, e->ip6_count != 0);
	return 0;
}

static int
find_endpoints(const struct tables_draft *draft, const struct config_name *name,
	       struct endpoints *e)
{
	const struct topology *t = draft->topology;
	const char *file = t->config->file;
	struct topo_ref ref;
	uint32_t node;
	int error = add_address(e, t, name->text);

	if (error != -ENOENT)
		return error;
	clear(e);
	if (t->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		return diag_error(draft->diag, file, name->pos, KEY,
				  "%s is no address, and one switch knows no hosts by name",
				  name->text);
	if (strchr(name->text, '.') != NULL) {
		if (topology_resolve_port(t, name, KEY, &ref, draft->diag) != 0)
			return -EINVAL;
		if (t->nodes[ref.node].role != CONFIG_ROLE_HOST)
			return diag_error(draft->diag, file, name->pos, KEY,
					  "%s is not a host's port", name->text);
		error = make_room(e, 1);
		if (error == 0)
			add_port(e, &t->nodes[ref.node].ports[ref.port]);
		return error;
	}
	if (topology_resolve_node(t, name, KEY, &node, draft->diag) != 0)
		return -EINVAL;
	error = add_node(e, t, node);
	if (error == 0 && e->ip4_count == 0)
		return diag_error(draft->diag, file, name->pos, KEY, "%s is no host and has none",
				  name->text);
	return error;
}

// The index of a node's port of this name, or -1.
static int
find_port(const struct topo_node *node, const char *name)
{
	for (uint16_t p = 0; p < node->port_count; p++)
		if (strcmp(node->ports[p].name, name) == 0)
			return p;
	return -1;
}

// True when some switch has a port of this name: an entry may be meant for that one.
static bool
is_port_somewhere(const struct topology *t, const char *name)
{
	bool found = false;

	for (uint32_t n = 0; n < t->first_host && !found; n++)
		found = find_port(&t->nodes[n], name) >= 0;
	return found;
}

// The ports of this switch that are `via`, into ports; *count may be 0.
static int
find_via(const struct tables_draft *draft, const struct config_name *via,
	 uint16_t ports[static PORTS_MAX], uint32_t *count)
{
	const struct topology *t = draft->topology;
	int own = find_port(draft->node, via->text);
	struct topo_ref ref;
	uint32_t node;

	*count = 0;
	if (own >= 0)
		ports[(*count)++] = (uint16_t)own;
	if (own >= 0 || is_port_somewhere(t, via->text))
		return 0;
	if (strchr(via->text, '.') != NULL ||
	    t->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE) {
		if (topology_resolve_port(t, via, KEY, &ref, draft->diag) != 0)
			return -EINVAL;
		if (ref.node == draft->node_index)
			ports[(*count)++] = ref.port;
		return 0;
	}
	if (topology_resolve_node(t, via, KEY, &node, draft->diag) != 0)
		return -EINVAL;
	for (uint16_t p = 0; p < draft->node->port_count; p++)
		if (draft->node->ports[p].peer_node == node)
			ports[(*count)++] = p;
	return 0;
}

// An entry, resolved.
struct entry {
	struct endpoints src, dst;
	uint16_t ports[PORTS_MAX];
	uint32_t port_count;
};

static uint64_t
pairs(const struct entry *e)
{
	return e->port_count == 0 ? 0
				  : (uint64_t)e->src.ip4_count * e->dst.ip4_count +
					    (uint64_t)e->src.ip6_count * e->dst.ip6_count;
}

static void
add_pins(struct pins *pins, const struct entry *e)
{
	uint32_t turn = 0;

	for (uint32_t s = 0; s < e->src.ip4_count; s++)
		for (uint32_t d = 0; d < e->dst.ip4_count; d++)
			pins_add(pins, 4, e->src.ip4[s], e->dst.ip4[d],
				 e->ports[turn++ % e->port_count]);
	turn = 0;
	for (uint32_t s = 0; s < e->src.ip6_count; s++)
		for (uint32_t d = 0; d < e->dst.ip6_count; d++)
			pins_add(pins, 6, e->src.ip6[s], e->dst.ip6[d],
				 e->ports[turn++ % e->port_count]);
}

static int
resolve(const struct tables_draft *draft, const struct config_pin *pin, struct entry *e)
{
	int error = find_endpoints(draft, &pin->src, &e->src);
	int other = find_endpoints(draft, &pin->dst, &e->dst);
	int last = find_via(draft, &pin->via, e->ports, &e->port_count);

	error = error != 0 ? error : other != 0 ? other : last;
	// Hosts have both; of addresses each is one.
	if (error != 0 || (e->src.ip4_count != 0 && e->dst.ip4_count != 0) ||
	    (e->src.ip6_count != 0 && e->dst.ip6_count != 0))
		return error;
	return diag_error(draft->diag, draft->topology->config->file, pin->src.pos, KEY,
			  "%s and %s are no pair: one is IPv4, the other IPv6", pin->src.text,
			  pin->dst.text);
}

int
tables_add_pins(struct tables_draft *draft)
{
	const struct config_routing *routing = &draft->settings->routing;
	struct entry *entries = calloc(routing->pin_count + 1u, sizeof(*entries));
	uint64_t count = 0;
	int error = entries == NULL ? -ENOMEM : 0;

	for (unsigned i = 0; i < routing->pin_count && error != -ENOMEM; i++) {
		int rc = resolve(draft, &routing->pins[i], &entries[i]);

		error = rc != 0 ? rc : error;
		if (rc == 0)
			count += pairs(&entries[i]);
	}
	if (error == 0 && count > PINS_MAX) {
		tables_report(draft, false, routing->pins[0].pos, KEY,
			      "%llu pairs of addresses are pinned: %u at most",
			      (unsigned long long)count, PINS_MAX);
		error = -EINVAL;
	}
	if (error == 0 && count != 0)
		error = pins_create(&draft->t->pins, (uint32_t)count);
	for (unsigned i = 0; error == 0 && i < routing->pin_count; i++)
		if (pairs(&entries[i]) != 0)
			add_pins(draft->t->pins, &entries[i]);
	for (unsigned i = 0; entries != NULL && i < routing->pin_count; i++) {
		clear(&entries[i].src);
		clear(&entries[i].dst);
	}
	free(entries);
	return error;
}

// Returns false once a visit has.
static bool
visit_pairs(const struct entry *e, uint8_t version,
	    bool (*visit)(void *context, const struct tables_pin_pair *pair), void *context)
{
	uint32_t sources = version == 4 ? e->src.ip4_count : e->src.ip6_count;
	uint32_t destinations = version == 4 ? e->dst.ip4_count : e->dst.ip6_count;

	for (uint32_t d = 0; d < destinations; d++)
		for (uint32_t s = 0; s < sources; s++) {
			const struct tables_pin_pair pair = {
				.destination = version == 4 ? e->dst.ip4[d] : e->dst.ip6[d],
				.entrance = e->src.entrances[s],
				.port = e->ports[((uint64_t)s * destinations + d) % e->port_count],
				.version = version,
			};

			if (!visit(context, &pair))
				return false;
		}
	return true;
}

int
tables_visit_pin(const struct topology *topology, uint32_t node, const struct config_pin *pin,
		 bool (*visit)(void *context, const struct tables_pin_pair *pair), void *context)
{
	struct diag scratch = {0};
	const struct tables_draft draft = {.topology = topology,
					   .node = &topology->nodes[node],
					   .node_index = node,
					   .diag = &scratch};
	struct entry e = {.port_count = 0};
	int error = resolve(&draft, pin, &e);

	diag_free(&scratch);
	if (error == 0 && e.port_count != 0 && visit_pairs(&e, 4, visit, context))
		visit_pairs(&e, 6, visit, context);
	clear(&e.src);
	clear(&e.dst);
	return error;
}
