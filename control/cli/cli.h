// SPDX-License-Identifier: BSD-3-Clause
// What the commands share: the way in, the table of commands, which fabric is meant, complaints.
#pragma once

#include "control/api/api.h"
#include "control/commands.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cli_command {
	const char *name;
	const char *arguments; // behind the name, a line per form; KEY: a key of a file
	const char *help;      // one line; empty: for programs, and not listed
	const char *details;   // options and what they do
	int (*run)(int argc, char **argv);
};

// All commands, in the order in which --help lists them.
const struct cli_command *cli_commands(size_t *count);

// The command of this name, or NULL.
const struct cli_command *cli_find_command(const char *name);

// Says that there is none, and what may have been meant. Returns CLI_USAGE.
int cli_refuse_command(const char *name);

// What --help prints: the commands, or one of them, or the key among its words (help.c). Returns an
// exit status.
void cli_print_commands(FILE *to);
int cli_print_help(const struct cli_command *command, int argc, char **argv);

// Runs the program and returns its exit status.
int cli_main(int argc, char **argv);

// Says on stderr what is wrong with how a command (argv[0] of it) was called, and where to read
// how. Returns CLI_USAGE.
int cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same after getopt_long() has complained itself.
int cli_usage_hint(const char *command);

// What a command returns when api_socket_find() (control/api/socket_path.h) returned rc: CLI_USAGE
// where it is the name that is wrong or missing.
int cli_fabric_status(int rc);

// The socket of the fabric that a live command means: `name` (of -f or an argument), else
// ROOST_FABRIC's, else the only one that is up. Returns 0, or says on stderr what is wrong and
// returns CLI_FAILED or CLI_USAGE.
int cli_find_fabric(const char *name, char path[static API_PATH_MAX]);
