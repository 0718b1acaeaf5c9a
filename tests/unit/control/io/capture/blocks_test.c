// SPDX-License-Identifier: BSD-3-Clause
// What pcapng.c makes is read again, through base64, and whatever is cut off or changed in it is
// refused or read without harm.
#include "control/base/base64.h"
#include "control/io/capture/blocks.h"
#include "control/io/capture/pcapng.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char comment[] = "reason=red port=leaf1.swp1";

static struct pcapng
make_blocks(void)
{
	const struct pcapng_statistics statistics = {
		.from = PS_PER_S, .to = 2 * PS_PER_S, .seen = 1000, .lost = 7, .comment = "lost=7"};
	struct capture_record record = {.stamp = 5 * PS_PER_S + 1999,
					.direction = CAPTURE_DIRECTION_OUT,
					.data = "abcde",
					.data_len = 5,
					.orig_len = 64};
	struct pcapng p = {0};

	pcapng_add_section(&p);
	pcapng_add_interface(&p, PCAPNG_LINKTYPE_ETHERNET, "leaf1.swp1", 0);
	pcapng_add_interface(&p, PCAPNG_LINKTYPE_ETHERNET, "leaf1.swp2", 0);
	assert_int_equal(pcapng_add_packet(&p, 1, &record), 0);
	record.direction = CAPTURE_DIRECTION_NONE;
	record.comment = comment;
	assert_int_equal(pcapng_add_packet(&p, 0, &record), 0);
	pcapng_add_statistics(&p, 1, &statistics);
	record.orig_len = 4;
	assert_int_equal(pcapng_add_packet(&p, 0, &record), -EINVAL);
	return p;
}

static void
test_round_trip(void **state)
{
	struct pcapng p = make_blocks();
	struct blocks *blocks = blocks_create();
	char *text = base64_encode(p.bytes, p.count);
	size_t count;
	uint8_t *bytes = base64_decode(text, &count);
	const uint8_t *at = bytes;
	struct block b;

	(void)state;
	assert_int_equal(count, p.count);
	assert_memory_equal(bytes, p.bytes, count);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(blocks_next(blocks, &at, &count, &b), 1);
		assert_int_equal(b.kind, BLOCK_OTHER);
	}
	assert_int_equal(blocks_next(blocks, &at, &count, &b), 1);
	assert_int_equal(b.kind, BLOCK_PACKET);
	assert_string_equal(b.interface, "leaf1.swp2");
	assert_int_equal(b.at_ns, 5000000001);
	assert_int_equal(b.direction, CAPTURE_DIRECTION_OUT);
	assert_int_equal(b.orig_len, 64);
	assert_int_equal(b.data_len, 5);
	assert_memory_equal(b.data, "abcde", 5);
	assert_string_equal(b.comment, "");
	assert_int_equal(blocks_next(blocks, &at, &count, &b), 1);
	assert_string_equal(b.interface, "leaf1.swp1");
	assert_string_equal(b.comment, comment);
	assert_int_equal(b.direction, CAPTURE_DIRECTION_NONE);
	assert_int_equal(blocks_next(blocks, &at, &count, &b), 1);
	assert_int_equal(b.kind, BLOCK_STATISTICS);
	assert_string_equal(b.interface, "leaf1.swp2");
	assert_int_equal(b.seen, 1000);
	assert_int_equal(b.lost, 7);
	assert_string_equal(b.comment, "lost=7");
	assert_int_equal(blocks_next(blocks, &at, &count, &b), 0);
	blocks_destroy(blocks);
	blocks_destroy(NULL);
	free(p.bytes);
	free(bytes);
	free(text);
}

static void
read_all(const uint8_t *bytes, size_t count)
{
	struct blocks *blocks = blocks_create();
	uint8_t *copy = malloc(count + 1);
	const uint8_t *at = copy;
	struct block b;

	memcpy(copy, bytes, count);
	while (blocks_next(blocks, &at, &count, &b) == 1)
		;
	free(copy);
	blocks_destroy(blocks);
}

static void
test_damaged(void **state)
{
	struct pcapng p = make_blocks();

	(void)state;
	for (size_t i = 0; i < p.count; i++) {
		read_all(p.bytes, i);
		for (unsigned int bit = 0; bit < 8; bit++) {
			p.bytes[i] ^= (uint8_t)(1u << bit);
			read_all(p.bytes, p.count);
			p.bytes[i] ^= (uint8_t)(1u << bit);
		}
	}
	free(p.bytes);
}

static void
test_base64(void **state)
{
	// RFC 4648, section 10.
	static const char *const pairs[][2] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
	};
	static const char *const wrong[] = {"Z", "Zg", "Zg=", "Z===", "Zm9*", "Zg==Zg==", "Zm 9v"};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *text = base64_encode(pairs[i][0], strlen(pairs[i][0]));
		size_t count;
		uint8_t *bytes = base64_decode(text, &count);

		assert_string_equal(text, pairs[i][1]);
		assert_int_equal(count, strlen(pairs[i][0]));
		assert_memory_equal(bytes, pairs[i][0], count);
		free(bytes);
		free(text);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		size_t count;

		assert_null(base64_decode(wrong[i], &count));
	}
}

// InfiniBand packets are in records of ERF, whose stamp is that of the block.
static void
test_infiniband(void **state)
{
	static const uint8_t want[16] = {0x5b, 0x59, 0x00, 0x80, 3, 0, 0, 0, // 3.500000... s
					 21,   0x04, 0,    21,   0, 0, 0, 66};
	const struct capture_record record = {.stamp = 3500005326 * UINT64_C(1000),
					      .infiniband = true,
					      .data = "abcde",
					      .data_len = 5,
					      .orig_len = 66};
	struct blocks *blocks = blocks_create();
	struct pcapng p = {0};
	const uint8_t *at;
	size_t count, packet;
	struct block b;
	uint8_t *copy;

	(void)state;
	pcapng_add_interface(&p, PCAPNG_LINKTYPE_ERF, "leaf1.swp1", 64);
	assert_int_equal(p.bytes[8], 197);
	assert_int_equal(p.bytes[12], 64 + 16); // snap length
	packet = p.count;
	assert_int_equal(pcapng_add_packet(&p, 0, &record), 0);
	assert_memory_equal(p.bytes + packet + 28, want, sizeof(want));
	at = p.bytes;
	count = p.count;
	assert_int_equal(blocks_next(blocks, &at, &count, &b), 1);
	assert_int_equal(blocks_next(blocks, &at, &count, &b), 1);
	assert_true(b.infiniband);
	assert_int_equal(b.data_len, 5);
	assert_int_equal(b.orig_len, 66);
	assert_memory_equal(b.data, "abcde", 5);
	assert_int_equal(b.at_ns, 3500005326);
	// Another kind of record, and one that ends within its header.
	copy = p.bytes + packet;
	copy[28 + 8] = 2;
	at = copy;
	count = p.count - packet;
	assert_int_equal(blocks_next(blocks, &at, &count, &b), -EINVAL);
	copy[28 + 8] = 21;
	copy[20] = 15;
	at = copy;
	count = p.count - packet;
	assert_int_equal(blocks_next(blocks, &at, &count, &b), -EINVAL);
	blocks_destroy(blocks);
	free(p.bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_base64),
		cmocka_unit_test(test_infiniband),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
