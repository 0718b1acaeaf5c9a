// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/base/lpm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// A trie of prefixes that it must take.
static inline struct lpm *
build(const struct lpm_prefix *prefixes, size_t n, unsigned int addr_bits)
{
	struct lpm *lpm = NULL;

	assert_int_equal(lpm_build(&lpm, prefixes, n, addr_bits), 0);
	assert_non_null(lpm);
	return lpm;
}
