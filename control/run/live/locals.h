// SPDX-License-Identifier: BSD-3-Clause
// The addresses that Linux has where a switch's interfaces are: what is sent to them is for the
// kernel, by whichever port it comes. See locals.c. Control thread; private to control/live/.
#pragma once

#include "lab.h"

// Tells the addresses to all ports that share an interface with the kernel, and from then on
// listens for changes. *out stays NULL where there is no such port. Returns 0 or -errno with one
// line in err.
int locals_open(struct locals **out, struct lab *lab, struct lab_report *report);

// Tells the ports what has changed since, if anything has. NULL is fine.
void locals_follow(struct locals *locals, struct lab *lab);

// How many addresses there are, as they were told last, and how many of them found no room.
void locals_count(const struct locals *locals, size_t *addresses, size_t *left_out);

// NULL is fine.
void locals_close(struct locals *locals);
