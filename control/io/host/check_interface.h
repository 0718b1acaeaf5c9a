// SPDX-License-Identifier: BSD-3-Clause
// Looks at an interface that a user hands us, before a device is opened on it. See check.c.
#pragma once

#include <stdbool.h>

struct host_check {
	const char *interface;
	const char *netns; // its namespace's name, NULL: this thread's own
	bool af_xdp;       // it is to be opened by net_af_xdp
	unsigned mtu_max;  // largest IP MTU the port can carry
};

// Called with one line for each problem: what is wrong, then the command that mends it.
typedef void (*host_check_fn)(const char *line, void *arg);

// Returns the number of problems found, or -errno (-ENODEV, -ENOENT: no such interface or
// namespace; said in a line too). Control thread, root where the namespace is another.
int host_check_interface(const struct host_check *check, host_check_fn fn, void *arg);
