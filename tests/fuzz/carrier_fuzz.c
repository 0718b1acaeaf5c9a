// SPDX-License-Identifier: BSD-3-Clause
// Any datagrams at one end of a link that they carry, beside sensible ones: counters stay possible,
// and nothing behind a datagram is read.
//
// Input: of each datagram a byte for its length, in fives, one for what it begins with, and its
// bytes.
#include "require.h"

#include "dataplane/device/carrier.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Bytes beyond a head, in memory of exactly their size.
static bool
take(struct carrier *c, const struct carrier_head *head, const uint8_t *body, size_t length,
     uint64_t now_ns)
{
	uint8_t *copy = malloc(length + (length == 0));
	bool delivered;

	require(copy != NULL);
	memcpy(copy, body, length);
	delivered = carrier_take(c, head, copy, length, now_ns & 1, now_ns);
	free(copy);
	return delivered;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct carrier near, far;
	struct carrier_head head;
	struct carrier_report heard;
	uint64_t now_ns = 1, frames = 0, datagrams = 0;

	carrier_init(&near, 1);
	carrier_init(&far, 2);
	while (size >= 2) {
		size_t length = data[0] * 5;
		const uint8_t begins = data[1];

		data += 2;
		size -= 2;
		length = length < size ? length : size;
		now_ns += begins;
		memset(&head, 0, sizeof(head));
		if (begins & 1)
			carrier_write_head(&near, begins, now_ns, &head);
		if (begins & 2)
			head.kind = CARRIER_HELLO;
		if (begins & 4 && length >= sizeof(head)) {
			memcpy(&head, data, sizeof(head));
			data += sizeof(head);
			size -= sizeof(head);
			length -= sizeof(head);
		}
		frames += take(&far, &head, data, length, now_ns);
		datagrams++;
		data += length;
		size -= length;
		(void)carrier_link(&far, now_ns);
		(void)carrier_heard(&far, &heard);
		require(heard.length <= CARRIER_REPORT_MAX);
		require(far.malformed + far.duplicates + far.early <= datagrams);
		require(frames + far.malformed <= datagrams);
		require(far.late <= far.lost && far.late <= datagrams);
		require(far.lost < UINT64_C(1) << 62);
		require(far.variation_ns <= far.variation_max_ns);
		require(far.round_trip_min_ns <= far.round_trip_ns || far.round_trip_ns == 0);
	}
	return 0;
}
