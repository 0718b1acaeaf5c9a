// SPDX-License-Identifier: BSD-3-Clause
#include "decode_fabric.h"

#include "scalar.h"

#include <string.h>

static void *
member(const struct schema_key *key, void *base)
{
	return (char *)base + key->offset;
}

static bool
role_by_name(const char *name, enum config_role *role)
{
	static const struct {
		const char *prefix;
		enum config_role role;
	} prefixes[] = {
		{"leaf", CONFIG_ROLE_LEAF},
		{"spine", CONFIG_ROLE_SPINE},
		{"super", CONFIG_ROLE_SUPER},
		{"h", CONFIG_ROLE_HOST},
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)) != 0)
			continue;
		*role = prefixes[i].role;
		return true;
	}
	return false;
}

static const struct schema_key role_key = {"role", SCHEMA_ENUM, .help = "what the node is",
					   SCHEMA_AT(struct config_node, role),
					   .choices = schema_roles};
const struct schema schema_node = {.keys = &role_key, .count = 1};

// `text` names the node, `role` (a word or {role: word}) says what it is, or is NULL.
static void
decode_node(struct decoder *d, const char *text, struct config_pos pos,
	    const struct yaml_node *role, struct config_node *out)
{
	size_t path = decode_enter(d, text);
	char why[SCALAR_WHY];

	out->name = (struct config_name){.text = (char *)text, .pos = pos};
	if (scalar_name(text, why) < 0)
		decode_error(d, pos, "%s", why);
	else if (role != NULL && role->kind == YAML_MAP && role->count > 0)
		decode_map(d, &schema_node, role, out);
	else if (role != NULL && !role->null)
		decode_value(d, &role_key, role, out);
	else if (!role_by_name(text, &out->role))
		decode_error(d, pos, "needs a role: write {%.32s: leaf}, spine, super or host",
			     text);
	decode_leave(d, path);
}

void
decode_nodes(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	struct config_fabric *fabric = &((struct config *)base)->fabric;
	struct config_node *nodes = decode_alloc(d, (node->count + 1) * sizeof(*nodes));

	(void)key;
	if (nodes == NULL)
		return;
	if (node->kind == YAML_SCALAR) {
		decode_error(d, node->pos, "expected a list of names, or {name: role, ...}");
		return;
	}
	for (unsigned i = 0; i < node->count; i++) {
		if (node->kind == YAML_MAP) {
			decode_node(d, node->pairs[i].key, node->pairs[i].key_pos,
				    node->pairs[i].value, &nodes[i]);
		} else {
			const char *text = decode_text(d, node->items[i]);

			if (text == NULL)
				return;
			decode_node(d, text, node->items[i]->pos, NULL, &nodes[i]);
		}
	}
	fabric->nodes = nodes;
	fabric->node_count = node->count;
}

void
decode_endpoint(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		void *base)
{
	struct config_endpoint *end = member(key, base);
	const char *text = decode_text(d, node);
	const char *dot;

	if (text == NULL)
		return;
	end->name = (struct config_name){.text = (char *)text, .pos = node->pos};
	dot = strchr(text, '.');
	if (dot == text || (dot != NULL && scalar_port_number(dot + 1, "swp", &end->port) < 0 &&
			    scalar_port_number(dot + 1, "eth", &end->port) < 0)) {
		decode_error(d, node->pos,
			     "\"%.60s\" is not a port such as leaf1.swp1 or h1.eth1 (1 to 256)",
			     text);
		return;
	}
	end->node = arena_text(d->arena, text, dot != NULL ? (size_t)(dot - text) : strlen(text));
	d->out_of_memory |= end->node == NULL;
}

void
decode_cpus(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	    void *base)
{
	struct config_live *live = &((struct config *)base)->live;
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	char why[SCALAR_WHY];
	int64_t cpu;

	(void)key;
	if (items == NULL)
		return;
	live->cpu_count = 0;
	live->cpus_auto = node->kind == YAML_SCALAR && !node->null &&
			  strcmp(node->text, "auto") == 0;
	if (live->cpus_auto)
		return;
	if (count == 0 || count > CONFIG_CPUS_MAX) {
		decode_error(d, node->pos, "needs 1 to %d CPU numbers, or auto", CONFIG_CPUS_MAX);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			return;
		if (scalar_integer(text, 0, 4095, &cpu, why) < 0) {
			decode_error(d, items[i]->pos, "%s, or auto", why);
			return;
		}
		for (unsigned j = 0; j < i; j++)
			if (live->cpus[j] == cpu)
				decode_error(d, items[i]->pos, "CPU %d is named twice", (int)cpu);
		live->cpus[live->cpu_count++] = cpu;
	}
}

#define VIA_AT(member) SCHEMA_AT(struct config_via, member)
#define VIA_WEIGHT_MAX 65535
#define VIA_VNI_MAX 16777215

static const struct schema_key via_keys[] = {
	{"port", SCHEMA_TEXT, .help = "the port it is behind", VIA_AT(port)},
	{"mac", SCHEMA_MAC, .help = "its address, where the file does not say what is behind",
	 VIA_AT(mac)},
	{"node", SCHEMA_NAME, .help = "the neighbour, in the port's place", VIA_AT(node),
	 .excludes = "port"},
	{"vtep", SCHEMA_TEXT, .help = "the far end of a tunnel, in the port's place", VIA_AT(vtep),
	 .excludes = "port"},
	{"vni", SCHEMA_INTEGER, .help = "in the tunnel; the VRF's", VIA_AT(vni), .min = 1,
	 .max = VIA_VNI_MAX, .excludes = "port"},
	{"weight", SCHEMA_INTEGER, .def = "1", .help = "against the others", VIA_AT(weight),
	 .min = 1, .max = VIA_WEIGHT_MAX},
};

static void
check_via(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *port = yaml_tree_get(node, "port"),
			       *neighbour = yaml_tree_get(node, "node"),
			       *vtep = yaml_tree_get(node, "vtep"),
			       *vni = yaml_tree_get(node, "vni"),
			       *weight = yaml_tree_get(node, "weight");

	(void)base;
	if (port == NULL && neighbour == NULL && vtep == NULL)
		decode_error(d, node->pos, "needs \"port\", \"node\" or \"vtep\": where it leads");
	else if (vtep != NULL && (port != NULL || neighbour != NULL))
		decode_error(d, vtep->key_pos, "vtep and %s exclude each other",
			     port != NULL ? "port" : "node");
	else if (port != NULL && neighbour != NULL)
		decode_error(d, neighbour->key_pos, "port and node exclude each other");
	else if (neighbour != NULL && yaml_tree_get(node, "mac") != NULL)
		decode_error(d, node->pos, "a node's address is known: leave out mac");
	else if (vtep == NULL && vni != NULL)
		decode_error(d, vni->key_pos, "goes with vtep");
	else if (vtep != NULL && weight != NULL)
		decode_error(d, weight->key_pos,
			     "a tunnel's next hops have the weights of the route to its far end");
}

const struct schema schema_via = {SCHEMA_COUNT(via_keys), .check = check_via};

void
decode_via(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	   void *base)
{
	struct config_route *route = base;
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	struct config_via *via = decode_alloc(d, (count + 1) * sizeof(*via));

	(void)key;
	if (items == NULL || via == NULL)
		return;
	if (count > 256) {
		decode_error(d, node->pos, "%u next hops: 256 at most", count);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		const struct yaml_node *item = items[i];

		via[i].weight = 1;
		if (item->kind == YAML_SCALAR && !item->null)
			via[i].node = (struct config_name){.text = item->text, .pos = item->pos};
		else
			decode_map(d, &schema_via, item, &via[i]);
		if (via[i].port.text != NULL &&
		    scalar_port_number(via[i].port.text, "swp", &via[i].port_number) < 0)
			decode_error(d, via[i].port.pos, "\"%.40s\" is not a port: swp1 to swp256",
				     via[i].port.text);
	}
	route->via = via;
	route->via_count = count;
}

void
decode_path_mtu(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		void *base)
{
	const char *text = decode_text(d, node);
	uint32_t *path_mtu = member(key, base);
	char why[SCALAR_WHY];
	int64_t value = 0;

	if (text == NULL)
		return;
	if (strcmp(text, key->word) != 0 &&
	    scalar_integer(text, key->min, key->max, &value, why) < 0) {
		decode_error(d, node->pos, "%s, or %s", why, key->word);
		return;
	}
	if (value != 0 && (value & (value - 1)) != 0)
		decode_warning(d, node->pos,
			       "%s is none of RoCE's five (256, 512, 1024, 2048, 4096)", text);
	*path_mtu = value;
}

void
decode_address(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	       void *base)
{
	const char *text = decode_text(d, node);
	struct config_address *address = member(key, base);
	char why[SCALAR_WHY];

	if (text == NULL)
		return;
	address->pos = node->pos;
	if (scalar_host_address(text, &address->version, address->bytes, why) < 0)
		decode_error(d, node->pos, "%s", why);
}
