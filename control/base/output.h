// SPDX-License-Identifier: BSD-3-Clause
// The files that a command writes into a directory as its result. Each is written under a temporary
// name; output_commit() moves all of them to their own names once they are complete and on disk.
// Until then the directory keeps what it had, and a command that fails changes nothing.
//
// Errors: functions return -errno with an error in `diag`, which begins with the path.
#pragma once

#include "diag.h"

#include <stdbool.h>
#include <stdio.h>

struct output_file {
	char *name;
	char *path;      // "DIR/NAME", for messages
	char *temporary; // "DIR/.NAME.new", where it is written; NULL: the commit removes NAME
};

struct output {
	const char *directory; // NULL: not open
	bool made;             // by output_open()
	bool gzip;             // the caller's: tables are compressed
	struct output_file **files;
	unsigned int count;
	struct diag diag; // errors
};

// Makes the directory unless it exists; its parent must exist. `directory` outlives the output. If
// memory runs out before output_close(), what has not been committed is removed.
// Returns 0 or -errno; output_close() in either case.
int output_open(struct output *o, const char *directory);

// Adds a file, to be written at (*file)->temporary. Returns 0, or -errno if NAME cannot be
// replaced: it is a directory, or write-protected.
int output_add(struct output *o, const char *name, const struct output_file **file);

// Has the commit remove NAME: a file of an earlier run that this run does not write would pass for
// its own. Returns 0 or -errno, like output_add().
int output_add_removal(struct output *o, const char *name);

// A CSV file that is being written.
struct output_table {
	const struct output_file *file;
	FILE *to;  // NULL: closed
	int error; // the first of writing, as -errno
};

// Adds a table and opens it: NAME, or with `gzip` NAME.gz. The other of the two is removed. Returns
// 0 or -errno; output_close_table() in either case.
int output_add_table(struct output *o, const char *name, struct output_table *table);
// Has the commit remove a table in both forms. Returns 0 or -errno.
int output_add_table_removal(struct output *o, const char *name);

// Notes whether writing has failed.
void output_check_table(struct output_table *table);
// Closes a table. Returns 0, or -errno of its first error with the reason in o->diag. Again is
// fine.
int output_close_table(struct output *o, struct output_table *table);

// Adds "PATH: message of `error`" to o->diag. Returns `error`, a -errno.
int output_fail(struct output *o, const struct output_file *file, int error);

// Moves all files, closed by their writers, to their own names, in the order in which they were
// added. Returns 0 or -errno.
int output_commit(struct output *o);

// Removes what has not been committed, and no more: for a process that is about to end.
void output_discard(const struct output *o);

// Removes what has not been committed, and the directory if output_open() made it and it is empty.
void output_close(struct output *o);
