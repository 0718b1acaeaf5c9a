// SPDX-License-Identifier: BSD-3-Clause
// A method that takes anything and does nothing.
#pragma once

#include "control/api/api.h"

static inline int
nothing(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	(void)context;
	(void)params;
	(void)result;
	(void)why;
	(void)why_size;
	return 0;
}
