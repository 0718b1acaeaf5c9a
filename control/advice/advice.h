// SPDX-License-Identifier: BSD-3-Clause
// Warnings about settings that are valid but do harm; advice.c lists the kinds. Control thread,
// before the fabric runs or between its changes.
#pragma once

#include "control/fabric/fabric.h"
#include "control/model/workload/workload.h"

// Adds the warnings about a fabric's settings, each at its place in the file. A problem that
// several ports or switches share is reported once.
void advice_give(const struct fabric *f, struct diag *diag);
// Adds the warnings about what does not take place: items of the workload and events that lie
// behind the end of the run (`until`; PS_NEVER: it has none), and streams that are faster than
// their NIC; and about packets of the workload, or of attached hosts, that overtake each other.
void advice_give_work(const struct fabric *f, const struct workload *workload, ps_t until,
		      struct diag *diag);
// Adds the one about packets that overtake each other alone. Entries of `attach:`, and `workload`
// unless it is NULL, send to hosts of the entries.
void advice_reordering(const struct fabric *f, const struct config_attach *const *entries,
		       uint32_t count, const struct workload *workload, struct diag *diag);

// After a change of a running fabric: adds the warnings that `before`, filled by advice_give(),
// does not have.
void advice_give_new(const struct fabric *f, const struct diag *before, struct diag *diag);
// Adds the warnings of `now` that `before` does not have.
void advice_add_new(const struct fabric *f, const struct diag *before, const struct diag *now,
		    struct diag *diag);
