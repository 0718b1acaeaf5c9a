// SPDX-License-Identifier: BSD-3-Clause
// Traces with a list for each rank do not say which entries of different ranks are one operation.
// The libraries that were traced do not either: they take the order, and so does this.
#include "trace_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LABEL_MAX 64

// An operation: the calls match->order[first] and those behind it.
struct operation {
	uint32_t first, count;
	uint32_t earliest; // of its calls
};

struct match {
	struct trace_calls *c;
	uint32_t *order; // calls, those of an operation together
	uint32_t order_count;
	struct operation *operations;
	uint32_t operation_count;
};

static void
add_operation(struct match *m, const uint32_t *calls, uint32_t count, uint32_t step)
{
	struct operation op = {.first = m->order_count, .count = count, .earliest = UINT32_MAX};

	for (uint32_t i = 0; i < count; i++) {
		uint32_t call = calls[i * step];

		m->order[m->order_count++] = call;
		if (call < op.earliest)
			op.earliest = call;
	}
	m->operations = memory_grow(m->operations, m->operation_count, sizeof(op), "operations");
	m->operations[m->operation_count++] = op;
}

// What calls must share, then their order.
static int
compare_collectives(const void *a, const void *b, void *context)
{
	const struct trace_call *calls = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct trace_call *x = &calls[i], *y = &calls[j];

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return i < j ? -1 : i > j;
}

static int
compare_messages(const void *a, const void *b, void *context)
{
	const struct trace_call *calls = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct trace_call *x = &calls[i], *y = &calls[j];
	const uint64_t keys[][2] = {
		{x->group, y->group},
		{x->does == TRACE_SENDS ? x->rank : x->peer,
		 y->does == TRACE_SENDS ? y->rank : y->peer},
		{x->does == TRACE_SENDS ? x->peer : x->rank,
		 y->does == TRACE_SENDS ? y->peer : y->rank},
		{x->tag, y->tag},
		{x->does, y->does},
		{i, j},
	};

	for (unsigned k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		if (keys[k][0] != keys[k][1])
			return keys[k][0] < keys[k][1] ? -1 : 1;
	return 0;
}

static uint32_t *
collect(const struct trace_calls *c, bool collectives, uint32_t *count)
{
	uint32_t *found = memory_array(c->count, sizeof(*found), "operations of ranks");

	*count = 0;
	for (uint32_t i = 0; i < c->count; i++)
		if (c->calls[i].does != TRACE_COMPUTES &&
		    (c->calls[i].does == TRACE_JOINS) == collectives)
			found[(*count)++] = i;
	qsort_r(found, *count, sizeof(*found), collectives ? compare_collectives : compare_messages,
		c->calls);
	return found;
}

// That two ranks agree on what they do together.
static int
check_same(const struct trace_calls *c, const struct trace_call *a, const struct trace_call *b)
{
	if (a->kind != b->kind)
		return trace_call_error(c, b,
					"%s of rank %u meets %s of rank %u in group %s: their "
					"orders differ",
					b->name, b->rank, a->name, a->rank,
					c->groups[a->group].name);
	if (a->bytes != b->bytes && a->kind != CONFIG_WORK_ALL_TO_ALL)
		return trace_call_error(c, b,
					"%s of rank %u has %" PRIu64 " bytes, and %" PRIu64
					" at rank %u of group %s",
					b->name, b->rank, b->bytes, a->bytes, a->rank,
					c->groups[a->group].name);
	if (a->peer != b->peer)
		return trace_call_error(c, b, "%s has another root at rank %u than at rank %u",
					b->name, b->rank, a->rank);
	return 0;
}

// The calls of a group: those of its first rank, of its second and so on, as many of each.
static int
match_group(struct match *m, const uint32_t *calls, uint32_t count)
{
	const struct trace_calls *c = m->c;
	const struct trace_call *first = &c->calls[calls[0]];
	const struct trace_group *group = &c->groups[first->group];
	uint32_t each = 0, ranks = 0, run = 0;

	while (each < count && c->calls[calls[each]].place == first->place)
		each++;
	for (uint32_t i = 0; i < count; i += run) {
		const struct trace_call *call = &c->calls[calls[i]];

		for (run = 1; i + run < count; run++)
			if (c->calls[calls[i + run]].place != call->place)
				break;
		if (run != each)
			return trace_call_error(c, call,
						"rank %u has %u collectives of group %s, and rank "
						"%u has %u",
						call->rank, run, group->name, first->rank, each);
		ranks++;
	}
	if (group->expected != 0 && ranks != group->expected)
		return trace_call_error(c, first,
					"group %s has %u ranks, and the trace has %u of them; it "
					"must have all",
					group->name, group->expected, ranks);
	for (uint32_t k = 0; k < each; k++) {
		for (uint32_t r = 1; r < ranks; r++)
			if (check_same(c, &c->calls[calls[k]], &c->calls[calls[r * each + k]]) != 0)
				return -EINVAL;
		add_operation(m, &calls[k], ranks, each);
	}
	return 0;
}

static int
match_collectives(struct match *m)
{
	const struct trace_calls *c = m->c;
	uint32_t count, *calls = collect(c, true, &count), run;
	int error = 0;

	for (uint32_t i = 0; i < count; i += run) {
		for (run = 1; i + run < count; run++)
			if (c->calls[calls[i + run]].group != c->calls[calls[i]].group)
				break;
		error |= match_group(m, &calls[i], run);
	}
	free(calls);
	return error;
}

static bool
are_alike(const struct trace_call *a, const struct trace_call *b)
{
	uint32_t from_a = a->does == TRACE_SENDS ? a->rank : a->peer;
	uint32_t from_b = b->does == TRACE_SENDS ? b->rank : b->peer;
	uint32_t to_a = a->does == TRACE_SENDS ? a->peer : a->rank;
	uint32_t to_b = b->does == TRACE_SENDS ? b->peer : b->rank;

	return a->group == b->group && a->tag == b->tag && from_a == from_b && to_a == to_b;
}

// The messages of two ranks with one tag: first the sends, then the receives.
static int
match_pair(struct match *m, const uint32_t *calls, uint32_t count)
{
	const struct trace_calls *c = m->c;
	const struct trace_call *first = &c->calls[calls[0]];
	uint32_t sends = 0;

	while (sends < count && c->calls[calls[sends]].does == TRACE_SENDS)
		sends++;
	if (2 * sends != count)
		return trace_call_error(c, first,
					"%s of rank %u: %u messages are sent and %u received "
					"between ranks %u and %u with tag %" PRIu64,
					first->name, first->rank, sends, count - sends, first->rank,
					first->peer, first->tag);
	for (uint32_t k = 0; k < sends; k++) {
		const struct trace_call *send = &c->calls[calls[k]];
		const struct trace_call *receive = &c->calls[calls[sends + k]];

		if (send->bytes != receive->bytes)
			return trace_call_error(c, receive,
						"%s of rank %u receives %" PRIu64 " bytes of the "
						"%" PRIu64 " that rank %u sends",
						receive->name, receive->rank, receive->bytes,
						send->bytes, send->rank);
		add_operation(m, &calls[k], 2, sends);
	}
	return 0;
}

static int
match_messages(struct match *m)
{
	const struct trace_calls *c = m->c;
	uint32_t count, *calls = collect(c, false, &count), run;
	int error = 0;

	for (uint32_t i = 0; i < count; i += run) {
		for (run = 1; i + run < count; run++)
			if (!are_alike(&c->calls[calls[i]], &c->calls[calls[i + run]]))
				break;
		error |= match_pair(m, &calls[i], run);
	}
	free(calls);
	return error;
}

// ---- the graph ----------------------------------------------------------------------------------

static int
compare_operations(const void *a, const void *b)
{
	const struct operation *x = a, *y = b;

	return x->earliest < y->earliest ? -1 : x->earliest > y->earliest;
}

// "8 ranks, 2 apart": groups that are alike are summed together. NULL: all ranks.
static const char *
label_group(const struct match *m, const struct operation *op, char label[static LABEL_MAX])
{
	const struct trace_call *calls = m->c->calls;
	const uint32_t *order = &m->order[op->first];
	int64_t apart =
		op->count > 1 ? (int64_t)calls[order[1]].rank - (int64_t)calls[order[0]].rank : 0;
	bool even = apart > 0;

	if (op->count == m->c->b->trace->rank_count)
		return NULL;
	for (uint32_t i = 1; i < op->count; i++)
		even &= (int64_t)calls[order[i]].rank - (int64_t)calls[order[i - 1]].rank == apart;
	if (even)
		snprintf(label, LABEL_MAX, "%u ranks, %jd apart", op->count, (intmax_t)apart);
	else
		snprintf(label, LABEL_MAX, "%u ranks", op->count);
	return label;
}

static int
compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

// Adds a call as a member; calls that it waits for may be of one operation.
static int
add_member(const struct match *m, const struct trace_call *call)
{
	const struct trace_calls *c = m->c;
	uint32_t *after = memory_array(call->after_count, sizeof(*after), "dependencies");
	uint32_t kept = 0;
	int error;

	for (uint32_t i = 0; i < call->after_count; i++)
		after[i] = c->calls[c->after[call->first_after + i]].operation;
	qsort(after, call->after_count, sizeof(*after), compare_numbers);
	for (uint32_t i = 0; i < call->after_count; i++)
		if (kept == 0 || after[kept - 1] != after[i])
			after[kept++] = after[i];
	error = trace_add_member(c->b, call->rank, after, kept);
	free(after);
	return error;
}

// Parts of an all-to-all whose ranks send unequal amounts: each rank's in equal parts.
static int
make_pairs(const struct match *m, const struct operation *op, uint64_t **out)
{
	const struct trace_call *calls = m->c->calls;
	const uint32_t *order = &m->order[op->first];
	uint64_t pairs = (uint64_t)op->count * op->count;
	bool equal = true;

	*out = NULL;
	for (uint32_t i = 1; i < op->count; i++)
		equal &= calls[order[i]].bytes == calls[order[0]].bytes;
	if (equal || calls[order[0]].kind != CONFIG_WORK_ALL_TO_ALL)
		return 0;
	if (pairs > TRACE_PAIRS_MAX - m->c->b->pair_count)
		return trace_call_error(m->c, &calls[order[0]],
					"all-to-alls with unequal parts of more than %u pairs of "
					"ranks together; cut the trace",
					TRACE_PAIRS_MAX);
	m->c->b->pair_count += pairs;
	*out = memory_array(pairs, sizeof(**out), "pairs");
	for (uint32_t i = 0; i < op->count; i++)
		for (uint32_t j = 0; j < op->count; j++)
			(*out)[(size_t)i * op->count + j] = calls[order[i]].bytes / op->count;
	return 0;
}

static uint64_t
largest(const struct match *m, const struct operation *op)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < op->count; i++)
		if (m->c->calls[m->order[op->first + i]].bytes > bytes)
			bytes = m->c->calls[m->order[op->first + i]].bytes;
	return bytes;
}

// A collective of one rank sends nothing.
static enum config_work_kind
kind_of(const struct trace_call *call, uint32_t ranks)
{
	if (call->does == TRACE_COMPUTES || ranks == 1)
		return CONFIG_WORK_COMPUTE;
	return call->does == TRACE_SENDS ? CONFIG_WORK_SEND : call->kind;
}

static int
add_graph_operation(const struct match *m, const struct operation *op)
{
	const struct trace_call *calls = m->c->calls;
	const struct trace_call *first = &calls[m->order[op->first]];
	char label[LABEL_MAX];
	uint64_t *pairs;
	struct graph_operation operation = {
		.name = first->name,
		.group = first->does == TRACE_JOINS ? label_group(m, op, label) : NULL,
		.kind = kind_of(first, op->count),
		.compute_ps = first->compute_ps,
		.bytes = op->count > 1 ? largest(m, op) : 0,
		.priority = -1,
		.number = m->c->b->trace->operation_count,
	};
	uint64_t parts = m->c->gathers_parts && first->kind == CONFIG_WORK_ALL_GATHER ? op->count
										      : 1;
	bool rooted = first->does == TRACE_JOINS && first->kind == CONFIG_WORK_BROADCAST;
	uint32_t root = rooted && first->peer != TRACE_NONE ? first->peer : 0;
	int error = make_pairs(m, op, &pairs);

	if (error == 0 && root >= op->count)
		error = trace_call_error(m->c, first, "the root, %u, is not one of %u ranks", root,
					 op->count);
	if (error == 0 && (__builtin_mul_overflow(operation.bytes, parts, &operation.bytes) ||
			   operation.bytes > TRACE_BYTES_MAX))
		error = trace_call_error(m->c, first, "more than %" PRIu64 " bytes",
					 TRACE_BYTES_MAX);
	if (error == 0 && operation.bytes == 0 && operation.kind != CONFIG_WORK_COMPUTE)
		error = trace_call_error(m->c, first, "%s has no bytes", first->name);
	if (error == 0)
		error = trace_add(m->c->b, &operation);
	for (uint32_t i = 0; i < op->count && error == 0; i++)
		error = add_member(m, &calls[m->order[op->first + (root + i) % op->count]]);
	if (error == 0 && pairs != NULL)
		graph_add_parts(m->c->b->trace->graph, pairs);
	free(pairs);
	return error;
}

int
trace_match(struct trace_calls *c)
{
	struct match m = {.c = c};
	int error;

	m.order = memory_array(c->count, sizeof(*m.order), "operations of ranks");
	error = match_collectives(&m);
	error |= match_messages(&m);
	for (uint32_t i = 0; i < c->count && error == 0; i++)
		if (c->calls[i].does == TRACE_COMPUTES)
			add_operation(&m, &i, 1, 1);
	if (m.operation_count != 0)
		qsort(m.operations, m.operation_count, sizeof(*m.operations), compare_operations);
	for (uint32_t i = 0; i < m.operation_count; i++)
		for (uint32_t k = 0; k < m.operations[i].count; k++)
			c->calls[m.order[m.operations[i].first + k]].operation = i;
	for (uint32_t i = 0; i < m.operation_count && error == 0; i++)
		error = add_graph_operation(&m, &m.operations[i]);
	free(m.order);
	free(m.operations);
	return error;
}
