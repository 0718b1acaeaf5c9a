// SPDX-License-Identifier: BSD-3-Clause
// The schema of `learn:`, where a switch's VRFs learn their routes from.
#include "merge.h"
#include "schema_keys_internal.h"

#include "encode.h"
#include "scalar.h"

#include <arpa/inet.h>
#include <string.h>

static const struct schema_choice sources[] = {
	{"netlink", CONFIG_LEARN_NETLINK},
	{"fpm", CONFIG_LEARN_FPM},
	{"both", CONFIG_LEARN_NETLINK | CONFIG_LEARN_FPM},
	{NULL, 0},
};

// "127.0.0.1:2620", "[::1]:2620".
static bool
parse_listen(const char *text, struct config_listen *out)
{
	const char *colon = strrchr(text, ':');
	char address[INET6_ADDRSTRLEN];
	char why[SCALAR_WHY];
	bool ip6 = text[0] == '[';
	size_t length;
	int64_t port;

	if (colon == NULL || scalar_integer(colon + 1, 1, UINT16_MAX, &port, why) < 0)
		return false;
	length = (size_t)(colon - text);
	if (ip6 && (length < 2 || text[length - 1] != ']'))
		return false;
	if (ip6) {
		text++;
		length -= 2;
	}
	if (length >= sizeof(address))
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	out->version = ip6 ? 6 : 4;
	out->port = (uint16_t)port;
	return inet_pton(ip6 ? AF_INET6 : AF_INET, address, out->address) == 1;
}

static void
decode_listen(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      void *base)
{
	struct config_listen *listen = (struct config_listen *)((char *)base + key->offset);
	const char *text = decode_text(d, node);

	if (text == NULL)
		return;
	if (!parse_listen(text, listen))
		decode_error(d, node->pos,
			     "\"%.60s\" is not an address and a port, such as 127.0.0.1:2620 or "
			     "\"[::1]:2620\"",
			     text);
	listen->pos = node->pos;
}

static bool
encode_listen(FILE *to, const struct schema_key *key, const void *base)
{
	const struct config_listen *listen =
		(const struct config_listen *)((const char *)base + key->offset);
	char text[INET6_ADDRSTRLEN];

	if (inet_ntop(listen->version == 6 ? AF_INET6 : AF_INET, listen->address, text,
		      sizeof(text)) == NULL)
		return false;
	return fprintf(to, listen->version == 6 ? "\"[%s]:%u\"" : "%s:%u", text, listen->port) > 0;
}

static void
check_learn(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *fpm = yaml_tree_get(node, "fpm");
	const struct config_learn *learn = base;

	if (fpm != NULL && !(learn->source & CONFIG_LEARN_FPM))
		decode_error(d, fpm->key_pos,
			     "fpm is not listened to: `source:` must be fpm or both");
}

#define LEARN_AT(member) SCHEMA_AT(struct config_learn, member)

static const struct schema_key fpm_keys[] = {
	// Custom: an address with a port.
	{"listen", SCHEMA_CUSTOM, .def = "127.0.0.1:2620",
	 .help = "address and port in the namespace that zebra connects to",
	 SCHEMA_AT(struct config_learn, fpm), .decode = decode_listen, .encode = encode_listen,
	 SCHEMA_FORM(SCHEMA_TEXT, .pattern = "^.+:[0-9]+$", .words = "an address and a port")},
	{"user", SCHEMA_NAME, .def = "frr",
	 .help = "who may connect there besides root and the user who runs Roost: a user's name or "
		 "number, or any",
	 LEARN_AT(fpm_user)},
};

static const struct schema_key learn_keys[] = {
	{"vrf", SCHEMA_NAME, .def = "default", .help = "the routing table that learns",
	 LEARN_AT(vrf)},
	{"netns", SCHEMA_NAME, .help = "the namespace to learn from (default: that of the command)",
	 LEARN_AT(netns)},
	{"table", SCHEMA_INTEGER, .def = "254",
	 .help = "the kernel's routing table, such as that of a VRF interface; 254 is main",
	 LEARN_AT(table), .min = 1, .max = UINT32_MAX},
	{"source", SCHEMA_ENUM, .def = "netlink",
	 .help = "the kernel's routes, the routes that zebra sends by FPM, or both",
	 LEARN_AT(source), .choices = sources},
	{"fpm", SCHEMA_MAP, .help = "FRR's dplane_fpm_nl connects here",
	 .sub = &(const struct schema){SCHEMA_COUNT(fpm_keys)}},
};

const struct schema schema_learn = {SCHEMA_COUNT(learn_keys), .size = sizeof(struct config_learn),
				    SCHEMA_POS(struct config_learn, pos), .check = check_learn};

static bool
same_name(const struct config_name *a, const struct config_name *b)
{
	return a->text == NULL || b->text == NULL ? a->text == b->text
						  : strcmp(a->text, b->text) == 0;
}

// zebra of a namespace connects to one address.
static bool
share_fpm(const struct config_learn *a, const struct config_learn *b)
{
	return same_name(&a->netns, &b->netns) && a->source & CONFIG_LEARN_FPM &&
	       b->source & CONFIG_LEARN_FPM && a->fpm.port == b->fpm.port &&
	       a->fpm.version == b->fpm.version &&
	       memcmp(a->fpm.address, b->fpm.address, sizeof(a->fpm.address)) == 0;
}

static void
check_pair(const struct config *config, const struct config_learn *before,
	   const struct config_learn *learn, struct diag *diag)
{
	if (same_name(&before->vrf, &learn->vrf))
		diag_error(diag, config->file, learn->pos, "learn",
			   "VRF %s learns already (line %u)", learn->vrf.text, before->pos.line);
	else if (same_name(&before->netns, &learn->netns) && before->table == learn->table)
		diag_error(diag, config->file, learn->pos, "learn",
			   "VRF %s learns from table %u of %s already (line %u): each VRF of a "
			   "switch has a namespace or a table of its own",
			   before->vrf.text, learn->table,
			   learn->netns.text != NULL ? learn->netns.text
						     : "the command's namespace",
			   before->pos.line);
	else if (share_fpm(before, learn))
		diag_error(diag, config->file, learn->pos, "learn",
			   "VRF %s waits for FPM at the same address already (line %u): let this "
			   "one learn by netlink, or set `fpm.listen`",
			   before->vrf.text, before->pos.line);
}

void
check_learns(const struct config *config, const struct switch_config *settings, struct diag *diag)
{
	for (unsigned i = 0; i < settings->learn_count; i++)
		for (unsigned j = 0; j < i; j++)
			check_pair(config, &settings->learns[j], &settings->learns[i], diag);
}

void
check_learn_section(const struct config *config, const struct yaml_pair *section, struct diag *diag)
{
	const struct yaml_pair *learn = yaml_tree_get(section->value, "learn");
	enum config_role role;

	if (learn != NULL && config_node_role(config, section->key, &role) != 0)
		diag_error(diag, config->file, learn->key_pos, section->key,
			   "learn belongs in the section of one switch, such as `leaf1:`: a "
			   "namespace is one switch's");
}
