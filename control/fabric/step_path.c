// SPDX-License-Identifier: BSD-3-Clause
// The critical path of a step, from its end to its beginning. A collective is taken as a whole: it
// could not end before its data had gone, once its last rank had joined; so the path goes on at
// that rank, with what kept it. A message is kept by its sender, or by the receiver if that came
// later. A rank that computes for another operation is kept by that one.
#include "step_times.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

// Time of a path between two instants.
struct stretch {
	const struct collective_spec *c;
	bool computing; // else its data
	ps_t time;
	uint32_t member; // where
};

// A stretch as part of the path, and the how many from its end.
struct piece {
	struct report_path part;
	uint32_t order;
};

struct pieces {
	struct piece *items;
	uint32_t count;
};

static void
add(const struct fabric_flows *flows, const struct step_times *t, const struct stretch *s,
    struct pieces *out)
{
	const struct member_spec *m = &t->workload->members[t->program->first_member + s->member];

	if (s->time == 0)
		return;
	out->items = memory_grow(out->items, out->count, sizeof(*out->items), "a critical path");
	out->items[out->count] = (struct piece){
		.part = {.name = s->c->label != NULL ? s->c->label : s->c->name,
			 .kind = s->computing ? REPORT_COMPUTE : flows_kind(s->c),
			 .ranks = s->c->rank_count,
			 .times = 1,
			 .bytes = s->computing ? 0 : s->c->bytes,
			 .time = s->time,
			 .longest = s->time,
			 .host = topology_host(flows->fabric->topology, m->host)->name},
		.order = out->count,
	};
	out->count++;
}

static int
compare_operations(const struct piece *a, const struct piece *b)
{
	if (a->part.kind != b->part.kind)
		return a->part.kind < b->part.kind ? -1 : 1;
	if (a->part.ranks != b->part.ranks)
		return a->part.ranks < b->part.ranks ? -1 : 1;
	return strcmp(a->part.name, b->part.name);
}

static int
compare_pieces(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;
	int difference = compare_operations(a, b);

	return difference != 0 ? difference : a->order < b->order ? -1 : a->order > b->order;
}

static int
compare_orders(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;

	return a->order < b->order ? -1 : a->order > b->order;
}

// Adds up the pieces of each operation, in the order of those nearest to the end. A trace may have
// a name for each of its operations: they are sorted, not looked for.
static void
add_up_pieces(struct pieces *p, struct path_list *out)
{
	uint32_t kept = 0;

	if (p->count == 0)
		return;
	qsort(p->items, p->count, sizeof(*p->items), compare_pieces);
	for (uint32_t i = 0; i < p->count; i++) {
		const struct report_path *one = &p->items[i].part;
		struct report_path *sum = &p->items[kept > 0 ? kept - 1 : 0].part;

		if (kept == 0 || compare_operations(&p->items[kept - 1], &p->items[i]) != 0) {
			p->items[kept++] = p->items[i];
			continue;
		}
		sum->times++;
		sum->time += one->time;
		sum->bytes += one->bytes;
		if (one->longest <= sum->longest)
			continue;
		sum->longest = one->longest;
		sum->host = one->host;
	}
	qsort(p->items, kept, sizeof(*p->items), compare_orders);
	out->items = memory_array(kept, sizeof(*out->items), "a critical path");
	out->count = kept;
	for (uint32_t i = 0; i < kept; i++)
		out->items[i] = p->items[i].part;
}

static uint32_t
index_of(const struct step_times *t, const struct collective_spec *c, uint32_t rank)
{
	return c->first_rank + rank - t->first;
}

// Whose beginning the data of an operation waited for, of which `at` has ended.
static uint32_t
find_last_to_join(const struct step_times *t, uint32_t at)
{
	const struct collective_spec *c = step_operation(t, at);
	bool message = flows_kind(c) == REPORT_SEND;
	uint32_t last = at;

	if (message && at == index_of(t, c, 0))
		return at; // a sender waits for nobody
	for (uint32_t r = 0; r < c->rank_count; r++) {
		uint32_t index = index_of(t, c, r);

		if (t->start[index] > t->start[last] && t->start[index] <= t->end[at])
			last = index;
	}
	return last;
}

// What ended at `when` and so let a rank begin: an operation that it waited for, or else the one
// that it computed for (*computed). WORKLOAD_NONE: the step itself.
static uint32_t
find_earlier(const struct step_times *t, uint32_t at, ps_t when, bool *computed)
{
	const struct workload *w = t->workload;
	const struct rank_spec *rank = &w->ranks[t->first + at];

	*computed = false;
	for (uint32_t i = 0; i < rank->after_count; i++) {
		uint32_t after = w->afters[rank->first_after + i] - t->first;

		if (t->end[after] == when)
			return after;
	}
	*computed = true;
	for (uint32_t i = t->first_of[rank->member]; i < t->first_of[rank->member + 1]; i++) {
		uint32_t other = t->of_member[i];

		if (other != at && t->start[other] == when &&
		    step_operation(t, other)->compute_ps != 0)
			return other;
	}
	return WORKLOAD_NONE;
}

static uint32_t
find_last(const struct step_times *t)
{
	uint32_t last = 0;

	for (uint32_t i = 1; i < t->count; i++)
		if (t->end[i] > t->end[last])
			last = i;
	return last;
}

void
step_path_follow(const struct fabric_flows *flows, const struct step_times *t,
		 struct path_list *out)
{
	uint32_t at = find_last(t), left = 2 * t->count;
	struct pieces pieces = {0};
	bool computed = false;

	while (at != WORKLOAD_NONE && left-- > 0) {
		const struct collective_spec *c = step_operation(t, at);
		struct stretch s = {.c = c};

		if (!computed) {
			uint32_t joined = find_last_to_join(t, at);

			s.time = t->end[at] - t->start[joined];
			s.member = t->workload->ranks[t->first + joined].member;
			add(flows, t, &s, &pieces);
			at = joined;
		}
		s.computing = true;
		s.time = c->compute_ps;
		s.member = t->workload->ranks[t->first + at].member;
		add(flows, t, &s, &pieces);
		at = find_earlier(t, at, step_begin(t, at), &computed);
	}
	add_up_pieces(&pieces, out);
	free(pieces.items);
}
