// SPDX-License-Identifier: BSD-3-Clause
// A tenant's maps by host: addresses, and prefixes behind it.
#include "schema_internal.h"

#include "scalar.h"

#include <string.h>

// How many items the values of a map have together; no value counts as one item.
static unsigned
count_items(const struct yaml_node *map)
{
	unsigned count = 0;

	for (unsigned i = 0; i < map->count; i++)
		count += map->pairs[i].value->kind == YAML_LIST ? map->pairs[i].value->count : 1;
	return count;
}

// One or several addresses of one host, at most one of each IP version.
static void
decode_host_addresses(struct decoder *d, const struct yaml_pair *host, struct config_tenant *tenant,
		      struct config_tenant_address *all)
{
	struct yaml_node *single[1];
	unsigned count, first = tenant->address_count;
	struct yaml_node *const *items = decode_items(d, host->value, single, &count);
	char why[SCALAR_WHY];

	if (items != NULL && count == 0)
		decode_error(d, host->value->pos,
			     "needs an IPv4 address, an IPv6 address, or both");
	for (unsigned i = 0; items != NULL && i < count; i++) {
		struct config_tenant_address *to = &all[tenant->address_count];
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			continue;
		to->host = (struct config_name){.text = host->key, .pos = host->key_pos};
		to->pos = items[i]->pos;
		if (scalar_host_address(text, &to->version, to->address, why) < 0) {
			decode_error(d, to->pos, "%s", why);
			continue;
		}
		for (unsigned j = first; j < tenant->address_count; j++)
			if (all[j].version == to->version)
				decode_error(d, to->pos, "%s has an IPv%u address already",
					     host->key, to->version);
		tenant->address_count++;
	}
}

void
decode_addresses(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		 void *base)
{
	struct config_tenant *tenant = base;
	struct config_tenant_address *all;

	(void)key;
	if (!decode_is_map(d, node))
		return;
	all = arena_alloc(d->arena, (count_items(node) + 1) * sizeof(*all));
	tenant->addresses = all;
	tenant->address_count = 0;
	for (unsigned i = 0; i < node->count; i++) {
		size_t path = decode_enter(d, node->pairs[i].key);

		decode_host_addresses(d, &node->pairs[i], tenant, all);
		decode_leave(d, path);
	}
}

static void
decode_border(struct decoder *d, const struct yaml_pair *host, struct config_border *out)
{
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, host->value, single, &count);
	struct config_prefix *prefixes = arena_alloc(d->arena, (count + 1) * sizeof(*prefixes));
	char why[SCALAR_WHY];

	out->host = (struct config_name){.text = host->key, .pos = host->key_pos};
	if (items == NULL)
		return;
	if (count == 0)
		decode_error(d, host->value->pos, "needs a prefix such as 0.0.0.0/0");
	out->prefixes = prefixes;
	for (unsigned i = 0; i < count; i++) {
		struct config_prefix *to = &prefixes[out->prefix_count];
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			continue;
		if (scalar_prefix(text, to, why) < 0) {
			decode_error(d, items[i]->pos, "%s", why);
			continue;
		}
		for (unsigned j = 0; j < out->prefix_count; j++)
			if (memcmp(&prefixes[j], to, sizeof(*to)) == 0)
				decode_error(d, items[i]->pos, "%s is named twice", text);
		out->prefix_count++;
	}
}

void
decode_borders(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	       void *base)
{
	struct config_tenant *tenant = base;
	struct config_border *all;

	(void)key;
	if (!decode_is_map(d, node))
		return;
	all = arena_alloc(d->arena, (node->count + 1) * sizeof(*all));
	for (unsigned i = 0; i < node->count; i++) {
		size_t path = decode_enter(d, node->pairs[i].key);

		decode_border(d, &node->pairs[i], &all[i]);
		decode_leave(d, path);
	}
	tenant->borders = all;
	tenant->border_count = node->count;
}
