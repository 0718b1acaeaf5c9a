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
decode_switched(struct decoder *d, const struct schema *schema, const struct yaml_node *node,
		void *base, bool *on, bool fresh)
{
	char why[SCALAR_WHY];

	decode_mark(d, on, node->pos);
	// Off before anything else: the other values get their defaults, to be there for a later
	// `on`.
	if (fresh)
		decode_defaults(d, schema, base);
	if (node->kind != YAML_SCALAR || node->null) {
		*on = true;
		decode_map(d, schema, node, base);
	} else if (scalar_bool(node->text, on, why) < 0) {
		char keys[120] = "";
		size_t used = 0;

		for (unsigned i = 1; i < schema->count && used < sizeof(keys); i++)
			used += snprintf(keys + used, sizeof(keys) - used, "%s%s",
					 i > 1 ? ", " : "", schema->keys[i].name);
		decode_error(d, node->pos, "expected {%s}, or off", keys);
	}
}

void
decode_ecn(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	   void *base)
{
	struct config_ecn *ecn = member(key, base);

	decode_switched(d, &schema_ecn, node, ecn, &ecn->on, ecn->max_bytes == 0);
}

void
decode_trust_list(struct decoder *d, const struct yaml_node *node, unsigned *trust_count,
		  enum config_trust trust[static 2])
{
	static const char *const words[] = {"dscp", "pcp"};
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	char hint[80];

	if (items == NULL)
		return;
	*trust_count = 0;
	for (unsigned i = 0; i < count; i++) {
		const char *text = decode_text(d, items[i]);
		enum config_trust one;

		if (text == NULL)
			return;
		if (strcmp(text, words[0]) != 0 && strcmp(text, words[1]) != 0) {
			decode_error(d, items[i]->pos, "\"%.40s\" is not one of dscp, pcp%s", text,
				     decode_hint(hint, text, words, 2));
			return;
		}
		one = strcmp(text, "dscp") == 0 ? CONFIG_TRUST_DSCP : CONFIG_TRUST_PCP;
		if (*trust_count > 0 && (*trust_count == 2 || trust[0] == one)) {
			decode_error(d, items[i]->pos, "%s is named twice", text);
			return;
		}
		trust[(*trust_count)++] = one;
	}
}

void
decode_trust(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	struct switch_config *settings = base;

	decode_mark(d, member(key, base), node->pos);
	decode_trust_list(d, node, &settings->trust_count, settings->trust);
}

// A list of numbers 0..7 into a byte, a bit each.
static void
decode_bits(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	    void *base, const char *what)
{
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items = decode_items(d, node, single, &count);
	uint8_t *bits = member(key, base);
	char why[SCALAR_WHY];
	int64_t number;

	if (items == NULL)
		return;
	decode_mark(d, bits, node->pos);
	*bits = 0;
	for (unsigned i = 0; i < count; i++) {
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			return;
		if (scalar_integer(text, 0, CONFIG_PRIORITIES - 1, &number, why) < 0) {
			decode_error(d, items[i]->pos, "%s", why);
			return;
		}
		if (*bits & 1u << number)
			decode_error(d, items[i]->pos, "%s %d is named twice", what, (int)number);
		*bits |= 1u << number;
	}
}

void
decode_priorities(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base)
{
	decode_bits(d, key, node, base, "priority");
}

void
decode_classes(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	       void *base)
{
	decode_bits(d, key, node, base, "class");
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

void
decode_number_map(struct decoder *d, const struct yaml_node *node, unsigned from_count, uint8_t *to,
		  struct schema_fallback *fallback)
{
	if (!decode_is_map(d, node))
		return;
	decode_mark(d, to, node->pos);
	for (unsigned i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];
		bool is_default = strcmp(pair->key, "default") == 0;
		size_t path = decode_enter(d, pair->key);
		char why[SCALAR_WHY];
		unsigned from = 0;
		const char *text;
		int64_t value;

		if (!is_default && scalar_index(pair->key, from_count, &from, why) < 0) {
			decode_error(d, pair->key_pos, "%s, or default", why);
		} else if ((text = decode_text(d, pair->value)) == NULL) {
			// reported
		} else if (scalar_integer(text, 0, CONFIG_PRIORITIES - 1, &value, why) < 0) {
			decode_error(d, pair->value->pos, "%s", why);
		} else if (is_default) {
			fallback->value = value;
			for (unsigned other = 0; other < from_count; other++)
				if (!(fallback->listed & UINT64_C(1) << other))
					decode_mark(d, &to[other], pair->value->pos);
		} else {
			to[from] = value;
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
