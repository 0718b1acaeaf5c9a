// SPDX-License-Identifier: BSD-3-Clause
// The values of links: how long, and which one they are of.
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

void
check_written(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_link_written *written = base;

	written->link.pos = node->pos;
	written->rate_set = yaml_tree_get(node, "rate") != NULL;
	written->mtu_set = yaml_tree_get(node, "mtu") != NULL;
	written->delay_set = yaml_tree_get(node, "delay") != NULL ||
			     yaml_tree_get(node, "cable") != NULL;
	check_one_delay(d, node, base);
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

static bool
is_key(const struct schema *schema, const char *name)
{
	for (unsigned i = 0; i < schema->count; i++)
		if (strcmp(schema->keys[i].name, name) == 0)
			return true;
	return false;
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
	struct config_named_link *links = decode_alloc(d, (node->count + 1) * sizeof(*links));
	unsigned count = 0;

	for (unsigned i = 0; links != NULL && i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];
		size_t path;

		if (is_key(&schema_links, pair->key))
			continue;
		path = decode_enter(d, pair->key);
		if (strchr(pair->key, '-') == NULL) {
			unknown_link(d, pair);
		} else {
			links[count].name = (struct config_name){pair->key, pair->key_pos};
			decode_map(d, &schema_link_written, pair->value, &links[count++].written);
		}
		decode_leave(d, path);
	}
	fabric->named_links = links;
	fabric->named_link_count = count;
}
