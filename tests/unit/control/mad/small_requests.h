// SPDX-License-Identifier: BSD-3-Clause
// Requests to the agents of a small subnet, in one buffer.
#pragma once

#include "small_subnet.h"

static const struct agent_place at_leaf1 = {LEAF1, 1}, at_h1 = {H1, 1};
static uint8_t mad[MAD_BYTES];
static uint8_t *const data = mad + MAD_DATA;

static inline uint16_t
get(struct agents *a, struct agent_place at, uint16_t attribute, uint32_t modifier)
{
	make_request(mad, MAD_CLASS_SUBNET, MAD_GET, attribute, modifier);
	return ask(a, at, mad);
}

// Sets what `data` has.
static inline uint16_t
set(struct agents *a, struct agent_place at, uint16_t attribute, uint32_t modifier)
{
	uint8_t kept[MAD_DATA_BYTES];

	memcpy(kept, data, sizeof(kept));
	make_request(mad, MAD_CLASS_SUBNET, MAD_SET, attribute, modifier);
	memcpy(data, kept, sizeof(kept));
	return ask(a, at, mad);
}
