// SPDX-License-Identifier: BSD-3-Clause
// The interactive shell: roost's commands on a terminal, with completion and a history.
#pragma once

#include <histedit.h>
#include <stdio.h>

#define SHELL_HISTORY_MAX 1000

// Reads commands from the terminal until exit, quit or Ctrl-D. Standard input and output must be
// one. Returns CLI_OK, or CLI_FAILED with what is wrong on stderr.
int shell_run(void);

// ---- parts of it ----

// Binds TAB and ? of an editor: what may follow is completed, or told (edit.c).
int shell_bind(EditLine *editor);

// The lines of earlier sessions, from $XDG_STATE_HOME/roost/history, into `past`; how many are kept
// is bounded. A file that cannot be read is as none (history.c).
void shell_history_load(History *past);
// Appends a line to that file, which is made, for its owner alone, where it is missing. Returns 0
// or -errno.
int shell_history_append(const char *line);
