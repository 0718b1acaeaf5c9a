// SPDX-License-Identifier: BSD-3-Clause
// The ICRC of payloads that do not exist, of frames that end too early, and of what is no RoCEv2.
#include "icrc_frames.h"

#include <errno.h>

static void
check_unsent(uint8_t *frame, const struct shape *shape, size_t present_payload)
{
	size_t present = bth_offset(shape) + 12 + present_payload;
	size_t frame_bytes = make_frame(frame, shape, true);
	uint32_t want, icrc;

	assert_int_equal(icrc_compute(frame, frame_bytes, &want), 0);
	// The headers alone in a block of their own, so that nothing behind them can be read.
	uint8_t *headers = malloc(present);
	assert_non_null(headers);
	memcpy(headers, frame, present);
	assert_int_equal(icrc_compute(headers, present, &icrc), 0);
	free(headers);
	assert_true(icrc == want);
}

static void
test_unsent_payload(void **state)
{
	(void)state;
	static uint8_t frame[MAX_FRAME];

	random_state = 32;
	for (size_t n = 0; n <= 4096; n++) {
		struct shape shape = {.tags = n & 1, .ipv6 = n & 2, .payload_bytes = n};

		check_unsent(frame, &shape, 0);
	}
	for (unsigned int i = 0; i < sample_size(200, 5000); i++) {
		struct shape shape = {
			.ipv6 = i & 1,
			.option_words = random_u64() % 11,
			.payload_bytes = random_u64() % (i % 16 == 0 ? 65001 : 4097),
		};

		check_unsent(frame, &shape, random_u64() % (shape.payload_bytes + 1));
	}
}

// Each beginning of a frame, in a block of just its size.
static void
test_truncated(void **state)
{
	(void)state;
	static const struct shape shapes[] = {
		{.payload_bytes = 8},
		{.tags = 2, .option_words = 10, .payload_bytes = 8},
		{.tags = 1, .ipv6 = true, .payload_bytes = 8},
	};
	uint8_t frame[256];

	random_state = 88;
	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		size_t frame_bytes = make_frame(frame, &shapes[s], true);
		size_t headers = bth_offset(&shapes[s]) + 12;

		assert_int_equal(icrc_write(frame, frame_bytes), 0);
		for (size_t n = 0; n <= frame_bytes; n++) {
			uint8_t *part = malloc(n + !n);
			struct icrc_span span = {0};
			uint32_t icrc = 0;

			assert_non_null(part);
			memcpy(part, frame, n);
			assert_int_equal(icrc_find(part, n, &span), n < headers ? -EMSGSIZE : 0);
			assert_int_equal(icrc_compute(part, n, &icrc), n < headers ? -EMSGSIZE : 0);
			assert_int_equal(icrc_verify(part, n), n < frame_bytes ? -EMSGSIZE : 0);
			assert_int_equal(icrc_write(part, n), n < frame_bytes ? -EMSGSIZE : 0);
			assert_memory_equal(part, frame, n);
			if (n >= headers) {
				assert_int_equal(span.l3, l3_offset(&shapes[s]));
				assert_int_equal(span.bth, bth_offset(&shapes[s]));
				assert_int_equal(span.icrc, frame_bytes - 4);
				assert_true(icrc == icrc_load(frame + frame_bytes - 4));
			}
			free(part);
		}
	}
}

static void
test_refused(void **state)
{
	(void)state;
	static const struct {
		bool ipv6;
		size_t at; // from the IP header
		uint16_t word;
		int error;
	} cases[] = {
		{false, 0, 0x5500, -EINVAL},          // version 5
		{false, 0, 0x4400, -EINVAL},          // header of 16 bytes
		{false, 2, 43, -EINVAL},              // length without room for an ICRC
		{false, 2, 63, -EINVAL},              // and one that UDP's contradicts
		{false, 6, 0x2000, -EINVAL},          // more fragments
		{false, 6, 0x0001, -EINVAL},          // a later fragment
		{false, 8, 0x4006, -EPROTONOSUPPORT}, // TCP
		{false, 22, 4790, -EPROTONOSUPPORT},  // another port
		{false, 24, 39, -EINVAL},             // UDP length
		{false, 24, 0, -EINVAL},
		{true, 0, 0x4000, -EINVAL},           // version 4 under IPv6's EtherType
		{true, 4, 0, -EINVAL},                // jumbo payload length
		{true, 6, 0x0040, -EPROTONOSUPPORT},  // hop-by-hop options
		{true, 42, 0x0bb8, -EPROTONOSUPPORT}, // another port
		{true, 44, 41, -EINVAL},              // UDP length
	};
	struct icrc_span span;
	uint8_t frame[256];

	random_state = 5;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shape shape = {.ipv6 = cases[i].ipv6, .payload_bytes = 16};
		size_t frame_bytes = make_frame(frame, &shape, false);

		assert_int_equal(icrc_find(frame, frame_bytes, &span), 0);
		put16(frame + l3_offset(&shape) + cases[i].at, cases[i].word);
		assert_int_equal(icrc_find(frame, frame_bytes, &span), cases[i].error);
		assert_int_equal(icrc_verify(frame, frame_bytes), cases[i].error);
		assert_int_equal(icrc_write(frame, frame_bytes), cases[i].error);
	}

	struct shape untagged = {.payload_bytes = 16};
	size_t frame_bytes = make_frame(frame, &untagged, false);

	put16(frame + 12, 0x0806);
	assert_int_equal(icrc_find(frame, frame_bytes, &span), -EPROTONOSUPPORT);
	for (unsigned int tag = 0; tag < 3; tag++)
		put16(frame + 12 + 4 * tag, 0x8100);
	assert_int_equal(icrc_find(frame, frame_bytes, &span), -EPROTONOSUPPORT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unsent_payload),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
