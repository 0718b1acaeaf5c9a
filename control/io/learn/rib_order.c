// SPDX-License-Identifier: BSD-3-Clause
// Prefixes in the order of a route_list. New prefixes are appended, and sorted and merged when the
// list is read, so that a change of a few routes among a million costs one pass instead of a sort.
// Prefixes that have lost their routes are removed at the same time.
#include "rib_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

void
rib_list_prefix(struct rib *rib, struct rib_prefix *prefix)
{
	uint32_t count = rib->listed + rib->added++;

	rib->order = memory_grow(rib->order, count, sizeof(struct rib_prefix *), "prefixes");
	rib->order[count] = prefix;
}

static int
prefix_compare(const void *a, const void *b)
{
	const struct config_prefix *x = &(*(struct rib_prefix *const *)a)->prefix;
	const struct config_prefix *y = &(*(struct rib_prefix *const *)b)->prefix;
	int order;

	if (x->version != y->version)
		return x->version < y->version ? -1 : 1;
	order = memcmp(x->address, y->address, sizeof(x->address));
	return order != 0 ? order : (int)x->length - (int)y->length;
}

// Removes prefixes without routes from a part of the list. Returns how many are left.
static uint32_t
weed(struct rib *rib, struct rib_prefix **part, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (part[i]->routes != NULL) {
			part[kept++] = part[i];
			continue;
		}
		hash_remove(&rib->facts, &part[i]->fact.link);
		free(part[i]);
	}
	return kept;
}

void
rib_sort(struct rib *rib)
{
	struct rib_prefix **added;
	uint32_t new = rib->added, at, from;
	bool empty = rib->listed + new != rib->prefixes; // some have lost their routes

	if (!empty && new == 0)
		return;
	added = memory_copy(&rib->order[rib->listed], new, sizeof(struct rib_prefix *), "prefixes");
	if (empty) {
		new = weed(rib, added, new);
		rib->listed = weed(rib, rib->order, rib->listed);
	}
	qsort(added, new, sizeof(struct rib_prefix *), prefix_compare);
	from = rib->listed;
	rib->added = 0;
	rib->listed += new;
	// From the end, so that nothing is overwritten before it was moved.
	for (at = rib->listed; new != 0;) {
		bool older = from != 0 &&
			     prefix_compare(&rib->order[from - 1], &added[new - 1]) > 0;

		rib->order[--at] = older ? rib->order[--from] : added[--new];
	}
	free(added);
}

const struct rib_route *
rib_best(const struct rib_prefix *prefix)
{
	const struct rib_route *best = prefix->routes;

	for (const struct rib_route *r = best; r != NULL; r = r->next) {
		const struct rib_key *a = &r->fact.key, *b = &best->fact.key;

		if (r->metric != best->metric ? r->metric < best->metric
		    : a->source != b->source  ? a->source < b->source
					      : a->device < b->device)
			best = r;
	}
	return best;
}
