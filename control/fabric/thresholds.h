// SPDX-License-Identifier: BSD-3-Clause
// At how many bytes a lossless group sends XOFF and XON if it alone uses its pool: a dynamic limit
// falls as others fill the pool.
#pragma once

#include "dataplane/base/tables.h"

// UINT64_MAX: it sends none.
uint64_t threshold_xoff_bytes(const struct tables *t, const struct pg_profile *pg);
// Only of a group that sends XOFF.
uint64_t threshold_xon_bytes(const struct tables *t, const struct pg_profile *pg);
