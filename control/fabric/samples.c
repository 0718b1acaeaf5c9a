// SPDX-License-Identifier: BSD-3-Clause
// A sample is taken between two windows, when every node has processed everything before its
// instant: it is the exact state at that instant. Shares of an interval are differences of totals
// at its two ends.
#include "samples.h"

#include "control/base/memory.h"
#include "gather.h"
#include "samples_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct series *const kinds[] = {&series_queues, &series_thresholds, &series_rates,
					     &series_links,  &series_pauses,     &series_pools};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct samples {
	ps_t interval;
	ps_t next;
	struct sample_places *places[KINDS]; // NULL: not recorded
	struct output_table files[KINDS];    // of the first rank
	struct output *output;               // NULL: another rank writes
	struct gather *gather;
	FILE *pieces; // of a rank that sends
	FILE *to;     // of what is being printed
};

// ---- lines --------------------------------------------------------------------------------------

void
samples_put_time(ps_t now, FILE *to)
{
	fprintf(to, "%llu.%03u", (unsigned long long)(now / PS_PER_NS),
		(unsigned)(now % PS_PER_NS));
}

void
samples_put_port(const struct sample_places *s, unsigned int place, FILE *to)
{
	const struct topo_node *node = &s->fabric->topology->nodes[s->items[place].node];

	fprintf(to, "%s.%s", node->name, node->ports[s->items[place].port].name);
}

long long
samples_read(const struct sample_places *s, unsigned int place, unsigned int index, ps_t now)
{
	const struct counter_place at = {
		.n = &s->fabric->names[s->items[place].node],
		.port = s->items[place].port,
		.index = index,
		.now = now,
	};

	return s->counter->read(&at);
}

// ---- places -------------------------------------------------------------------------------------

void
sample_places_add(struct sample_places *s, uint32_t node, uint32_t port, uint8_t queue)
{
	s->items = memory_grow(s->items, s->count, sizeof(*s->items), "places of samples");
	s->items[s->count++] = (struct sample_place){.node = node, .port = port, .queue = queue};
}

static int
compare_places(const void *a, const void *b)
{
	const struct sample_place *x = a, *y = b;

	return x->node != y->node ? (x->node > y->node) - (x->node < y->node)
				  : (x->port > y->port) - (x->port < y->port);
}

// Leaves each place once.
static void
sort_places(struct sample_places *s)
{
	unsigned int kept = 0;

	if (s->count > 1)
		qsort(s->items, s->count, sizeof(*s->items), compare_places);
	for (unsigned int i = 0; i < s->count; i++)
		if (i == 0 || compare_places(&s->items[i], &s->items[i - 1]) != 0)
			s->items[kept++] = s->items[i];
	s->count = kept;
}

static int
create_places(struct sample_places **out, const struct series *kind,
	      const struct fabric_flows *flows, bool check, struct diag *diag)
{
	const struct config_record *record = &flows->fabric->config->record;
	const struct config_names *names = (const void *)((const char *)record + kind->names);
	struct sample_places *s;
	int rc = 0;

	if (names->count == 0)
		return 0;
	*out = s = memory_new(sizeof(*s), "samples");
	s->flows = flows;
	s->fabric = flows->fabric;
	if (kind->counter != NULL)
		s->counter = counter_find(kind->scope, kind->counter);
	if (config_means_all(names) && !check)
		kind->add_all(s);
	else if (!config_means_all(names))
		for (unsigned int i = 0; i < names->count; i++)
			if (kind->add(s, &names->items[i], kind->key, diag) != 0)
				rc = -EINVAL;
	if (kind->sorted)
		sort_places(s);
	s->before = memory_array(s->count, kind->size, "samples");
	return rc;
}

static void
destroy_places(struct samples *s)
{
	for (unsigned i = 0; i < KINDS; i++) {
		if (s->places[i] == NULL)
			continue;
		free(s->places[i]->before);
		free(s->places[i]->items);
		free(s->places[i]);
	}
}

// Looks up the names of all kinds; of two with the same names only the first reports errors.
// check: only to see whether they exist.
static int
create_all(struct samples *s, const struct fabric_flows *flows, bool check, struct diag *diag)
{
	int rc = 0;

	for (unsigned i = 0; i < KINDS; i++)
		if (rc == 0 || kinds[i]->names != kinds[i - 1]->names)
			rc |= create_places(&s->places[i], kinds[i], flows, check, diag);
	return rc;
}

static bool
records_any(const struct samples *s)
{
	for (unsigned i = 0; i < KINDS; i++)
		if (s->places[i] != NULL)
			return true;
	return false;
}

int
samples_check(const struct fabric_flows *flows, struct diag *diag)
{
	struct samples s = {0};
	int rc = create_all(&s, flows, true, diag);

	destroy_places(&s);
	return rc;
}

// ---- from rank to rank --------------------------------------------------------------------------

static void
use_text(void *context, const struct gather_piece *piece)
{
	const struct samples *s = context;

	fwrite(piece->data, 1, piece->count, s->to);
}

static bool
is_here(const struct series *kind, const struct sample_places *s, unsigned int place)
{
	return kind->is_here != NULL ? kind->is_here(s, place)
				     : fabric_is_here(s->fabric, s->items[place].node);
}

// Prints a sample of each place, or if `heading` what the heading says of it, in their order.
static void
put_places(struct samples *s, unsigned int i, bool heading, ps_t now)
{
	struct sample_places *p = s->places[i];

	s->to = s->output != NULL ? s->files[i].to : s->pieces;
	for (unsigned int place = 0; place < p->count; place++) {
		gather_take(s->gather, place, use_text, s);
		if (!is_here(kinds[i], p, place))
			continue;
		gather_at(s->gather, place);
		if (heading)
			kinds[i]->head(p, place, s->to);
		else
			kinds[i]->take(p, place, now, s->to);
		if (s->pieces != NULL)
			fflush(s->pieces);
	}
	gather_finish(s->gather, use_text, s); // the run ends if a rank is gone
}

// ---- files --------------------------------------------------------------------------------------

static void
put_heading(struct samples *s, unsigned int i)
{
	const struct counter *counter = s->places[i]->counter;
	FILE *to = s->files[i].to;

	if (to != NULL)
		fprintf(to, "%s%s", kinds[i]->heading,
			counter != NULL && kinds[i]->head == NULL ? counter->name : "");
	if (kinds[i]->head != NULL)
		put_places(s, i, true, 0);
	if (to != NULL)
		fputc('\n', to);
}

static int
open_files(struct samples *s)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && s->output != NULL && i < KINDS; i++)
		rc = s->places[i] != NULL
			     ? output_add_table(s->output, kinds[i]->file, &s->files[i])
			     : output_add_table_removal(s->output, kinds[i]->file);
	return rc;
}

int
samples_create(struct samples **out, const struct fabric_flows *flows, struct output *output,
	       struct diag *diag)
{
	struct samples *s = memory_new(sizeof(*s), "samples");
	struct ranks *ranks = flows->fabric->ranks;
	uint64_t failed;
	int rc;

	*out = NULL;
	s->interval = flows->fabric->config->record.interval_ps;
	s->output = output;
	s->gather = gather_create(ranks, 0);
	if (gather_sends(s->gather))
		s->pieces = gather_open(s->gather, 0);
	rc = create_all(s, flows, false, diag);
	if (rc == 0)
		rc = open_files(s);
	failed = rc != 0;
	if (ranks_reduce(ranks, RANKS_MOST, &failed, 1) != 0 || (failed && rc == 0))
		rc = -ECANCELED;
	for (unsigned i = 0; rc == 0 && i < KINDS; i++)
		if (s->places[i] != NULL)
			put_heading(s, i);
	if (rc == 0 && records_any(s)) {
		*out = s;
		return 0;
	}
	samples_close(s);
	return rc;
}

int
samples_close(struct samples *s)
{
	int first = 0;

	if (s == NULL)
		return 0;
	for (unsigned i = 0; i < KINDS; i++) {
		int rc = output_close_table(s->output, &s->files[i]);

		first = first == 0 ? rc : first;
	}
	if (s->pieces != NULL)
		fclose(s->pieces);
	gather_destroy(s->gather);
	destroy_places(s);
	free(s);
	return first;
}

ps_t
samples_next(const struct samples *s)
{
	return s == NULL ? PS_NEVER : s->next;
}

static void
take_kind(struct samples *s, unsigned int i, ps_t now)
{
	struct output_table *file = &s->files[i];

	if (file->to != NULL && kinds[i]->row)
		samples_put_time(now, file->to);
	put_places(s, i, false, now);
	s->places[i]->since = now;
	if (file->to == NULL)
		return;
	if (kinds[i]->row)
		fputc('\n', file->to);
	output_check_table(file);
}

void
samples_take(struct samples *s, ps_t now)
{
	for (unsigned i = 0; i < KINDS; i++)
		if (s->places[i] != NULL && kinds[i]->take != NULL)
			take_kind(s, i, now);
	s->next += s->interval * ((now - s->next) / s->interval + 1);
}
