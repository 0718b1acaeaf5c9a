// SPDX-License-Identifier: BSD-3-Clause
// Packets in the order of their stamps, out of a file where they are not: as many are held as fit,
// and the earliest leaves. So memory is bounded, and a file of any length is sorted whose packets
// are not further from their places than that.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SORTER_BYTES_MAX ((size_t)64 << 20)

struct sorted_packet {
	uint64_t stamp_ns;
	uint64_t number; // in the file: equal stamps keep its order
	uint32_t data_len;
	uint8_t data[];
};

// Zeroed is empty.
struct sorter {
	struct sorted_packet **heap;
	size_t count;
	size_t bytes;
};

// Adds a copy of a packet.
void sorter_add(struct sorter *s, const struct sorted_packet *packet, const uint8_t *data);

// Takes the earliest, for free(); NULL if there is none.
struct sorted_packet *sorter_take(struct sorter *s);

void sorter_clear(struct sorter *s);
