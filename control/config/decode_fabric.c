// SPDX-License-Identifier: BSD-3-Clause
#include "decode_fabric.h"

#include "scalar.h"

#include <string.h>

#define DELAY_MAX_PS UINT64_C(1000000000000) // one second: 198,000 km

static void *
member(const struct schema_key *key, void *base)
{
	return (char *)base + key->offset;
}

void
decode_delay(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	struct config_link *link = member(key, base);
	const char *text = decode_text(d, node);
	char why[SCALAR_WHY];
	uint64_t delay_ps;

	if (text == NULL)
		return;
	if (scalar_duration(text, &delay_ps, why) < 0) {
		decode_error(d, node->pos, "%s", why);
	} else if (delay_ps > DELAY_MAX_PS) {
		decode_error(d, node->pos, "%.40s is out of range: 0ns to 1s", text);
	} else {
		link->delay_ps = delay_ps;
		link->cable_mm = scalar_delay_cable_mm(delay_ps);
	}
}

void
decode_cable(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	struct config_link *link = member(key, base);
	const char *text = decode_text(d, node);
	char why[SCALAR_WHY];
	uint64_t cable_mm;

	if (text == NULL)
		return;
	if (scalar_cable(text, &cable_mm, why) < 0) {
		decode_error(d, node->pos, "%s", why);
	} else if (scalar_cable_delay_ps(cable_mm) > DELAY_MAX_PS) {
		decode_error(d, node->pos, "%.40s is out of range: 0m to 198000km", text);
	} else {
		link->cable_mm = cable_mm;
		link->delay_ps = scalar_cable_delay_ps(cable_mm);
	}
}

void
check_one_delay(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *delay = yaml_tree_get(node, "delay");
	const struct yaml_pair *cable = yaml_tree_get(node, "cable");

	(void)base;
	if (delay != NULL && cable != NULL)
		decode_error(d, delay > cable ? delay->key_pos : cable->key_pos,
			     "delay and cable exclude each other: one follows from the other");
}

static bool
role_by_name(const char *name, enum config_role *role)
{
	static const struct {
		const char *prefix;
		enum config_role role;
	} prefixes[] = {
		{"leaf", CONFIG_ROLE_LEAF}, {"spine", CONFIG_ROLE_SPINE}, {"h", CONFIG_ROLE_HOST}};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)) != 0)
			continue;
		*role = prefixes[i].role;
		return true;
	}
	return false;
}

// `text` names the node, `role` (a word or {role: word}) says what it is, or is NULL.
static void
decode_node(struct decoder *d, const char *text, struct config_pos pos,
	    const struct yaml_node *role, struct config_node *out)
{
	static const struct schema_key role_key = {
		"role", SCHEMA_ENUM, SCHEMA_AT(struct config_node, role), .choices = schema_roles};
	static const struct schema role_schema = {.keys = &role_key, .count = 1};
	size_t path = decode_enter(d, text);
	char why[SCALAR_WHY];

	out->name = (struct config_name){.text = (char *)text, .pos = pos};
	if (scalar_name(text, why) < 0)
		decode_error(d, pos, "%s", why);
	else if (role != NULL && role->kind == YAML_MAP && role->count > 0)
		decode_map(d, &role_schema, role, out);
	else if (role != NULL && !role->null)
		decode_value(d, &role_key, role, out);
	else if (!role_by_name(text, &out->role))
		decode_error(d, pos, "needs a role: write {%.32s: leaf}, spine or host", text);
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

static const struct schema_key via_keys[] = {
	{"port", SCHEMA_TEXT, .help = "the port it is behind", SCHEMA_AT(struct config_via, port),
	 .required = 1},
	{"mac", SCHEMA_MAC, .help = "the next hop's address", SCHEMA_AT(struct config_via, mac),
	 .required = 1},
};
static const struct schema via_schema = {SCHEMA_COUNT(via_keys)};

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

		if (item->kind == YAML_SCALAR && !item->null)
			via[i].node = (struct config_name){.text = item->text, .pos = item->pos};
		else
			decode_map(d, &via_schema, item, &via[i]);
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
