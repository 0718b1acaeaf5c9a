// SPDX-License-Identifier: BSD-3-Clause
// `roost sim`: a fabric and its workload in virtual time. Needs neither root nor EAL, and writes
// only what -o names.
#include "sim.h"

#include "control/base/memory.h"
#include "control/base/output.h"
#include "control/fabric/snapshots.h"
#include "control/run/interrupt.h"
#include "control/show/summary.h"
#include "captures.h"
#include "film_record.h"
#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SIM_RESULT "result.json"

// What a report needs at most: blocks of files, and of each flow its figures and their order.
#define RESERVE_BYTES ((size_t)16 << 20)
#define RESERVE_FLOW_BYTES (sizeof(struct report_flow) + 64)

struct sim {
	const struct sim_options *options;
	struct experiment e;
	struct output output;
	struct output_table tables[RESULT_TABLES];
	const struct output_file *result;
	struct captures *captures;
	struct samples *samples;
	struct snapshots *snapshots;
	struct film_record *film;
	void *reserve; // memory for the report of a run that has used up all other
	double started_s;
	double setup_s;
	double wall_s;
	enum run_end end;
	bool out_of_memory;
	struct ranks *ranks; // NULL: this process alone
	bool first;          // of the ranks, which prints and writes
};

// A rank cannot go on, and the others would wait for it.
static void
end_all(void *context)
{
	struct sim *s = context;

	output_discard(&s->output);
	s->ranks->ops->abort(s->ranks, 1);
}

static int
open_directory(struct sim *s)
{
	int rc = output_open(&s->output, s->options->out);

	if (ranks_many(s->ranks))
		memory_at_exhaustion(end_all, s);
	s->output.gzip = s->options->gzip;
	return rc;
}

static bool
has_snapshots(const struct config *config)
{
	for (unsigned int i = 0; i < config->event_count; i++)
		if (config->events[i].kind == CONFIG_EVENT_SNAPSHOT)
			return true;
	return false;
}

static int
open_table(struct sim *s, enum result_table table)
{
	const char *name = result_table_name(table);

	if (table == RESULT_SNAPSHOTS && !has_snapshots(s->e.config))
		return output_add_table_removal(&s->output, name);
	return output_add_table(&s->output, name, &s->tables[table]);
}

// result.json comes last, so that it is the last to be renamed: where it is new, all files are.
static int
open_tables(struct sim *s)
{
	int rc = 0;

	for (enum result_table i = 0; rc == 0 && i < RESULT_TABLES; i++)
		rc = open_table(s, i);
	return rc != 0 ? rc : output_add(&s->output, SIM_RESULT, &s->result);
}

// The first rank has the files; others make what is written of their nodes.
static int
open_outputs(struct sim *s, struct diag *diag)
{
	int rc;

	if (s->options->out == NULL)
		return 0;
	rc = ranks_agree(s->ranks, s->first ? open_directory(s) : 0);
	if (rc == 0)
		rc = ranks_agree(s->ranks, captures_open(&s->captures, &s->e,
							 s->first ? &s->output : NULL, diag));
	if (rc == 0)
		rc = samples_create(&s->samples, s->e.flows, s->first ? &s->output : NULL, diag);
	if (rc == 0)
		rc = film_record_begin(&s->film, &s->e, s->first ? &s->output : NULL);
	return ranks_agree(s->ranks, rc == 0 && s->first ? open_tables(s) : rc);
}

static void
take_snapshot(void *context, ps_t now)
{
	struct sim *s = context;

	snapshots_take(s->snapshots, s->e.fabric->names, s->e.topology->node_count, now);
}

static void
prepare_snapshots(struct sim *s)
{
	bool tables = s->options->out != NULL && has_snapshots(s->e.config);

	s->snapshots = snapshots_create(s->ranks, tables, &s->tables[RESULT_SNAPSHOTS]);
	s->e.run->snapshot = take_snapshot;
	s->e.run->snapshot_context = s;
}

static int
write_result(const struct report_result *r, const char *digest, FILE *to)
{
	errno = 0;
	result_write(r, digest, to);
	if (fflush(to) == 0 && !ferror(to))
		return 0;
	return errno != 0 ? -errno : -EIO;
}

static int
write_result_file(struct sim *s, const struct report_result *r, const char *digest)
{
	FILE *to = fopen(s->result->temporary, "we");
	int rc = to != NULL ? write_result(r, digest, to) : -errno;

	if (to != NULL && fclose(to) != 0 && rc == 0)
		rc = -errno;
	return rc == 0 ? 0 : output_fail(&s->output, s->result, rc);
}

// Closes what has recorded during the run.
static int
close_records(struct sim *s)
{
	int rc = s->captures != NULL ? captures_finish(s->captures) : 0;
	int sampled = samples_close(s->samples);

	s->samples = NULL;
	snapshots_end(s->snapshots);
	return rc != 0 ? rc : sampled;
}

// Completes the files, and only then gives them their names.
static int
write_outputs(struct sim *s, const struct report_result *r, const char *digest)
{
	int rc = 0;

	result_flows_write(r, s->tables[RESULT_FLOWS].to);
	for (enum result_table i = 0; rc == 0 && i < RESULT_TABLES; i++)
		rc = output_close_table(&s->output, &s->tables[i]);
	if (rc == 0)
		rc = write_result_file(s, r, digest);
	return rc != 0 ? rc : output_commit(&s->output);
}

static void
discard(void *context)
{
	const struct sim *s = context;

	output_discard(&s->output);
}

// Prints the result even if the files cannot be written: the run may have taken hours.
// recorded: whether what was recorded during the run has been.
static int
show(struct sim *s, const struct report_result *r, const char *digest, int recorded)
{
	int written = recorded, rc = 0;

	if (s->options->out != NULL && written == 0)
		written = write_outputs(s, r, digest);
	interrupt_limit(0, NULL, NULL); // the files are complete, or absent
	if (s->options->json)
		rc = write_result(r, digest, stdout);
	else
		summary_print(r, digest, stdout);
	if (rc != 0)
		diag_fail(&s->output.diag, -rc, "stdout: %s", strerror(-rc));
	return written != 0 ? written : rc;
}

static int
report(struct sim *s)
{
	char digest[RESULT_DIGEST_MAX];
	struct result_wanted wanted = {
		.ranks = s->ranks,
		.digest = s->out_of_memory ? NULL
					   : digest, // it depends on the machine what happened
		.histograms = s->options->out != NULL || s->options->json,
		.tables = s->options->out != NULL,
		.links = s->tables[RESULT_LINKS].to,
		.counters = s->tables[RESULT_COUNTERS].to,
	};
	int recorded = close_records(s), rc;
	struct outcome outcome;

	rc = outcome_create(&outcome, &s->e, s->setup_s, s->wall_s);
	outcome.result.snapshots = snapshots_taken(s->snapshots);
	outcome.result.interrupted = s->end == RUN_INTERRUPTED;
	outcome.result.stalled = s->end == RUN_STALLED;
	outcome.result.out_of_memory = s->out_of_memory;
	if (rc == 0 && recorded == 0)
		recorded = film_record_end(s->film, outcome.flows, outcome.result.log);
	if (rc == 0)
		rc = result_collect(&outcome.result, &wanted);
	if (rc == 0 && s->first)
		rc = show(s, &outcome.result, wanted.digest, recorded);
	outcome_destroy(&outcome);
	return rc;
}

// Memory has run out during the run, for packets or for anything else: writes what there is. Of
// several ranks, all of them do so when there was no memory for a packet.
static void
report_early(void *context)
{
	struct sim *s = context;

	free(s->reserve);
	s->reserve = NULL;
	s->out_of_memory = true;
	s->wall_s = progress_clock() - s->started_s - s->setup_s;
	memory_at_exhaustion(ranks_many(s->ranks) ? end_all : discard, s);
	if (report(s) != 0 && s->first)
		fprintf(stderr, "roost sim: %s\n", diag_first_error(&s->output.diag));
	fflush(stdout);
	output_discard(&s->output);
}

// Sets memory aside for report_early(); the pages are not touched.
static void
reserve_memory(struct sim *s)
{
	size_t bytes = RESERVE_BYTES + (size_t)s->e.workload->flow_count * RESERVE_FLOW_BYTES;

	s->reserve = malloc(bytes);
	if (s->reserve == NULL)
		memory_exhausted(1, bytes, "the report");
	memory_at_exhaustion(ranks_many(s->ranks) ? end_all : report_early, s);
}

// For measurements of how well threads share the work, on a machine that others use too.
static void
print_work(const struct run *r, clock_t cpu)
{
	if (r->work != NULL)
		fprintf(stderr, "running took %.3f s of CPU\n", (double)cpu / CLOCKS_PER_SEC);
	for (uint32_t i = 0; r->work != NULL && r->threads > 1 && i < r->threads; i++)
		fprintf(stderr, "thread %u: %llu units, %llu of others, busy %.3f s, CPU %.3f s\n",
			i, (unsigned long long)r->work[i].units,
			(unsigned long long)r->work[i].helped, r->work[i].busy_s, r->work[i].cpu_s);
}

// Soon mpirun kills this rank, which waits for one that is gone, or still has much to write.
static void
end_unfinished(void *context)
{
	static const char line[] =
		"roost: ended before the result was complete (mpirun waits for as long as "
		"`--mca odls_base_sigkill_timeout` says, 1 second by default)\n";
	const struct sim *s = context;

	if (!s->first)
		return;
	output_discard(&s->output);
	if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
		return; // there is nobody to tell
}

// Open MPI's mpirun kills its processes a second after SIGTERM, unless it is set to wait; Slurm
// after 30 seconds.
static void
limit_interrupt(struct sim *s)
{
	const char *setting = getenv("OMPI_MCA_odls_base_sigkill_timeout");
	unsigned long seconds = getenv("OMPI_COMM_WORLD_SIZE") == NULL ? 30
				: setting != NULL                      ? strtoul(setting, NULL, 10)
								       : 1;

	if (seconds > 0 && seconds < 1000000)
		interrupt_limit((unsigned int)seconds * 700, end_unfinished, s);
}

static int
sim_run(struct sim *s, struct diag *diag)
{
	int rc = experiment_create(&s->e, &s->options->experiment, diag);
	struct progress progress;
	clock_t cpu;

	if (rc == 0)
		rc = experiment_check_end(&s->e, diag);
	if (rc == 0) {
		if (ranks_many(s->ranks))
			limit_interrupt(s);
		interrupt_catch();
		rc = open_outputs(s, diag);
	}
	if (rc != 0)
		return rc;
	prepare_snapshots(s);
	s->e.run->samples = s->samples;
	s->e.run->interrupted = interrupt_pending;
	s->setup_s = progress_clock() - s->started_s;
	if (s->options->work)
		s->e.run->work =
			memory_array(PARALLEL_THREADS_MAX, sizeof(*s->e.run->work), "threads");
	progress_begin(&progress, &s->e, NULL);
	reserve_memory(s);
	cpu = clock();
	rc = run_all(s->e.run, &s->end, diag);
	progress_end(&progress);
	memory_at_exhaustion(ranks_many(s->ranks) ? end_all : discard, s);
	if (s->e.run->drive.error != 0) {
		diag_print(diag, stderr);
		end_all(s);
	}
	if (rc == -ENOMEM)
		report_early(s);
	free(s->reserve);
	s->reserve = NULL;
	if (rc == 0 && samples_next(s->samples) <= s->e.run->drive.now) // due right at the end
		samples_take(s->samples, s->e.run->drive.now);
	s->wall_s = progress_clock() - s->started_s - s->setup_s;
	print_work(s->e.run, clock() - cpu);
	return rc == 0 ? report(s) : rc;
}

static void
sim_close(struct sim *s)
{
	captures_close(s->captures);
	samples_close(s->samples);
	snapshots_destroy(s->snapshots);
	film_record_free(s->film);
	for (enum result_table i = 0; i < RESULT_TABLES; i++)
		output_close_table(&s->output, &s->tables[i]);
	if (s->e.run != NULL)
		free(s->e.run->work);
	output_close(&s->output);
	experiment_destroy(&s->e);
}

static int
exit_status(const struct sim *s, int rc)
{
	if (rc != 0)
		return rc == -EINVAL ? 2 : 1;
	if (s->end == RUN_INTERRUPTED)
		return interrupt_status(); // 0 at a rank where no signal came
	return s->end == RUN_STALLED ? 1 : 0;
}

// Prints why the run failed, at the first of the ranks that know it; and at the first rank what it
// warns of. Returns the exit status of the run, the highest of all ranks.
static int
print_reason(const struct sim *s, const struct diag *diag, int rc)
{
	uint32_t index = s->ranks != NULL ? s->ranks->index : 0;
	uint64_t knows = rc != 0 && rc != -ECANCELED ? index : UINT64_MAX;
	uint64_t status = rc == -ECANCELED ? 0 : (uint64_t)exit_status(s, rc);

	if (ranks_reduce(s->ranks, RANKS_LEAST, &knows, 1) != 0 ||
	    ranks_reduce(s->ranks, RANKS_MOST, &status, 1) != 0)
		return exit_status(s, rc);
	if (s->first)
		diag_print(diag, stderr);
	else if (index == knows && diag->errors != 0)
		fprintf(stderr, "%s\n", diag_first_error(diag));
	if (rc == 0 || diag->errors != 0 || index != knows)
		return (int)status;
	if (!s->first)
		fprintf(stderr, "roost sim: rank %u: ", index);
	else
		fputs("roost sim: ", stderr);
	fprintf(stderr, "%s\n",
		s->output.diag.errors != 0 ? diag_first_error(&s->output.diag) : strerror(-rc));
	return (int)status;
}

// mpirun ends all ranks when one of them has failed, even one that is still to print; so the others
// leave it to the first one to say by its status how the run ended.
int
run_sim(const struct sim_options *options)
{
	struct diag diag = {0};
	struct sim s = {.options = options,
			.ranks = options->experiment.ranks,
			.first = ranks_first(options->experiment.ranks),
			.started_s = progress_clock()};
	int rc, status;
	char name[32];

	if (ranks_many(s.ranks)) {
		snprintf(name, sizeof(name), "roost: rank %u", s.ranks->index);
		memory_name_process(name);
		memory_at_exhaustion(end_all, &s);
	}
	rc = sim_run(&s, &diag);
	status = print_reason(&s, &diag, rc);
	if (s.end == RUN_STALLED) // at all ranks, whatever then became of its files
		stall_print(s.e.fabric, s.e.run->drive.now, stderr);
	interrupt_limit(0, NULL, NULL);
	sim_close(&s);
	diag_free(&diag);
	return s.first ? status : 0;
}
