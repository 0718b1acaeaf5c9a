// SPDX-License-Identifier: BSD-3-Clause
// Errors and warnings are collected, not printed: a user mends a file in one go. The first
// CONFIG_ERRORS_MAX of each are kept. The same line twice (a section merged for many nodes) is kept
// and counted once.
#include "config.h"

#include <stdlib.h>
#include <string.h>

static bool
diag_has(const struct config_diag *diag, const char *text)
{
	for (unsigned i = 0; i < diag->count; i++)
		if (strcmp(diag->messages[i].text, text) == 0)
			return true;
	return false;
}

// *place: how many characters the place takes.
static char *
message_text(const char *file, struct config_pos pos, const char *key, const char *format,
	     va_list args, long *place)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL)
		return NULL;
	fputs(file, to);
	if (pos.line > 0)
		fprintf(to, ":%u:%u", pos.line, pos.column);
	fputs(": ", to);
	*place = ftell(to);
	if (key != NULL && key[0] != '\0')
		fprintf(to, "%s: ", key);
	vfprintf(to, format, args);
	if (fclose(to) != 0) {
		free(text);
		return NULL;
	}
	// One message, one line, whatever the file's words contain.
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return text;
}

// Takes text over, of which the first `place` characters are the place; NULL: there was no memory.
static void
diag_keep(struct config_diag *diag, bool warning, struct config_pos pos, char *text, long place)
{
	unsigned *found = warning ? &diag->warnings : &diag->errors;
	struct config_message *grown;

	if (text != NULL && diag_has(diag, text)) {
		free(text);
		return;
	}
	(*found)++;
	grown = realloc(diag->messages, (diag->count + 1) * sizeof(*grown));
	if (text == NULL || grown == NULL) {
		free(text);
		if (grown != NULL)
			diag->messages = grown;
		return;
	}
	diag->messages = grown;
	grown[diag->count++] = (struct config_message){
		.warning = warning, .pos = pos, .text = text, .words = text + place};
}

static bool
is_full(struct config_diag *diag, bool warning)
{
	unsigned *found = warning ? &diag->warnings : &diag->errors;

	if (*found < CONFIG_ERRORS_MAX)
		return false;
	(*found)++;
	return true;
}

static void
diag_add(struct config_diag *diag, bool warning, const char *file, struct config_pos pos,
	 const char *key, const char *format, va_list args)
{
	char *text;
	long place = 0;

	if (is_full(diag, warning))
		return;
	text = message_text(file, pos, key, format, args, &place);
	diag_keep(diag, warning, pos, text, place);
}

void
config_error(struct config_diag *diag, const char *file, struct config_pos pos, const char *key,
	     const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add(diag, false, file, pos, key, format, args);
	va_end(args);
}

void
config_warning(struct config_diag *diag, const char *file, struct config_pos pos, const char *key,
	       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add(diag, true, file, pos, key, format, args);
	va_end(args);
}

void
config_diag_soften(const struct config_diag *from, const struct config_diag *told,
		   struct config_diag *to)
{
	for (unsigned i = 0; i < from->count; i++) {
		const struct config_message *m = &from->messages[i];

		if ((told == NULL || !diag_has(told, m->text)) && !is_full(to, true))
			diag_keep(to, true, m->pos, strdup(m->text), m->words - m->text);
	}
}

static int
message_compare(const void *left, const void *right)
{
	const struct config_message *a = *(const struct config_message *const *)left;
	const struct config_message *b = *(const struct config_message *const *)right;

	if (a->pos.line != b->pos.line)
		return a->pos.line < b->pos.line ? -1 : 1;
	if (a->pos.column != b->pos.column)
		return a->pos.column < b->pos.column ? -1 : 1;
	return a < b ? -1 : a > b;
}

void
config_diag_print(const struct config_diag *diag, FILE *to)
{
	const struct config_message **sorted = calloc(diag->count + 1, sizeof(*sorted));

	for (unsigned i = 0; sorted != NULL && i < diag->count; i++)
		sorted[i] = &diag->messages[i];
	if (sorted != NULL)
		qsort(sorted, diag->count, sizeof(*sorted), message_compare);
	for (unsigned i = 0; i < diag->count; i++) {
		const struct config_message *message = sorted ? sorted[i] : &diag->messages[i];

		fprintf(to, "%s%s\n", message->warning ? "warning: " : "", message->text);
	}
	if (diag->errors > CONFIG_ERRORS_MAX)
		fprintf(to, "and %u more errors\n", diag->errors - CONFIG_ERRORS_MAX);
	if (diag->warnings > CONFIG_ERRORS_MAX)
		fprintf(to, "and %u more warnings\n", diag->warnings - CONFIG_ERRORS_MAX);
	free(sorted);
}

void
config_diag_free(struct config_diag *diag)
{
	for (unsigned i = 0; i < diag->count; i++)
		free(diag->messages[i].text);
	free(diag->messages);
	*diag = (struct config_diag){0};
}
