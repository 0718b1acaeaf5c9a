// SPDX-License-Identifier: BSD-3-Clause
// What the tests of merging share.
#pragma once

#include "expect.h"

// One switch with one port and these settings.
#define DUT(settings) "switch:\n  ports: {swp1: {}}\n" settings

static inline void
assert_alpha(const struct config_limit *limit, int shift)
{
	assert_int_equal(limit->kind, CONFIG_LIMIT_ALPHA);
	assert_int_equal(limit->shift, shift);
}
