// SPDX-License-Identifier: BSD-3-Clause
#include "snapshots.h"

#include "control/base/memory.h"
#include "result_internal.h"

#include <stdio.h>
#include <stdlib.h>

struct snapshots {
	struct gather *gather;
	struct output_table *file; // of the first rank
	FILE *pieces;              // of a rank that sends
	struct csv *table;         // NULL: not wanted
	json_t *taken;
	uint32_t count; // at all ranks
	// The one that is being taken.
	struct snapshot_instant at;
	struct digest digest;
};

struct snapshots *
snapshots_create(struct ranks *ranks, bool tables, struct output_table *table)
{
	struct snapshots *s = memory_new(sizeof(*s), "snapshots");

	s->taken = json_array();
	s->gather = gather_create(ranks, 0);
	if (!tables)
		return s;
	if (gather_sends(s->gather)) {
		s->pieces = gather_open(s->gather, RESULT_PIECE_COUNTERS);
		s->table = csv_create(s->pieces);
	} else {
		s->file = table;
		s->table = result_table_begin(RESULT_SNAPSHOTS, table->to);
	}
	return s;
}

void
snapshots_end(struct snapshots *s)
{
	csv_destroy(s->table);
	if (s->pieces != NULL)
		fclose(s->pieces);
	gather_destroy(s->gather);
	s->table = NULL;
	s->pieces = NULL;
	s->gather = NULL;
}

void
snapshots_destroy(struct snapshots *s)
{
	if (s == NULL)
		return;
	snapshots_end(s);
	json_decref(s->taken);
	free(s);
}

static void
put_counter(void *context, const struct counter_value *value)
{
	struct snapshots *s = context;

	digest_put_counter(&s->digest, value);
	if (s->table != NULL)
		result_put_snapshot(s->table, &s->at, value);
}

static void
flush(struct snapshots *s)
{
	if (s->table == NULL)
		return;
	csv_flush(s->table);
	if (s->pieces != NULL)
		fflush(s->pieces);
}

static void
add_node(struct snapshots *s, const struct report_node *n, ps_t now)
{
	digest_put_node(&s->digest, n);
	counters_walk(n, now, put_counter, s);
	if (!gather_sends(s->gather))
		return;
	digest_flush(&s->digest);
	flush(s);
}

static void
use_piece(void *context, const struct gather_piece *piece)
{
	struct snapshots *s = context;

	if (piece->kind == RESULT_PIECE_DIGEST)
		digest_put_bytes(&s->digest, piece->data, piece->count);
	else if (piece->kind == RESULT_PIECE_COUNTERS && s->table != NULL)
		csv_copy(s->table, piece->data, piece->count);
}

// Completes the snapshot, which has a place in the list only now.
static void
complete(struct snapshots *s, ps_t now)
{
	char digest[RESULT_DIGEST_MAX];

	flush(s);
	if (s->file != NULL)
		output_check_table(s->file);
	digest_end(&s->digest, digest);
	json_array_append_new(s->taken, json_pack("{s:I,s:s}", "at_ns",
						  (json_int_t)(now / PS_PER_NS), "digest", digest));
}

void
snapshots_take(struct snapshots *s, const struct report_node *nodes, uint32_t count, ps_t now)
{
	s->at.number = s->count++;
	snprintf(s->at.time_ns, sizeof(s->at.time_ns), "%llu.%03u",
		 (unsigned long long)(now / PS_PER_NS), (unsigned int)(now % PS_PER_NS));
	digest_begin(&s->digest, s->gather);
	digest_put_snapshot(&s->digest, now);
	for (uint32_t i = 0; i < count; i++) {
		gather_at(s->gather, i);
		if (nodes[i].node != NULL)
			add_node(s, &nodes[i], now);
		else
			gather_take(s->gather, i, use_piece, s);
	}
	gather_finish(s->gather, use_piece, s);
	if (!gather_sends(s->gather))
		complete(s, now);
}

const json_t *
snapshots_taken(const struct snapshots *s)
{
	return s->taken;
}
