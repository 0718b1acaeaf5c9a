// SPDX-License-Identifier: BSD-3-Clause
// Splits a port's frames between the kernel and the dataplane with the XDP program of steer.bpf.c.
// See steering.c. All of it is the control thread's; what an interface's index is given to runs in
// the interface's network namespace.
#pragma once

#include "steer.h"
#include "steering_program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct steering;

#define STEERING_PATH_MAX 32

struct steering_address {
	uint8_t version;   // 4 or 6
	uint8_t bytes[16]; // network order; the first 4 of version 4
};

// Opens the program's object as a file that a port driver can read: `path` is good as long as the
// descriptor is open. Returns the descriptor, closed by the caller, or -errno.
int steering_open_object(char path[static STEERING_PATH_MAX]);

// Takes charge of the program that the port driver has just attached to the interface: it then goes
// with this process, however that ends. Returns 0; -ENOENT where the kernel has another program
// there than ours, or none; -errno; with one line in `why`.
int steering_take(struct steering **out, int index, char *why, size_t why_bytes);

// Detaches the program. NULL is fine.
void steering_release(struct steering *steering);

const struct steering_program *steering_program(const struct steering *steering);

// Makes these the addresses of the switch; others are forgotten. In between both count. Returns 0;
// -E2BIG when there are more than STEER_ADDRESSES of a version, of which the first count; -errno.
int steering_set_local(struct steering *steering, const struct steering_address *addresses,
		       size_t count);

// Whether single-hop BFD goes to the dataplane, with 01:80:c2:00:00:05 as its destination;
// initially it does not. Returns 0 or -errno.
int steering_offload_bfd(struct steering *steering, bool on);

// Drops BGP packets from one address to another, or lets them pass again. Returns 0; -E2BIG if
// STEER_HELD_MAX such pairs are dropped already; or another -errno.
int steering_hold_bgp(struct steering *steering, const struct steering_address *from,
		      const struct steering_address *to, bool on);

// What the program has counted, by class. Returns 0 or -errno.
int steering_read(const struct steering *steering, struct steer_count counts[static STEER_CLASSES]);

// "bgp"; and who gets it: "dataplane", "kernel" or "nobody". Any thread.
const char *steering_class_name(enum steer_class class);
const char *steering_class_reader(enum steer_class class);
