// SPDX-License-Identifier: BSD-3-Clause
// The log of a fabric since it came up, oldest entry first, as in counters.json. An entry concerns
// a queue, or a port, or no node at all.
#include "show_view.h"

#include <string.h>

// True when an entry is of a node, port or queue that `filter` means.
static bool
entry_meant(const json_t *entry, const char *filter)
{
	const char *node = json_string_value(json_object_get(entry, "node"));
	const char *where = json_string_value(json_object_get(entry, "queue"));
	char name[128], port[64];

	if (where == NULL)
		where = json_string_value(json_object_get(entry, "port"));
	if (filter == NULL || node == NULL || where == NULL)
		return filter == NULL;
	snprintf(port, sizeof(port), "%.*s", (int)strcspn(where, "."), where);
	snprintf(name, sizeof(name), "%.48s.%s", node, port);
	return strcmp(filter, node) == 0 || strcmp(filter, port) == 0 || strcmp(filter, name) == 0;
}

void
show_add_log(const struct show_state *s, const char *filter, bool queues, json_t *to)
{
	json_t *out = json_array();
	json_t *entry;
	size_t i;

	json_array_foreach(s->log, i, entry)
	{
		if (queues && !json_is_string(json_object_get(entry, "queue")))
			continue;
		if (entry_meant(entry, filter))
			json_array_append(out, entry);
	}
	json_object_set_new(to, "log", out);
	json_object_set_new(to, "log_lost", json_integer((json_int_t)s->log_lost));
}

static bool
collect(const struct show_state *s, const struct show_question *q, json_t *to)
{
	bool found = q->port == NULL;

	for (unsigned int i = 0; i < s->node_count && !found; i++)
		for (unsigned int k = 0; k < s->nodes[i].node->port_count && !found; k++)
			found = show_port_meant(&s->nodes[i], k, q->port);
	if (found)
		show_add_log(s, q->port, false, to);
	return found;
}

static void
queue_cell(struct text_table *t, const struct show_row *row)
{
	const char *where = show_string(row->value, "queue");

	if (*where == '\0')
		where = show_string(row->value, "port");
	if (*where != '\0')
		text_table_cell(t, "%s.%s", show_string(row->value, "node"), where);
	else
		text_table_cell(t, "-");
}

const struct show_column show_log_columns[] = {
	{"at/us", "at_ns", SHOW_INSTANT},
	{"queue", .cell = queue_cell},
	{"event", "what", SHOW_TEXT},
	{"message", .format = SHOW_TEXT},
	{0},
};

static const struct show_table table = {"log/*", .columns = show_log_columns,
					.empty = "the log is empty"};

static void
print(const json_t *answer, FILE *to)
{
	uint64_t lost = show_number(answer, "log_lost");

	show_print_table(&table, answer, "", "", to);
	if (lost != 0)
		fprintf(to, "\nnot kept: %ju\n", (uintmax_t)lost);
}

const struct show_view show_log = {
	.name = "log",
	.arguments = "[PORT]",
	.help = "the log: links, storms, changes of tenants, refused events",
	.of = "node or port",
	.collect = collect,
	.print = print,
};
