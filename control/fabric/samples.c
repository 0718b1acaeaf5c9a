// SPDX-License-Identifier: BSD-3-Clause
// A sample is taken between two windows that end at its instant, when every node has taken all that
// happens before it: what is written is the state at that instant, not near it. Shares of an
// interval are differences of totals that are exact at its two ends.
#include "samples.h"

#include "samples_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct series *const kinds[] = {&series_queues, &series_thresholds, &series_rates,
					     &series_links,  &series_pauses,     &series_pools};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct samples_file {
	const struct output_file *file;
	FILE *to;
	int error; // the first of writing, as -errno
};

struct samples {
	ps_t interval;
	ps_t next;
	void *states[KINDS]; // NULL: not recorded
	struct samples_file files[KINDS];
	struct output *output;
};

void
samples_put_time(ps_t now, FILE *to)
{
	fprintf(to, "%llu.%03u", (unsigned long long)(now / PS_PER_NS),
		(unsigned)(now % PS_PER_NS));
}

static void
destroy_states(struct samples *s)
{
	for (unsigned i = 0; i < KINDS; i++)
		if (s->states[i] != NULL)
			kinds[i]->destroy(s->states[i]);
}

static int
create_states(struct samples *s, const struct fabric *f, const struct fabric_flows *flows,
	      struct diag *diag)
{
	int rc = 0;

	for (unsigned i = 0; i < KINDS; i++) {
		int one = kinds[i]->create(&s->states[i], f, flows, diag);

		rc = rc == 0 ? one : rc;
	}
	return rc;
}

static bool
asks_for_any(const struct samples *s)
{
	for (unsigned i = 0; i < KINDS; i++)
		if (s->states[i] != NULL)
			return true;
	return false;
}

int
samples_check(const struct fabric *f, const struct fabric_flows *flows, struct diag *diag)
{
	struct samples s = {0};
	int rc = create_states(&s, f, flows, diag);

	destroy_states(&s);
	return rc;
}

static int
open_file(struct samples *s, unsigned i)
{
	int rc = output_add(s->output, kinds[i]->file, &s->files[i].file);

	if (rc != 0)
		return rc;
	s->files[i].to = fopen(s->files[i].file->temporary, "we");
	if (s->files[i].to == NULL)
		return output_fail(s->output, s->files[i].file, -errno);
	kinds[i]->head(s->states[i], s->files[i].to);
	fputc('\n', s->files[i].to);
	return 0;
}

int
samples_create(struct samples **out, const struct fabric *f, const struct fabric_flows *flows,
	       struct output *output, struct diag *diag)
{
	struct samples *s = calloc(1, sizeof(*s));
	int rc;

	*out = NULL;
	if (s == NULL)
		return -ENOMEM;
	s->interval = f->config->record.interval_ps;
	s->output = output;
	rc = create_states(s, f, flows, diag);
	for (unsigned i = 0; rc == 0 && i < KINDS; i++)
		rc = s->states[i] != NULL ? open_file(s, i)
					  : output_add_removal(output, kinds[i]->file);
	if (rc == 0 && asks_for_any(s)) {
		*out = s;
		return 0;
	}
	samples_close(s);
	return rc;
}

// Returns the file's first error.
static int
close_file(struct samples_file *file)
{
	int rc = file->error;

	if (file->to != NULL && fclose(file->to) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

int
samples_close(struct samples *s)
{
	int first = 0;

	if (s == NULL)
		return 0;
	for (unsigned i = 0; i < KINDS; i++) {
		int rc = close_file(&s->files[i]);

		if (rc != 0 && first == 0)
			first = output_fail(s->output, s->files[i].file, rc);
	}
	destroy_states(s);
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
		struct samples_file *file = &s->files[i];

		if (s->states[i] == NULL)
			continue;
		kinds[i]->take(s->states[i], now, file->to);
		if (file->error == 0 && ferror(file->to))
			file->error = errno != 0 ? -errno : -EIO;
	}
	s->next += s->interval * ((now - s->next) / s->interval + 1);
}
