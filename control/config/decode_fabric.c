// SPDX-License-Identifier: BSD-3-Clause
#include "schema_keys_internal.h"

#include "host_range.h"
#include "scalar.h"

#include <stdlib.h>
#include <string.h>

const char *
config_role_prefix(enum config_role role)
{
	static const char *const prefixes[] = {
		[CONFIG_ROLE_LEAF] = "leaf",
		[CONFIG_ROLE_SPINE] = "spine",
		[CONFIG_ROLE_SUPER_SPINE] = "super",
		[CONFIG_ROLE_HOST] = "h",
	};

	return prefixes[role];
}

const char *
config_run_name(const struct config_fabric *fabric, const char *part,
		char text[static CONFIG_RUN_NAME_MAX])
{
	snprintf(text, CONFIG_RUN_NAME_MAX, "%s%s%s", fabric->name.text, part != NULL ? "-" : "",
		 part != NULL ? part : "");
	return text;
}

static bool
role_by_name(const char *name, enum config_role *role)
{
	for (*role = CONFIG_ROLE_LEAF; *role <= CONFIG_ROLE_HOST; (*role)++)
		if (strncmp(name, config_role_prefix(*role), strlen(config_role_prefix(*role))) ==
		    0)
			return true;
	return false;
}

static const struct schema_key role_key = {"role", SCHEMA_ENUM, .help = "what the node is",
					   SCHEMA_AT(struct config_node, role),
					   .choices = schema_roles};
const struct schema schema_node = {.keys = &role_key, .count = 1};

// `text` names the node, `role` (a word or {role: word}) says what it is, or is NULL.
static void
decode_node(struct decoder *d, const char *text, struct diag_pos pos, const struct yaml_node *role,
	    struct config_node *out)
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
		decode_error(d, pos,
			     "needs a role (leaf, spine, super-spine or host): write {%.32s: leaf}",
			     text);
	decode_leave(d, path);
}

static int
text_compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void
list_range_names(struct decoder *d, struct config_fabric *fabric)
{
	const char **names = arena_alloc(d->arena, (fabric->node_count + 1) * sizeof(*names));
	struct host_range range;
	char why[SCALAR_WHY];
	unsigned count = 0;

	for (unsigned i = 0; i < fabric->node_count; i++)
		if (host_range_read(&range, fabric->nodes[i].name.text, why) == 0 &&
		    range.count > 0)
			names[count++] = range.text;
	qsort(names, count, sizeof(*names), text_compare);
	fabric->range_names = names;
	fabric->range_name_count = count;
}

void
decode_nodes(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	struct config_fabric *fabric = &((struct config *)base)->fabric;
	struct config_node *nodes = arena_alloc(d->arena, (node->count + 1) * sizeof(*nodes));

	(void)key;
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
	list_range_names(d, fabric);
}

void
check_endpoint(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	       void *base)
{
	struct config_endpoint *end =
		(struct config_endpoint *)((char *)base + key->offset -
					   offsetof(struct config_endpoint, name));
	const char *text = end->name.text, *dot = strchr(text, '.');

	if (dot == text || (dot != NULL && scalar_port_number(dot + 1, "swp", &end->port) < 0 &&
			    scalar_port_number(dot + 1, "eth", &end->port) < 0)) {
		decode_error(d, node->pos,
			     "\"%.60s\" is not a port such as leaf1.swp1 or h1.eth1 (1 to 256)",
			     text);
		return;
	}
	end->node = arena_text(d->arena, text, dot != NULL ? (size_t)(dot - text) : strlen(text));
}

#define VIA_AT(member) SCHEMA_AT(struct config_via, member)
#define VIA_WEIGHT_MAX 65535
#define VIA_VNI_MAX 16777215

static const struct schema_key via_keys[] = {
	{"port", SCHEMA_TEXT, .help = "the port it is behind", VIA_AT(port)},
	{"mac", SCHEMA_MAC,
	 .help = "MAC of the next hop, where the file does not say what is behind the port",
	 VIA_AT(mac)},
	{"node", SCHEMA_NAME, .help = "the neighbour, instead of the port", VIA_AT(node),
	 .excludes = "port"},
	{"vtep", SCHEMA_TEXT, .help = "the far end of a tunnel, instead of the port", VIA_AT(vtep),
	 .excludes = "port"},
	{"vni", SCHEMA_INTEGER, .help = "VNI in the tunnel (default: the VRF's)", VIA_AT(vni),
	 .min = 1, .max = VIA_VNI_MAX, .excludes = "port"},
	{"weight", SCHEMA_INTEGER, .def = "1", .help = "weight relative to the other next hops",
	 VIA_AT(weight), .min = 1, .max = VIA_WEIGHT_MAX},
};

static void
check_via(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *port = yaml_tree_get(node, "port"),
			       *neighbour = yaml_tree_get(node, "node"),
			       *vtep = yaml_tree_get(node, "vtep"),
			       *vni = yaml_tree_get(node, "vni"),
			       *weight = yaml_tree_get(node, "weight");
	struct config_via *via = base;

	if (port == NULL && neighbour == NULL && vtep == NULL)
		decode_error(d, node->pos, "needs \"port\", \"node\" or \"vtep\": where it leads");
	else if (vtep != NULL && neighbour != NULL)
		decode_error(d, vtep->key_pos, "vtep and node exclude each other");
	else if (neighbour != NULL && yaml_tree_get(node, "mac") != NULL)
		decode_error(d, node->pos, "a node's address is known: leave out mac");
	else if (vtep == NULL && port == NULL && vni != NULL)
		decode_error(d, vni->key_pos, "goes with vtep");
	else if (vtep != NULL && weight != NULL)
		decode_error(d, weight->key_pos,
			     "a tunnel's next hops have the weights of the route to its far end");
	if (via->port.text != NULL)
		decode_port_number(d, &via->port, &via->port_number);
}

const struct schema schema_via = {SCHEMA_COUNT(via_keys), .size = sizeof(struct config_via),
				  .check = check_via, .word_key = "node"};
