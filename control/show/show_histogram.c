// SPDX-License-Identifier: BSD-3-Clause
// The histograms that `qos.histograms` configures.
#include "control/fabric/counters.h"
#include "show_view.h"

static json_t *
node_json(const struct show_state *s, const struct report_node *n)
{
	(void)s;
	return json_pack("{s:o}", "histograms", counters_histograms(n));
}

static void
add_bins(struct text_table *t, const struct show_row *row)
{
	const json_t *h = row->value;
	size_t bins = json_array_size(json_object_get(h, "bins"));
	uint64_t total = 0;

	for (size_t i = 0; i < bins; i++)
		total += show_number_at(h, "bins", i);
	for (size_t i = 0; i < bins; i++) {
		uintmax_t from = show_number_at(h, "edges", i),
			  count = show_number_at(h, "bins", i);

		text_table_cell(t, "%zu", i);
		if (i + 1 == bins)
			text_table_cell(t, "%ju:*", from);
		else
			text_table_cell(t, "%ju:%ju", from,
					(uintmax_t)show_number_at(h, "edges", i + 1) - 1);
		text_table_cell(t, "%ju", count);
		text_table_cell(t, "%.1f %%",
				total != 0 ? 100.0 * (double)count / (double)total : 0.0);
	}
}

static const struct show_column columns[] = {
	{"bin", .format = SHOW_COUNT},
	{"range", .format = SHOW_COUNT},
	{"count", .format = SHOW_COUNT},
	{"share", .format = SHOW_COUNT},
	{0},
};

static const struct show_table table = {
	.rows = "",
	.columns = columns,
	.add = add_bins,
};

static void
print(const json_t *answer, FILE *to)
{
	const char *node_name, *between = "";
	json_t *node, *h;
	size_t i;

	json_object_foreach(json_object_get(answer, "nodes"), node_name, node)
	{
		json_array_foreach(json_object_get(node, "histograms"), i, h)
		{
			const char *kind = show_string(h, "kind");

			fprintf(to, "%s%s.%s %s, %s\n", between, node_name, show_string(h, "where"),
				kind, *kind == 'l' ? "ns" : "bytes");
			show_print_table(&table, h, "", "  ", to);
			between = "\n";
		}
	}
	if (*between == '\0')
		fputs("no histogram is configured\n", to);
}

const struct show_view show_histogram = {
	.name = "histogram",
	.arguments = "[NODE]",
	.help = "histograms of queues, priority groups and latencies (qos.histograms)",
	.of = "node",
	.node = node_json,
	.print = print,
};
