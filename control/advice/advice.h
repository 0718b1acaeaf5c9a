// SPDX-License-Identifier: BSD-3-Clause
// What a fabric's settings will do to it though nothing about them is wrong: advice.c lists the
// ways.
#pragma once

#include "control/fabric/fabric.h"
#include "control/model/workload/workload.h"

// Adds a warning to diag for every setting that will hurt, at its place in the file. One that many
// ports or switches share is reported once. Returns 0 or -ENOMEM. Control thread, before the fabric
// runs.
int advice_give(const struct fabric *f, struct diag *diag);
// The same of what is to happen: items of the workload that start only when the run has ended
// (`until`; PS_NEVER: it has no end of its own), events behind its end, streams faster than their
// NIC. Returns 0 or -ENOMEM. Control thread.
int advice_give_work(const struct fabric *f, const struct workload *workload, ps_t until,
		     struct diag *diag);
// advice_give() for a fabric that runs, after a change: adds only what `before`, of advice_give(),
// has not.
int advice_give_new(const struct fabric *f, const struct diag *before, struct diag *diag);
