// SPDX-License-Identifier: BSD-3-Clause
// The interactive shell: roost's commands on a terminal, with completion and a history.
#pragma once

#include "control/cli/command/command.h"
#include "dataplane/base/embedded.h"

#include <histedit.h>

#define SHELL_HISTORY_MAX 1000

// Reads commands from the terminal until exit, quit or Ctrl-D. Standard input and output must be
// one. main: runs a command line, whose argv[0] is "roost", in a process of its own. Returns
// EXIT_OK, or EXIT_FAILED with the error on stderr.
int shell_run(const struct cli_program *program, int (*main)(int argc, char **argv));

// The completion scripts of other shells.
extern const struct embedded_file embedded_scripts[];

// ---- for the files of this folder ---------------------------------------------------------------

// The program whose commands an editor of shell_run() completes.
const struct cli_program *shell_program(EditLine *editor);

// Binds TAB and ? of an editor: TAB completes a word, ? lists what may follow (keys.c).
int shell_bind(EditLine *editor);

// Loads the lines of earlier sessions, from $XDG_STATE_HOME/roost/history, into `past`; at most
// SHELL_HISTORY_MAX. A file that cannot be read counts as empty (history.c).
void shell_history_load(History *past);
// Appends a line to that file, which is created for its owner alone if it is missing. Returns 0 or
// -errno.
int shell_history_append(const char *line);
