// SPDX-License-Identifier: BSD-3-Clause
// What `record:` means for a live fabric: `roost record` and `roost capture`, as a user would start
// them, run beside it as clients of its socket and end with it. Workers and the control thread
// never wait for a disk. Control thread.
#pragma once

#include "live_fabric.h"

struct recordings;

// Checks what `record:` asks for, and that it can be written to `directory`; NULL: nothing is
// written, which a warning says. *out is NULL then. The file is loaded. Returns 0, -EINVAL with the
// errors of the file in diag, or another -errno with an error.
int recordings_plan(struct recordings **out, struct live_fabric *live, const char *directory,
		    struct diag *diag);
// Starts the programs. The socket listens. NULL is fine, here and below.
void recordings_start(struct recordings *r);
// Logs what they say, and that one has ended before the fabric.
void recordings_poll(struct recordings *r);
// [{"file", "pid", "state": "running" or "ended"}], or NULL.
json_t *recordings_list(const struct recordings *r);
// Waits until they have completed their files. The socket is closed, and the log is gone. Frees it.
void recordings_finish(struct recordings *r);
