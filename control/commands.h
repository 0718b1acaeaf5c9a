// SPDX-License-Identifier: BSD-3-Clause
// The commands of the roost program. Each is called by cli_main() with argv[0] "roost COMMAND"
// and its own arguments behind it, without --help, ready for getopt_long(); it writes results to
// stdout and messages to stderr and returns the exit status: CLI_OK, CLI_FAILED or CLI_USAGE.
#pragma once

enum cli_status {
	CLI_OK = 0,
	CLI_FAILED = 1,
	CLI_USAGE = 2, // wrong usage, or a wrong file
};

int cmd_check(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_up(int argc, char **argv);
int cmd_down(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_api(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_unset(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_apply(int argc, char **argv);
int cmd_save(int argc, char **argv);
int cmd_history(int argc, char **argv);
int cmd_rollback(int argc, char **argv);
int cmd_clear(int argc, char **argv);
int cmd_watchdog(int argc, char **argv);
int cmd_where(int argc, char **argv);
int cmd_headroom(int argc, char **argv);
int cmd_help(int argc, char **argv);
int cmd_complete(int argc, char **argv);
int cmd_completion(int argc, char **argv);
int cmd_schema(int argc, char **argv);
