// SPDX-License-Identifier: BSD-3-Clause
// The queue pairs of NICs, a line each.
#include "show_print.h"

#include "show_values.h"

static const struct text_column columns[] = {
	{"port", TEXT_LEFT},          {"qpn", TEXT_RIGHT},           {"role", TEXT_LEFT},
	{"state", TEXT_LEFT},         {"peer", TEXT_LEFT},           {"peer-qpn", TEXT_RIGHT},
	{"psn", TEXT_RIGHT},          {"retransmitted", TEXT_RIGHT}, {"naks", TEXT_RIGHT},
	{"out-of-order", TEXT_RIGHT}, {"cnps", TEXT_RIGHT},          {"rate", TEXT_RIGHT},
};

// A count that the role has, under the one or the other name; of a reader, which has both, the
// first.
static void
add_count(struct text_table *t, const json_t *pair, const char *key, const char *other)
{
	const json_t *value = json_object_get(pair, key);

	if (value == NULL && other != NULL)
		value = json_object_get(pair, other);
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		text_table_cell(t, "%ju", (uintmax_t)json_integer_value(value));
	else
		text_table_cell(t, "-");
}

static void
add_pair(struct text_table *t, const char *node, const json_t *pair)
{
	const double rate = json_number_value(json_object_get(pair, "rate_bps"));
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s.%s", node, value_string(pair, "port"));
	value_count(t, pair, "qpn");
	value_text(t, pair, "role");
	value_text(t, pair, "state");
	value_text(t, pair, "peer");
	value_count(t, pair, "peer_qpn");
	value_count(t, pair, "psn");
	add_count(t, pair, "retransmitted", NULL);
	add_count(t, pair, "naks_rx", "naks_tx");
	add_count(t, pair, "out_of_order", NULL);
	add_count(t, pair, "cnps_rx", "cnps_tx");
	if (rate >= 1 && rate < 1e18)
		text_table_cell(t, "%s", text_rate(text, (uint64_t)rate));
	else
		text_table_cell(t, "-");
}

int
show_print_queue_pairs(const json_t *answer, FILE *to)
{
	struct text_table *t;
	const char *name;
	json_t *node, *pair;
	size_t i;
	int status = text_table_create(&t, columns, COUNT(columns));

	if (status != 0)
		return status;
	json_object_foreach(json_object_get(answer, "nodes"), name, node)
		json_array_foreach(json_object_get(node, "queue_pairs"), i, pair)
			add_pair(t, name, pair);
	if (text_table_rows(t) != 0)
		status = text_table_print(t, "", to);
	else
		fputs("no NIC has a queue pair\n", to);
	text_table_destroy(t);
	return status;
}
