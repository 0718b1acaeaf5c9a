// SPDX-License-Identifier: BSD-3-Clause
// The kinds of workload items; private to control/workload/.
#pragma once

#include "../../dataplane/random.h"
#include "workload.h"

// What an item is made from, and into.
struct item {
	struct workload *workload;
	const struct topology *topology;
	const struct routes *routes;
	const struct host_config *hosts;
	const struct config_work *work;
	uint32_t index;       // in config.workload
	const char *file;     // where names stand: the configuration, or a flow file
	struct random random; // the item's own
	struct config_diag *diag;
};

// A flow that the item adds, where it differs from the item.
struct item_flow {
	uint32_t src, dst;
	uint64_t bytes;
	int8_t priority; // -1: the item's
	ps_t after_ps;   // the item's start
	uint32_t collective;
	struct config_pos pos; // for errors
};

// Adds a flow if a route joins the two. Returns 0, -EINVAL with the error in diag, or -ENOMEM.
int item_add_flow(struct item *item, const struct item_flow *flow);

// Why nothing can go from one host to the other is an error at pos. Returns 0 or -EINVAL.
int item_check_pair(const struct item *item, uint32_t src, uint32_t dst, struct config_pos pos);

// The hosts that take part: those of `hosts`, or of the tenant, or all; at least two. *out is for
// free(). Returns 0, -EINVAL with the error in diag, or -ENOMEM.
int item_members(const struct item *item, uint32_t **out, uint32_t *count);

// Each kind: returns 0, -EINVAL with the errors in diag, or -ENOMEM.
int item_flow(struct item *item);
int item_flows_file(struct item *item);
int item_stream(struct item *item);
int item_incast(struct item *item);
int item_permutation(struct item *item);
int item_all_to_all(struct item *item);
