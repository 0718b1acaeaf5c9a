// SPDX-License-Identifier: BSD-3-Clause
// The schema of an item of `qos.histograms`. Its key says what is counted: the depth of a queue,
// the occupancy of a priority group, or the latency of packets.
#include "schema_keys_internal.h"

#include "scalar.h"

#include <string.h>

#define HISTOGRAM_AT(member) SCHEMA_AT(struct config_histogram, member)
#define QUEUE (1u << CONFIG_HISTOGRAM_QUEUE)
#define GROUP (1u << CONFIG_HISTOGRAM_GROUP)
#define LATENCY (1u << CONFIG_HISTOGRAM_LATENCY)

static const char *const histogram_kind_keys[] = {
	[CONFIG_HISTOGRAM_QUEUE] = "queue",
	[CONFIG_HISTOGRAM_GROUP] = "group",
	[CONFIG_HISTOGRAM_LATENCY] = "latency",
	NULL,
};
static const char *const histogram_kinds[] = {
	[CONFIG_HISTOGRAM_QUEUE] = "a queue's histogram",
	[CONFIG_HISTOGRAM_GROUP] = "a group's histogram",
	[CONFIG_HISTOGRAM_LATENCY] = "a latency histogram",
};

static const struct schema_form place = {
	SCHEMA_TEXT,
	.pattern = "^swp[1-9][0-9]?[0-9]?[.][0-7]$",
	.words = "port and number such as swp1.3",
};
static const struct schema_form bound = {
	SCHEMA_BYTES,
	.min = 0,
	.max = SCHEMA_BYTES_MAX,
	.other = &(const struct schema_form){SCHEMA_DURATION, SCHEMA_HOUR},
};

#define LATENCY_MIN_PS UINT64_C(1000000)   // 1 us
#define LATENCY_SIZE_PS UINT64_C(64000000) // 64 us
#define DEPTH_MIN_BYTES 960
#define DEPTH_SIZE_BYTES 12288

static uint32_t
select_histogram(struct decoder *d, const struct yaml_node *node, void *base)
{
	struct config_histogram *histogram = base;
	unsigned kind;

	if (!decode_find_kind(d, node, histogram_kind_keys, "one histogram shows one thing",
			      &kind)) {
		if (kind == DECODE_NONE)
			decode_error(d, node->pos, "needs one of queue, group, latency");
		return 0;
	}
	histogram->kind = kind;
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

static void
check_histogram_place(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		      void *base)
{
	struct config_histogram *histogram = base;
	const char *text = histogram->where.text;
	const char *dot = strchr(text, '.');
	char port[8] = "", why[SCALAR_WHY] = "";

	(void)key;
	if (dot != NULL)
		snprintf(port, sizeof(port), "%.*s", (int)(dot - text), text);
	if (scalar_port_number(port, "swp", &histogram->port_number) == 0 &&
	    scalar_index(dot + 1, CONFIG_PRIORITIES, &histogram->index, why) == 0)
		return;
	decode_error(
		d, node->pos,
		"\"%.40s\" is not a port with a %s, such as swp1.3 (swp1 to swp256, 0 to 7)%s%s",
		text,
		histogram->kind == CONFIG_HISTOGRAM_GROUP ? "priority group" : "traffic class",
		why[0] != '\0' ? ": " : "", why);
}

// The row of a bound, which is a size, but of a latency a duration.
static struct schema_key
bound_row(const struct schema_key *key, const void *base)
{
	bool latency = ((const struct config_histogram *)base)->kind == CONFIG_HISTOGRAM_LATENCY;
	struct schema_key row = *key;

	row.type = latency ? SCHEMA_DURATION : SCHEMA_BYTES;
	row.max = latency ? SCHEMA_HOUR_PS : SCHEMA_BYTES_MAX;
	return row;
}

static void
decode_bound(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	struct schema_key row = bound_row(key, base);

	decode_value(d, &row, node, base);
}

static bool
encode_bound(FILE *to, const struct schema_key *key, const void *base)
{
	struct schema_key row = bound_row(key, base);

	return encode_value(to, &row, base);
}

void
check_histograms(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		 void *base)
{
	const struct config_histogram *items = ((struct switch_config *)base)->histograms;
	unsigned count = ((struct switch_config *)base)->histogram_count;

	(void)key, (void)node;
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

static const struct schema_key histogram_keys[] = {
	{"queue", SCHEMA_TEXT, .help = "histogram of the depth of this traffic class",
	 HISTOGRAM_AT(where), .check = check_histogram_place, .form = &place, .kinds = QUEUE},
	{"group", SCHEMA_TEXT, .help = "histogram of the occupancy of this priority group",
	 HISTOGRAM_AT(where), .check = check_histogram_place, .form = &place, .kinds = GROUP},
	{"latency", SCHEMA_TEXT,
	 .help = "histogram of the latency of this queue's packets, each counted once",
	 HISTOGRAM_AT(where), .check = check_histogram_place, .form = &place, .kinds = LATENCY},
	// Custom: the kind of histogram decides between a size and a duration.
	{"min", SCHEMA_CUSTOM,
	 .help = "where bin 1 begins (default: 960B; for latency, a duration: 1us)",
	 HISTOGRAM_AT(min), .decode = decode_bound, .encode = encode_bound, .form = &bound},
	{"size", SCHEMA_CUSTOM,
	 .help = "width of all bins but the first and the last together (default: 12288B; for "
		 "latency, a duration: 64us)",
	 .min = 1, HISTOGRAM_AT(size), .decode = decode_bound, .encode = encode_bound,
	 .form = &bound},
	{"bins", SCHEMA_INTEGER, .def = "10", .help = "number of bins", HISTOGRAM_AT(bins),
	 .min = 3, .max = 64},
	{"sample", SCHEMA_DURATION, .def = "1024ns", .help = "time between samples",
	 HISTOGRAM_AT(sample_ps), .min = 1000, .max = SCHEMA_HOUR_PS, .kinds = QUEUE | GROUP},
};

const struct schema schema_histogram = {
	SCHEMA_COUNT(histogram_keys),
	.size = sizeof(struct config_histogram),
	SCHEMA_POS(struct config_histogram, pos),
	.kind_names = histogram_kinds,
	.kind_keys = histogram_kind_keys,
	.select = select_histogram,
};
