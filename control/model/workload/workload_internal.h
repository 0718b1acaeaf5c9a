// SPDX-License-Identifier: BSD-3-Clause
// The kinds of workload items; private to control/model/workload/.
#pragma once

#include "dataplane/base/random.h"
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
	struct diag *diag;
};

// A flow that the item adds, where it differs from the item.
struct item_flow {
	struct topo_endpoint src, dst;
	uint64_t bytes;
	uint64_t handed_bytes; // at once, if they must cross inside the source first
	int8_t priority;       // -1: the item's
	ps_t start_ps;
	bool may_be_inside;  // both ends at one host are no mistake
	bool by_twin;        // out by the NIC of the destination's number where that is joined
	struct diag_pos pos; // for errors
};

// Makes room for one element more. Returns 0 or -ENOMEM.
int item_reserve(void **array, uint32_t *capacity, uint32_t count, size_t size);

// When a flow of this host starts: the item's start, and the host's jitter.
ps_t item_draw_start(struct item *item, uint32_t host);

// Adds a flow if something joins the two; *out, unless it is NULL, is good until the next is added.
// Returns 0, -EINVAL with the error in diag, or -ENOMEM.
int item_add_flow(struct item *item, const struct item_flow *flow, struct flow_spec **out);

// ---- endpoints (endpoints.c) -----------------------------------------------------------------------

// How bytes get from one end to the other.
struct item_path {
	uint8_t src_port; // of the source host, that the network joins with the destination's
	bool inside;
	ps_t handover_ps;
};

int item_resolve(const struct item *item, const struct config_name *name, const char *key,
		 struct topo_endpoint *out);

// Who takes part, NIC by NIC. Those of one name stand together, as a group: a host's NICs, or one.
struct item_members {
	struct topo_endpoint *ends;
	uint32_t count;
	uint32_t *groups; // where each begins, and behind the last the end
	uint32_t group_count;
};

// The NICs of the hosts of `hosts`, or of the tenant, or of all; at least two, none twice. Free
// with item_free_members(), also after an error. Returns 0, -EINVAL with the error in diag, or
// -ENOMEM.
int item_find_members(const struct item *item, struct item_members *out);
void item_free_members(struct item_members *members);

// Adds all NICs of an end that is a whole host, or the one. Returns 0 or -ENOMEM.
int item_expand(const struct item *item, const struct topo_endpoint *end, struct item_members *out);

// Why nothing can go from one end to the other is an error at the flow's pos. Returns 0 or -EINVAL.
int item_find_path(const struct item *item, const struct item_flow *flow, struct item_path *out);

// ---- kinds --------------------------------------------------------------------------------------

// Each: returns 0, -EINVAL with the errors in diag, or -ENOMEM.
int item_flow(struct item *item);
int item_flows_file(struct item *item);
int item_stream(struct item *item);
int item_incast(struct item *item);
int item_permutation(struct item *item);
int item_shift(struct item *item);
int item_poisson(struct item *item);
// A collective of its own, or a step of several.
int item_program(struct item *item);
