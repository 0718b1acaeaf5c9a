// SPDX-License-Identifier: BSD-3-Clause
// Random gaps between arrivals, from integers alone so that every machine draws the same.
#pragma once

#include "dataplane/base/random.h"
#include "dataplane/base/time.h"

// One, of exponential_draw().
#define EXPONENTIAL_ONE_BITS 32

// A draw from the exponential distribution of mean 1, in units of 2^-32: an integer part counted by
// rejected trials and a fraction that is the first uniform of the accepted one. A trial draws
// uniforms as long as each is below the one before it, and is accepted when the length of that run
// is odd; so no logarithm is needed (von Neumann: Various Techniques Used in Connection with Random
// Digits, 1951). It takes 4.3 uniforms on average.
static inline uint64_t
exponential_draw(struct random *r)
{
	for (uint64_t whole = 0;; whole += UINT64_C(1) << EXPONENTIAL_ONE_BITS) {
		uint64_t first = random_next(r);
		uint64_t least = first;
		unsigned int run = 1;

		for (uint64_t u = random_next(r); u < least; u = random_next(r)) {
			least = u;
			run++;
		}
		if (run & 1)
			return whole + (first >> (64 - EXPONENTIAL_ONE_BITS));
	}
}

// An exponential gap of the given mean; both in the same unit, mean below 2^58 (the draw stays
// below 2^38 but for odds of e^-64).
static inline uint64_t
exponential_gap(struct random *r, uint64_t mean)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)((wide)mean * exponential_draw(r) >> EXPONENTIAL_ONE_BITS);
}

// A draw from [0, n), n of any size; 0 for n = 0.
static inline uint64_t
uniform_below(struct random *r, uint64_t n)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)((wide)random_next(r) * n >> 64);
}
