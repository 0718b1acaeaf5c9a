// SPDX-License-Identifier: BSD-3-Clause
// Which entropy value the next packet of a queue pair has, and so which path it takes: switches
// hash it with the addresses. entropy.c says how. Worker only.
#pragma once

#include "dataplane/base/random.h"
#include "nic_transport.h"

#include <stddef.h>

// What became of a packet.
enum entropy_news { ENTROPY_GOOD, ENTROPY_MARKED, ENTROPY_TRIMMED, ENTROPY_LOST };

struct entropy {
	struct random random;
	uint8_t mode;       // enum entropy_mode
	uint16_t mask;      // values - 1
	uint16_t turn;      // of the round
	uint16_t order;     // of the round: value i of it is i ^ order
	uint16_t first;     // of those that came back well
	uint16_t count;     // of them
	uint16_t *good;     // a ring of mask + 1
	uint8_t *penalties; // by value: how often a round passes it over
};

// Bytes that good and penalties take, for a number of values that is a power of two.
size_t entropy_bytes(uint16_t values);

// Before the first packet. memory: entropy_bytes(values), aligned to 2.
void entropy_init(struct entropy *e, enum entropy_mode mode, uint16_t values, struct random random,
		  void *memory);

// The value of the next packet: 0 .. values - 1.
uint16_t entropy_next(struct entropy *e);

// A packet of that value came back.
void entropy_learn(struct entropy *e, uint16_t value, enum entropy_news news);
