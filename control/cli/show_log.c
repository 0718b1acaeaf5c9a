// SPDX-License-Identifier: BSD-3-Clause
// What has been told of a fabric since it came up: a row an entry, the newest last.
#include "show_print.h"

#include "show_values.h"

static const struct text_column log_columns[] = {
	{"at/us", TEXT_RIGHT}, {"queue", TEXT_LEFT}, {"event", TEXT_LEFT}, {"message", TEXT_LEFT}};

int
show_print_log_rows(const json_t *answer, size_t most, FILE *to)
{
	const json_t *log = json_object_get(answer, "log");
	size_t count = json_array_size(log), first = count > most ? count - most : 0;
	struct text_table *t;
	int status = text_table_create(&t, log_columns, COUNT(log_columns));

	if (status != 0)
		return status;
	for (size_t i = first; i < count; i++) {
		const json_t *entry = json_array_get(log, i);
		const char *queue = value_string(entry, "queue");

		value_instant(t, json_object_get(entry, "at_ns"));
		if (*queue != '\0')
			text_table_cell(t, "%s.%s", value_string(entry, "node"), queue);
		else
			text_table_cell(t, "-");
		value_text(t, entry, "what");
		value_text(t, entry, "message");
	}
	status = text_table_print(t, "", to);
	text_table_destroy(t);
	return status;
}

int
show_print_log(const json_t *answer, FILE *to)
{
	uint64_t lost = value_get(answer, "log_lost");
	int status = 0;

	if (json_array_size(json_object_get(answer, "log")) != 0)
		status = show_print_log_rows(answer, SIZE_MAX, to);
	else
		fputs("the log is empty\n", to);
	if (lost != 0)
		fprintf(to, "\nnot kept: %ju\n", (uintmax_t)lost);
	return status;
}
