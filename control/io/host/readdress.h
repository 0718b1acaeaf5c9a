// SPDX-License-Identifier: BSD-3-Clause
// Gives a host that is plugged in other addresses: its tenant has changed.
#pragma once

#include "veth.h"

#include <stddef.h>

struct readdress_options {
	int netns_fd;                         // of the host
	const char *netns;                    // its name, for messages
	const char *interface;                // "eth1"
	const struct veth_address *old, *new; // pairs of one family, whole lengths included
	unsigned count;
};

// Adds the new addresses and takes the old ones away, in this order: an interface that has lost its
// last address loses its routes. One that is not there any more is no error. Returns 0 or -errno
// with one line in `err`. Control thread, root.
int readdress_host(const struct readdress_options *options, char *err, size_t err_bytes);
