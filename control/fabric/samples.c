// SPDX-License-Identifier: BSD-3-Clause
// A sample is taken between two windows, when every node has processed everything before its
// instant: it is the exact state at that instant. Shares of an interval are differences of totals
// at its two ends.
#include "samples.h"

#include "control/base/memory.h"
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
	struct output_table files[KINDS];
	struct output *output;
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
	      const struct fabric_flows *flows, struct diag *diag)
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
	if (config_means_all(names))
		kind->add_all(s);
	else
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
static int
create_all(struct samples *s, const struct fabric_flows *flows, struct diag *diag)
{
	int rc = 0;

	for (unsigned i = 0; i < KINDS; i++)
		if (rc == 0 || kinds[i]->names != kinds[i - 1]->names)
			rc |= create_places(&s->places[i], kinds[i], flows, diag);
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
	int rc = create_all(&s, flows, diag);

	destroy_places(&s);
	return rc;
}

// ---- files --------------------------------------------------------------------------------------

static void
put_heading(const struct series *kind, const struct sample_places *s, FILE *to)
{
	if (kind->heading == NULL)
		kind->head(s, to);
	else
		fprintf(to, "%s%s", kind->heading, s->counter != NULL ? s->counter->name : "");
	fputc('\n', to);
}

static int
open_file(struct samples *s, unsigned i)
{
	int rc = output_add_table(s->output, kinds[i]->file, &s->files[i]);

	if (rc == 0)
		put_heading(kinds[i], s->places[i], s->files[i].to);
	return rc;
}

int
samples_create(struct samples **out, const struct fabric_flows *flows, struct output *output,
	       struct diag *diag)
{
	struct samples *s = memory_new(sizeof(*s), "samples");
	int rc;

	*out = NULL;
	s->interval = flows->fabric->config->record.interval_ps;
	s->output = output;
	rc = create_all(s, flows, diag);
	for (unsigned i = 0; rc == 0 && i < KINDS; i++)
		rc = s->places[i] != NULL ? open_file(s, i)
					  : output_add_table_removal(output, kinds[i]->file);
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
	destroy_places(s);
	free(s);
	return first;
}

ps_t
samples_next(const struct samples *s)
{
	return s == NULL ? PS_NEVER : s->next;
}

void
samples_take(struct samples *s, ps_t now)
{
	for (unsigned i = 0; i < KINDS; i++) {
		struct output_table *file = &s->files[i];

		if (s->places[i] == NULL || kinds[i]->take == NULL)
			continue;
		kinds[i]->take(s->places[i], now, file->to);
		s->places[i]->since = now;
		output_check_table(file);
	}
	s->next += s->interval * ((now - s->next) / s->interval + 1);
}
