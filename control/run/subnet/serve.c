// SPDX-License-Identifier: BSD-3-Clause
#include "subnet_internal.h"

#include "control/base/clock.h"
#include "control/map/map.h"
#include "control/run/interrupt.h"

#include <errno.h>
#include <stdio.h>

#define TICK_MS 1000 // between repeated traps

struct serve {
	struct agents agents;
	struct umad umad;
	struct subnet_sockets sockets;
	struct subnet_live *live; // NULL: a file
	struct subnet_qos qos;
	int64_t tick_at; // when traps are sent again
};

// Programs are at the first host unless they say where.
static uint32_t
first_host(const struct agents *agents)
{
	for (uint32_t n = 0; n < agents->count; n++)
		if (agents->nodes[n].kind == AGENT_HOST && agents->nodes[n].port_count != 0)
			return n;
	return 0;
}

static int
describe_file(struct agents *agents, const char *file, struct diag *diag)
{
	struct map_file *map;
	struct map_source source;
	json_t *description;
	int rc = map_file_open(&map, file, diag);

	if (rc != 0)
		return rc;
	source = map_file_source(map);
	source.all_lanes = true;
	description = map_describe(&source);
	rc = subnet_describe(agents, description, diag);
	json_decref(description);
	map_file_close(map);
	return rc;
}

static void
print_ready(const struct serve *s)
{
	unsigned switches = 0;

	for (uint32_t n = 0; n < s->agents.count; n++)
		switches += s->agents.nodes[n].kind == AGENT_SWITCH;
	printf("serving %u switches and %u hosts on @%s:ctl\n", switches,
	       s->agents.count - switches, s->sockets.prefix);
	fflush(stdout);
}

// How long to wait for a message.
static int
patience(struct serve *s)
{
	const int64_t left = s->tick_at - clock_ms();
	const int due[] = {s->live != NULL ? subnet_live_program(s->live) : -1,
			   subnet_qos_follow(&s->qos, clock_ms())};
	int least = left > 0 ? (int)left : 0;

	for (size_t i = 0; i < sizeof(due) / sizeof(due[0]); i++)
		least = due[i] >= 0 && due[i] < least ? due[i] : least;
	return least;
}

// Links of a live fabric that have changed: managers hear of it at once.
static int
follow_fabric(struct serve *s)
{
	bool changed = false;
	int rc = s->live != NULL ? subnet_live_read(s->live, &changed) : 0;

	if (changed)
		umad_send_traps(&s->umad);
	return rc;
}

static int
run(struct serve *s, struct diag *diag)
{
	struct pollfd polled[SUBNET_POLLED_MAX];

	while (!interrupt_pending()) {
		unsigned count = subnet_sockets_poll(&s->sockets, polled);

		if (s->live != NULL)
			polled[count++] = (struct pollfd){subnet_live_fd(s->live), POLLIN, 0};
		if (poll(polled, count, patience(s)) < 0 && errno != EINTR)
			return -errno;
		subnet_sockets_read(&s->sockets);
		if (follow_fabric(s) != 0)
			return diag_fail(diag, ECONNRESET, "the fabric has gone down");
		if (clock_ms() < s->tick_at)
			continue;
		subnet_sockets_reap(&s->sockets);
		umad_send_traps(&s->umad);
		s->tick_at = clock_ms() + TICK_MS;
	}
	return 0;
}

int
subnet_serve(const struct subnet_options *options, struct diag *diag)
{
	const char *prefix = options->socket != NULL ? options->socket : "sim";
	struct serve s = {
		.umad.agents = &s.agents,
		.sockets.control = -1,
		.qos = {.agents = &s.agents,
			.path = options->file != NULL ? NULL : options->path,
			.batch_bytes = SUBNET_BATCH_BYTES},
	};
	int rc = options->file != NULL ? describe_file(&s.agents, options->file, diag)
				       : subnet_live_open(&s.live, &s.agents, options->path, diag);

	if (rc == 0) {
		s.umad.first = first_host(&s.agents);
		rc = subnet_sockets_open(&s.sockets, &s.umad, prefix, diag);
	}
	if (rc == 0) {
		interrupt_catch();
		print_ready(&s);
		rc = run(&s, diag);
		subnet_sockets_close(&s.sockets);
	}
	subnet_qos_free(&s.qos);
	subnet_live_close(s.live);
	agents_free(&s.agents);
	return rc;
}
