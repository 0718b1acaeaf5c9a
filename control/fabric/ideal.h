// SPDX-License-Identifier: BSD-3-Clause
// How long a flow would take alone, by the path that the tables in force give it.
#pragma once

#include "fabric.h"

struct ideal_query {
	uint32_t src, dst; // hosts
	uint64_t bytes;
	uint32_t path_mtu;
	const struct host_config *from, *to;
};

// Returns 0 with the time in *out; -ENOENT when no path leads there; -EINVAL.
int fabric_ideal(const struct fabric *f, const struct ideal_query *q, ps_t *out);
