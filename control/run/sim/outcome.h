// SPDX-License-Identifier: BSD-3-Clause
// What a run found out, ready for result.json and the summary. Refers to the experiment.
#pragma once

#include "control/fabric/result.h"
#include "experiment.h"

struct outcome {
	struct report_result result;
	struct report_flow *flows;
	struct report_collective *collectives;
};

// What an experiment that has run found out. Returns 0 or -ENOMEM; outcome_destroy() in either
// case.
int outcome_create(struct outcome *o, const struct experiment *e, double setup_s, double wall_s);
void outcome_destroy(struct outcome *o);
