// SPDX-License-Identifier: BSD-3-Clause
// The values of `routing:` that are not one plain word.
#include "decode_switch.h"

#include "scalar.h"

#include <string.h>

#define PINS_MAX 4096
#define UTILISATION_ON_PPM 700000 // `on`: Cumulus Linux's default threshold, 70 %

static void *
member(const struct schema_key *key, void *base)
{
	return (char *)base + key->offset;
}

static bool
is_word(const struct yaml_node *node, const char *word)
{
	return node->kind == YAML_SCALAR && !node->null && strcmp(node->text, word) == 0;
}

// A list of numbers below `count`, a bit each, or `any`: all of them. Returns 0 when there was an
// error, which is no list.
static uint64_t
decode_set(struct decoder *d, const struct yaml_node *node, unsigned count)
{
	struct yaml_node *single[1];
	unsigned items_count;
	struct yaml_node *const *items;
	uint64_t set = 0;
	char why[SCALAR_WHY];
	int64_t number;

	if (is_word(node, "any"))
		return UINT64_MAX >> (64 - count);
	items = decode_items(d, node, single, &items_count);
	if (items == NULL)
		return 0;
	if (items_count == 0)
		decode_error(d, node->pos, "names none: write a list, or any");
	for (unsigned i = 0; i < items_count; i++) {
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			return 0;
		if (scalar_integer(text, 0, count - 1, &number, why) < 0) {
			decode_error(d, items[i]->pos, "%s, or any", why);
			return 0;
		}
		if (set >> number & 1)
			decode_error(d, items[i]->pos, "%s is named twice", text);
		set |= UINT64_C(1) << number;
	}
	return set;
}

void
decode_eligible_dscps(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		      void *base)
{
	uint64_t *dscps = member(key, base);

	decode_mark(d, dscps, node->pos);
	*dscps = decode_set(d, node, CONFIG_DSCPS);
}

void
decode_eligible_priorities(struct decoder *d, const struct schema_key *key,
			   const struct yaml_node *node, void *base)
{
	uint8_t *priorities = member(key, base);

	decode_mark(d, priorities, node->pos);
	*priorities = (uint8_t)decode_set(d, node, CONFIG_PRIORITIES);
}

void
decode_utilisation(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		   void *base)
{
	uint32_t *ppm = member(key, base);
	const char *text = decode_text(d, node);
	char why[SCALAR_WHY];
	bool on;

	if (text == NULL)
		return;
	decode_mark(d, ppm, node->pos);
	if (scalar_bool(text, &on, why) == 0)
		*ppm = on ? UTILISATION_ON_PPM : 0;
	else if (scalar_percent(text, ppm, why) < 0)
		decode_error(d, node->pos, "%s, or on or off", why);
	else if (*ppm == 0)
		decode_error(d, node->pos, "0%% is always exceeded: write off, or 1%% to 100%%");
}

void
check_pin(struct decoder *d, const struct yaml_node *node, void *base)
{
	(void)d;
	((struct config_pin *)base)->pos = node->pos;
}

// The nearest section's list stands for itself: two lists do not add up.
void
decode_pins(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	    void *base)
{
	static const struct schema_key list = {
		"pinned", SCHEMA_LIST,
		SCHEMA_ITEMS(struct switch_config, routing.pins, routing.pin_count),
		.sub = &schema_pin};
	struct switch_config *settings = base;

	decode_mark(d, member(key, base), node->pos);
	if (node->kind == YAML_LIST && node->count > PINS_MAX)
		decode_error(d, node->pos, "%u entries: %d at most", node->count, PINS_MAX);
	else if (is_word(node, "none") || is_word(node, "off"))
		settings->routing.pin_count = 0;
	else
		decode_value(d, &list, node, base);
}

void
decode_notices(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	       void *base)
{
	struct config_notices *notices = member(key, base);

	decode_switched(d, &schema_notices, node, notices, &notices->on, notices->hold_ps == 0);
}
