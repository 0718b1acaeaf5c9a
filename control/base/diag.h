// SPDX-License-Identifier: BSD-3-Clause
// Diagnostics: the errors and warnings that a function found, for its callers. A function
// that can fail for reasons that a user can act on takes a `struct diag *`, adds what is wrong,
// where and what to do, and returns -errno; it prints nothing. All errors of a file are collected,
// so that a user can correct them at once.
//
//     struct diag diag = {0};
//
//     if (thing_open(&thing, path, &diag) != 0)
//             diag_print(&diag, stderr);
//     diag_free(&diag);
//
// A struct diag belongs to one thread at a time.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DIAG_KEPT_MAX 20 // errors, and as many warnings; more are only counted

// A place in a file. Line 0: none. The name of the file outlives what keeps the place, such as a
// configuration.
struct diag_pos {
	uint32_t line;
	uint32_t column;
	const char *file; // NULL: the one that a message is about
};

// Less than, equal to or greater than 0, as for qsort(): first what has no file of its own.
static inline int
diag_pos_compare(struct diag_pos a, struct diag_pos b)
{
	if (a.file != b.file)
		return a.file == NULL ? -1 : b.file == NULL ? 1 : strcmp(a.file, b.file);
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return a.column < b.column ? -1 : a.column > b.column;
}

struct diag_message {
	bool warning;
	struct diag_pos pos;
	char *text;        // "FILE:line:column: key: what is wrong", without a newline
	const char *words; // in text: behind the place
};

// Zero-initialised by the caller, freed by diag_free().
struct diag {
	struct diag_message *messages; // in the order found; each text only once
	unsigned count;
	unsigned errors; // found, kept or not
	unsigned warnings;
};

// Adds an error or a warning about a file, as "FILE:line:column: key: what is wrong". file: as the
// user named it, unless pos has another; pos: line 0 leaves line and column out; key: its path, or
// NULL. Characters that would steer a terminal become '?'. Returns -EINVAL for an error and 0 for a
// warning, so that a function can end with it.
int diag_error(struct diag *diag, const char *file, struct diag_pos pos, const char *key,
	       const char *format, ...) __attribute__((format(printf, 5, 6)));
int diag_warning(struct diag *diag, const char *file, struct diag_pos pos, const char *key,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));
// Adds an error that is not about a place in a file: of a device, a socket, a namespace. Returns
// -error, so that a function can end with it: return diag_fail(diag, errno, "%s: ...", ...).
int diag_fail(struct diag *diag, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
// The text of a message, without the name of the file if it is about no place in it.
const char *diag_text(const struct diag_message *message);
// The text of the first error, for an answer that has room for one line; "" without errors. Valid
// until the next message is added.
const char *diag_first_error(const struct diag *diag);

// Prints every message, one a line, sorted by position ("warning: " before a warning's text), and
// how many were not kept.
void diag_print(const struct diag *diag, FILE *to);
// Adds the messages of one to another, errors as warnings, except for those in `told` (or NULL).
void diag_soften(const struct diag *from, const struct diag *told, struct diag *to);
void diag_free(struct diag *diag);
