// SPDX-License-Identifier: BSD-3-Clause
// The files that a command writes into a directory as its result. Each is written under a temporary
// name; output_commit() moves all of them to their own names once they are complete and on disk.
// Until then the directory keeps what it had, and a command that fails changes nothing.
//
// Errors: functions return -errno with an error in `diag`, which begins with the path.
#pragma once

#include "diag.h"

#include <stdbool.h>

struct output_file {
	char *name;
	char *path;      // "DIR/NAME", for messages
	char *temporary; // "DIR/.NAME.new", where it is written; NULL: the commit removes NAME
};

struct output {
	const char *directory; // NULL: not open
	bool made;             // by output_open()
	struct output_file **files;
	unsigned int count;
	struct diag diag; // errors
};

// Makes the directory unless it exists; its parent must exist. `directory` outlives the output.
// Returns 0 or -errno; output_close() in either case.
int output_open(struct output *o, const char *directory);

// Adds a file, to be written at (*file)->temporary. Returns 0, or -errno if NAME cannot be
// replaced: it is a directory, or write-protected.
int output_add(struct output *o, const char *name, const struct output_file **file);

// Has the commit remove NAME: a file of an earlier run that this run does not write would pass for
// its own. Returns 0 or -errno, like output_add().
int output_add_removal(struct output *o, const char *name);

// Adds "PATH: message of `error`" to o->diag. Returns `error`, a -errno.
int output_fail(struct output *o, const struct output_file *file, int error);

// Moves all files, closed by their writers, to their own names, in the order in which they were
// added. Returns 0 or -errno.
int output_commit(struct output *o);

// Removes what has not been committed, and the directory if output_open() made it and it is empty.
void output_close(struct output *o);
