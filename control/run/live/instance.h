// SPDX-License-Identifier: BSD-3-Clause
// The process of a live fabric, and what it would leave behind if it were killed: its socket, and
// beside that a file with the namespaces that it makes, so that the next `up` or `down` can remove
// them. Control thread.
#pragma once

#include "live_fabric.h"

#include <jansson.h>

// Calls a method, without parameters, of the fabric that serves the socket `path`. Returns as
// api_call(), and -ENOENT if no process serves it.
int instance_call(const char *path, const char *method, int timeout_ms, json_t **result,
		  struct diag *diag);

// Writes the file of a fabric that is about to come up. Returns 0, or -errno with an error in diag.
int instance_record(const struct live_fabric *live, const char *path, struct diag *diag);
// Removes it.
void instance_forget(const char *path);
// Removes what a fabric of that socket, whose process is gone, has left. Returns true if there was
// anything.
bool instance_clean(const char *path);

// Brings the fabric of `file` up in this process or, if there is no such file, what the fabric of
// that name ran last (control/edit/store.h), calls ready() once it runs, serves its API until `down`
// is requested or SIGTERM or SIGINT comes, and takes it down. Messages go to `to`. Returns an exit
// status. (daemon.c)
int daemon_run(const char *file, void (*ready)(void *context, const char *name), void *context,
	       FILE *to);
