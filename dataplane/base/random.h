// SPDX-License-Identifier: BSD-3-Clause
// A node's own random stream: splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, OOPSLA 2014). Integers only, so that every machine draws the same.
#pragma once

#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t
random_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64_t
random_next(struct random *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return random_mix(r->state);
}

static inline uint32_t
random_u32(struct random *r)
{
	return (uint32_t)(random_next(r) >> 32);
}

// A draw from [0, n), without a division; n below 2^32. The bias is below 2^-32 * n.
static inline uint32_t
random_below(struct random *r, uint32_t n)
{
	return (uint32_t)(((uint64_t)random_u32(r) * n) >> 32);
}

// The stream of one node (or other named thing) under a fabric's seed.
static inline struct random
random_stream(uint64_t seed, uint64_t stream)
{
	return (struct random){.state = random_mix(seed) ^ random_mix(~stream)};
}
