// SPDX-License-Identifier: BSD-3-Clause
// What the files of `roost subnet` share; private to control/run/subnet/.
#pragma once

#include "control/mad/umad2sim.h"
#include "subnet_serve.h"

#include <jansson.h>
#include <poll.h>

// ---- describe.c ---------------------------------------------------------------------------------

// Adds the nodes and links of a description (control/map/), with the LIDs, partitions and lanes
// that it has for them. Nothing in it is trusted. Returns 0, or -EINVAL with an error in diag.
int subnet_describe(struct agents *agents, const json_t *description, struct diag *diag);
// Gives agents the lanes of its nodes that are not as they were before (describe_lanes.c). before:
// the nodes as they were read last, or NULL. Tables of the same effect stay as a manager set them.
void subnet_describe_lanes(struct agents *agents, const json_t *before, const json_t *nodes);
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
	bool ignored;                    // a message of another user
};

// Opens the socket of control messages and makes itself the way to programs. Returns 0, or -errno
// with an error in diag.
int subnet_sockets_open(struct subnet_sockets *sockets, struct umad *umad, const char *prefix,
			struct diag *diag);
void subnet_sockets_close(struct subnet_sockets *sockets);

// With one of the caller's.
#define SUBNET_POLLED_MAX (2 + UMAD_PROGRAMS_MAX)
// Fills in what to wait for; returns how many.
unsigned subnet_sockets_poll(const struct subnet_sockets *sockets,
			     struct pollfd polled[static SUBNET_POLLED_MAX]);
// Reads and answers what has come, at most a few messages of each.
void subnet_sockets_read(struct subnet_sockets *sockets);
// Forgets programs that have ended without saying so.
void subnet_sockets_reap(struct subnet_sockets *sockets);

// ---- live.c -------------------------------------------------------------------------------------

struct subnet_live;

// Subscribes to the changes of a live fabric, makes its agents and gives them hooks. path must live
// as long. Returns 0, or -errno with an error in diag; subnet_live_close() is due either way.
int subnet_live_open(struct subnet_live **out, struct agents *agents, const char *path,
		     struct diag *diag);
// NULL is fine.
void subnet_live_close(struct subnet_live *live);
// Readable when something has changed.
int subnet_live_fd(const struct subnet_live *live);
// Takes in what has changed. Returns 0, or -errno: the fabric has ended.
int subnet_live_read(struct subnet_live *live, bool *changed);
// Programs tables that a manager has changed, if it has not changed any for a moment. Returns for
// how many ms to wait until then; -1: for ever.
int subnet_live_program(struct subnet_live *live);

// ---- qos.c --------------------------------------------------------------------------------------

// What a line of a kind said when it was printed last.
enum subnet_note {
	SUBNET_NOTE_LEVELS,
	SUBNET_NOTE_PARTITIONS,
	SUBNET_NOTE_NO_TABLES,
	SUBNET_NOTE_MIXED,
	SUBNET_NOTE_REFUSED,
	SUBNET_NOTES
};

#define SUBNET_BATCH_BYTES 900000u

struct subnet_qos {
	struct agents *agents;
	const char *path;   // of the live fabric's socket; NULL: a file
	uint64_t seen;      // changes of the agents
	size_t batch_bytes; // of edits in a request; of which 1 MiB is allowed
	uint64_t sets;      // that a manager has sent
	int64_t due_at;     // when they are acted upon; 0: they have been
	int64_t due_max;    // and at the latest
	int64_t retry_at;   // and not before, after a failure
	char *said[SUBNET_NOTES];
};

// Programs the arbitration of lanes that a manager has set, and says where levels and partitions
// are not what the fabric does, once it has set nothing for a moment. now: in ms. Returns as
// subnet_live_program().
int subnet_qos_follow(struct subnet_qos *qos, int64_t now);
void subnet_qos_free(struct subnet_qos *qos);
// The arbitration of a port as the key `qos.credit.arbitration` has it, without entries that have
// no effect; for free().
char *subnet_arbitration_text(const struct agent_port *port);
