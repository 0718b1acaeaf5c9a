// SPDX-License-Identifier: BSD-3-Clause
// What the rows of `attach:` (schema_file.c) leave to functions: addresses, and which keys go
// together.
#include "scalar.h"
#include "schema_keys_internal.h"
#include "yaml_emit.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>

#define NETNS_NAME_MAX 64
#define CONTAINER_NAME_MAX 128

const struct schema_form schema_form_address = {SCHEMA_TEXT, .pattern = "^[0-9A-Fa-f:.]+$",
						.words = "an IPv4 or IPv6 address"};
const struct schema_form schema_form_host_addresses = {SCHEMA_LIST, .min = 1, .max = 2,
						       .item = &schema_form_address};

bool
config_attach_makes_interface(const struct config_attach *attach)
{
	return attach->dev.text == NULL && attach->tap.text == NULL;
}

void
decode_attach_ip(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		 void *base)
{
	struct config_attach *attach = base;
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	char why[SCALAR_WHY];

	(void)key;
	if (items != NULL && count == 0)
		decode_error(d, node->pos, "needs an IPv4 address, an IPv6 address, or both");
	for (unsigned i = 0; items != NULL && i < count; i++) {
		struct config_address one = {.pos = items[i]->pos};
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			continue;
		if (scalar_host_address(text, &one.version, one.bytes, why) < 0)
			decode_error(d, one.pos, "%s", why);
		else if (attach->ip_count != 0 &&
			 (attach->ip_count == 2 || attach->ip[0].version == one.version))
			decode_error(d, one.pos, "%s has an IPv%u address already",
				     attach->host.text, one.version);
		else
			attach->ip[attach->ip_count++] = one;
	}
}

bool
encode_attach_ip(FILE *to, const struct schema_key *key, const void *base)
{
	const struct config_attach *attach = base;
	char text[INET6_ADDRSTRLEN];

	(void)key;
	for (unsigned i = 0; i < attach->ip_count; i++) {
		inet_ntop(attach->ip[i].version == 6 ? AF_INET6 : AF_INET, attach->ip[i].bytes,
			  text, sizeof(text));
		fprintf(to, "%s%s", i == 0 ? "[" : ", ", text);
	}
	return attach->ip_count != 0 && fputc(']', to) >= 0;
}

// Letters, digits, and the signs of `others`, the first of them a letter or a digit.
static bool
is_plain_word(const char *text, size_t length_max, const char *others)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && (i == 0 || strchr(others, text[i]) == NULL))
			return false;
	return length > 0 && length <= length_max;
}

static void
check_words(struct decoder *d, const struct config_attach *attach)
{
	const char *netns = attach->netns.text;

	if (netns != NULL && (strchr(netns, '/') != NULL || strchr(".-", netns[0]) != NULL ||
			      strlen(netns) > NETNS_NAME_MAX))
		decode_error(d, attach->netns.pos, "\"%.64s\" cannot name a namespace", netns);
	if (attach->container.text != NULL &&
	    !is_plain_word(attach->container.text, CONTAINER_NAME_MAX, "_.-"))
		decode_error(d, attach->container.pos,
			     "\"%.64s\" cannot name a container: letters, digits, \"_\", \".\" and "
			     "\"-\", a letter or digit first",
			     attach->container.text);
	if (attach->tap.text != NULL && !is_plain_word(attach->tap.text, IFNAMSIZ - 1, "_.-"))
		decode_error(d, attach->tap.pos,
			     "\"%.64s\" cannot name an interface: 1 to %d letters, digits, \"_\", "
			     "\".\" and \"-\", a letter or digit first",
			     attach->tap.text, IFNAMSIZ - 1);
}

// Keys of the edge NIC, of a host that has none.
static void
check_without_nic(struct decoder *d, const struct yaml_node *node,
		  const struct config_attach *attach)
{
	const struct yaml_pair *buffer = yaml_tree_get(node, "buffer");
	const struct yaml_pair *reorder = yaml_tree_get(node, "reorder");

	if (buffer != NULL && attach->buffer_bytes != 0)
		decode_error(d, buffer->value->pos,
			     "buffer needs nic: on, because it is the buffer of the edge NIC");
	if (reorder != NULL && attach->reorder)
		decode_error(d, reorder->value->pos,
			     "reorder: on needs nic: on, because the edge NIC does it");
}

void
check_attach(struct decoder *d, const struct yaml_node *node, void *base)
{
	static const char *const ways[] = {"netns", "pid", "container", "tap", "dev"};
	const struct yaml_pair *found[2] = {NULL, NULL};
	struct config_attach *attach = base;
	unsigned count = 0;

	attach->reorder_written = yaml_tree_get(node, "reorder") != NULL;
	if (!attach->nic)
		check_without_nic(d, node, attach);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && count < 2; i++)
		if (yaml_tree_get(node, ways[i]) != NULL)
			found[count++] = yaml_tree_get(node, ways[i]);
	if (count == 0)
		decode_error(d, node->pos,
			     "needs one of netns, pid, container (where the host is), tap (for a "
			     "virtual machine) and dev (a DPDK device)");
	// A user's device may be in a namespace.
	else if (count == 2 &&
		 (strcmp(found[0]->key, "netns") != 0 || strcmp(found[1]->key, "dev") != 0))
		decode_error(d, found[1]->key_pos, "%s cannot be combined with %s", found[1]->key,
			     found[0]->key);
	check_words(d, base);
}

int
config_decode_attach(struct config_attach *out, struct arena *arena, const char *host,
		     const struct yaml_node *entry, struct diag *diag)
{
	struct decoder d = {.file = "attach", .diag = diag, .arena = arena};
	unsigned before = diag->errors;

	*out = (struct config_attach){.host.text = arena_text(arena, host, strlen(host))};
	decode_defaults(&d, &schema_attach, out);
	decode_enter(&d, "attach");
	decode_enter(&d, host);
	decode_map(&d, &schema_attach, entry, out);
	return diag->errors == before ? 0 : -EINVAL;
}

int
config_read_attach(const char *const *words, unsigned count, char **out, struct diag *diag)
{
	struct yaml_node map = {.kind = YAML_MAP};
	struct arena arena = {0};
	int rc = 0;

	*out = NULL;
	for (unsigned i = 0; rc == 0 && i < count; i++) {
		const char *equals = strchr(words[i], '=');
		struct yaml_node *value = arena_alloc(&arena, sizeof(*value));
		struct yaml_pair pair = {.value = value};

		if (equals == NULL || equals == words[i] || equals[1] == '\0') {
			rc = diag_fail(diag, EINVAL,
				       "\"%.80s\": write KEY=VALUE, such as netns=lab", words[i]);
			break;
		}
		pair.key = arena_text(&arena, words[i], (size_t)(equals - words[i]));
		*value = (struct yaml_node){
			.kind = YAML_SCALAR,
			.text = arena_text(&arena, equals + 1, strlen(equals + 1)),
		};
		yaml_tree_add_pair(&arena, &map, pair);
	}
	if (rc == 0) {
		*out = yaml_emit_value(&map);
		if (*out == NULL)
			rc = diag_fail(diag, EINVAL, "keys and values must be UTF-8 text");
	}
	arena_free(&arena);
	return rc;
}
