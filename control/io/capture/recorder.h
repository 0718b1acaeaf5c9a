// SPDX-License-Identifier: BSD-3-Clause
// Records what passes ports of a fabric in virtual time into pcapng files: the node's tap (node.h).
// One recorder serves one fabric; it is called by the thread that drives it.
#pragma once

#include "dataplane/node.h"

#include <stddef.h>
#include <stdint.h>

struct recorder;

enum recorder_what {
	RECORDER_SENT = 1 << 0,
	RECORDER_RECEIVED = 1 << 1,
};

// snaplen: bytes of a packet that are written at most; 0: all of them, payload as zeros under a
// valid ICRC. Returns 0 or -ENOMEM.
int recorder_create(struct recorder **out, uint32_t snaplen);

// Records a port into `path`; name: as the file's interface is called. The node gets the recorder's
// tap. Returns 0, or -errno with one line in err.
int recorder_add_port(struct recorder *r, struct node *node, uint16_t port, unsigned int what,
		      const char *path, const char *name, char *err, size_t err_size);

// Records what `node` drops into `path`, each packet with the comment `reason=... port=...
// priority=... depth=...`: the port it came in by, the bytes queued where it was to go. port_names:
// by index, outlive the recorder.
int recorder_add_drops(struct recorder *r, struct node *node, const char *const *port_names,
		       const char *path, char *err, size_t err_size);

// Writes out everything and closes the files; the nodes must not run any more. Returns 0, or -errno
// of the first file that is incomplete with one line in err. `keep`: otherwise the files are
// removed, because what a run that failed has written would pass for an outcome. NULL is fine.
int recorder_close(struct recorder *r, bool keep, char *err, size_t err_size);
