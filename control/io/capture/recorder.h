// SPDX-License-Identifier: BSD-3-Clause
// Records what passes ports of a fabric in virtual time into pcapng files: the node's tap (node.h).
// One recorder serves one fabric; a node's tap is called by the thread that runs the node.
#pragma once

#include "control/base/output.h"
#include "dataplane/base/node.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder;

enum recorder_what {
	RECORDER_SENT = 1 << 0,
	RECORDER_RECEIVED = 1 << 1,
};

// snaplen: bytes of a packet that are written at most; 0: all of them, payload as zeros under a
// valid ICRC.
struct recorder *recorder_create(uint32_t snaplen);

// What one file records. The node gets the recorder's tap.
struct recorder_source {
	struct node *node;
	uint16_t port;
	unsigned int what;             // enum recorder_what; 0: what the node drops
	const char *interface;         // name of the file's interface
	bool infiniband;               // what its link carries; else Ethernet
	const char *const *port_names; // drops: by index; outlive the recorder
};

// Records `source` into a new file `name` of an output. A dropped packet has the comment
// `reason=... port=... priority=... depth=...`: its ingress port, and the bytes in its queue.
// Returns 0, or -errno with the reason in output->diag.
int recorder_add(struct recorder *r, const struct recorder_source *source, struct output *output,
		 const char *name);

// The same into a file that is the caller's. Returns 0 or -errno.
int recorder_add_path(struct recorder *r, const struct recorder_source *source, const char *path);

// Writes out everything and closes the files; the nodes must not run any more. Returns 0, or -errno
// of the first file that could not be written, with the reason in its output's diag if it has one.
// NULL is fine.
int recorder_close(struct recorder *r);
