// SPDX-License-Identifier: BSD-3-Clause
// `roost replay`: one switch in virtual time, capture files in, capture files and counters out. All
// inputs are read to their ends before anything is written, so that an invalid one leaves nothing
// behind.
#include "replay.h"

#include "control/base/memory.h"
#include "control/base/output.h"
#include "control/fabric/result.h"
#include "control/io/capture/recorder.h"
#include "control/run/interrupt.h"
#include "control/run/sim/experiment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct replay {
	const struct replay_options *options;
	struct experiment e;
	struct recorder *recorder;
	const char **port_names; // by index
	struct output output;
	const struct output_file *counters;
	json_t *snapshots; // array of counters_snapshot()
	enum run_end end;
	struct diag input_diag; // errors of inputs
};

static ps_t
feed(void *context, ps_t until)
{
	struct replay *r = context;
	ps_t next = PS_NEVER;

	for (unsigned i = 0; i < r->options->input_count; i++)
		next = time_min(next, replay_input_feed(&r->options->inputs[i], until));
	return next;
}

// Packets that are still being sent stay: a PFC frame of this instant may gain priorities.
static void
drain(void *context)
{
	struct replay *r = context;
	struct node *n = r->e.fabric->nodes[0];

	for (uint16_t i = 0; i < n->port_count; i++)
		while (wire_next(n->ports[i].out) <= r->e.run->drive.now)
			packet_free(r->e.packets, wire_take(n->ports[i].out));
}

// Every port of the lone switch ends in two wires of the replay's own.
static int
create_wires(struct node *n)
{
	for (uint16_t i = 0; i < n->port_count; i++) {
		int rc = wire_create(&n->ports[i].in, 1, false, 0);

		if (rc == 0)
			rc = wire_create(&n->ports[i].out, 1, false, 0);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static void
destroy_wires(struct replay *r)
{
	struct node *n = r->e.fabric->nodes[0];

	for (uint16_t i = 0; i < n->port_count; i++) {
		struct wire *wires[2] = {n->ports[i].in, n->ports[i].out};

		for (unsigned k = 0; k < 2; k++) {
			while (wires[k] != NULL && wire_count(wires[k]) != 0)
				packet_free(r->e.packets, wire_take(wires[k]));
			wire_destroy(wires[k]);
		}
	}
}

// Names of --in must be ports; then the files themselves, before anything is created.
static int
check_inputs(struct replay *r, uint32_t *largest)
{
	bool given[PORTS_MAX] = {false};

	for (unsigned i = 0; i < r->options->input_count; i++) {
		struct replay_input *in = &r->options->inputs[i];
		struct topo_ref ref;
		int rc;

		if (topology_find_port(r->e.topology, in->port_name, &ref) != 0)
			return diag_fail(&r->input_diag, EINVAL, "--in %s=%s: %s has no port %s",
					 in->port_name, in->path, r->e.topology->nodes[0].name,
					 in->port_name);
		if (given[ref.port])
			return diag_fail(&r->input_diag, EINVAL, "--in %s=%s: %s is given twice",
					 in->port_name, in->path, in->port_name);
		given[ref.port] = true;
		in->infiniband = topology_is_infiniband(r->e.topology);
		if (in->infiniband && rewrite_any(&r->options->rewrite))
			return diag_fail(&r->input_diag, EINVAL,
					 "--rewrite: InfiniBand packets have no addresses of IP or "
					 "Ethernet to rewrite");
		rc = replay_input_check(in, largest, &r->input_diag);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
open_inputs(struct replay *r)
{
	struct node *n = r->e.fabric->nodes[0];
	struct capture_reader *readers[PORTS_MAX];
	struct switch_config settings;
	int rc = config_switch(r->e.config, r->e.topology->nodes[0].name,
			       r->e.topology->nodes[0].role, &settings);

	for (unsigned i = 0; rc == 0 && i < r->options->input_count; i++) {
		struct replay_input *in = &r->options->inputs[i];
		struct topo_ref ref;

		topology_find_port(r->e.topology, in->port_name, &ref);
		in->node = n;
		in->port = &n->ports[ref.port];
		in->latency = settings.latency_ps;
		in->diag = &r->input_diag;
		rc = replay_input_open(in);
		readers[i] = in->reader;
	}
	if (rc != 0)
		return rc;
	return capture_reader_align(readers, r->options->input_count, NULL, &r->input_diag);
}

static int
open_captures(struct replay *r)
{
	const struct topo_node *place = &r->e.topology->nodes[0];
	const bool infiniband = topology_is_infiniband(r->e.topology);
	struct recorder_source drops = {
		.node = r->e.fabric->nodes[0], .interface = "drops", .infiniband = infiniband};
	int rc = 0;

	r->recorder = recorder_create(0);
	r->port_names = memory_array(place->port_count, sizeof(*r->port_names), "names of ports");
	for (uint16_t i = 0; rc == 0 && i < place->port_count; i++) {
		struct recorder_source sent = {.node = r->e.fabric->nodes[0],
					       .port = i,
					       .what = RECORDER_SENT,
					       .interface = place->ports[i].name,
					       .infiniband = infiniband};
		char name[TOPOLOGY_PORT_NAME_MAX + 8];

		r->port_names[i] = place->ports[i].name;
		snprintf(name, sizeof(name), "%s.pcapng", place->ports[i].name);
		rc = recorder_add(r->recorder, &sent, &r->output, name);
	}
	drops.port_names = r->port_names;
	return rc != 0 ? rc : recorder_add(r->recorder, &drops, &r->output, "drops.pcapng");
}

static int
open_outputs(struct replay *r)
{
	int rc = output_open(&r->output, r->options->out);

	if (rc == 0)
		rc = open_captures(r);
	if (rc == 0)
		rc = output_add(&r->output, "counters.json", &r->counters);
	// A missing file, or a directory in its place, is a usage error only for inputs.
	return rc == -ENOENT || rc == -EISDIR ? -EIO : rc;
}

static void
take_snapshot(void *context, ps_t now)
{
	struct replay *r = context;

	json_array_append_new(r->snapshots, counters_snapshot(r->e.fabric->names, 1, now));
}

static int
write_counters(struct replay *r)
{
	json_t *document =
		counters_document(r->e.fabric->names, 1, r->e.run->drive.now, r->snapshots);
	int rc;

	counters_add_log(document, fabric_log_entries(r->e.run->log),
			 fabric_log_lost(r->e.run->log));
	if (r->end == RUN_INTERRUPTED)
		json_object_set_new(document, "interrupted", json_true());
	rc = report_write(document, r->counters->temporary);
	if (rc != 0)
		output_fail(&r->output, r->counters, rc);
	json_decref(document);
	return rc;
}

// Completes the files, and only then gives them their names.
static int
write_outputs(struct replay *r)
{
	int rc = recorder_close(r->recorder);

	r->recorder = NULL;
	if (rc == 0)
		rc = write_counters(r);
	return rc != 0 ? rc : output_commit(&r->output);
}

// "20 packets in, 18 out, 2 dropped (red 1, ttl-expired 1)", then values that are usually 0.
static void
print_summary(const struct replay *r)
{
	const struct node *n = r->e.fabric->nodes[0];
	uint64_t in = 0, out = 0, control_in = 0, control_out = 0;
	uint64_t held = fabric_packets_held(r->e.fabric);
	struct report_totals totals;
	const char *before = " (";

	report_totals_compute(r->e.fabric->names, 1, &totals);
	for (uint16_t i = 0; i < n->port_count; i++) {
		in += n->ports[i].rx_packets - n->ports[i].control_rx;
		out += n->ports[i].tx_packets - n->ports[i].control_tx;
		control_in += n->ports[i].control_rx;
		control_out += n->ports[i].control_tx;
	}
	printf("%" PRIu64 " packet%s in, %" PRIu64 " out, %" PRIu64 " dropped", in,
	       in == 1 ? "" : "s", out, totals.drops);
	for (unsigned int i = 0; i < DROP_COUNT; i++) {
		if (totals.by_reason[i] == 0)
			continue;
		printf("%s%s %" PRIu64, before, drop_name(i), totals.by_reason[i]);
		before = ", ";
	}
	fputs(totals.drops != 0 ? ")" : "", stdout);
	if (held != 0)
		printf(", %" PRIu64 " still queued", held);
	if (control_in + control_out != 0)
		printf("; pause frames: %" PRIu64 " in, %" PRIu64 " out", control_in, control_out);
	if (r->end == RUN_INTERRUPTED)
		printf("; interrupted at %.3f us", (double)r->e.run->drive.now / (double)PS_PER_US);
	putchar('\n');
}

static void
warn_of_input(const struct replay_input *in)
{
	const char *converted = capture_reader_converted(in->reader);
	const uint64_t foreign = in->port->drops[DROP_WRONG_MAC];

	if (in->overlapping != 0)
		fprintf(stderr,
			"roost: warning: %s: %llu packets overlap the one before them on %s; "
			"stamps are taken as given (--pace line sends them one after another)\n",
			in->path, (unsigned long long)in->overlapping, in->port_name);
	if (converted != NULL)
		fprintf(stderr,
			"roost: warning: %s: link type %s: packets have no Ethernet header in the "
			"file and got one to the MAC of %s\n",
			in->path, converted, in->port_name);
	if (foreign != 0)
		fprintf(stderr,
			"roost: warning: %s: %llu packets are for another MAC than that of %s; "
			"--map mac=port sends them to it\n",
			in->path, (unsigned long long)foreign, in->port_name);
}

static void
warn(const struct replay *r)
{
	for (unsigned i = 0; i < r->options->input_count; i++)
		warn_of_input(&r->options->inputs[i]);
	if (r->end == RUN_STALLED)
		fprintf(stderr, "roost: warning: %llu packets are still held by %s at the end\n",
			(unsigned long long)fabric_packets_held(r->e.fabric),
			r->e.topology->nodes[0].name);
}

static int
replay_run(struct replay *r, struct diag *diag)
{
	const struct experiment_options options = {
		.kind = EXPERIMENT_SWITCH, .file = r->options->file, .until = r->options->until};
	uint32_t largest = PACKET_FRAME_MIN;
	int rc = experiment_load(&r->e, &options, diag);

	if (rc == 0)
		rc = check_inputs(r, &largest);
	if (rc == 0)
		rc = experiment_build(&r->e, &options,
				      largest + PACKET_TUNNEL_ROOM + PACKET_ANSWER_ROOM, diag);
	if (rc == 0)
		rc = create_wires(r->e.fabric->nodes[0]);
	if (rc == 0)
		rc = open_inputs(r);
	if (rc == 0) {
		interrupt_catch();
		rc = open_outputs(r);
	}
	if (rc != 0)
		return rc;
	r->snapshots = json_array();
	r->e.run->snapshot = take_snapshot;
	r->e.run->snapshot_context = r;
	r->e.run->interrupted = interrupt_pending;
	r->e.run->outside = (struct run_outside){.feed = feed, .drain = drain, .context = r};
	rc = run_all(r->e.run, &r->end, diag);
	node_flush_tap(r->e.fabric->nodes[0]);
	for (unsigned i = 0; rc == 0 && i < r->options->input_count; i++)
		rc = r->options->inputs[i].error;
	if (rc == 0)
		rc = write_outputs(r);
	if (rc == 0) {
		warn(r);
		print_summary(r);
	}
	return rc;
}

static void
replay_close(struct replay *r)
{
	recorder_close(r->recorder);
	output_close(&r->output);
	diag_free(&r->input_diag);
	free(r->port_names);
	for (unsigned i = 0; i < r->options->input_count; i++)
		capture_reader_close(r->options->inputs[i].reader);
	if (r->e.fabric != NULL)
		destroy_wires(r);
	experiment_destroy(&r->e);
	json_decref(r->snapshots);
}

int
run_replay(const struct replay_options *options)
{
	struct diag diag = {0};
	struct replay r = {.options = options};
	int rc = replay_run(&r, &diag);

	diag_print(&diag, stderr);
	if (rc != 0 && diag.errors == 0)
		fprintf(stderr, "roost replay: %s\n",
			r.input_diag.errors != 0    ? diag_first_error(&r.input_diag)
			: r.output.diag.errors != 0 ? diag_first_error(&r.output.diag)
						    : strerror(-rc));
	replay_close(&r);
	diag_free(&diag);
	if (rc == 0 && r.end == RUN_INTERRUPTED)
		return interrupt_status();
	return rc == 0 ? 0 : rc == -EINVAL || rc == -ENOENT || rc == -EISDIR ? 2 : 1;
}
