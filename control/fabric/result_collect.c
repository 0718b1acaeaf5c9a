// SPDX-License-Identifier: BSD-3-Clause
// The pass over all nodes of a run. What it makes of a node goes where it is wanted at once, or to
// the first rank, which gets the nodes in their order. So every counter is read once, and where it
// is.
#include "result_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct collection {
	struct report_result *r;
	const struct result_wanted *wanted;
	struct gather *gather;
	struct digest *digest;
	struct csv *links, *counters;
	FILE *link_pieces, *counter_pieces; // of a rank that sends
};

// ---- a node that is here ------------------------------------------------------------------------

static void
add_load(struct collection *c, const struct report_node *n, unsigned int port)
{
	const struct port_load one = {port, report_load(n, port, c->r->last_event)};

	if (gather_sends(c->gather))
		gather_put(c->gather, RESULT_PIECE_LOADS, &one, sizeof(one));
	else
		report_tiers_add(&c->r->figures.tiers, n, port, one.load);
}

static void
put_counter(void *context, const struct counter_value *value)
{
	struct collection *c = context;

	if (c->digest != NULL)
		digest_put_counter(c->digest, value);
	if (c->counters != NULL)
		result_put_counter(c->counters, value);
}

static void
add_histogram(struct report_figures *f, const struct report_node *n, json_t *one)
{
	json_t *entry = json_pack("{s:s}", "node", n->name);

	json_object_update(entry, one);
	json_array_append_new(f->histograms, entry);
}

static void
add_histograms(struct collection *c, const struct report_node *n)
{
	json_t *list = counters_histograms(n), *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		char *text;

		if (!gather_sends(c->gather)) {
			add_histogram(&c->r->figures, n, one);
			continue;
		}
		text = json_dumps(one, JSON_COMPACT);
		gather_put(c->gather, RESULT_PIECE_HISTOGRAMS, text, strlen(text));
		free(text);
	}
	json_decref(list);
}

// Sends what streams still hold of a node.
static void
flush_node(struct collection *c)
{
	if (c->digest != NULL)
		digest_flush(c->digest);
	if (!c->wanted->tables)
		return;
	csv_flush(c->links);
	fflush(c->link_pieces);
	csv_flush(c->counters);
	fflush(c->counter_pieces);
}

static void
add_node(struct collection *c, uint32_t index)
{
	const struct report_node *n = &c->r->nodes[index];
	struct node_figures one;

	gather_at(c->gather, index);
	report_totals_add(n, &c->r->figures.totals);
	node_figures_read(n, c->r->now, &one);
	if (gather_sends(c->gather))
		gather_put(c->gather, RESULT_PIECE_FIGURES, &one, sizeof(one));
	else
		report_figures_add(&c->r->figures, n, &one);
	for (unsigned int i = 0; i < n->node->port_count; i++) {
		if (n->kind != NULL && n->ports[i].peer != NULL)
			add_load(c, n, i);
		if (c->links != NULL)
			result_put_link(c->links, n, i, c->r);
	}
	if (c->digest != NULL)
		digest_put_node(c->digest, n);
	if (c->digest != NULL || c->counters != NULL)
		counters_walk(n, c->r->now, put_counter, c);
	if (c->wanted->histograms)
		add_histograms(c, n);
	if (gather_sends(c->gather))
		flush_node(c);
}

// ---- pieces of others ---------------------------------------------------------------------------

static void
use_figures(struct report_figures *f, const struct report_node *n, const struct gather_piece *piece)
{
	struct node_figures one = {0};

	if (piece->count == sizeof(one))
		memcpy(&one, piece->data, sizeof(one));
	report_figures_add(f, n, &one);
}

static void
use_load(struct report_figures *f, const struct report_node *n, const struct gather_piece *piece)
{
	struct port_load one = {0};

	if (piece->count == sizeof(one))
		memcpy(&one, piece->data, sizeof(one));
	report_tiers_add(&f->tiers, n, (unsigned int)one.port, one.load);
}

static void
use_histogram(struct report_figures *f, const struct report_node *n,
	      const struct gather_piece *piece)
{
	json_t *one = json_loadb(piece->data, piece->count, 0, NULL);

	if (one != NULL)
		add_histogram(f, n, one);
	json_decref(one);
}

static void
use_piece(void *context, const struct gather_piece *piece)
{
	struct collection *c = context;
	struct report_figures *f = &c->r->figures;
	const struct report_node *n = &c->r->nodes[piece->index];

	if (piece->index >= c->r->node_count)
		return;
	switch ((enum result_piece)piece->kind) {
	case RESULT_PIECE_FIGURES:
		use_figures(f, n, piece);
		break;
	case RESULT_PIECE_LOADS:
		use_load(f, n, piece);
		break;
	case RESULT_PIECE_DIGEST:
		digest_put_bytes(c->digest, piece->data, piece->count);
		break;
	case RESULT_PIECE_LINKS:
		csv_copy(c->links, piece->data, piece->count);
		break;
	case RESULT_PIECE_COUNTERS:
		csv_copy(c->counters, piece->data, piece->count);
		break;
	case RESULT_PIECE_HISTOGRAMS:
		use_histogram(f, n, piece);
		break;
	}
}

// ---- the pass -----------------------------------------------------------------------------------

static void
begin(struct collection *c)
{
	const struct result_wanted *w = c->wanted;

	c->r->figures = (struct report_figures){.histograms = w->histograms ? json_array() : NULL};
	if (w->digest != NULL) {
		c->digest = memory_new(sizeof(*c->digest), "a digest");
		digest_begin(c->digest, c->gather);
		digest_put_run(c->digest, c->r);
	}
	if (!w->tables)
		return;
	if (gather_sends(c->gather)) {
		c->link_pieces = gather_open(c->gather, RESULT_PIECE_LINKS);
		c->counter_pieces = gather_open(c->gather, RESULT_PIECE_COUNTERS);
		c->links = csv_create(c->link_pieces);
		c->counters = csv_create(c->counter_pieces);
	} else {
		c->links = result_table_begin(RESULT_LINKS, w->links);
		c->counters = result_table_begin(RESULT_COUNTERS, w->counters);
	}
}

static void
end(struct collection *c)
{
	csv_destroy(c->links);
	csv_destroy(c->counters);
	if (c->link_pieces != NULL) {
		fclose(c->link_pieces);
		fclose(c->counter_pieces);
	}
	free(c->digest);
	gather_destroy(c->gather);
}

int
result_collect(struct report_result *r, const struct result_wanted *wanted)
{
	struct collection c = {.r = r, .wanted = wanted, .gather = gather_create(wanted->ranks, 0)};
	int rc;

	begin(&c);
	for (uint32_t i = 0; i < r->node_count; i++)
		if (r->nodes[i].node != NULL)
			add_node(&c, i);
		else
			gather_take(c.gather, i, use_piece, &c);
	rc = gather_finish(c.gather, use_piece, &c);
	if (rc == 0)
		rc = ranks_reduce(wanted->ranks, RANKS_SUM, (uint64_t *)&r->figures.totals,
				  sizeof(r->figures.totals) / sizeof(uint64_t));
	report_figures_finish(&r->figures);
	if (c.digest != NULL && !gather_sends(c.gather)) {
		digest_put_lists(c.digest, r);
		digest_end(c.digest, wanted->digest);
	}
	end(&c);
	return rc;
}

void
result_free(struct report_result *r)
{
	json_decref(r->figures.histograms);
	r->figures.histograms = NULL;
}
