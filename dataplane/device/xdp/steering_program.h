// SPDX-License-Identifier: BSD-3-Clause
// What XDP program is on an interface, and whether it is ours. Control thread, in the interface's
// network namespace.
#pragma once

#include "steer.h"
#include "dataplane/base/embedded.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEERING_NAME_MAX 16 // of programs and maps, with the 0 (BPF_OBJ_NAME_LEN)
#define STEERING_MAPS_MAX 8  // one more than any program of ours has is enough
#define STEERING_TAG_BYTES 8 // BPF_TAG_SIZE

// The program of steer.bpf.c as the build made it: an ELF object.
extern const struct embedded_file embedded_steer[];

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

// Whether the program is the one that this build holds, as far as one can tell by its name and
// maps. `why`: of another, what it is instead. Any thread.
bool steering_is_ours(const struct steering_program *program, char *why, size_t why_bytes);

// The map of that name, or NULL. Any thread.
const struct steering_map *steering_find_map(const struct steering_program *program,
					     const char *name);

// Queries an interface. Returns 0 or -errno. `fd`, where it is not NULL: the program, for the
// caller to close; -1 where there is none.
int steering_look(int index, struct steering_program *program, int *fd);

// Makes sure that no XDP program is on the interface. One of ours that a killed process left goes.
// Returns 0; -EBUSY where there is another's, or one that is in use, with one line in `why`;
// -errno.
int steering_make_room(int index, char *why, size_t why_bytes);
