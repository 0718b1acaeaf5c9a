// SPDX-License-Identifier: BSD-3-Clause
// `routing.pinned` as a switch reads it: an entry becomes a pin for every pair of addresses that
// its source and destination name, to the port that its `via` is at this switch. A switch of which
// `via` is neither a neighbour nor a port skips the entry; a name that does not exist is an error.
// Where several links lead to `via`, the pairs take them in turn. Of two entries for one pair the
// first counts.
#include "build_internal.h"

#include "control/base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEY "routing.pinned"

// The addresses that a name means: of a host's port both, else one.
struct endpoint {
	uint8_t address[2][16]; // IPv4, IPv6
	uint32_t entrance;      // its switch
};

struct endpoints {
	struct endpoint *items;
	uint32_t count;
	bool has[2]; // IPv4, IPv6
};

static void
add_port(struct endpoints *e, const struct topo_port *port)
{
	struct endpoint *to;

	e->items = memory_grow(e->items, e->count, sizeof(*e->items), "pinned addresses");
	to = &e->items[e->count++];
	*to = (struct endpoint){.entrance = port->peer_node};
	memcpy(to->address[0], port->ip4, 4);
	memcpy(to->address[1], port->ip6, 16);
	e->has[0] = e->has[1] = true;
}

// All ports of a host, or all hosts' ports behind a leaf.
static void
add_node(struct endpoints *e, const struct topology *t, uint32_t node)
{
	const struct topo_node *place = &t->nodes[node];

	for (uint16_t p = 0; p < place->port_count; p++) {
		const struct topo_port *port = &place->ports[p];

		if (place->role == CONFIG_ROLE_HOST)
			add_port(e, port);
		else if (port->peer_node != TOPOLOGY_NONE && port->peer_node >= t->first_host)
			add_port(e, &t->nodes[port->peer_node].ports[port->peer_port]);
	}
}

// The switch of the host with this address, or TOPOLOGY_NONE.
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

// Returns false when the name is no address.
static bool
add_address(struct endpoints *e, const struct topology *t, const char *text)
{
	struct endpoint to = {0};

	e->has[0] = inet_pton(AF_INET, text, to.address[0]) == 1;
	e->has[1] = !e->has[0] && inet_pton(AF_INET6, text, to.address[1]) == 1;
	if (!e->has[0] && !e->has[1])
		return false;
	to.entrance = find_entrance(t, to.address[e->has[1]], e->has[1]);
	e->items = memory_copy(&to, 1, sizeof(to), "pinned addresses");
	e->count = 1;
	return true;
}

static int
find_endpoints(const struct tables_draft *draft, const struct config_name *name,
	       struct endpoints *e)
{
	const struct topology *t = draft->topology;
	const char *file = t->config->file;
	struct topo_ref ref;
	uint32_t node;

	if (add_address(e, t, name->text))
		return 0;
	if (topology_is_single(t))
		return diag_error(
			draft->diag, file, name->pos, KEY,
			"%s is not an address, and a single switch has no hosts with names",
			name->text);
	if (strchr(name->text, '.') != NULL) {
		if (topology_resolve_port(t, name, KEY, &ref, draft->diag) != 0)
			return -EINVAL;
		if (t->nodes[ref.node].role != CONFIG_ROLE_HOST)
			return diag_error(draft->diag, file, name->pos, KEY,
					  "%s is not a host's port", name->text);
		add_port(e, &t->nodes[ref.node].ports[ref.port]);
		return 0;
	}
	if (topology_resolve_node(t, name, KEY, &node, draft->diag) != 0)
		return -EINVAL;
	add_node(e, t, node);
	if (e->count == 0)
		return diag_error(draft->diag, file, name->pos, KEY,
				  "%s is not a host and has no address", name->text);
	return 0;
}

// True when some switch has a port of this name: an entry may be meant for that one.
static bool
is_port_somewhere(const struct topology *t, const char *name)
{
	for (uint32_t n = 0; n < t->first_host; n++)
		if (topology_port_named(&t->nodes[n], name, strlen(name)) >= 0)
			return true;
	return false;
}

// The ports of this switch that are `via`, into ports; *count may be 0.
static int
find_via(const struct tables_draft *draft, const struct config_name *via,
	 uint16_t ports[static PORTS_MAX], uint32_t *count)
{
	const struct topology *t = draft->topology;
	int own = topology_port_named(draft->node, via->text, strlen(via->text));
	struct topo_ref ref;
	uint32_t node;

	*count = 0;
	if (own >= 0)
		ports[(*count)++] = (uint16_t)own;
	if (own >= 0 || is_port_somewhere(t, via->text))
		return 0;
	if (strchr(via->text, '.') != NULL || topology_is_single(t)) {
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

static void
free_entry(struct entry *e)
{
	free(e->src.items);
	free(e->dst.items);
}

static uint64_t
pairs(const struct entry *e)
{
	uint64_t versions = (e->src.has[0] && e->dst.has[0]) + (e->src.has[1] && e->dst.has[1]);

	return e->port_count == 0 ? 0 : versions * e->src.count * e->dst.count;
}

// Visits the pairs of one version, which take the ports in turn. Returns false once a visit has.
static bool
visit_pairs(const struct entry *e, bool ip6,
	    bool (*visit)(void *context, const struct tables_pin_pair *pair), void *context)
{
	if (e->port_count == 0 || !e->src.has[ip6] || !e->dst.has[ip6])
		return true;
	for (uint32_t d = 0; d < e->dst.count; d++)
		for (uint32_t s = 0; s < e->src.count; s++) {
			const struct tables_pin_pair pair = {
				.source = e->src.items[s].address[ip6],
				.destination = e->dst.items[d].address[ip6],
				.entrance = e->src.items[s].entrance,
				.port = e->ports[((uint64_t)s * e->dst.count + d) % e->port_count],
				.version = ip6 ? 6 : 4,
			};

			if (!visit(context, &pair))
				return false;
		}
	return true;
}

static int
resolve(const struct tables_draft *draft, const struct config_pin *pin, struct entry *e)
{
	int error = find_endpoints(draft, &pin->src, &e->src);

	error |= find_endpoints(draft, &pin->dst, &e->dst);
	error |= find_via(draft, &pin->via, e->ports, &e->port_count);
	// Hosts have both; of addresses each is one.
	if (error != 0 || (e->src.has[0] && e->dst.has[0]) || (e->src.has[1] && e->dst.has[1]))
		return error;
	return diag_error(draft->diag, draft->topology->config->file, pin->src.pos, KEY,
			  "%s and %s cannot be pinned: one is IPv4, the other IPv6", pin->src.text,
			  pin->dst.text);
}

static bool
add_pin(void *pins, const struct tables_pin_pair *pair)
{
	pins_add(pins, pair->version, pair->source, pair->destination, pair->port);
	return true;
}

int
tables_add_pins(struct tables_draft *draft)
{
	const struct config_routing *routing = &draft->settings->routing;
	struct entry *entries = memory_array(routing->pin_count, sizeof(*entries), "pins");
	uint64_t count = 0;
	int error = 0;

	for (unsigned i = 0; i < routing->pin_count; i++) {
		error |= resolve(draft, &routing->pins[i], &entries[i]);
		count += pairs(&entries[i]);
	}
	if (error == 0 && count > PINS_MAX)
		error = tables_report(
			draft, false, routing->pins[0].pos, KEY,
			"%llu pairs of addresses are pinned; at most %u are supported",
			(unsigned long long)count, PINS_MAX);
	if (error == 0 && count != 0 && pins_create(&draft->t->pins, (uint32_t)count) != 0)
		memory_exhausted(count, sizeof(struct pin), "pins");
	for (unsigned i = 0; i < routing->pin_count; i++) {
		for (int ip6 = 0; error == 0 && ip6 < 2; ip6++)
			visit_pairs(&entries[i], ip6, add_pin, draft->t->pins);
		free_entry(&entries[i]);
	}
	free(entries);
	return error;
}

void
tables_visit_pin(const struct topology *topology, uint32_t node, const struct config_pin *pin,
		 bool (*visit)(void *context, const struct tables_pin_pair *pair), void *context)
{
	struct diag scratch = {0};
	const struct tables_draft draft = {.topology = topology,
					   .node = &topology->nodes[node],
					   .node_index = node,
					   .diag = &scratch};
	struct entry e = {.port_count = 0};

	if (resolve(&draft, pin, &e) == 0 && visit_pairs(&e, false, visit, context))
		visit_pairs(&e, true, visit, context);
	diag_free(&scratch);
	free_entry(&e);
}
