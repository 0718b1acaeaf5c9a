// SPDX-License-Identifier: BSD-3-Clause
// The life of a live fabric's process: up, served, down.
#pragma once

#include <jansson.h>
#include <stdio.h>

// Brings the fabric of `file` up in this process, or, where there is no such file, what the fabric
// of that name ran last (control/store/), calls ready() once it runs, serves its API until `down`
// is requested or SIGTERM or SIGINT comes, and takes it down. Messages go to `to`. Returns an exit
// status.
int daemon_run(const char *file, void (*ready)(void *context, const char *name), void *context,
	       FILE *to);

// Calls a method of the fabric that serves `path`, as api_call() does without parameters. Returns
// -ENOENT when nobody does, or does any more.
int daemon_ask(const char *path, const char *method, int timeout_ms, json_t **result, char *err,
	       size_t err_size);
