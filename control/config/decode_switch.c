// SPDX-License-Identifier: BSD-3-Clause
#include "decode_switch.h"

#include "scalar.h"

#include <string.h>

static void *
member(const struct schema_key *key, void *base)
{
	return (char *)base + key->offset;
}

void
decode_alpha(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	const char *text = decode_text(d, node);
	char why[SCALAR_WHY];

	if (text == NULL)
		return;
	decode_mark(d, member(key, base), node->pos);
	if (scalar_alpha(text, member(key, base), why) < 0)
		decode_error(d, node->pos, "%s", why);
}

void
decode_static(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      void *base)
{
	struct config_limit limit = {.kind = CONFIG_LIMIT_STATIC};
	const char *text = decode_text(d, node);
	char why[SCALAR_WHY];

	if (text == NULL)
		return;
	decode_mark(d, member(key, base), node->pos);
	if (scalar_bytes(text, &limit.static_bytes, why) < 0)
		decode_error(d, node->pos, "%s", why);
	else
		memcpy(member(key, base), &limit, sizeof(limit));
}

void
check_one_limit(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *alpha = yaml_tree_get(node, "alpha");
	const struct yaml_pair *fixed = yaml_tree_get(node, "static");

	(void)base;
	if (alpha != NULL && fixed != NULL)
		decode_error(d, alpha > fixed ? alpha->key_pos : fixed->key_pos,
			     "alpha and static exclude each other: the other stands at line %u",
			     (alpha > fixed ? fixed : alpha)->key_pos.line);
}

void
decode_ecn(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	   void *base)
{
	struct config_ecn *ecn = member(key, base);
	char why[SCALAR_WHY];
	bool on = false;

	decode_mark(d, &ecn->on, node->pos);
	if (node->kind == YAML_SCALAR && !node->null) {
		if (scalar_bool(node->text, &on, why) < 0)
			decode_error(d, node->pos, "expected {min, max, probability}, or off");
		// Off before anything else: thresholds get their defaults, to be there for a later
		// `on`.
		else if (ecn->max_bytes == 0)
			decode_defaults(d, &schema_ecn, ecn);
		ecn->on = on;
		return;
	}
	decode_map(d, &schema_ecn, node, ecn);
	ecn->on = true;
}

void
decode_trust(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	static const char *const words[] = {"dscp", "pcp"};
	struct switch_config *settings = base;
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	char hint[80];

	if (items == NULL)
		return;
	decode_mark(d, member(key, base), node->pos);
	settings->trust_count = 0;
	for (unsigned i = 0; i < count; i++) {
		const char *text = decode_text(d, items[i]);
		enum config_trust trust;

		if (text == NULL)
			return;
		if (strcmp(text, words[0]) != 0 && strcmp(text, words[1]) != 0) {
			decode_error(d, items[i]->pos, "\"%.40s\" is not one of dscp, pcp%s", text,
				     decode_hint(hint, text, words, 2));
			return;
		}
		trust = strcmp(text, "dscp") == 0 ? CONFIG_TRUST_DSCP : CONFIG_TRUST_PCP;
		if (settings->trust_count > 0 &&
		    (settings->trust_count == 2 || settings->trust[0] == trust)) {
			decode_error(d, items[i]->pos, "%s is named twice", text);
			return;
		}
		settings->trust[settings->trust_count++] = trust;
	}
}

void
decode_priorities(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base)
{
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	uint8_t *priorities = member(key, base);
	char why[SCALAR_WHY];
	int64_t priority;

	if (items == NULL)
		return;
	decode_mark(d, priorities, node->pos);
	*priorities = 0;
	for (unsigned i = 0; i < count; i++) {
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			return;
		if (scalar_integer(text, 0, CONFIG_PRIORITIES - 1, &priority, why) < 0) {
			decode_error(d, items[i]->pos, "%s", why);
			return;
		}
		if (*priorities & 1u << priority)
			decode_error(d, items[i]->pos, "priority %d is named twice", (int)priority);
		*priorities |= 1u << priority;
	}
}

void
decode_grades(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      void *base)
{
	struct switch_config *settings = base;
	uint64_t *grades = settings->routing.grades_bytes;
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	char why[SCALAR_WHY];

	if (items == NULL)
		return;
	decode_mark(d, member(key, base), node->pos);
	if (count > CONFIG_GRADES_MAX) {
		decode_error(d, node->pos, "%u bounds: %d at most", count, CONFIG_GRADES_MAX);
		return;
	}
	settings->routing.grade_count = count;
	for (unsigned i = 0; i < count; i++) {
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			return;
		if (scalar_bytes(text, &grades[i], why) < 0) {
			decode_error(d, items[i]->pos, "%s", why);
			return;
		}
		if (i > 0 && grades[i] <= grades[i - 1])
			decode_error(d, items[i]->pos, "%s does not follow %s: bounds must ascend",
				     text, items[i - 1]->text);
	}
}

// One map {from: to, ..., default: to} of numbers below `from_count` to priorities, groups,
// classes.
static void
decode_number_map(struct decoder *d, const struct yaml_node *node, unsigned from_count, uint8_t *to,
		  struct schema_fallback *fallback)
{
	uint64_t seen = 0;

	if (!decode_is_map(d, node))
		return;
	decode_mark(d, to, node->pos);
	for (unsigned i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];
		bool is_default = strcmp(pair->key, "default") == 0;
		size_t path = decode_enter(d, pair->key);
		int64_t from = 0, value;
		char why[SCALAR_WHY];
		const char *text;

		if (!is_default && scalar_integer(pair->key, 0, from_count - 1, &from, why) < 0) {
			decode_error(d, pair->key_pos, "%s, or default", why);
		} else if ((text = decode_text(d, pair->value)) == NULL) {
			// reported
		} else if (scalar_integer(text, 0, CONFIG_PRIORITIES - 1, &value, why) < 0) {
			decode_error(d, pair->value->pos, "%s", why);
		} else if (is_default) {
			fallback->value = value;
		} else if (seen & UINT64_C(1) << from) {
			decode_error(d, pair->key_pos, "%d is already given", (int)from);
		} else {
			to[from] = value;
			seen |= UINT64_C(1) << from;
			fallback->listed |= UINT64_C(1) << from;
			decode_mark(d, &to[from], pair->value->pos);
		}
		decode_leave(d, path);
	}
}

void
decode_dscp_map(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		void *base)
{
	decode_number_map(d, node, CONFIG_DSCPS, member(key, base),
			  &((struct switch_draft *)base)->dscp);
}

void
decode_pcp_map(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	       void *base)
{
	decode_number_map(d, node, CONFIG_PRIORITIES, member(key, base),
			  &((struct switch_draft *)base)->pcp);
}

void
decode_group_map(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		 void *base)
{
	decode_number_map(d, node, CONFIG_PRIORITIES, member(key, base),
			  &((struct switch_draft *)base)->group);
}

void
decode_class_map(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		 void *base)
{
	decode_number_map(d, node, CONFIG_PRIORITIES, member(key, base),
			  &((struct switch_draft *)base)->class);
}
