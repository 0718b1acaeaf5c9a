// SPDX-License-Identifier: BSD-3-Clause
// Splits a port's frames between the kernel and the dataplane with the XDP program of steer.bpf.c.
// See steering.c. All of it is the control thread's; what an interface's index is given to runs in
// the interface's network namespace.
#pragma once

#include "steer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct steering;

#define STEERING_PATH_MAX 32
#define STEERING_NAME_MAX 16 // of programs and maps, with the 0 (BPF_OBJ_NAME_LEN)
#define STEERING_MAPS_MAX 8  // one more than any program of ours has is enough
#define STEERING_TAG_BYTES 8 // BPF_TAG_SIZE

struct steering_address {
	uint8_t version;   // 4 or 6
	uint8_t bytes[16]; // network order; the first 4 of version 4
};

// An XDP program as the kernel describes it.
struct steering_map {
	char name[STEERING_NAME_MAX];
	uint32_t id;
	uint32_t type; // enum bpf_map_type
	uint32_t key_bytes;
	uint32_t value_bytes;
	uint32_t entries;
};

struct steering_program {
	uint32_t id; // 0: none is attached
	char name[STEERING_NAME_MAX];
	uint8_t tag[STEERING_TAG_BYTES]; // a hash of its instructions
	struct steering_map maps[STEERING_MAPS_MAX];
	unsigned map_count;
	bool generic; // run by the kernel on what the driver handed it, not in the driver
};

// Whether the program is the one that this build holds, as far as one can tell by its name and maps.
// `why`: of another, what it is instead. Any thread.
bool steering_is_ours(const struct steering_program *program, char *why, size_t why_bytes);

// Opens the program's object as a file that a port driver can read: `path` is good as long as the
// descriptor is open. Returns the descriptor, closed by the caller, or -errno.
int steering_open_object(char path[static STEERING_PATH_MAX]);

// Makes sure that no XDP program is on the interface. One of ours that a killed process left goes.
// Returns 0; -EBUSY where there is another's, or one that is in use, with one line in `why`; -errno.
int steering_make_room(int index, char *why, size_t why_bytes);

// Takes charge of the program that the port driver has just attached to the interface: it then goes
// with this process, however that ends. Returns 0; -ENOENT where the kernel has another program there
// than ours, or none; -errno; with one line in `why`.
int steering_take(struct steering **out, int index, char *why, size_t why_bytes);

// Detaches the program. NULL is fine.
void steering_release(struct steering *steering);

const struct steering_program *steering_program(const struct steering *steering);

// Makes these the addresses of the switch; others are forgotten. In between both count. Returns 0;
// -E2BIG when there are more than STEER_ADDRESSES of a version, of which the first count; -errno.
int steering_set_local(struct steering *steering, const struct steering_address *addresses,
		       size_t count);

// What the program has counted, by class. Returns 0 or -errno.
int steering_read(const struct steering *steering, struct steer_count counts[static STEER_CLASSES]);

// "bgp"; and who gets it: "dataplane", "kernel" or "nobody". Any thread.
const char *steering_class_name(enum steer_class class);
const char *steering_class_reader(enum steer_class class);
