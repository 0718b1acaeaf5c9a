// SPDX-License-Identifier: BSD-3-Clause
#include "metrics_internal.h"

#include <string.h>

#define NS_PER_S 1000000000

bool
metrics_ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0;
}

// Without what is Markdown in it: of a link the text stays.
static void
write_help(FILE *to, const char *help)
{
	for (; *help != '\0'; help++) {
		if (*help == ']' && help[1] == '(')
			help += strcspn(help, ")");
		else if (*help == '\\' || *help == '\n')
			fprintf(to, "\\%c", *help == '\n' ? 'n' : '\\');
		else if (*help != '[' && *help != '`')
			fputc(*help, to);
	}
}

static void
write_label(FILE *to, const char *key, const char *value)
{
	fprintf(to, "%s=\"", key);
	for (; *value != '\0'; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', to);
		if (*value == '\n')
			fputs("\\n", to);
		else
			fputc(*value, to);
	}
	fputc('"', to);
}

// OpenMetrics names a family without the ending of its samples.
static void
write_head(struct metrics *m, const struct family *f)
{
	const char *ending = f->total && !m->form.openmetrics && !m->form.nvswitch ? "_total" : "";
	const char *type = f->total ? "counter" : "gauge";

	if (m->headed)
		return;
	m->headed = true;
	if (f->total && m->form.openmetrics && m->form.nvswitch)
		type = "unknown"; // samples of a counter would have to end in _total
	fprintf(m->to, "# HELP %s%s ", f->name, ending);
	write_help(m->to, f->help);
	fprintf(m->to, "\n# TYPE %s%s %s\n", f->name, ending, type);
	if (m->form.openmetrics && f->unit != NULL && metrics_ends_in(f->name, f->unit))
		fprintf(m->to, "# UNIT %s %s\n", f->name, f->unit);
}

void
metrics_write(struct metrics *m, const struct family *f,
	      const struct label labels[METRICS_LABELS_MAX], json_int_t value)
{
	char before = '{';

	write_head(m, f);
	fprintf(m->to, "%s%s", f->name, f->total && !m->form.nvswitch ? "_total" : "");
	for (unsigned int i = 0; i < METRICS_LABELS_MAX; i++) {
		if (labels[i].key == NULL || labels[i].value == NULL)
			continue;
		fputc(before, m->to);
		write_label(m->to, labels[i].key, labels[i].value);
		before = ',';
	}
	if (before == ',')
		fputc('}', m->to);
	if (f->nanoseconds)
		fprintf(m->to, " %" JSON_INTEGER_FORMAT ".%09" JSON_INTEGER_FORMAT "\n",
			value / NS_PER_S, value % NS_PER_S);
	else
		fprintf(m->to, " %" JSON_INTEGER_FORMAT "\n", value);
}
