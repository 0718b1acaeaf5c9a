// SPDX-License-Identifier: BSD-3-Clause
// The series that `record:` names, sampled at equal intervals and written as CSV: depths of queues,
// rates of flows, loads of links, pauses and pools.
#pragma once

#include "control/base/output.h"
#include "flows.h"

struct samples;

// Checks that all names in `record:` exist. Returns 0, or -EINVAL with errors in diag.
int samples_check(const struct fabric_flows *flows, struct diag *diag);

// Adds a file to `output` for each kind of series that `record:` names, and the removal of the
// files of other kinds. output: NULL at ranks other than the first, to which they send their lines.
// *out is NULL if it names none. Returns 0, -EINVAL with errors in diag, or -errno with the reason
// in output->diag. All ranks make this call, and take all samples.
int samples_create(struct samples **out, const struct fabric_flows *flows, struct output *output,
		   struct diag *diag);

// Closes the files. Returns 0, or -errno of the first that could not be written, with the reason in
// output->diag. NULL is fine.
int samples_close(struct samples *s);

// The time of the next sample; PS_NEVER for NULL.
ps_t samples_next(const struct samples *s);

// Takes the sample that is due at `now`: all nodes have processed everything before it.
void samples_take(struct samples *s, ps_t now);
