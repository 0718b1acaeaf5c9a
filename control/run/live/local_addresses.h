// SPDX-License-Identifier: BSD-3-Clause
// The addresses that Linux has where a switch's interfaces are: what is sent to them is for the
// kernel, by whichever port it comes. See locals.c. Control thread; private to control/live/.
#pragma once

#include "live_fabric.h"

// Tells the addresses to all ports that share an interface with the kernel, and from then on
// listens for changes. *out stays NULL where there is no such port. Returns 0 or -errno with one
// line in err.
int local_addresses_open(struct local_addresses **out, struct live_fabric *live,
			 struct live_report *report);

// Tells the ports what has changed since, if anything has. NULL is fine.
void local_addresses_poll(struct local_addresses *locals, struct live_fabric *live);

// How many addresses there are, as last reported, and how many of them found no room.
void local_addresses_count(const struct local_addresses *locals, size_t *addresses,
			   size_t *left_out);

// NULL is fine.
void local_addresses_close(struct local_addresses *locals);
