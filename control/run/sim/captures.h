// SPDX-License-Identifier: BSD-3-Clause
// The capture files that `record: pcap` names. A port is recorded by the rank that runs its node,
// into a file without a name in $TMPDIR or /tmp, which the first rank fetches when the run is over.
#pragma once

#include "control/base/output.h"
#include "experiment.h"

struct captures;

// Adds a file to `output` for each port; output: NULL at ranks other than the first. Returns 0, or
// -errno with the reason in output->diag or diag. *out is for captures_close() in any case.
int captures_open(struct captures **out, const struct experiment *e, struct output *output,
		  struct diag *diag);

// Completes the files; the nodes must not run any more. Of several ranks, all call it. Returns 0,
// or -errno with the reason in output->diag.
int captures_finish(struct captures *c);

// Removes what there is. NULL is fine.
void captures_close(struct captures *c);
