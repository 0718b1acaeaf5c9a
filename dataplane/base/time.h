// SPDX-License-Identifier: BSD-3-Clause
// Time is an argument. Everything in dataplane/ outside drive/ gets the time as one; nothing
// here or there reads a clock. One unit serves all rates: a byte at 800 Gb/s is exactly 10 ps.
#pragma once

#include <stdint.h>

// Picoseconds since the fabric started: 213 days fit.
typedef uint64_t ps_t;

#define PS_NEVER UINT64_MAX
#define PS_PER_NS UINT64_C(1000)
#define PS_PER_US UINT64_C(1000000)
#define PS_PER_MS UINT64_C(1000000000)
#define PS_PER_S UINT64_C(1000000000000)

// Windows are at most this long and never cross a multiple of it, so that an event's time within
// its window fits 22 bits (see node.h).
#define TIME_WINDOW_MAX (4 * PS_PER_US)

// How long a byte takes at a rate, in picoseconds with 20 binary fraction bits: exact for every
// rate whose byte takes whole picoseconds (10G .. 800G), within 2^-20 ps a byte for the others.
#define BYTE_TIME_FRACTION_BITS 20

// The byte time of a rate in bits per second. Control thread only: it divides.
static inline uint64_t
time_byte_time(uint64_t bits_per_s)
{
	__extension__ typedef unsigned __int128 wide;
	wide scaled = (wide)(8 * PS_PER_S) << BYTE_TIME_FRACTION_BITS;

	return (uint64_t)((scaled + bits_per_s / 2) / bits_per_s);
}

// How long `bytes` take at a byte time, in picoseconds, rounded down.
static inline ps_t
time_of_bytes(uint64_t byte_time, uint64_t bytes)
{
	return (byte_time * bytes) >> BYTE_TIME_FRACTION_BITS;
}

static inline ps_t
time_min(ps_t a, ps_t b)
{
	return a < b ? a : b;
}
