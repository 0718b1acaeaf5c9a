// SPDX-License-Identifier: BSD-3-Clause
// `roost sim`: a fabric and its workload in virtual time. Needs neither root nor EAL and leaves
// nothing behind but what -o asks for.
#include "control/io/capture/recorder.h"
#include "control/commands.h"
#include "control/base/directory.h"
#include "control/show/summary.h"
#include "outcome.h"
#include "progress.h"
#include "stall.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIM_ERR_BYTES 512
#define SIM_RESULT "result.json"
#define SIM_SNAPLEN_DEFAULT 128

struct sim {
	struct experiment_options options;
	const char *out;
	bool json;
	bool made; // the directory was not there before
	struct experiment e;
	struct recorder *recorder;
	struct samples *samples;
	double started_s;
	double setup_s;
	double wall_s;
	char err[SIM_ERR_BYTES];
};

// The names of ports to capture have been checked; name: "leaf1.swp5".
static struct topo_ref
port_to_capture(const struct sim *s, unsigned i, char name[static TOPOLOGY_NAME_MAX])
{
	const struct topology *t = s->e.topology;
	struct topo_ref ref = {.node = 0};

	topology_find_port(t, s->e.config->record.pcap.items[i].text, &ref);
	topology_port_name(t, ref.node, ref.port, name);
	return ref;
}

// Before any of them is touched.
static int
check_outputs(struct sim *s)
{
	int rc = directory_check_file(s->out, SIM_RESULT, s->err, sizeof(s->err));

	for (unsigned i = 0; rc == 0 && i < s->e.config->record.pcap.count; i++) {
		char port[TOPOLOGY_NAME_MAX], name[TOPOLOGY_NAME_MAX + 8];

		port_to_capture(s, i, port);
		snprintf(name, sizeof(name), "%s.pcapng", port);
		rc = directory_check_file(s->out, name, s->err, sizeof(s->err));
	}
	return rc != 0 ? rc : samples_check_files(s->out, s->err, sizeof(s->err));
}

static int
open_outputs(struct sim *s, struct config_diag *diag)
{
	const struct config_record *record = &s->e.config->record;
	uint32_t snaplen = record->snaplen_full ? 0 : record->snaplen_bytes;
	bool made;
	int rc;

	if (s->out == NULL)
		return 0;
	made = access(s->out, F_OK) != 0;
	rc = directory_make(s->out, s->err, sizeof(s->err));
	if (rc != 0)
		return rc;
	s->made = made;
	rc = check_outputs(s);
	if (rc == 0)
		rc = recorder_create(&s->recorder, record->snaplen_full ? 0
						   : snaplen != 0       ? snaplen
									: SIM_SNAPLEN_DEFAULT);
	for (unsigned i = 0; rc == 0 && i < record->pcap.count; i++) {
		char path[PATH_MAX], name[TOPOLOGY_NAME_MAX];
		struct topo_ref ref = port_to_capture(s, i, name);

		snprintf(path, sizeof(path), "%s/%s.pcapng", s->out, name);
		rc = recorder_add_port(s->recorder, s->e.fabric->nodes[ref.node], ref.port,
				       RECORDER_SENT | RECORDER_RECEIVED, path, name, s->err,
				       sizeof(s->err));
	}
	return rc != 0 ? rc
		       : samples_create(&s->samples, s->e.fabric, s->e.flows, s->out, diag, s->err,
					sizeof(s->err));
}

static int
write_result(struct sim *s, const json_t *document)
{
	char path[PATH_MAX];
	int rc = 0;

	if (s->out != NULL) {
		snprintf(path, sizeof(path), "%s/" SIM_RESULT, s->out);
		rc = report_write(document, path, s->err, sizeof(s->err));
	}
	if (rc == 0 && s->json)
		rc = report_write(document, "-", s->err, sizeof(s->err));
	return rc;
}

static int
report(struct sim *s)
{
	char digest[RESULT_DIGEST_MAX];
	json_t *document = NULL;
	struct outcome outcome;
	int rc = outcome_create(&outcome, &s->e, s->setup_s, s->wall_s);

	if (rc == 0) {
		document = result_document(&outcome.result, digest);
		rc = document == NULL ? -ENOMEM : write_result(s, document);
	}
	if (rc == 0 && !s->json)
		rc = summary_print(&outcome.result, digest, stdout);
	json_decref(document);
	outcome_destroy(&outcome);
	return rc;
}

static int
sim_run(struct sim *s, struct config_diag *diag, enum run_end *end)
{
	int rc = experiment_create(&s->e, &s->options, diag);
	struct progress progress;

	if (rc == 0)
		rc = experiment_check_end(&s->e, diag);
	if (rc == 0)
		rc = open_outputs(s, diag);
	if (rc != 0)
		return rc;
	s->e.run->samples = s->samples;
	s->setup_s = progress_clock() - s->started_s;
	progress_begin(&progress, &s->e, NULL);
	rc = run_all(s->e.run, end, diag);
	progress_end(&progress);
	if (rc == 0 && samples_next(s->samples) <= s->e.run->drive.now) // due right at the end
		samples_take(s->samples, s->e.run->drive.now);
	s->wall_s = progress_clock() - s->started_s - s->setup_s;
	return rc == 0 ? report(s) : rc;
}

static int
sim_close(struct sim *s, int rc)
{
	char err[SIM_ERR_BYTES] = "";
	bool keep = rc == 0;
	int closed = recorder_close(s->recorder, keep, err, sizeof(err));
	int sampled = samples_close(s->samples, keep, err, sizeof(err));

	if (closed == 0)
		closed = sampled;
	if (rc == 0 && closed != 0) {
		memcpy(s->err, err, sizeof(err));
		rc = closed;
	}
	if (!keep && s->made)
		rmdir(s->out);
	experiment_destroy(&s->e);
	return rc;
}

static int
parse_number(const char *option, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno == 0 && *text >= '0' && *text <= '9' && *end == '\0')
		return 0;
	fprintf(stderr, "roost sim: --%s %s: want a number\n", option, text);
	return -EINVAL;
}

static int
parse_time(const char *option, const char *text, ps_t *out)
{
	char why[160];

	if (config_parse_duration(text, out, why) == 0)
		return 0;
	fprintf(stderr, "roost sim: --%s %s: %s\n", option, text, why);
	return -EINVAL;
}

static int
parse_options(struct sim *s, int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"until", required_argument, NULL, 'u'},
		{"seed", required_argument, NULL, 's'},
		{"window", required_argument, NULL, 'w'},
		{"visit", required_argument, NULL, 'v'},
		{"out", required_argument, NULL, 'o'},
		{NULL, 0, NULL, 0},
	};
	int c, rc = 0;

	s->options.until = PS_NEVER;
	while (rc == 0 && (c = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		switch (c) {
		case 'o':
			s->out = optarg;
			break;
		case 'j':
			s->json = true;
			break;
		case 'u':
			rc = parse_time("until", optarg, &s->options.until);
			break;
		case 's':
			rc = parse_number("seed", optarg, &s->options.seed);
			s->options.seed_given = true;
			break;
		case 'w':
			rc = parse_time("window", optarg, &s->options.window);
			break;
		case 'v':
			rc = parse_number("visit", optarg, &s->options.visit);
			break;
		default:
			rc = -EINVAL;
		}
	}
	if (rc != 0 || optind != argc - 1)
		return -EINVAL;
	s->options.file = argv[optind];
	return 0;
}

int
cmd_sim(int argc, char **argv)
{
	struct config_diag diag = {0};
	struct sim s = {.started_s = progress_clock()};
	enum run_end end = RUN_DRAINED;
	int rc;

	if (parse_options(&s, argc, argv) != 0) {
		fprintf(stderr, "usage: roost sim FILE [-o DIR] [--json] [--until T] [--seed N]\n");
		return 2;
	}
	rc = sim_run(&s, &diag, &end);
	config_diag_print(&diag, stderr);
	if (rc == 0 && end == RUN_STALLED)
		stall_print(s.e.fabric, s.e.run->drive.now, stderr);
	rc = sim_close(&s, rc);
	if (rc != 0 && s.err[0] != '\0')
		fprintf(stderr, "roost sim: %s\n", s.err);
	else if (rc != 0 && diag.errors == 0)
		fprintf(stderr, "roost sim: %s\n", strerror(-rc));
	config_diag_free(&diag);
	if (rc != 0)
		return rc == -EINVAL ? 2 : 1;
	return end == RUN_STALLED ? 1 : 0;
}
