// SPDX-License-Identifier: BSD-3-Clause
// The same line twice (a section merged for many nodes) is kept and counted once.
#include "diag.h"

#include "memory.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
diag_has(const struct diag *diag, const char *text)
{
	for (unsigned i = 0; i < diag->count; i++)
		if (strcmp(diag->messages[i].text, text) == 0)
			return true;
	return false;
}

// Takes text over; its first `place` characters are the place.
static void
diag_keep(struct diag *diag, bool warning, struct diag_pos pos, char *text, size_t place)
{
	// One message, one line, whatever the file's words contain.
	text_hide_controls(text);
	if (diag_has(diag, text)) {
		free(text);
		return;
	}
	*(warning ? &diag->warnings : &diag->errors) += 1;
	diag->messages =
		memory_grow(diag->messages, diag->count, sizeof(*diag->messages), "diagnostics");
	diag->messages[diag->count++] = (struct diag_message){
		.warning = warning, .pos = pos, .text = text, .words = text + place};
}

static bool
is_full(struct diag *diag, bool warning)
{
	unsigned *found = warning ? &diag->warnings : &diag->errors;

	if (*found < DIAG_KEPT_MAX)
		return false;
	(*found)++;
	return true;
}

static void
diag_add(struct diag *diag, bool warning, const char *file, struct diag_pos pos, const char *key,
	 const char *format, va_list args)
{
	size_t size, place;
	char *text;
	FILE *to;

	if (is_full(diag, warning))
		return;
	to = memory_stream_open(&text, &size);
	fputs(pos.file != NULL ? pos.file : file, to);
	if (pos.line > 0)
		fprintf(to, ":%u:%u", pos.line, pos.column);
	fputs(": ", to);
	place = (size_t)ftell(to);
	if (key != NULL && key[0] != '\0')
		fprintf(to, "%s: ", key);
	vfprintf(to, format, args);
	fclose(to);
	diag_keep(diag, warning, pos, text, place);
}

int
diag_error(struct diag *diag, const char *file, struct diag_pos pos, const char *key,
	   const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add(diag, false, file, pos, key, format, args);
	va_end(args);
	return -EINVAL;
}

int
diag_warning(struct diag *diag, const char *file, struct diag_pos pos, const char *key,
	     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add(diag, true, file, pos, key, format, args);
	va_end(args);
	return 0;
}

int
diag_fail(struct diag *diag, int error, const char *format, ...)
{
	va_list args;

	if (is_full(diag, false))
		return -error;
	va_start(args, format);
	diag_keep(diag, false, (struct diag_pos){0}, memory_vformat(format, args), 0);
	va_end(args);
	return -error;
}

const char *
diag_text(const struct diag_message *message)
{
	return message->pos.line == 0 ? message->words : message->text;
}

const char *
diag_first_error(const struct diag *diag)
{
	for (unsigned i = 0; i < diag->count; i++)
		if (!diag->messages[i].warning)
			return diag->messages[i].text;
	return "";
}

void
diag_soften(const struct diag *from, const struct diag *told, struct diag *to)
{
	for (unsigned i = 0; i < from->count; i++) {
		const struct diag_message *m = &from->messages[i];

		if ((told == NULL || !diag_has(told, m->text)) && !is_full(to, true))
			diag_keep(to, true, m->pos, memory_text(m->text),
				  (size_t)(m->words - m->text));
	}
}

static int
message_compare(const void *left, const void *right)
{
	const struct diag_message *a = *(const struct diag_message *const *)left;
	const struct diag_message *b = *(const struct diag_message *const *)right;

	int order = diag_pos_compare(a->pos, b->pos);

	return order != 0 ? order : a < b ? -1 : a > b;
}

void
diag_print(const struct diag *diag, FILE *to)
{
	const struct diag_message **sorted =
		memory_array(diag->count, sizeof(*sorted), "diagnostics");

	for (unsigned i = 0; i < diag->count; i++)
		sorted[i] = &diag->messages[i];
	qsort(sorted, diag->count, sizeof(*sorted), message_compare);
	for (unsigned i = 0; i < diag->count; i++)
		fprintf(to, "%s%s\n", sorted[i]->warning ? "warning: " : "", sorted[i]->text);
	if (diag->errors > DIAG_KEPT_MAX)
		fprintf(to, "and %u more errors\n", diag->errors - DIAG_KEPT_MAX);
	if (diag->warnings > DIAG_KEPT_MAX)
		fprintf(to, "and %u more warnings\n", diag->warnings - DIAG_KEPT_MAX);
	free(sorted);
}

void
diag_free(struct diag *diag)
{
	for (unsigned i = 0; i < diag->count; i++)
		free(diag->messages[i].text);
	free(diag->messages);
	*diag = (struct diag){0};
}
