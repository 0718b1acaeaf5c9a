// SPDX-License-Identifier: BSD-3-Clause
// The schema of `qos.credit:` of a switch: receive buffers, grants, and the arbitration of lanes.
#include "schema_keys_internal.h"

#include <stdio.h>
#include <string.h>

#define AT(member) SCHEMA_AT(struct switch_config, member)

// Entries LANE:WEIGHT with commas between them.
static const char *
read_lane_entry(const char *text, struct config_lane_table *table)
{
	unsigned lane = 0, weight = 0;
	int length = 0;

	if (sscanf(text, " %1u:%3u %n", &lane, &weight, &length) != 2 || length == 0 ||
	    lane >= CONFIG_PRIORITIES || weight > UINT8_MAX || table->count == LANE_ENTRIES_MAX)
		return NULL;
	table->lanes[table->count] = (uint8_t)lane;
	table->weights[table->count++] = (uint8_t)weight;
	return text + length;
}

static void
decode_lane_table(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		  void *base)
{
	struct config_lane_table table = {0};
	const char *text = decode_text(d, node), *at = text;

	if (text == NULL)
		return;
	if (strcmp(text, "none") != 0)
		do {
			at = read_lane_entry(*at == ',' ? at + 1 : at, &table);
		} while (at != NULL && *at == ',');
	if (at == NULL || (*at != '\0' && at != text)) {
		decode_error(d, node->pos,
			     "expected none, or at most %d entries LANE:WEIGHT with a lane of 0 to "
			     "7 and a weight of 0 to 255, such as \"0:64,3:128\"",
			     LANE_ENTRIES_MAX);
		return;
	}
	memcpy((char *)base + key->offset, &table, sizeof(table));
}

static bool
encode_lane_table(FILE *to, const struct schema_key *key, const void *base)
{
	const struct config_lane_table *table =
		(const struct config_lane_table *)((const char *)base + key->offset);

	if (table->count == 0)
		fputs("none", to);
	for (unsigned i = 0; i < table->count; i++)
		fprintf(to, "%s%u:%u%s", i == 0 ? "\"" : ",", table->lanes[i], table->weights[i],
			i + 1u == table->count ? "\"" : "");
	return true;
}

#define LANE_TABLE_FORM                                                          \
	SCHEMA_FORM(.type = SCHEMA_TEXT,                                         \
		    .pattern = "^ *[0-7]:[0-9]{1,3} *(, *[0-7]:[0-9]{1,3} *)*$", \
		    .words = "\"LANE:WEIGHT,...\"", .other = &schema_form_none)

static const struct schema_key arbitration_keys[] = {
	{"high", SCHEMA_CUSTOM, .def = "none",
	 .help = "lanes of the table that goes first, with weights in units of 64 B",
	 AT(credit.high), .decode = decode_lane_table, .encode = encode_lane_table,
	 LANE_TABLE_FORM},
	{"low", SCHEMA_CUSTOM, .def = "none",
	 .help = "lanes of the table that goes second, with weights in units of 64 B",
	 AT(credit.low), .decode = decode_lane_table, .encode = encode_lane_table, LANE_TABLE_FORM},
	{"limit", SCHEMA_INTEGER, .def = "0",
	 .help = "bytes the high table may send before the low table gets a packet, in units of "
		 "4096 B; 0: one packet",
	 AT(credit.limit), .min = 0, .max = 254, .word = "unlimited",
	 .flag_offset = offsetof(struct switch_config, credit.limit_unlimited)},
};

#define CREDIT_BUFFER_MAX (INT64_C(1) << 27)

static const struct schema_key credit_keys[] = {
	{"buffer", SCHEMA_AMOUNT, .def = "auto",
	 .help = "receive buffer of each lane at each port; auto: computed from rate, cable and "
		 "MTU",
	 AT(credit.buffer), .amounts = 1u << CONFIG_AMOUNT_AUTO | 1u << CONFIG_AMOUNT_BYTES},
	{"update", SCHEMA_BYTES, .def = "0B",
	 .help = "return credit once this much has become free; 0B: at once",
	 AT(credit.update_bytes), .max = CREDIT_BUFFER_MAX},
	{"resend", SCHEMA_DURATION, .def = "auto",
	 .help = "repeat grants after this time; auto: the time of 262144 bytes",
	 AT(credit.resend_ps), .word = "auto",
	 .flag_offset = offsetof(struct switch_config, credit.resend_auto), .min = 100000,
	 .max = SCHEMA_SECOND_PS},
	{"spacing", SCHEMA_BYTES, .def = "6400B",
	 .help = "cbfc: minimum distance between grants of a port", AT(credit.spacing_bytes),
	 .min = 800, .max = 1048576},
	{"sync", SCHEMA_DURATION, .def = "256us", .help = "cbfc: interval between CC_Update frames",
	 AT(credit.sync_ps), .min = 1000000, .max = SCHEMA_SECOND_PS / 4},
	{"arbitration", SCHEMA_MAP, .flags = SCHEMA_LIVE,
	 .help = "tables by which lanes take turns, instead of the classes' schedulers",
	 .sub = &(const struct schema){SCHEMA_COUNT(arbitration_keys)}},
};

const struct schema schema_credit = {SCHEMA_COUNT(credit_keys)};
