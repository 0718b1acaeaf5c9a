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

// When a process began, in clock ticks since the machine did: what a number that is used again does
// not share. 0: there is no such process.
uint64_t instance_process_began(pid_t pid);

// What the file says.
struct instance_state {
	char name[CONFIG_NAME_MAX + 1];
	pid_t pid;
	uint64_t began; // when that process did, so that its number used again is not taken for it
	json_t *namespaces;
	json_t *taps; // NULL: none
};

// Parses the text of such a file. Returns 0, or -EBADMSG; instance_free() in either case.
int instance_parse(struct instance_state *out, const char *text, size_t length);
void instance_free(struct instance_state *state);

// Writes the file of a fabric that is about to come up. The caller holds api_lock(). Returns 0, or
// -errno with an error in diag.
int instance_record(const struct live_fabric *live, const char *path, struct diag *diag);
// Removes it.
void instance_forget(const char *path);
// Whether any files of a fabric of that socket exist, stale or not.
bool instance_left(const char *path);
// Removes what a fabric of that socket, which nobody serves, has left. The caller holds api_lock().
// Waits for a process that was killed; `end`: ends one that lives although its socket is gone.
// Returns 1, 0 if there was nothing to remove, or -errno with an error in diag: -EBUSY if the
// process lives.
int instance_clean(const char *path, bool end, struct diag *diag);

// What to bring up.
struct live_command {
	const char *file; // or the name of a fabric, as it ran last
	const char *part; // to run, of `fabric.parts`; NULL: all of the fabric, or as it ran
	const char *out;  // the directory of what `record:` names; NULL: none
};

// Brings the fabric of a file up in this process or, if there is no such file, what the fabric of
// that name ran last (control/edit/store.h), calls ready() once it runs, serves its API until
// `down` is requested or SIGTERM or SIGINT comes, and takes it down. Messages go to `to`. Returns
// an exit status. (daemon.c)
int daemon_run(const struct live_command *command, void (*ready)(void *context, const char *name),
	       void *context, FILE *to);
