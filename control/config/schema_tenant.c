// SPDX-License-Identifier: BSD-3-Clause
// The schema of one tenant: its hosts, how its VRF crosses the fabric, which others it joins, where
// it meets the outside, and its part of the buffers.
#include "schema_keys_internal.h"

#include "scalar.h"

#include <string.h>

#define TENANT_AT(member) SCHEMA_AT(struct config_tenant, member)
#define VLAN_MAX 4094 // 4095 is reserved (IEEE 802.1Q)

static const struct schema_choice encaps[] = {
	{"auto", CONFIG_ENCAP_AUTO},
	{"vxlan", CONFIG_ENCAP_VXLAN},
	{"vlan", CONFIG_ENCAP_VLAN},
	{"plain", CONFIG_ENCAP_PLAIN},
	{NULL, 0},
};
static const struct schema_choice tunnel_dscps[] = {
	{"uniform", CONFIG_TUNNEL_UNIFORM},
	{"pipe", CONFIG_TUNNEL_PIPE},
	{NULL, 0},
};
static const struct schema_choice networks[] = {
	{"east-west", CONFIG_NETWORK_EAST_WEST},
	{"storage", CONFIG_NETWORK_STORAGE},
	{"north-south", CONFIG_NETWORK_NORTH_SOUTH},
	{"out-of-band", CONFIG_NETWORK_OUT_OF_BAND},
	{NULL, 0},
};

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

static void
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

static void
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

static void
check_buffer(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_tenant *tenant = base;

	(void)d;
	tenant->buffer_set = true;
	tenant->buffer_pos = node->pos;
}

// An error about one of the tenant's keys.
static void
key_error(struct decoder *d, const struct yaml_pair *pair, const char *what)
{
	size_t path = decode_enter(d, pair->key);

	decode_error(d, pair->value->pos, "%s", what);
	decode_leave(d, path);
}

static void
check_tenant(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *vni = yaml_tree_get(node, "vni"),
			       *vlan = yaml_tree_get(node, "vlan"),
			       *encap = yaml_tree_get(node, "encap"),
			       *hosts = yaml_tree_get(node, "hosts");
	struct config_tenant *tenant = base;
	bool rest = strcmp(tenant->name.text, CONFIG_REST) == 0;

	if (vni != NULL)
		tenant->vni_pos = vni->value->pos;
	if (vlan != NULL)
		tenant->vlan_pos = vlan->value->pos;
	if (rest && hosts != NULL)
		key_error(d, hosts, "rest has the hosts that no other tenant has: leave this out");
	if (rest || encap == NULL)
		return;
	if (tenant->encap == CONFIG_ENCAP_VXLAN && vni == NULL)
		key_error(d, encap, "vxlan needs a VNI: write vni: 5001, or another");
	else if (tenant->encap == CONFIG_ENCAP_VLAN && vlan == NULL)
		key_error(d, encap, "vlan needs a VLAN: write vlan: 101, or another");
}

static const struct schema_key tenant_buffer_keys[] = {
	{"guaranteed", SCHEMA_BYTES, .def = "0B",
	 .help = "set aside in every pool, except unlimited pools and pools of size 0",
	 TENANT_AT(guaranteed_bytes), .min = 0, .max = SCHEMA_BYTES_MAX},
	{"share", SCHEMA_AMOUNT, .def = "none", .help = "of each pool, at most", TENANT_AT(share),
	 .amounts = 1u << CONFIG_AMOUNT_PERCENT | 1u << CONFIG_AMOUNT_ALPHA |
		    1u << CONFIG_AMOUNT_NONE},
};
// Maps by host, or by one of its ports.
static const struct schema_form addresses = {SCHEMA_NAMED, .pattern = SCHEMA_ENDPOINT_PATTERN,
					     .words = "HOST", .item = &schema_form_host_addresses};
static const struct schema_form prefix = {.type = SCHEMA_PREFIX};
static const struct schema_form host_prefixes = {SCHEMA_LIST, .min = 1, .item = &prefix};
static const struct schema_form borders = {SCHEMA_NAMED, .pattern = SCHEMA_ENDPOINT_PATTERN,
					   .words = "HOST", .item = &host_prefixes};

static const struct schema_key tenant_keys[] = {
	{"hosts", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE | SCHEMA_HOSTS, .help = "its hosts",
	 TENANT_AT(hosts), .names = "HOST"},
	{"network", SCHEMA_ENUM, .def = "east-west",
	 .help = "which of a cluster's networks it is; out-of-band has neither leak nor border",
	 TENANT_AT(network), .choices = networks},
	{"vni", SCHEMA_INTEGER, .help = "VXLAN network identifier, of this tenant only",
	 TENANT_AT(vni), .min = 1, .max = 16777215},
	{"vlan", SCHEMA_INTEGER, .help = "VLAN between switches, of this tenant only",
	 TENANT_AT(vlan), .min = 1, .max = VLAN_MAX},
	{"encap", SCHEMA_ENUM, .def = "auto",
	 .help = "between switches; auto: vxlan with vni, vlan with vlan, else plain",
	 TENANT_AT(encap), .choices = encaps},
	{"dscp", SCHEMA_ENUM, .def = "uniform",
	 .help = "DSCP of a tunnel: that of the packet inside, or only that of the priority",
	 TENANT_AT(dscp), .choices = tunnel_dscps},
	{"leak", SCHEMA_NAMES, .flags = SCHEMA_UNIQUE,
	 .help = "tenants whose VRFs exchange routes with this one, never passed on",
	 TENANT_AT(leak), .names = "TENANT"},
	// Custom: several addresses of one host become one list of (host, address).
	{"addresses", SCHEMA_CUSTOM,
	 .help = "addresses instead of the address plan's: {h1: 172.16.0.1}", TENANT_AT(addresses),
	 .decode = decode_addresses, .form = &addresses},
	// Custom: a map of hosts to lists of prefixes.
	{"border", SCHEMA_CUSTOM, .help = "prefixes behind hosts: {h8: [0.0.0.0/0]}",
	 TENANT_AT(borders), .decode = decode_borders, .form = &borders},
	{"buffer", SCHEMA_MAP, .help = "its part of every switch's buffer",
	 .sub = &(const struct schema){SCHEMA_COUNT(tenant_buffer_keys), .check = check_buffer}},
};
const struct schema schema_tenant = {
	SCHEMA_COUNT(tenant_keys),
	.size = sizeof(struct config_tenant),
	.check = check_tenant,
};
