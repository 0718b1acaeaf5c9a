// SPDX-License-Identifier: BSD-3-Clause
// A sample is taken between two windows that end at its instant, when every node has taken all that
// happens before it: what is written is the state at that instant, not near it. Shares of an
// interval are differences of totals that are exact at its two ends.
#include "samples.h"

#include "control/base/directory.h"
#include "samples_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct series *const kinds[] = {&series_queues, &series_rates, &series_links,
					     &series_pauses, &series_pools};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct samples {
	ps_t interval;
	ps_t next;
	void *states[KINDS]; // NULL: not asked for
	FILE *files[KINDS];
	char *paths[KINDS];
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
	      struct config_diag *diag)
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
samples_check(const struct fabric *f, const struct fabric_flows *flows, struct config_diag *diag)
{
	struct samples s = {0};
	int rc = create_states(&s, f, flows, diag);

	destroy_states(&s);
	return rc;
}

int
samples_check_files(const char *dir, char *err, size_t err_size)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < KINDS; i++)
		rc = directory_check_file(dir, kinds[i]->file, err, err_size);
	return rc;
}

static int
open_file(struct samples *s, unsigned i, const char *dir, char *err, size_t err_size)
{
	if (asprintf(&s->paths[i], "%s/%s", dir, kinds[i]->file) < 0) {
		s->paths[i] = NULL;
		return -ENOMEM;
	}
	s->files[i] = fopen(s->paths[i], "w");
	if (s->files[i] == NULL) {
		int rc = -errno;

		snprintf(err, err_size, "%s: %s", s->paths[i], strerror(errno));
		return rc;
	}
	kinds[i]->head(s->states[i], s->files[i]);
	fputc('\n', s->files[i]);
	return 0;
}

// Of an earlier run into the same directory: next to this run's result they would pass for its own.
static int
remove_old(const struct samples *s, const char *dir, char *err, size_t err_size)
{
	char path[PATH_MAX];

	for (unsigned i = 0; i < KINDS; i++) {
		if (s->states[i] != NULL)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, kinds[i]->file);
		if (unlink(path) != 0 && errno != ENOENT) {
			int rc = -errno;

			snprintf(err, err_size, "%s: %s", path, strerror(errno));
			return rc;
		}
	}
	return 0;
}

int
samples_create(struct samples **out, const struct fabric *f, const struct fabric_flows *flows,
	       const char *dir, struct config_diag *diag, char *err, size_t err_size)
{
	struct samples *s = calloc(1, sizeof(*s));
	int rc;

	*out = NULL;
	if (s == NULL)
		return -ENOMEM;
	s->interval = f->config->record.interval_ps;
	rc = create_states(s, f, flows, diag);
	for (unsigned i = 0; rc == 0 && i < KINDS; i++)
		if (s->states[i] != NULL)
			rc = open_file(s, i, dir, err, err_size);
	if (rc == 0)
		rc = remove_old(s, dir, err, err_size);
	if (rc == 0 && asks_for_any(s)) {
		*out = s;
		return 0;
	}
	samples_close(s, false, NULL, 0);
	return rc;
}

// Closes one file; the first error of all is kept.
static int
close_file(struct samples *s, unsigned i, bool keep, int before, char *err, size_t err_size)
{
	int rc = 0;

	if (s->files[i] != NULL && ferror(s->files[i]))
		rc = -EIO;
	if (s->files[i] != NULL && fclose(s->files[i]) != 0)
		rc = -errno;
	if (rc != 0 && before == 0)
		snprintf(err, err_size, "%s: %s: the file is incomplete", s->paths[i],
			 strerror(-rc));
	if (s->files[i] != NULL && !keep)
		unlink(s->paths[i]);
	free(s->paths[i]);
	return before != 0 ? before : rc;
}

int
samples_close(struct samples *s, bool keep, char *err, size_t err_size)
{
	int rc = 0;

	if (s == NULL)
		return 0;
	for (unsigned i = 0; i < KINDS; i++)
		rc = close_file(s, i, keep, rc, err, err_size);
	destroy_states(s);
	free(s);
	return rc;
}

ps_t
samples_next(const struct samples *s)
{
	return s == NULL ? PS_NEVER : s->next;
}

void
samples_take(struct samples *s, ps_t now)
{
	for (unsigned i = 0; i < KINDS; i++)
		if (s->states[i] != NULL)
			kinds[i]->take(s->states[i], now, s->files[i]);
	s->next += s->interval * ((now - s->next) / s->interval + 1);
}
