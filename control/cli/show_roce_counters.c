// SPDX-License-Identifier: BSD-3-Clause
// `interface X qos roce counters`: names and order are NVUE's.
#include "show_print.h"

#include "show_values.h"

#include <inttypes.h>

static const struct text_column counter_columns[] = {{"", TEXT_LEFT}, {"operational", TEXT_RIGHT}};

// The lines of a section, in NVUE's order, and the members of the answer that they stand for.
struct counter_line {
	const char *section;
	const char *name; // NULL: the section's own line
	const char *key;
	char unit; // 'n' a count, 'b' bytes, 't' ns
};

static const struct counter_line counter_lines[] = {
	{"rx-non-roce-stats", NULL, NULL, 0},
	{"rx-non-roce-stats", "buffer-max-usage", "pool_used_max", 'b'},
	{"rx-non-roce-stats", "buffer-usage", "pool_used", 'b'},
	{"rx-non-roce-stats", "no-buffer-discard", "dropped", 'n'},
	{"rx-non-roce-stats", "non-roce-bytes", "bytes", 'b'},
	{"rx-non-roce-stats", "non-roce-packets", "packets", 'n'},
	{"rx-non-roce-stats", "pg-max-usage", "used_max", 'b'},
	{"rx-non-roce-stats", "pg-usage", "used", 'b'},
	{"rx-pfc-stats", NULL, NULL, 0},
	{"rx-pfc-stats", "pause-duration", "pfc_rx_pause_ns", 't'},
	{"rx-pfc-stats", "pause-packets", "pfc_rx", 'n'},
	{"rx-roce-stats", NULL, NULL, 0},
	{"rx-roce-stats", "buffer-max-usage", "pool_used_max", 'b'},
	{"rx-roce-stats", "buffer-usage", "pool_used", 'b'},
	{"rx-roce-stats", "no-buffer-discard", "dropped", 'n'},
	{"rx-roce-stats", "pg-max-usage", "used_max", 'b'},
	{"rx-roce-stats", "pg-usage", "used", 'b'},
	{"rx-roce-stats", "roce-bytes", "bytes", 'b'},
	{"rx-roce-stats", "roce-packets", "packets", 'n'},
	{"tx-cnp-stats", NULL, NULL, 0},
	{"tx-cnp-stats", "buffer-max-usage", "pool_used_max", 'b'},
	{"tx-cnp-stats", "buffer-usage", "pool_used", 'b'},
	{"tx-cnp-stats", "cnp-bytes", "bytes", 'b'},
	{"tx-cnp-stats", "cnp-packets", "packets", 'n'},
	{"tx-cnp-stats", "tc-max-usage", "depth_max", 'b'},
	{"tx-cnp-stats", "tc-usage", "depth", 'b'},
	{"tx-cnp-stats", "unicast-no-buffer-discard", "dropped", 'n'},
	{"tx-ecn-stats", NULL, NULL, 0},
	{"tx-ecn-stats", "ecn-marked-packets", "ecn_marked", 'n'},
	{"tx-pfc-stats", NULL, NULL, 0},
	{"tx-pfc-stats", "pause-duration", "pfc_tx_pause_ns", 't'},
	{"tx-pfc-stats", "pause-packets", "pfc_tx", 'n'},
	{"tx-roce-stats", NULL, NULL, 0},
	{"tx-roce-stats", "buffer-max-usage", "pool_used_max", 'b'},
	{"tx-roce-stats", "buffer-usage", "pool_used", 'b'},
	{"tx-roce-stats", "roce-bytes", "bytes", 'b'},
	{"tx-roce-stats", "roce-packets", "packets", 'n'},
	{"tx-roce-stats", "tc-max-usage", "depth_max", 'b'},
	{"tx-roce-stats", "tc-usage", "depth", 'b'},
	{"tx-roce-stats", "unicast-no-buffer-discard", "dropped", 'n'},
};

static void
add_counter(struct text_table *t, const json_t *section, const struct counter_line *line)
{
	uint64_t value;

	if (line->name == NULL) {
		text_table_cell(t, "%s", line->section);
		text_table_cell(t, "%s", "");
		return;
	}
	value = value_get(section, line->key);
	text_table_cell(t, "  %s", line->name);
	if (line->unit == 't')
		text_table_cell(t, "%" PRIu64 ".%03u us", value / 1000,
				(unsigned int)(value % 1000));
	else
		text_table_cell(t, line->unit == 'b' ? "%" PRIu64 " Bytes" : "%" PRIu64, value);
}

static int
print_counters(const char *name, const json_t *port, FILE *to)
{
	struct text_table *t;
	int status = text_table_create(&t, counter_columns, COUNT(counter_columns));

	if (status != 0)
		return status;
	for (size_t i = 0; i < COUNT(counter_lines); i++)
		add_counter(t, json_object_get(port, counter_lines[i].section), &counter_lines[i]);
	fprintf(to, "%s\n", name);
	status = text_table_print(t, "  ", to);
	text_table_destroy(t);
	return status;
}

int
show_print_roce_counters(const json_t *answer, FILE *to)
{
	return show_print_each_port(answer, print_counters, to);
}
