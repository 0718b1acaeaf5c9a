// SPDX-License-Identifier: BSD-3-Clause
// Connections of a matrix of htsim as operations: triggers are what they wait for.
#include "trace_htsim_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// ---- triggers -----------------------------------------------------------------------------------

static int
compare_ties(const void *a, const void *b)
{
	const struct htsim_tie *x = a, *y = b;

	if (x->trigger != y->trigger)
		return x->trigger < y->trigger ? -1 : 1;
	return x->connection < y->connection ? -1 : x->connection > y->connection;
}

static int
compare_triggers(const void *a, const void *b)
{
	const struct htsim_trigger *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void
add_tie(struct htsim_ties *ties, uint64_t trigger, uint32_t connection)
{
	if (trigger == 0)
		return;
	ties->items = memory_grow(ties->items, ties->count, sizeof(*ties->items), "triggers");
	ties->items[ties->count++] = (struct htsim_tie){trigger, connection};
}

// The first tie of this trigger or a later one.
static uint32_t
find_tie(const struct htsim_ties *ties, uint64_t trigger)
{
	uint32_t low = 0, high = ties->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ties->items[middle].trigger < trigger)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Where the ties of a trigger begin; *count: how many.
static uint32_t
find_ties(const struct htsim_ties *ties, uint64_t trigger, uint32_t *count)
{
	uint32_t first = find_tie(ties, trigger);

	*count = find_tie(ties, trigger + 1) - first;
	return first;
}

static const struct htsim_trigger *
find_trigger(const struct htsim *h, uint64_t id)
{
	const struct htsim_trigger key = {.id = id};

	if (h->trigger_count == 0)
		return NULL;
	return bsearch(&key, h->triggers, h->trigger_count, sizeof(key), compare_triggers);
}

static int
check_trigger(struct htsim *h, const struct htsim_trigger *t)
{
	uint32_t fired, awaited;

	find_ties(&h->fired, t->id, &fired);
	find_ties(&h->awaited, t->id, &awaited);
	if (awaited == 0)
		return 0;
	if (t->kind == HTSIM_ONESHOT && fired != 1)
		return trace_error(h->b, t->pos, NULL,
				   "%u connections fire trigger %" PRIu64 "; a oneshot has one",
				   fired, t->id);
	if (t->kind == HTSIM_BARRIER && fired != t->count)
		return trace_error(h->b, t->pos, NULL,
				   "%u connections fire barrier %" PRIu64 ", and its count is "
				   "%" PRIu64 "; Roost needs as many",
				   fired, t->id, t->count);
	if (t->kind == HTSIM_MULTISHOT && fired < awaited)
		return trace_error(h->b, t->pos, NULL,
				   "%u connections fire multishot %" PRIu64 ", and %u wait for it",
				   fired, t->id, awaited);
	return 0;
}

static int
tie_connections(struct htsim *h)
{
	unsigned before = h->b->diag->errors;

	if (h->trigger_count != 0)
		qsort(h->triggers, h->trigger_count, sizeof(*h->triggers), compare_triggers);
	for (uint32_t i = 0; i < h->connection_count; i++) {
		const struct htsim_connection *c = &h->connections[i];

		if (c->trigger != 0 && find_trigger(h, c->trigger) == NULL)
			trace_error(h->b, c->pos, "trigger",
				    "there is no line `trigger id %" PRIu64 "`", c->trigger);
		add_tie(&h->awaited, c->trigger, i);
		add_tie(&h->fired, c->fires[0], i);
		add_tie(&h->fired, c->fires[1], i);
	}
	if (h->fired.count != 0)
		qsort(h->fired.items, h->fired.count, sizeof(struct htsim_tie), compare_ties);
	if (h->awaited.count != 0)
		qsort(h->awaited.items, h->awaited.count, sizeof(struct htsim_tie), compare_ties);
	for (uint32_t i = 1; i < h->awaited.count; i++) {
		const struct htsim_tie *tie = &h->awaited.items[i];

		if (tie[-1].trigger == tie->trigger)
			h->connections[tie->connection].turn =
				h->connections[tie[-1].connection].turn + 1;
	}
	for (uint32_t i = 0; i < h->trigger_count; i++) {
		if (i > 0 && h->triggers[i].id == h->triggers[i - 1].id)
			trace_error(h->b, h->triggers[i].pos, NULL,
				    "trigger %" PRIu64 " is there twice", h->triggers[i].id);
		check_trigger(h, &h->triggers[i]);
	}
	return h->b->diag->errors == before ? 0 : -EINVAL;
}

// ---- starts -------------------------------------------------------------------------------------

static int
compare_starts(const void *a, const void *b)
{
	const struct htsim_start *x = a, *y = b;

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	return x->at_ps < y->at_ps ? -1 : x->at_ps > y->at_ps;
}

static void
list_starts(struct htsim *h)
{
	uint32_t count = 0, kept = 0;

	h->starts = memory_array(h->connection_count, sizeof(*h->starts), "starts");
	for (uint32_t i = 0; i < h->connection_count; i++)
		if (h->connections[i].start_ps != 0)
			h->starts[count++] = (struct htsim_start){h->connections[i].src,
								  h->connections[i].start_ps};
	qsort(h->starts, count, sizeof(*h->starts), compare_starts);
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || compare_starts(&h->starts[kept - 1], &h->starts[i]) != 0)
			h->starts[kept++] = h->starts[i];
	h->start_count = kept;
}

// The operations that pass a source's time until its connections start, one after the other.
static int
add_starts(struct htsim *h)
{
	int error = 0;

	for (uint32_t i = 0; i < h->start_count && error == 0; i++) {
		const struct htsim_start *start = &h->starts[i];
		bool first = i == 0 || start[-1].src != start->src;
		uint32_t number = h->b->trace->operation_count, before = number - 1;
		const struct graph_operation wait = {
			.name = "start",
			.kind = CONFIG_WORK_COMPUTE,
			.compute_ps = start->at_ps - (first ? 0 : start[-1].at_ps),
			.priority = -1,
			.number = number,
		};

		error = trace_add(h->b, &wait);
		if (error == 0)
			error = trace_add_member(h->b, start->src, &before, !first);
	}
	return error;
}

// ---- the graph ----------------------------------------------------------------------------------

static int
check_place(struct htsim *h, const struct htsim_connection *c, uint32_t after)
{
	const struct htsim_connection *before = &h->connections[after];

	if (before->src == c->src || before->dst == c->src)
		return 0;
	return trace_error(h->b, c->pos, "trigger",
			   "node %u cannot know when %u->%u is over; a connection that starts "
			   "another must have an end at its source",
			   c->src, before->src, before->dst);
}

// What a connection waits for. Returns how many, or a negative error.
static int64_t
find_after(struct htsim *h, uint32_t connection, uint32_t **after)
{
	const struct htsim_connection *c = &h->connections[connection];
	uint32_t count, first;

	if (c->start_ps != 0) {
		const struct htsim_start key = {c->src, c->start_ps}, *found;

		found = bsearch(&key, h->starts, h->start_count, sizeof(key), compare_starts);
		*after = memory_new(sizeof(**after), "dependencies");
		**after = h->connection_count + (uint32_t)(found - h->starts);
		return 1;
	}
	if (c->trigger == 0)
		return 0;
	first = find_ties(&h->fired, c->trigger, &count);
	if (find_trigger(h, c->trigger)->kind == HTSIM_MULTISHOT) {
		first += c->turn;
		count = 1;
	}
	if (count > TRACE_AFTER_MAX - h->b->after_count) // is an error where they are added
		count = TRACE_AFTER_MAX - h->b->after_count + 1;
	*after = memory_array(count, sizeof(**after), "dependencies");
	for (uint32_t i = 0; i < count; i++) {
		(*after)[i] = h->fired.items[first + i].connection;
		if (check_place(h, c, (*after)[i]) != 0)
			return -EINVAL;
	}
	return count;
}

static int
add_connection(struct htsim *h, uint32_t connection)
{
	const struct htsim_connection *c = &h->connections[connection];
	char name[TRACE_NAME_MAX];
	const struct graph_operation operation = {
		.name = name,
		.kind = CONFIG_WORK_SEND,
		.bytes = c->bytes,
		.priority = -1,
		.number = connection,
	};
	uint32_t *after = NULL;
	int64_t count = find_after(h, connection, &after);
	int error = count < 0 ? -EINVAL : 0;

	if (c->id != 0)
		snprintf(name, sizeof(name), "%" PRIu64, c->id);
	else
		snprintf(name, sizeof(name), "%u->%u", c->src, c->dst);
	if (error == 0)
		error = trace_add(h->b, &operation);
	if (error == 0)
		error = trace_add_member(h->b, c->src, after, (uint32_t)count);
	if (error == 0)
		error = trace_add_member(h->b, c->dst, NULL, 0);
	free(after);
	return error;
}

int
htsim_add_connections(struct htsim *h)
{
	int error = tie_connections(h);

	if (error != 0)
		return error;
	list_starts(h);
	for (uint32_t i = 0; i < h->connection_count && error == 0; i++)
		error = add_connection(h, i);
	return error != 0 ? error : add_starts(h);
}
