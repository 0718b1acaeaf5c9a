// SPDX-License-Identifier: BSD-3-Clause
// `roost compare`: the same workload in several fabrics. All files are made and thrown away first,
// so that an error in one shows before any has run; then they run one after another, with each of
// the seeds, as `roost sim` would run them.
#include "compare.h"

#include "control/base/memory.h"
#include "control/base/program.h"
#include "control/base/text.h"
#include "control/run/sim/progress.h"
#include "control/run/sim/sim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COMPARE_NAME_MAX 63 // of a column, in bytes

// Flows inside a host are not counted: a result does not list them either.
static void
measure_load(struct compare_load *load, const struct workload *w)
{
	load->streams = w->stream_count;
	load->flows = workload_count_flows(w, &load->bytes);
}

// Makes what the file describes, as a run would, and measures its workload.
static int
check_file(const struct comparison *c, struct compare_run *run)
{
	struct experiment_options options = c->options;
	struct diag diag = {0};
	struct experiment e;
	int rc;

	options.file = run->file;
	rc = experiment_create(&e, &options, &diag);
	if (rc == 0)
		rc = experiment_check_end(&e, &diag);
	if (rc == 0) {
		measure_load(&run->load, e.workload);
		compare_load_items(&run->load, e.config);
		run->seed = e.config->fabric.seed;
	}
	experiment_destroy(&e);
	diag_print(&diag, stderr);
	if (rc != 0 && diag.errors == 0)
		fprintf(stderr, "roost compare: %s: %s\n", run->file, strerror(-rc));
	diag_free(&diag);
	return rc;
}

static enum compare_state
state_of(enum run_end end)
{
	return end == RUN_STALLED ? COMPARE_STALLED
	       : end == RUN_TIME  ? COMPARE_TIME
				  : COMPARE_DRAINED;
}

static int
run_experiment(struct comparison *c, unsigned int i, struct experiment *e, struct diag *diag)
{
	struct compare_run *run = &c->runs[i];
	enum run_end end = RUN_DRAINED;
	struct progress progress;
	struct outcome outcome;
	int rc;

	progress_begin(&progress, e, run->name);
	rc = run_all(e->run, &end, diag);
	progress_end(&progress);
	if (rc != 0)
		return rc;
	if (state_of(end) > run->state)
		run->state = state_of(end);
	if (end == RUN_STALLED)
		stall_print(e->fabric, e->run->drive.now, stderr);
	outcome_create(&outcome, e, 0, 0);
	result_collect(&outcome.result, &(struct result_wanted){0});
	compare_read(c, i, &outcome.result);
	outcome_destroy(&outcome);
	return 0;
}

// The first error of a file is for the verdict.
static void
keep_error(struct compare_run *run, uint64_t seed, bool seeds, const char *why)
{
	if (run->state == COMPARE_FAILED)
		return;
	run->state = COMPARE_FAILED;
	if (seeds)
		snprintf(run->why, sizeof(run->why), "seed %" PRIu64 ": %s", seed, why);
	else
		snprintf(run->why, sizeof(run->why), "%s", why);
	utf8_end(run->why, strlen(run->why));
	utf8_repair(run->why);
}

static void
run_file(struct comparison *c, unsigned int i, unsigned int seed)
{
	struct compare_run *run = &c->runs[i];
	struct experiment_options options = c->options;
	struct diag diag = {0};
	struct experiment e;
	int rc;

	options.file = run->file;
	options.seed = run->seed + seed;
	options.seed_given = true;
	rc = experiment_create(&e, &options, &diag);
	if (rc == 0) {
		diag_free(&diag); // warnings, which were printed when the file was checked
		diag = (struct diag){0};
		rc = run_experiment(c, i, &e, &diag);
	}
	experiment_destroy(&e);
	if (rc != 0)
		keep_error(run, options.seed, c->seeds > 1,
			   diag.errors != 0 ? diag_first_error(&diag) : strerror(-rc));
	diag_print(&diag, stderr);
	diag_free(&diag);
}

// The name of a file without directory and suffix.
static char *
short_name(const char *file)
{
	const char *slash = strrchr(file, '/'), *base = slash != NULL ? slash + 1 : file;
	size_t length = strlen(base);
	char *name;

	if (length > 5 && strcmp(base + length - 5, ".yaml") == 0)
		length -= 5;
	name = memory_text_part(base, length < COMPARE_NAME_MAX ? length : COMPARE_NAME_MAX);
	utf8_end(name, strlen(name));
	return name;
}

// A column has the short name of its file unless two would be the same.
static void
name_runs(struct comparison *c, char *names[static COMPARE_FILES_MAX])
{
	bool same[COMPARE_FILES_MAX] = {false};

	for (unsigned int i = 0; i < c->count; i++) {
		names[i] = short_name(c->runs[i].file);
		for (unsigned int k = 0; k < i; k++)
			if (strcmp(names[i], names[k]) == 0)
				same[i] = same[k] = true;
	}
	for (unsigned int i = 0; i < c->count; i++) {
		if (same[i]) {
			free(names[i]);
			names[i] = memory_text(c->runs[i].file);
		}
		utf8_repair(names[i]);
		c->runs[i].name = names[i];
	}
}

static int
compare_all(struct comparison *c, bool json)
{
	int status = EXIT_OK, rc = 0;
	struct diag diag = {0};

	for (unsigned int i = 0; i < c->count; i++) {
		int one = check_file(c, &c->runs[i]);

		rc = rc == 0 ? one : rc;
	}
	if (rc != 0)
		return rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	for (unsigned int i = 1; i < c->count; i++)
		compare_warn(&c->runs[0], &c->runs[i], stderr);
	rc = compare_find_differences(c, &diag);
	if (rc != 0)
		diag_print(&diag, stderr);
	diag_free(&diag);
	if (rc != 0)
		return EXIT_FAILED;
	compare_add_rows(c);
	for (unsigned int i = 0; i < c->count; i++) {
		for (unsigned int seed = 0; seed < c->seeds; seed++)
			run_file(c, i, seed);
		if (c->runs[i].state == COMPARE_STALLED || c->runs[i].state == COMPARE_FAILED)
			status = EXIT_FAILED;
	}
	compare_finish(c);
	if (!json)
		compare_print(c, stdout);
	else if (compare_print_json(c, stdout) != 0)
		return EXIT_FAILED;
	return status;
}

int
run_compare(const struct compare_options *options)
{
	struct comparison c = {.options = options->experiment, .seeds = options->seeds};
	char *names[COMPARE_FILES_MAX];
	int status;

	for (; c.count < options->file_count; c.count++)
		c.runs[c.count].file = options->files[c.count];
	name_runs(&c, names);
	status = compare_all(&c, options->json);
	for (unsigned int i = 0; i < c.count; i++) {
		compare_load_free(&c.runs[i].load);
		free(names[i]);
	}
	compare_free_rows(&c);
	compare_free_differences(&c);
	return status;
}
