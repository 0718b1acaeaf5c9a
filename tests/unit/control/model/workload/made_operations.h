// SPDX-License-Identifier: BSD-3-Clause
// Who is in the operations of a workload, and what they wait for.
#pragma once

#include "made.h"

// The operation that a rank of workload.ranks belongs to.
static inline const struct collective_spec *
operation_of(const struct made *m, uint32_t rank)
{
	for (uint32_t i = 0; i < m->w->collective_count; i++)
		if (rank >= m->w->collectives[i].first_rank &&
		    rank < m->w->collectives[i].first_rank + m->w->collectives[i].rank_count)
			return &m->w->collectives[i];
	fail();
	return NULL;
}

// By their numbers among the ranks of the program: "0 2".
static inline void
assert_members(const struct made *m, const struct collective_spec *c, const char *members)
{
	char text[64] = "";

	for (uint32_t r = 0; r < c->rank_count; r++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u", r > 0 ? " " : "",
			 m->w->ranks[c->first_rank + r].member);
	assert_string_equal(text, members);
}

// The names of what a rank of workload.ranks waits for, all of it at the same member.
static inline void
assert_rank_waits(const struct made *m, uint32_t rank, const char *names)
{
	const struct rank_spec *r = &m->w->ranks[rank];
	char text[128] = "";

	for (uint32_t i = 0; i < r->after_count; i++) {
		uint32_t after = m->w->afters[r->first_after + i];

		assert_int_equal(m->w->ranks[after].member, r->member);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 i != 0 ? " " : "", operation_of(m, after)->name);
	}
	assert_string_equal(text, names);
}
