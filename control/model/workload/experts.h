// SPDX-License-Identifier: BSD-3-Clause
// What tokens on their way to experts and back send; private to control/model/workload/.
#pragma once

#include "workload_internal.h"

// The ranks that share the experts.
struct experts_group {
	const struct item *item;
	const struct item_members *members;
	const uint32_t *ranks; // in members
	uint32_t count;
	bool back;           // a combine, not a dispatch
	struct diag_pos pos; // for errors
};

// All-to-alls of equal parts at once, of `count` ranks each: rank i of the g-th is at place
// g * group_step + i * step of the group.
struct experts_phase {
	bool inside; // hosts, on the way between them
	uint64_t pair_bytes;
	uint32_t count, step;
	uint32_t groups, group_step;
};

// One phase after the other; at a rank the second begins when the first is over there.
struct experts_plan {
	uint32_t phase_count;
	struct experts_phase phases[2];
};

static inline uint32_t
experts_place(const struct experts_phase *p, uint32_t group, uint32_t i)
{
	return group * p->group_step + i * p->step;
}

// Returns 0, or -EINVAL with the error in the item's diag.
int experts_plan(const struct experts_group *group, const struct config_experts *experts,
		 struct experts_plan *out);
