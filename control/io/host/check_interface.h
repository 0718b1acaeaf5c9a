// SPDX-License-Identifier: BSD-3-Clause
// Checks a user's interface before a device is opened on it. See check_interface.c.
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct host_check {
	const char *interface;
	const char *netns; // its namespace's name, NULL: this thread's own
	bool af_xdp;       // net_af_xdp will open it
	unsigned mtu_max;  // largest IP MTU the port can carry
};

// Prints a warning for each problem to `to`: what is wrong, then the command that corrects it.
// Returns the number of problems, or -errno (-ENODEV, -ENOENT: no such interface or namespace).
// Control thread, root if the namespace is another.
int host_check_interface(const struct host_check *check, FILE *to);
