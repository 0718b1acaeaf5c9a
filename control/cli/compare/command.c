// SPDX-License-Identifier: BSD-3-Clause
// `roost compare`: the same workload in several fabrics. All files are made and thrown away first,
// so that a wrong one shows before any has run; then they run one after another, each as `roost
// sim` would run it.
#include "compare.h"

#include "control/base/exit_status.h"
#include "control/run/sim/outcome.h"
#include "control/run/sim/progress.h"
#include "control/run/sim/stall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct comparison {
	struct experiment_options options; // file aside
	bool json;
	unsigned int count;
	struct compare_run runs[COMPARE_FILES_MAX];
	char names[COMPARE_FILES_MAX][64];
};

// What stays inside hosts is no part of it: a run does not tell of it either.
static void
measure_load(struct compare_load *load, const struct workload *w)
{
	load->streams = w->stream_count;
	for (uint32_t i = 0; i < w->flow_count; i++) {
		if (w->flows[i].inside)
			continue;
		load->flows++;
		load->bytes += w->flows[i].bytes * w->flows[i].repeat;
	}
}

// Makes what the file says, as a run would, and looks at its workload.
static int
check_file(const struct comparison *c, struct compare_run *run)
{
	struct experiment_options options = c->options;
	struct config_diag diag = {0};
	struct experiment e;
	int rc;

	options.file = run->file;
	rc = experiment_create(&e, &options, &diag);
	if (rc == 0)
		rc = experiment_check_end(&e, &diag);
	if (rc == 0) {
		measure_load(&run->load, e.workload);
		rc = compare_load_items(&run->load, e.config);
	}
	experiment_destroy(&e);
	config_diag_print(&diag, stderr);
	if (rc != 0 && diag.errors == 0)
		fprintf(stderr, "roost compare: %s: %s\n", run->file, strerror(-rc));
	config_diag_free(&diag);
	return rc;
}

static int
run_experiment(struct compare_run *run, struct experiment *e, struct config_diag *diag)
{
	enum run_end end = RUN_DRAINED;
	struct progress progress;
	struct outcome outcome;
	json_t *document;
	int rc;

	progress_begin(&progress, e, run->name);
	rc = run_all(e->run, &end, diag);
	progress_end(&progress);
	if (rc != 0)
		return rc;
	run->state = end == RUN_STALLED ? COMPARE_STALLED
		     : end == RUN_TIME  ? COMPARE_TIME
					: COMPARE_DRAINED;
	if (end == RUN_STALLED)
		stall_print(e->fabric, e->run->drive.now, stderr);
	rc = outcome_create(&outcome, e, 0, 0);
	document = rc == 0 ? result_document(&outcome.result, NULL) : NULL;
	if (document != NULL)
		compare_read(run, document);
	json_decref(document);
	outcome_destroy(&outcome);
	return document != NULL ? 0 : -ENOMEM;
}

// Errors of a run become its column's.
static void
run_file(const struct comparison *c, struct compare_run *run)
{
	struct experiment_options options = c->options;
	struct config_diag diag = {0};
	struct experiment e;
	int rc;

	options.file = run->file;
	rc = experiment_create(&e, &options, &diag);
	config_diag_free(&diag); // told when it was checked
	diag = (struct config_diag){0};
	if (rc == 0)
		rc = run_experiment(run, &e, &diag);
	experiment_destroy(&e);
	if (rc != 0) {
		run->state = COMPARE_FAILED;
		snprintf(run->why, sizeof(run->why), "%s",
			 diag.count != 0 ? diag.messages[0].text : strerror(-rc));
	}
	config_diag_print(&diag, stderr);
	config_diag_free(&diag);
}

// A column is named for its file, without directory and suffix where that tells them apart.
static void
name_runs(struct comparison *c)
{
	for (unsigned int i = 0; i < c->count; i++) {
		const char *slash = strrchr(c->runs[i].file, '/');
		const char *base = slash != NULL ? slash + 1 : c->runs[i].file;
		size_t length = strlen(base);

		if (length > 5 && strcmp(base + length - 5, ".yaml") == 0)
			length -= 5;
		snprintf(c->names[i], sizeof(c->names[i]), "%.*s", (int)length, base);
		c->runs[i].name = c->names[i];
	}
	for (unsigned int i = 0; i < c->count; i++)
		for (unsigned int k = 0; k < i; k++)
			if (strcmp(c->names[i], c->names[k]) == 0) {
				c->runs[i].name = c->runs[i].file;
				c->runs[k].name = c->runs[k].file;
			}
}

static int
compare_all(struct comparison *c)
{
	int status = EXIT_OK, rc = 0;

	for (unsigned int i = 0; i < c->count; i++) {
		int one = check_file(c, &c->runs[i]);

		if (one != 0)
			rc = rc == 0 || one == -ENOMEM ? one : rc;
	}
	if (rc != 0)
		return rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	for (unsigned int i = 1; i < c->count; i++)
		compare_warn(&c->runs[0], &c->runs[i], stderr);
	for (unsigned int i = 0; i < c->count; i++) {
		run_file(c, &c->runs[i]);
		if (c->runs[i].state == COMPARE_STALLED || c->runs[i].state == COMPARE_FAILED)
			status = EXIT_FAILED;
	}
	rc = c->json ? compare_print_json(c->runs, c->count, stdout)
		     : compare_print(c->runs, c->count, stdout);
	return rc == 0 ? status : EXIT_FAILED;
}

int
run_compare(const struct compare_options *options)
{
	struct comparison c = {.options = options->experiment, .json = options->json};
	int status;

	for (; c.count < options->file_count; c.count++)
		c.runs[c.count].file = options->files[c.count];
	name_runs(&c);
	status = compare_all(&c);
	for (unsigned int i = 0; i < c.count; i++)
		compare_load_free(&c.runs[i].load);
	return status;
}
