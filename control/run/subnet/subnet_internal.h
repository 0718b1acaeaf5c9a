// SPDX-License-Identifier: BSD-3-Clause
// What the files of `roost subnet` share; private to control/run/subnet/.
#pragma once

#include "control/mad/umad2sim.h"
#include "subnet_serve.h"

#include <jansson.h>
#include <poll.h>

// ---- describe.c ---------------------------------------------------------------------------------

// Adds the nodes and links of a description (control/map/), in which nothing is trusted. Returns 0,
// or -EINVAL with an error in diag.
int subnet_describe(struct agents *agents, const json_t *description, struct diag *diag);
// The port that a description calls "leaf1.swp3". Returns 0 or -ENOENT.
int subnet_find_port(const struct agents *agents, const char *name, struct agent_place *out);
// Its name; text has room for it.
#define SUBNET_PORT_NAME_MAX (AGENT_NAME_MAX + 8)
const char *subnet_port_name(const struct agents *agents, struct agent_place at,
			     char text[static SUBNET_PORT_NAME_MAX]);

// ---- sockets.c ----------------------------------------------------------------------------------

struct subnet_sockets {
	struct umad *umad;
	char prefix[64];
	int control;
	int programs[UMAD_PROGRAMS_MAX]; // -1: not connected
	uint32_t ids[UMAD_PROGRAMS_MAX]; // what they call themselves
};

// Opens the socket of control messages and makes itself the way to programs. Returns 0, or -errno
// with an error in diag.
int subnet_sockets_open(struct subnet_sockets *sockets, struct umad *umad, const char *prefix,
			struct diag *diag);
void subnet_sockets_close(struct subnet_sockets *sockets);

#define SUBNET_POLLED_MAX (1 + UMAD_PROGRAMS_MAX)
// Fills in what to wait for; returns how many.
unsigned subnet_sockets_poll(const struct subnet_sockets *sockets,
			     struct pollfd polled[static SUBNET_POLLED_MAX]);
// Reads and answers what has come, at most a few messages of each.
void subnet_sockets_read(struct subnet_sockets *sockets);
// Forgets programs that have ended without saying so.
void subnet_sockets_reap(struct subnet_sockets *sockets);
