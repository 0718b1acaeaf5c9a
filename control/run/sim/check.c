// SPDX-License-Identifier: BSD-3-Clause
// `roost check`: whether a file can be run. Everything that a run needs is created, and nothing is
// run.
#include "sim.h"
#include "film_record.h"
#include "progress.h"

#include "control/advice/advice.h"
#include "control/base/program.h"
#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/model/routes/routes.h"
#include "control/model/workload/model_text.h"
#include "control/run/device_ports.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "4 leaves, "; nothing if there are none.
static void
put_count(FILE *to, uint64_t count, const char *one, const char *many)
{
	if (count != 0)
		fprintf(to, "%s%" PRIu64 " %s", ftell(to) != 0 ? ", " : "", count,
			count == 1 ? one : many);
}

// The rate at which leaves can receive from hosts over that at which they can send to spines.
// Nothing if no leaf has both.
static void
put_oversubscription(FILE *to, const struct topology *topology)
{
	double down = 0, up = 0, ratio;

	for (uint32_t i = 0; i < topology->link_count; i++) {
		const struct topo_link *link = &topology->links[i];
		enum config_role a = topology->nodes[link->a.node].role;
		enum config_role b = topology->nodes[link->b.node].role;

		if (a != CONFIG_ROLE_LEAF && b != CONFIG_ROLE_LEAF)
			continue;
		if (link->host)
			down += (double)link->rate_bps;
		else if (a != b)
			up += (double)link->rate_bps;
	}
	if (down == 0 || up == 0)
		return;
	ratio = down / up;
	if (ratio >= 1)
		fprintf(to, ", oversubscription %.3g:1", ratio);
	else
		fprintf(to, ", oversubscription 1:%.3g", 1 / ratio);
}

// Hosts, however many of their NICs have an entry of their own.
static uint32_t
count_attached(const struct topology *topology)
{
	const struct config *config = topology->config;
	uint32_t hosts = 0;

	for (unsigned i = 0; i < config->attach_count; i++) {
		struct topo_attached at, earlier;
		bool known = !topology_find_attached(topology, &config->attach[i], &at);

		for (unsigned k = 0; k < i && !known; k++)
			known = topology_find_attached(topology, &config->attach[k], &earlier) &&
				earlier.host == at.host;
		hosts += !known;
	}
	return hosts;
}

static void
put_fabric(FILE *to, const struct topology *topology, const struct workload *w)
{
	put_count(to, topology->leaf_count, "leaf", "leaves");
	put_count(to, topology->spine_count, "spine", "spines");
	put_count(to, topology->super_count, "super-spine", "super-spines");
	put_count(to, topology->host_count, "host", "hosts");
	if (topology->config->attach_count != 0)
		fprintf(to, " (%u attached)", count_attached(topology));
	put_oversubscription(to, topology);
	put_count(to, workload_count_flows(w, NULL), "flow", "flows");
	put_count(to, w->stream_count, "stream", "streams");
}

// A line for each training step that is given by the sizes of a model.
static void
put_models(FILE *to, const struct config *config, const struct workload *w)
{
	char text[MODEL_TEXT_MAX];

	for (uint32_t i = 0; i < w->program_count; i++) {
		const struct config_work *work = &config->workload[w->programs[i].item];

		if (work->kind != CONFIG_WORK_MODEL)
			continue;
		model_text(work, w->programs[i].member_count, text);
		fprintf(to, "\n%s", text);
	}
}

// What a live fabric would open, as far as the file shows.
static int
check_devices(struct topology *topology, struct diag *diag)
{
	struct device_port *ports;
	uint32_t count;
	int rc;

	topology_apply_attach(topology);
	rc = device_ports_list(&ports, &count, topology, NULL, diag);
	if (rc == 0)
		rc = device_ports_check(ports, count, topology, diag);
	free(ports);
	return rc;
}

#define HOPS_MAX INT64_C(9000000000000000000) // that fit in an integer of JSON

// What a run of the file costs, as far as that can be known before it.
struct cost {
	double setup_s;        // of this process, which has created what a run creates
	uint64_t memory_bytes; // the same
	double packet_hops;    // an estimate
};

static struct cost
find_cost(const struct experiment *e, double setup_s)
{
	return (struct cost){
		.setup_s = setup_s,
		.memory_bytes = experiment_peak_memory(),
		.packet_hops = e->workload != NULL
				       ? fabric_flows_estimate_hops(e->flows, e->run->until)
				       : 0,
	};
}

static void
put_json(FILE *to, const struct experiment *e, const struct cost *cost)
{
	const struct topology *t = e->topology;
	char *file = memory_text(e->config->file);
	json_t *found;

	utf8_repair(file);
	found = json_pack("{s:s,s:I,s:I,s:f,s:I}", "file", file, "switches",
			  (json_int_t)t->first_host, "hosts", (json_int_t)t->host_count, "setup_s",
			  cost->setup_s, "memory_bytes", (json_int_t)cost->memory_bytes);
	free(file);
	if (e->workload != NULL) {
		json_object_set_new(
			found, "flows",
			json_integer((json_int_t)workload_count_flows(e->workload, NULL)));
		json_object_set_new(found, "streams", json_integer(e->workload->stream_count));
		json_object_set_new(found, "packet_hops",
				    json_integer(cost->packet_hops < HOPS_MAX
							 ? (json_int_t)(cost->packet_hops + 0.5)
							 : HOPS_MAX));
	}
	json_dumpf(found, to, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	json_decref(found);
}

static int
check_file(const struct experiment_options *options, struct diag *diag, bool json, FILE *to)
{
	double begun = progress_clock();
	struct experiment e;
	char film[FILM_ESTIMATE_MAX];
	struct cost cost = {0};
	int rc = experiment_create(&e, options, diag);

	if (rc == 0 && json) // before the MTUs of attached hosts, which no run in virtual time has
		cost = find_cost(&e, progress_clock() - begun);
	if (rc == 0)
		rc = check_devices(e.topology, diag);
	if (rc == 0 && json) {
		put_json(to, &e, &cost);
	} else if (rc == 0 && e.workload != NULL) {
		put_fabric(to, e.topology, e.workload);
		put_models(to, e.topology->config, e.workload);
	} else if (rc == 0) {
		fputs("1 switch", to);
		put_count(to, e.topology->nodes[0].port_count, "port", "ports");
	}
	if (rc == 0 && !json && film_record_estimate(&e, film))
		fprintf(to, "\n%s", film);
	experiment_destroy(&e);
	return rc;
}

int
run_check(const struct experiment_options *options, bool json)
{
	struct diag diag = {0};
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);
	int rc = check_file(options, &diag, json, to);

	fclose(to);
	diag_print(&diag, stderr);
	if (rc != 0 && diag.errors == 0)
		fprintf(stderr, "roost check: %s: %s\n", options->file, strerror(-rc));
	if (rc == 0 && json)
		printf("%s\n", text);
	else if (rc == 0)
		printf("%s: ok: %s\n", options->file, text);
	diag_free(&diag);
	free(text);
	return rc == 0 ? EXIT_OK : rc == -ENOMEM ? EXIT_FAILED : EXIT_USAGE;
}
