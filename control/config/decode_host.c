// SPDX-License-Identifier: BSD-3-Clause
#include "decode_host.h"

#include "scalar.h"

#include <string.h>

#define GAIN_MAX 1000000

static void *
member(const struct schema_key *key, void *base)
{
	return (char *)base + key->offset;
}

static bool
is_none(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !node->null &&
	       (strcmp(node->text, "none") == 0 || strcmp(node->text, "off") == 0);
}

void
decode_gain(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	    void *base)
{
	const char *text = decode_text(d, node), *slash;
	int64_t above = 0, below = 0;
	char numerator[16], why[SCALAR_WHY];

	if (text == NULL)
		return;
	decode_mark(d, member(key, base), node->pos);
	slash = strchr(text, '/');
	if (slash != NULL && (size_t)(slash - text) < sizeof(numerator)) {
		memcpy(numerator, text, (size_t)(slash - text));
		numerator[slash - text] = '\0';
		if (scalar_integer(numerator, 1, GAIN_MAX, &above, why) < 0 ||
		    scalar_integer(slash + 1, 1, GAIN_MAX, &below, why) < 0)
			above = 0;
	}
	if (above == 0)
		decode_error(d, node->pos, "\"%.40s\" is not a fraction such as 1/256", text);
	else if (above > below)
		decode_error(d, node->pos, "%s is out of range: 1 at most", text);
	else
		*(double *)member(key, base) = (double)above / (double)below;
}

void
decode_stall(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	struct config_stall *stall = member(key, base);

	*stall = (struct config_stall){0};
	if (!is_none(node))
		decode_map(d, &schema_stall, node, stall);
}

void
check_stall(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *length = yaml_tree_get(node, "for");
	const struct config_stall *stall = base;
	char every[CONFIG_TEXT], for_text[CONFIG_TEXT];

	if (length != NULL && stall->every_ps != 0 && stall->for_ps >= stall->every_ps)
		decode_error(d, length->value->pos,
			     "stalls of %s every %s: the receiver would never go on",
			     config_duration_text(stall->for_ps, for_text),
			     config_duration_text(stall->every_ps, every));
}

void
decode_storm(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	struct config_storm *storm = member(key, base);

	*storm = (struct config_storm){0};
	if (is_none(node))
		return;
	decode_defaults(d, &schema_storm, storm);
	decode_map(d, &schema_storm, node, storm);
}

void
check_storm(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *to = yaml_tree_get(node, "to");
	const struct yaml_pair *priority = yaml_tree_get(node, "priority");
	const struct config_storm *storm = base;
	char from[CONFIG_TEXT], end[CONFIG_TEXT];

	if (to != NULL && storm->to_ps != 0 && storm->to_ps <= storm->from_ps)
		decode_error(d, to->value->pos, "ends at %s, not after it begins at %s",
			     config_duration_text(storm->to_ps, end),
			     config_duration_text(storm->from_ps, from));
	if (priority != NULL && priority->value->kind == YAML_LIST && priority->value->count == 0)
		decode_error(d, priority->value->pos, "a storm of no priority");
}
