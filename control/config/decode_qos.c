// SPDX-License-Identifier: BSD-3-Clause
// The values of `qos:` that switch something on: watchdog, remarking, trimming, histograms.
#include "decode_switch.h"

#include "scalar.h"

#include <string.h>

#define HISTOGRAMS_MAX 1024
#define LATENCY_MIN_PS UINT64_C(1000000)   // 1 us
#define LATENCY_SIZE_PS UINT64_C(64000000) // 64 us
#define DEPTH_MIN_BYTES 960
#define DEPTH_SIZE_BYTES 12288

static void *
member(const struct schema_key *key, void *base)
{
	return (char *)base + key->offset;
}

// "none" or "off": what switches a value off that is not a bool.
static bool
is_none(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !node->null &&
	       (strcmp(node->text, "none") == 0 || strcmp(node->text, "off") == 0);
}

// ---- watchdog and trimming ----------------------------------------------------------------------

void
decode_watchdog(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		void *base)
{
	struct config_watchdog *watchdog = member(key, base);

	decode_switched(d, &schema_watchdog, node, watchdog, &watchdog->on, watchdog->poll_ps == 0);
}

void
decode_detect(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      void *base)
{
	struct schema_key plain = *key;

	plain.type = SCHEMA_DURATION;
	decode_value(d, &plain, node, base);
	((struct config_watchdog *)base)->robustness = 0;
}

void
check_one_detect(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *detect = yaml_tree_get(node, "detect");
	const struct yaml_pair *polls = yaml_tree_get(node, "robustness");

	(void)base;
	if (detect != NULL && polls != NULL)
		decode_error(
			d, detect > polls ? detect->key_pos : polls->key_pos,
			"detect and robustness exclude each other: detect is robustness x poll; "
			"the other stands at line %u",
			(detect > polls ? polls : detect)->key_pos.line);
}

void
decode_trim(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	    void *base)
{
	struct config_trim *trim = member(key, base);

	decode_switched(d, &schema_trim, node, trim, &trim->on, trim->size_bytes == 0);
}

void
check_trim_size(struct decoder *d, const struct yaml_node *node, void *base)
{
	const struct yaml_pair *size = yaml_tree_get(node, "size");
	const struct config_trim *trim = base;

	if (size != NULL && trim->size_bytes % 4 != 0)
		decode_error(d, size->value->pos, "a size of %u bytes is not a multiple of 4",
			     trim->size_bytes);
}

// ---- remarking ----------------------------------------------------------------------------------

void
decode_remark(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      void *base)
{
	struct config_remark *remark = member(key, base);

	decode_mark(d, remark, node->pos);
	if (is_none(node))
		memset(remark, -1, sizeof(*remark));
	else
		decode_map(d, &schema_remark, node, remark);
}

void
decode_remark_map(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base)
{
	int8_t *to = member(key, base);

	decode_mark(d, to, node->pos);
	if (is_none(node)) {
		memset(to, -1, CONFIG_PRIORITIES);
		return;
	}
	if (!decode_is_map(d, node))
		return;
	for (unsigned i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];
		size_t path = decode_enter(d, pair->key);
		char why[SCALAR_WHY];
		unsigned priority;
		int64_t value = -1;
		const char *text;

		if (scalar_index(pair->key, CONFIG_PRIORITIES, &priority, why) < 0)
			decode_error(d, pair->key_pos, "%s", why);
		else if (!is_none(pair->value) && (text = decode_text(d, pair->value)) != NULL &&
			 scalar_integer(text, 0, key->max, &value, why) < 0)
			decode_error(d, pair->value->pos, "%s, or none", why);
		else
			to[priority] = value;
		decode_leave(d, path);
	}
}

// ---- histograms ---------------------------------------------------------------------------------

uint32_t
select_histogram(struct decoder *d, const struct yaml_node *node, void *base)
{
	const char *const *names = schema_histogram.tells;
	struct config_histogram *histogram = base;
	const struct yaml_pair *found = NULL;

	histogram->pos = node->pos;
	for (unsigned i = 0; names[i] != NULL; i++) {
		const struct yaml_pair *pair = yaml_tree_get(node, names[i]);

		if (pair != NULL && found != NULL) {
			decode_error(d, pair->key_pos,
				     "one histogram is of one thing: \"%s\" or \"%s\"", found->key,
				     pair->key);
			return 0;
		}
		if (pair != NULL) {
			found = pair;
			histogram->kind = i;
		}
	}
	if (found == NULL) {
		decode_error(d, node->pos, "needs one of queue, group, latency");
		return 0;
	}
	if (histogram->kind == CONFIG_HISTOGRAM_LATENCY) {
		histogram->min = LATENCY_MIN_PS;
		histogram->size = LATENCY_SIZE_PS;
		histogram->sample_ps = 0; // it takes every packet
	} else {
		histogram->min = DEPTH_MIN_BYTES;
		histogram->size = DEPTH_SIZE_BYTES;
	}
	return 1u << histogram->kind;
}

void
decode_histogram_place(struct decoder *d, const struct schema_key *key,
		       const struct yaml_node *node, void *base)
{
	struct config_histogram *histogram = base;
	const char *text = decode_text(d, node);
	const char *dot = text != NULL ? strchr(text, '.') : NULL;
	char port[8], why[SCALAR_WHY];
	int64_t index;

	if (text == NULL)
		return;
	histogram->where = (struct config_name){.text = (char *)text, .pos = node->pos};
	if (dot != NULL && (size_t)(dot - text) < sizeof(port)) {
		memcpy(port, text, dot - text);
		port[dot - text] = '\0';
		if (scalar_port_number(port, "swp", &histogram->port_number) == 0 &&
		    scalar_integer(dot + 1, 0, CONFIG_PRIORITIES - 1, &index, why) == 0) {
			histogram->index = index;
			return;
		}
	}
	decode_error(
		d, node->pos,
		"\"%.40s\" is not a port and a %s of it such as swp1.3 (swp1 to swp256, 0 to 7)",
		text,
		histogram->kind == CONFIG_HISTOGRAM_GROUP ? "priority group" : "traffic class");
	(void)key;
}

// A size; of a latency histogram a duration.
void
decode_histogram_bound(struct decoder *d, const struct schema_key *key,
		       const struct yaml_node *node, void *base)
{
	bool latency = ((struct config_histogram *)base)->kind == CONFIG_HISTOGRAM_LATENCY;
	struct schema_key plain = *key;

	plain.type = latency ? SCHEMA_DURATION : SCHEMA_BYTES;
	plain.max = latency ? SCHEMA_HOUR_PS : SCHEMA_BYTES_MAX;
	decode_value(d, &plain, node, base);
}

static void
check_histograms(struct decoder *d, const struct config_histogram *items, unsigned count)
{
	for (unsigned i = 1; i < count; i++)
		for (unsigned j = 0; j < i; j++)
			if (items[i].port_number != 0 && items[i].kind == items[j].kind &&
			    items[i].port_number == items[j].port_number &&
			    items[i].index == items[j].index) {
				decode_error(d, items[i].where.pos,
					     "%s has such a histogram already (line %u)",
					     items[i].where.text, items[j].where.pos.line);
				break;
			}
}

// The nearest section's list stands for itself: two lists do not add up.
void
decode_histograms(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base)
{
	static const struct schema_key list = {
		"histograms", SCHEMA_LIST,
		SCHEMA_ITEMS(struct switch_config, histograms, histogram_count),
		.sub = &schema_histogram};
	struct switch_config *settings = base;

	decode_mark(d, member(key, base), node->pos);
	if (node->kind == YAML_LIST && node->count > HISTOGRAMS_MAX) {
		decode_error(d, node->pos, "%u histograms: %d at most", node->count,
			     HISTOGRAMS_MAX);
	} else if (is_none(node)) {
		settings->histogram_count = 0;
	} else {
		decode_value(d, &list, node, base);
		check_histograms(d, settings->histograms, settings->histogram_count);
	}
}
