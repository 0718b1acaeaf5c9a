// SPDX-License-Identifier: BSD-3-Clause
// The file's `record: {interval, queues}`: depths of queues at equal steps of time, as CSV.
#pragma once

#include "fabric.h"

struct samples;

// Resolves the queues and opens DIR/queues.csv. *out is NULL when the file records no queue.
// Returns 0; -EINVAL with errors in diag; or -errno with one line in err.
int samples_create(struct samples **out, const struct fabric *f, const char *dir,
		   struct config_diag *diag, char *err, size_t err_size);

// Closes the file, and removes it unless `keep`. Returns 0, or -errno with one line in err when it
// is incomplete. NULL is fine.
int samples_close(struct samples *s, bool keep, char *err, size_t err_size);

// When the next is due; PS_NEVER for NULL.
ps_t samples_next(const struct samples *s);

// Takes the one due at `now`: all nodes have taken everything before it.
void samples_take(struct samples *s, ps_t now);
