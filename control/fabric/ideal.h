// SPDX-License-Identifier: BSD-3-Clause
// How long a flow would take alone, by the path that the tables in force give it.
#pragma once

#include "fabric.h"

struct ideal_query {
	uint32_t src, dst; // hosts
	uint8_t src_port, dst_port;
	enum nic_op op;
	bool immediate; // the last packet carries immediate data
	ps_t handover;  // inside src, before
	uint64_t bytes;
	uint32_t path_mtu;
	const struct host_config *from, *to;
};

// Returns 0 with the time in *out; -ENOENT when no path leads there; -EINVAL.
int fabric_ideal(const struct fabric *f, const struct ideal_query *q, ps_t *out);

// What the slowest link of the path carries in a time: of a round trip, the bandwidth-delay
// product. 0 when no path leads there.
uint64_t fabric_ideal_bytes(const struct fabric *f, const struct ideal_query *q, ps_t time);
