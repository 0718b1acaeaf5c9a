// SPDX-License-Identifier: BSD-3-Clause
// The values of links: how long, and which one they are of.
#include "schema_keys_internal.h"

#include "scalar.h"

#include <string.h>

// A delay and a cable say the same.
static struct config_link *
link_of(const struct schema_key *key, size_t member, void *base)
{
	return (struct config_link *)((char *)base + key->offset - member);
}

void
cable_from_delay(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		 void *base)
{
	struct config_link *link = link_of(key, offsetof(struct config_link, delay_ps), base);

	(void)d, (void)node;
	link->cable_mm = scalar_delay_cable_mm(link->delay_ps);
}

void
delay_from_cable(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		 void *base)
{
	struct config_link *link = link_of(key, offsetof(struct config_link, cable_mm), base);

	(void)d, (void)node;
	link->delay_ps = scalar_cable_delay_ps(link->cable_mm);
}

void
check_written(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_link_written *written = base;

	written->rate_set = yaml_tree_get(node, "rate") != NULL;
	written->mtu_set = yaml_tree_get(node, "mtu") != NULL;
	written->delay_set = yaml_tree_get(node, "delay") != NULL ||
			     yaml_tree_get(node, "cable") != NULL;
	(void)d;
}

struct config_link
config_link_over(const struct config_link *link, const struct config_link_written *written)
{
	struct config_link out = *link;

	if (written->rate_set)
		out.rate_bps = written->link.rate_bps;
	if (written->delay_set) {
		out.delay_ps = written->link.delay_ps;
		out.cable_mm = written->link.cable_mm;
	}
	if (written->mtu_set)
		out.mtu = written->link.mtu;
	if (written->link.loss_ppm != 0)
		out.loss_ppm = written->link.loss_ppm;
	if (written->link.pos.line != 0)
		out.pos = written->link.pos;
	return out;
}

static void
unknown_link(struct decoder *d, const struct yaml_pair *pair)
{
	const char *words[8];
	char hint[80];
	unsigned count = 0;

	for (; count < schema_links.count && count < 8; count++)
		words[count] = schema_links.keys[count].name;
	decode_error(d, pair->key_pos, "unknown key, and no link such as leaf1-spine1%s",
		     decode_hint(hint, pair->key, words, count));
}

void
decode_named_links(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_fabric *fabric = &((struct config *)base)->fabric;
	struct config_named_link *links = arena_alloc(d->arena, (node->count + 1) * sizeof(*links));
	unsigned count = 0;

	for (unsigned i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];
		size_t path;

		if (schema_find(&schema_links, pair->key) != NULL)
			continue;
		path = decode_enter(d, pair->key);
		if (strchr(pair->key, '-') == NULL) {
			unknown_link(d, pair);
		} else {
			links[count].name =
				(struct config_name){.text = pair->key, .pos = pair->key_pos};
			decode_map(d, &schema_link_written, pair->value, &links[count++].written);
		}
		decode_leave(d, path);
	}
	fabric->named_links = links;
	fabric->named_link_count = count;
}
