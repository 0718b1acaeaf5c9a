// SPDX-License-Identifier: BSD-3-Clause
// `roost sim`: a fabric and its workload in virtual time. Needs neither root nor EAL, and writes
// only what -o names.
#include "sim.h"

#include "control/base/memory.h"
#include "control/base/output.h"
#include "control/io/capture/recorder.h"
#include "control/run/interrupt.h"
#include "control/show/summary.h"
#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIM_RESULT "result.json"
#define SIM_SNAPLEN_DEFAULT 128

// What a report needs at most: blocks of files, and of each flow its figures and their order.
#define RESERVE_BYTES ((size_t)16 << 20)
#define RESERVE_FLOW_BYTES (sizeof(struct report_flow) + 64)

struct sim {
	const struct sim_options *options;
	struct experiment e;
	struct output output;
	struct output_table tables[RESULT_TABLES];
	const struct output_file *result;
	struct recorder *recorder;
	struct samples *samples;
	void *reserve; // memory for the report of a run that has used up all other
	double started_s;
	double setup_s;
	double wall_s;
	enum run_end end;
	bool out_of_memory;
};

// The port was found when the file was checked.
static int
open_capture(struct sim *s, const char *port)
{
	const struct topology *t = s->e.topology;
	char interface[TOPOLOGY_NAME_MAX], name[TOPOLOGY_NAME_MAX + 8];
	struct recorder_source source = {.what = RECORDER_SENT | RECORDER_RECEIVED,
					 .interface = interface};
	struct topo_ref ref = {.node = 0};

	topology_find_port(t, port, &ref);
	topology_port_name(t, ref.node, ref.port, interface);
	snprintf(name, sizeof(name), "%s.pcapng", interface);
	source.node = s->e.fabric->nodes[ref.node];
	source.port = ref.port;
	return recorder_add(s->recorder, &source, &s->output, name);
}

static int
open_captures(struct sim *s)
{
	const struct config_record *record = &s->e.config->record;
	uint32_t snaplen = record->snaplen_bytes != 0 ? record->snaplen_bytes : SIM_SNAPLEN_DEFAULT;
	int rc = 0;

	s->recorder = recorder_create(record->snaplen_full ? 0 : snaplen);
	for (unsigned i = 0; rc == 0 && i < record->pcap.count; i++)
		rc = open_capture(s, record->pcap.items[i].text);
	return rc;
}

// result.json comes last, so that it is the last to be renamed: where it is new, all files are.
static int
open_outputs(struct sim *s, struct diag *diag)
{
	int rc;

	if (s->options->out == NULL)
		return 0;
	rc = output_open(&s->output, s->options->out);
	s->output.gzip = s->options->gzip;
	if (rc == 0)
		rc = open_captures(s);
	if (rc == 0)
		rc = samples_create(&s->samples, s->e.flows, &s->output, diag);
	for (enum result_table i = 0; rc == 0 && i < RESULT_TABLES; i++)
		rc = output_add_table(&s->output, result_table_name(i), &s->tables[i]);
	return rc != 0 ? rc : output_add(&s->output, SIM_RESULT, &s->result);
}

static int
write_table(struct sim *s, enum result_table table, const struct report_result *r)
{
	result_table_write(table, r, s->tables[table].to);
	return output_close_table(&s->output, &s->tables[table]);
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

// Completes the files, and only then gives them their names.
static int
write_outputs(struct sim *s, const struct report_result *r, const char *digest)
{
	int rc = recorder_close(s->recorder);
	int sampled = samples_close(s->samples);

	s->recorder = NULL;
	s->samples = NULL;
	if (rc == 0)
		rc = sampled;
	for (enum result_table i = 0; rc == 0 && i < RESULT_TABLES; i++)
		rc = write_table(s, i, r);
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
static int
report(struct sim *s)
{
	char digest[RESULT_DIGEST_MAX], *told;
	struct outcome outcome;
	int written = 0, rc = 0;

	outcome_create(&outcome, &s->e, s->setup_s, s->wall_s);
	outcome.result.interrupted = s->end == RUN_INTERRUPTED;
	outcome.result.stalled = s->end == RUN_STALLED;
	outcome.result.out_of_memory = s->out_of_memory;
	if (!s->out_of_memory) // else it depends on the machine what has happened
		result_digest(&outcome.result, digest);
	told = s->out_of_memory ? NULL : digest;
	if (s->options->out != NULL)
		written = write_outputs(s, &outcome.result, told);
	if (s->options->json)
		rc = write_result(&outcome.result, told, stdout);
	else
		summary_print(&outcome.result, told, stdout);
	if (rc != 0)
		diag_fail(&s->output.diag, -rc, "stdout: %s", strerror(-rc));
	outcome_destroy(&outcome);
	return written != 0 ? written : rc;
}

// Memory has run out during the run, for packets or for anything else: writes what there is.
static void
report_early(void *context)
{
	struct sim *s = context;

	free(s->reserve);
	s->reserve = NULL;
	s->out_of_memory = true;
	s->wall_s = progress_clock() - s->started_s - s->setup_s;
	memory_at_exhaustion(discard, s);
	if (report(s) != 0)
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
	memory_at_exhaustion(report_early, s);
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

static int
sim_run(struct sim *s, struct diag *diag)
{
	int rc = experiment_create(&s->e, &s->options->experiment, diag);
	struct progress progress;
	clock_t cpu;

	if (rc == 0)
		rc = experiment_check_end(&s->e, diag);
	if (rc == 0) {
		interrupt_catch();
		rc = open_outputs(s, diag);
	}
	if (rc != 0)
		return rc;
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
	memory_at_exhaustion(discard, s);
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
	recorder_close(s->recorder);
	samples_close(s->samples);
	for (enum result_table i = 0; i < RESULT_TABLES; i++)
		output_close_table(&s->output, &s->tables[i]);
	if (s->e.run != NULL)
		free(s->e.run->work);
	output_close(&s->output);
	experiment_destroy(&s->e);
}

int
run_sim(const struct sim_options *options)
{
	struct diag diag = {0};
	struct sim s = {.options = options, .started_s = progress_clock()};
	int rc = sim_run(&s, &diag);

	diag_print(&diag, stderr);
	if (rc == 0 && s.end == RUN_STALLED)
		stall_print(s.e.fabric, s.e.run->drive.now, stderr);
	if (rc != 0 && diag.errors == 0)
		fprintf(stderr, "roost sim: %s\n",
			s.output.diag.errors != 0 ? diag_first_error(&s.output.diag)
						  : strerror(-rc));
	sim_close(&s);
	diag_free(&diag);
	if (rc != 0)
		return rc == -EINVAL ? 2 : 1;
	if (s.end == RUN_INTERRUPTED)
		return interrupt_status();
	return s.end == RUN_STALLED ? 1 : 0;
}
