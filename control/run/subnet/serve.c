// SPDX-License-Identifier: BSD-3-Clause
#include "subnet_internal.h"

#include "control/map/map.h"
#include "control/run/interrupt.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define TICK_MS 1000 // between repeated traps

struct serve {
	struct agents agents;
	struct umad umad;
	struct subnet_sockets sockets;
};

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

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

static int
run(struct serve *s)
{
	struct pollfd polled[SUBNET_POLLED_MAX];
	int64_t next = now_ms() + TICK_MS;

	while (!interrupt_pending()) {
		const unsigned count = subnet_sockets_poll(&s->sockets, polled);
		const int64_t left = next - now_ms();

		if (poll(polled, count, left > 0 ? (int)left : 0) < 0 && errno != EINTR)
			return -errno;
		subnet_sockets_read(&s->sockets);
		if (now_ms() < next)
			continue;
		subnet_sockets_reap(&s->sockets);
		umad_send_traps(&s->umad);
		next = now_ms() + TICK_MS;
	}
	return 0;
}

int
subnet_serve(const struct subnet_options *options, struct diag *diag)
{
	struct serve s = {.umad.agents = &s.agents, .sockets.control = -1};
	int rc = describe_file(&s.agents, options->file, diag);

	if (rc == 0) {
		s.umad.first = first_host(&s.agents);
		rc = subnet_sockets_open(&s.sockets, &s.umad,
					 options->socket != NULL ? options->socket : "sim", diag);
	}
	if (rc == 0) {
		interrupt_catch();
		print_ready(&s);
		rc = run(&s);
	}
	subnet_sockets_close(&s.sockets);
	agents_free(&s.agents);
	return rc;
}
