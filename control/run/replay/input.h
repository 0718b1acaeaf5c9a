// SPDX-License-Identifier: BSD-3-Clause
// A replay's input: one capture file for a port, whose packets arrive at the instants their stamps
// give, or one after another at line rate.
#pragma once

#include "control/io/capture/reader.h"
#include "dataplane/base/node.h"

#include <stdbool.h>

struct replay_input {
	const char *port_name;
	const char *path;
	struct capture_reader *reader;
	struct node *node;
	struct port *port;
	ps_t latency;                 // of the node's pipeline: added to every stamp
	bool line_rate;               // stamps are ignored
	struct capture_packet packet; // the next, when `ready`
	ps_t arrival;                 // when its last bit arrives
	bool ready;
	ps_t line_free;       // when the line is free for the next
	uint64_t overlapping; // packets whose transmission began before the one before had ended
	int error;            // -errno, with the line in err; 0: none
	char *err;
	size_t err_size;
};

// Reads the whole file once: every packet is sound and at most PACKET_FRAME_MAX. *largest grows to
// the largest packet. Returns 0 or -errno with one line in err.
int replay_input_check(const char *path, bool line_rate, uint32_t *largest, char *err,
		       size_t err_size);

// Opens the file for reading on. Returns 0 or -errno with one line in in->err.
int replay_input_open(struct replay_input *in);
void replay_input_close(struct replay_input *in);

// Puts what arrives before `until` on the port's wire. Returns when the next after that arrives,
// PS_NEVER at the end or when in->error.
ps_t replay_input_feed(struct replay_input *in, ps_t until);
