// SPDX-License-Identifier: BSD-3-Clause
// The state of each entropy value of a queue pair in one plane, and which one the next packet has
// (Multipath Reliable Connection). path_states.c says how. Worker only.
#pragma once

#include "dataplane/base/random.h"
#include "entropy.h"

enum path_state { PATH_GOOD, PATH_SKIP, PATH_ASSUMED_BAD, PATH_DENIED };

struct path_states {
	struct random random;
	uint8_t *states; // enum path_state, by value
	uint16_t mask;   // values - 1
	uint16_t turn;   // of the round
	uint16_t order;  // of the round: value i of it is i ^ order
	uint16_t usable; // values that are GOOD or SKIP
	uint16_t bad;    // that are ASSUMED_BAD
};

// Before the first packet: all values GOOD, or all DENIED. states: a byte for each of `values`, a
// power of two.
void path_states_init(struct path_states *p, uint16_t values, bool denied, struct random random,
		      uint8_t *states);

// The value of the next packet: 0 .. values - 1.
uint16_t path_states_next(struct path_states *p);

// What became of a packet of that value.
void path_states_learn(struct path_states *p, uint16_t value, enum entropy_news news);

// An answer to a probe of that value came, `marked` if the probe was.
void path_states_probed(struct path_states *p, uint16_t value, bool marked);

// The first value from `from` on, around the end, that is assumed bad; there is one.
uint16_t path_states_next_bad(const struct path_states *p, uint16_t from);
