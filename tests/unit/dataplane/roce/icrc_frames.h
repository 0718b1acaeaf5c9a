// SPDX-License-Identifier: BSD-3-Clause
// RoCEv2 frames of random content and every shape.
#pragma once

#include "dataplane/roce/icrc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Largest frame of these tests: Ethernet, two tags, IPv4 with options, UDP, BTH, payload, ICRC.
#define MAX_FRAME (14 + 8 + 60 + 8 + 12 + 65000 + 4)

static uint64_t random_state;

// SplitMix64 (Steele, Lea, Flood 2014).
static inline uint64_t
random_u64(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline unsigned int
sample_size(unsigned int usual, unsigned int full)
{
	const char *all = getenv("ROOST_TEST_FULL");

	return all != NULL && strcmp(all, "1") == 0 ? full : usual;
}

// The shape of a frame: tags (0 to 2), IPv4 with some words of options or IPv6, payload.
struct shape {
	unsigned int tags;
	bool ipv6;
	unsigned int option_words;
	size_t payload_bytes;
};

static inline size_t
l3_offset(const struct shape *shape)
{
	return 14 + 4 * shape->tags;
}

static inline size_t
bth_offset(const struct shape *shape)
{
	return l3_offset(shape) + (shape->ipv6 ? 40 : 20 + 4 * shape->option_words) + 8;
}

static inline size_t
icrc_offset(const struct shape *shape)
{
	return bth_offset(shape) + 12 + shape->payload_bytes;
}

static inline void
put16(uint8_t *at, uint16_t value)
{
	at[0] = value >> 8;
	at[1] = value & 0xff;
}

// Writes a frame of random content, but for what makes it RoCEv2 of that shape, with a payload that
// is random or zeros; the four bytes of its ICRC are random. Returns its length.
static inline size_t
make_frame(uint8_t *frame, const struct shape *shape, bool zero_payload)
{
	size_t l3 = l3_offset(shape), bth = bth_offset(shape), icrc = icrc_offset(shape);
	uint8_t *ip = frame + l3, *udp = frame + bth - 8;

	for (size_t i = 0; i < icrc + 4; i++)
		frame[i] = random_u64();
	for (unsigned int tag = 0; tag < shape->tags; tag++)
		put16(frame + 12 + 4 * tag, tag + 1 < shape->tags ? 0x88a8 : 0x8100);
	put16(ip - 2, shape->ipv6 ? 0x86dd : 0x0800);
	if (shape->ipv6) {
		ip[0] = 0x60 | (ip[0] & 0x0f);
		put16(ip + 4, icrc + 4 - l3 - 40);
		ip[6] = 17;
	} else {
		ip[0] = 0x45 + shape->option_words;
		put16(ip + 2, icrc + 4 - l3);
		put16(ip + 6, 0x4000);
		ip[9] = 17;
	}
	put16(udp + 2, 4791);
	put16(udp + 4, icrc + 4 - bth + 8);
	if (zero_payload)
		memset(frame + bth + 12, 0, shape->payload_bytes);
	return icrc + 4;
}
