// SPDX-License-Identifier: BSD-3-Clause
// The file's `record:` at equal steps of time, as CSV: depths of queues, rates of flows, loads of
// links, pauses and pools. What is not asked for costs nothing.
#pragma once

#include "control/base/output.h"
#include "flows.h"

struct samples;

// Whether all that `record:` names exists. Returns 0, -EINVAL with errors in diag, or -ENOMEM.
int samples_check(const struct fabric *f, const struct fabric_flows *flows, struct diag *diag);

// Adds a file to `output` for each kind of series that `record:` names, and the removal of the
// others. *out is NULL when it names none. Returns 0; -EINVAL with errors in diag; or -errno with
// the reason in output->diag.
int samples_create(struct samples **out, const struct fabric *f, const struct fabric_flows *flows,
		   struct output *output, struct diag *diag);

// Closes the files. Returns 0, or -errno of the first that could not be written, with the reason in
// the output's err. NULL is fine.
int samples_close(struct samples *s);

// When the next is due; PS_NEVER for NULL.
ps_t samples_next(const struct samples *s);

// Takes the one due at `now`: all nodes have taken everything before it.
void samples_take(struct samples *s, ps_t now);
