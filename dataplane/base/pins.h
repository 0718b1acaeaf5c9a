// SPDX-License-Identifier: BSD-3-Clause
// Pins: flows that have a path of their own, by source and destination address. A hash table with
// open addressing and linear probing, at most half full, made once by the control side and only
// read after that. See pins.c.
#pragma once

#include "random.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PINS_MAX (UINT32_C(1) << 20)
#define PINS_NONE UINT16_MAX

// A flow by its addresses; an IPv4 address fills the first 4 bytes, the rest is 0.
struct pin {
	uint8_t source[16];
	uint8_t destination[16];
	uint16_t port;   // egress; PINS_NONE: the slot is free
	uint8_t version; // 4 or 6
};

struct pins {
	uint32_t mask; // slots - 1
	uint32_t count;
	struct pin slots[];
};

// Makes room for `count` pins. Returns 0, -E2BIG beyond PINS_MAX, or -ENOMEM. Control thread.
int pins_create(struct pins **out, uint32_t count);
// NULL is fine.
void pins_destroy(struct pins *pins);
// Adds a pin; one of the same addresses that is there already stays. Addresses are of 4 or 16
// bytes. Returns true when it was added. The caller has made room.
bool pins_add(struct pins *pins, uint8_t version, const uint8_t *source, const uint8_t *destination,
	      uint16_t port);

static inline uint64_t
pins_word(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static inline uint32_t
pins_hash(uint8_t version, const uint8_t *source, const uint8_t *destination)
{
	uint32_t from, to;
	uint64_t hash;

	if (version == 4) {
		memcpy(&from, source, sizeof(from));
		memcpy(&to, destination, sizeof(to));
		return (uint32_t)(random_mix((uint64_t)from << 32 | to) >> 32);
	}
	hash = random_mix(pins_word(source) ^ random_mix(pins_word(source + 8)));
	hash = random_mix(hash ^ pins_word(destination));
	return (uint32_t)(random_mix(hash ^ pins_word(destination + 8)) >> 32);
}

// The port that the packets from one address to the other are pinned to, or PINS_NONE. Worker.
static inline uint16_t
pins_find(const struct pins *pins, uint8_t version, const uint8_t *source,
	  const uint8_t *destination)
{
	const size_t bytes = version == 4 ? 4 : 16;
	uint32_t at = pins_hash(version, source, destination) & pins->mask;

	for (;; at = (at + 1) & pins->mask) {
		const struct pin *pin = &pins->slots[at];

		if (pin->port == PINS_NONE)
			return PINS_NONE;
		if (pin->version == version && memcmp(pin->source, source, bytes) == 0 &&
		    memcmp(pin->destination, destination, bytes) == 0)
			return pin->port;
	}
}
