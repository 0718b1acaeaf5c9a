// SPDX-License-Identifier: BSD-3-Clause
// The completion time of a flow that has its path, by the tables in force, to itself.
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

// Returns 0 with the time in *out; -ENOENT without a path; or -EINVAL.
int fabric_ideal(const struct fabric *f, const struct ideal_query *q, ps_t *out);

// Bytes that the slowest link of the path carries in a time: for a round trip the bandwidth-delay
// product. 0 without a path.
uint64_t fabric_ideal_bytes(const struct fabric *f, const struct ideal_query *q, ps_t time);

// How many links the data of a flow cross, and its acknowledgements. Returns 0, or -ENOENT without
// a path.
int fabric_ideal_links(const struct fabric *f, const struct ideal_query *q, unsigned int *data,
		       unsigned int *acks);
