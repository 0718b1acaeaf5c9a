// SPDX-License-Identifier: BSD-3-Clause
// The roost program: its commands, and what those that need a live fabric share.
#pragma once

#include "command/command.h"
#include "control/api/api.h"
#include "control/base/diag.h"

#include <jansson.h>
#include <limits.h>

// The program with all of its commands.
extern const struct cli_program cli_program;

// Runs the program and returns its exit status.
int cli_main(int argc, char **argv);

// ---- rows of commands, in the files of those that are run ---------------------------------------

extern const struct cli_command command_api;
extern const struct cli_command command_apply;
extern const struct cli_command command_bug_report;
extern const struct cli_command command_capture;
extern const struct cli_command command_check;
extern const struct cli_command command_clear;
extern const struct cli_command command_compare;
extern const struct cli_command command_complete;
extern const struct cli_command command_completion;
extern const struct cli_command command_config;
extern const struct cli_command command_down;
extern const struct cli_command command_events;
extern const struct cli_command command_exec;
extern const struct cli_command command_attach, command_detach;
extern const struct cli_command command_graph;
extern const struct cli_command command_headroom;
extern const struct cli_command command_help;
extern const struct cli_command command_history;
extern const struct cli_command command_lab;
extern const struct cli_command command_link;
extern const struct cli_command command_list;
extern const struct cli_command command_metrics;
extern const struct cli_command command_migrate;
extern const struct cli_command command_plot, command_report;
extern const struct cli_command command_record;
extern const struct cli_command command_replay;
extern const struct cli_command command_rollback;
extern const struct cli_command command_run;
extern const struct cli_command command_save;
extern const struct cli_command command_schema;
extern const struct cli_command command_set;
extern const struct cli_command command_show;
extern const struct cli_command command_sim;
extern const struct cli_command command_subnet;
extern const struct cli_command command_sweep;
extern const struct cli_command command_top;
extern const struct cli_command command_trace;
extern const struct cli_command command_transmit;
extern const struct cli_command command_unset;
extern const struct cli_command command_up;
extern const struct cli_command command_watchdog;
extern const struct cli_command command_web;
extern const struct cli_command command_where;
extern const struct cli_command command_workload;

// ---- the live fabric (call.c) -------------------------------------------------------------------

// The socket of the fabric that a command means: --fabric's, else ROOST_FABRIC's, else the only one
// that is up. Returns EXIT_OK, or prints what is wrong and returns EXIT_FAILED or EXIT_USAGE.
int cli_find_fabric(const struct cli_args *args, char path[static API_PATH_MAX]);

// Calls a method of that fabric and frees params; params that are NULL are reported as words that
// are not UTF-8. Returns an exit status, with *result the caller's when it is EXIT_OK. Errors go to
// stderr.
int cli_call(const struct cli_args *args, const char *method, json_t *params, json_t **result);
// The same without printing what the fabric refuses: that is in diag.
int cli_call_quietly(const struct cli_args *args, const char *method, const json_t *params,
		     json_t **result, struct diag *diag);

// Calls a method and prints its answer, as JSON if --output json was given; print NULL: prints
// nothing. Returns an exit status.
int cli_call_print(const struct cli_args *args, const char *method, json_t *params,
		   void (*print)(const json_t *answer));

// Prints the warnings of a change and waits until no packet from before it is in flight. Frees the
// result. Returns an exit status.
int cli_end_change(const struct cli_args *args, json_t *result);

// Prints an answer as JSON with a newline.
void cli_print_json(const json_t *answer);

// ---- programs that come with roost (beside.c) ---------------------------------------------------

// Finds a file by where roost itself is: the first of these places below its directory that can be
// read. Returns 0 or -errno.
int cli_find_beside(const char *const *places, unsigned count, char path[static PATH_MAX]);

// Replaces this process by the Python program at one of two places, with words that end with NULL.
// Returns only if that fails: an exit status, with the error printed.
int cli_become(const struct cli_args *args, const char *const places[static 2],
	       const char *const *words);
// The same with the path of roost, the words of the command line, "--", and each option that was
// given as NAME=VALUE.
int cli_become_with_options(const struct cli_args *args, const char *const places[static 2]);

// ---- edits (edit.c) -----------------------------------------------------------------------------

// Reads the words of `roost set` or `roost unset`. They take two forms:
//	a key with dots and, for `set`, its value:      switch.qos.tc.3.ecn.min 100KB
//	the key's words, and the value as the last one: switch qos tc 3 ecn min 100KB
// In words, `tenant` stands for `tenants`, and a tenant's lists take items, one or several with
// commas between: `set tenant green hosts h5,h6` adds them, `unset` removes them. Returns the edit
// as the API's "edit" takes it, or NULL with the error in diag.
json_t *edit_read_set(int count, char *const *words, struct diag *diag);
json_t *edit_read_unset(int count, char *const *words, struct diag *diag);
