// SPDX-License-Identifier: BSD-3-Clause
// The file's `record:` at equal steps of time, as CSV: depths of queues, rates of flows, loads of
// links, pauses and pools. What is not asked for costs nothing.
#pragma once

#include "flows.h"

struct samples;

// Whether all that `record:` names exists. Returns 0, -EINVAL with errors in diag, or -ENOMEM.
int samples_check(const struct fabric *f, const struct fabric_flows *flows,
		  struct config_diag *diag);

// Whether the files that samples_create() opens or removes in `dir` can be. Returns 0, or -errno
// with one line in err.
int samples_check_files(const char *dir, char *err, size_t err_size);

// Opens a file in `dir` for each kind of series that is asked for. *out is NULL when there is none.
// Returns 0; -EINVAL with errors in diag; or -errno with one line in err.
int samples_create(struct samples **out, const struct fabric *f, const struct fabric_flows *flows,
		   const char *dir, struct config_diag *diag, char *err, size_t err_size);

// Closes the files, and removes them unless `keep`. Returns 0, or -errno with one line in err when
// one is incomplete. NULL is fine.
int samples_close(struct samples *s, bool keep, char *err, size_t err_size);

// When the next is due; PS_NEVER for NULL.
ps_t samples_next(const struct samples *s);

// Takes the one due at `now`: all nodes have taken everything before it.
void samples_take(struct samples *s, ps_t now);
