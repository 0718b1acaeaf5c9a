// SPDX-License-Identifier: BSD-3-Clause
// A run in a screen of text: completion times by workload item, drops, PFC, ECN, buffer peaks.
#pragma once

#include "control/fabric/result.h"

#include <stdio.h>

// Prints it. digest: of result_collect(), or NULL.
void summary_print(const struct report_result *r, const char *digest, FILE *to);
