// SPDX-License-Identifier: BSD-3-Clause
// The kinds of workload items; private to control/model/workload/. Functions that return an int
// return 0, or -EINVAL with the errors in the item's diag.
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
	const char *file;     // that has the names: the configuration, or a flow file
	struct random random; // the item's own
	struct diag *diag;
};

// A flow that the item adds, where it differs from the item.
struct item_flow {
	struct topo_endpoint src, dst;
	uint64_t bytes;
	uint64_t handed_bytes; // at once, if they must cross inside the source first; 0: all
	int8_t priority;       // -1: the item's
	ps_t start_ps;
	bool may_be_inside;  // both ends at one host are no mistake
	bool by_twin;        // out by the NIC of the destination's number where that is joined
	struct diag_pos pos; // for errors
};

// When a flow of this host starts: the item's start, and the host's jitter.
ps_t item_draw_start(struct item *item, uint32_t host);

// Adds a flow, the last of the workload's, if something joins the two.
int item_add_flow(struct item *item, const struct item_flow *flow);

// ---- endpoints (endpoints.c) --------------------------------------------------------------------

// How bytes get from one end to the other.
struct item_path {
	uint8_t src_port; // of the source host, that the network joins with the destination's
	bool inside;
	ps_t handover_ps;
};

int item_resolve(const struct item *item, const struct config_name *name, const char *key,
		 struct topo_endpoint *out);

// Who takes part, NIC by NIC. Those of one name are together, as a group: a host's NICs, or one.
struct item_members {
	struct topo_endpoint *ends;
	uint32_t count;
	uint32_t *groups; // where each begins
	uint32_t group_count;
};

static inline uint32_t
item_group_size(const struct item_members *m, uint32_t group)
{
	return (group + 1 < m->group_count ? m->groups[group + 1] : m->count) - m->groups[group];
}

// The NICs of the hosts of `hosts`, or of the tenant, or of all; at least two, none twice. Free
// with item_free_members(), also after an error.
int item_find_members(const struct item *item, struct item_members *out);
// The NICs of `receivers`. Free them too.
int item_find_receivers(const struct item *item, struct item_members *out);
void item_free_members(struct item_members *members);

// Adds a group: all NICs of an end that names a host, or the one.
void item_expand(const struct item *item, const struct topo_endpoint *end,
		 struct item_members *out);

// That a member cannot send to another is an error, as for a flow from it.
int item_check_pairs(const struct item *item, const struct item_members *members);

// How long bytes take from one NIC of a host to another.
ps_t item_handover(const struct host_config *host, uint64_t bytes);
// How long until that NIC may begin to send them on. The rest comes at the rate of `inside`, which
// is not below the NIC's if there are chunks (workload_create()).
ps_t item_forward(const struct host_config *host, uint64_t bytes);

// That nothing can go from one end to the other is an error at the flow's pos.
int item_find_path(const struct item *item, const struct item_flow *flow, struct item_path *out);

// ---- kinds --------------------------------------------------------------------------------------

int item_flow(struct item *item);
int item_flows_file(struct item *item);
int item_stream(struct item *item);
int item_incast(struct item *item);
int item_permutation(struct item *item);
int item_shift(struct item *item);
int item_poisson(struct item *item);
// A collective of its own.
int item_collective(struct item *item);
// A step of several operations.
int item_step(struct item *item);
// A trace that a file has (trace_item.c).
int item_trace(struct item *item);
// A training step of a model, from its sizes.
int item_model(struct item *item);
