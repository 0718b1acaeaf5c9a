// SPDX-License-Identifier: BSD-3-Clause
// `roost trace` of a file: the fabric as it stands before its first event, or at a time of its run.
#pragma once

#include "control/base/diag.h"
#include "dataplane/base/time.h"

#include <jansson.h>

// at: the fabric runs in virtual time until then; 0: not at all. params as trace_answer() takes
// them. Returns 0 with *out the caller's, -EINVAL with the errors in diag, or another -errno.
int trace_file(const char *file, ps_t at, const json_t *params, json_t **out, struct diag *diag);
