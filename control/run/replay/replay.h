// SPDX-License-Identifier: BSD-3-Clause
// `roost replay`: plays captures into one switch in virtual time.
#pragma once

#include "control/base/diag.h"
#include "control/io/capture/reader.h"
#include "control/io/capture/rewrite.h"
#include "dataplane/base/node.h"

#include <stdbool.h>

struct replay_input;

struct replay_options {
	const char *file;
	const char *out;        // directory
	ps_t until;             // PS_NEVER: until drained
	bool line_rate;         // stamps are ignored
	bool sort;              // inputs by their stamps
	struct rewrite rewrite; // of every packet, before it arrives
	struct replay_input *inputs;
	unsigned input_count; // at most PORTS_MAX
};

// One capture file for a port, whose packets arrive at the instants of their stamps, or one after
// another at line rate. The caller sets the first three members.
struct replay_input {
	char *port_name;
	const char *path;
	const struct replay_options *options;
	bool infiniband; // its packets; else Ethernet frames
	struct capture_reader *reader;
	struct node *node;
	struct port *port;
	ps_t latency;                 // of the node's pipeline: added to every stamp
	struct capture_packet packet; // the next, when `ready`
	ps_t arrival;                 // when its last bit arrives
	bool ready;
	bool begun;           // a packet has been read
	ps_t line_free;       // when the line is free for the next
	uint64_t overlapping; // packets whose transmission began before the one before had ended
	struct diag *diag;
	int error; // -errno, with the error in diag; 0: none
};

// Plays the inputs. Errors go to stderr. Returns an exit status.
int run_replay(const struct replay_options *options);

// ---- inputs (input.c) ---------------------------------------------------------------------------

// Reads a file to its end: every packet must be valid and at most PACKET_FRAME_MAX. *largest grows
// to the largest packet. Returns 0, or -errno with the error in diag.
int replay_input_check(const struct replay_input *in, uint32_t *largest, struct diag *diag);

// Opens the file to read it from its beginning. Returns 0, or -errno with the error in in->diag.
int replay_input_open(struct replay_input *in);

// Puts what arrives before `until` on the port's wire. Returns when the next packet after that
// arrives; PS_NEVER at the end, or with in->error.
ps_t replay_input_feed(struct replay_input *in, ps_t until);
