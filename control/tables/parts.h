// SPDX-License-Identifier: BSD-3-Clause
// The parts of which build.c and host.c make a snapshot; private to control/tables/.
#pragma once

#include "build.h"

#include <stddef.h>

#define TABLES_CELLS_MAX (POOL_UNLIMITED - 1)

// What is being built, and for whom.
struct tables_draft {
	struct tables *t;
	const struct topology *topology;
	const struct topo_node *node;
	uint32_t node_index;
	const struct switch_config *settings;
	struct config_diag *diag;
	bool host; // a NIC: unlimited buffer
};

// Whole cells, rounded down or up; at most TABLES_CELLS_MAX.
static inline uint32_t
tables_cells_down(const struct tables *t, uint64_t bytes)
{
	uint64_t cells = bytes / t->cell;

	return cells < TABLES_CELLS_MAX ? (uint32_t)cells : TABLES_CELLS_MAX;
}

static inline uint32_t
tables_cells_up(const struct tables *t, uint64_t bytes)
{
	uint64_t cells = bytes / t->cell + (bytes % t->cell != 0);

	return cells < TABLES_CELLS_MAX ? (uint32_t)cells : TABLES_CELLS_MAX;
}

// A threshold without an end, or, with alpha, 2^shift times what is free.
struct threshold tables_unlimited(enum pool_id pool, uint32_t reserved);
struct threshold tables_alpha(enum pool_id pool, uint32_t reserved, int shift);

// An error or warning about the member of struct switch_config at this offset, at the place where
// the file sets it.
#define tables_error(draft, member, key, ...) \
	tables_report(draft, false, offsetof(struct switch_config, member), key, __VA_ARGS__)
#define tables_warning(draft, member, key, ...) \
	tables_report(draft, true, offsetof(struct switch_config, member), key, __VA_ARGS__)
void tables_report(const struct tables_draft *draft, bool warning, size_t offset, const char *key,
		   const char *format, ...) __attribute__((format(printf, 5, 6)));

// Each returns 0, -EINVAL with the errors in diag, or -ENOMEM; t->cell is set.
int tables_add_profiles(struct tables_draft *draft); // and the ports, which refer to them
int tables_add_pools(struct tables_draft *draft);    // after profiles: they say what is reserved
int tables_add_tenants(struct tables_draft *draft);  // after pools
int tables_add_forwarding(struct tables_draft *draft, const struct route_list *routes);
