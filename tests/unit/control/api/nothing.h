// SPDX-License-Identifier: BSD-3-Clause
// A method that takes anything and does nothing.
#pragma once

#include "control/api/api.h"

static inline int
nothing(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	(void)context;
	(void)params;
	(void)result;
	(void)diag;
	return 0;
}
