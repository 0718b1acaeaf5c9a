// SPDX-License-Identifier: BSD-3-Clause
// What a fuzz target checks.
#pragma once

#include <stdbool.h>
#include <stdlib.h>

static inline void
require(bool truth)
{
	if (!truth)
		abort();
}
