// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/node/capture_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define SIZE 4096u

static bool
put(struct capture_ring *r, uint32_t number, uint16_t data_len)
{
	struct capture_slot *slot = capture_ring_reserve(r, data_len);

	if (slot == NULL)
		return false;
	slot->node = number;
	slot->data_len = data_len;
	memset(slot->data, (int)(number & 0xff), data_len);
	return true;
}

static void
take(struct capture_ring *r, uint32_t number)
{
	const struct capture_slot *slot;
	uint64_t position;

	slot = capture_ring_peek(r, &position);
	assert_non_null(slot);
	assert_int_equal(slot->node, number);
	for (uint16_t i = 0; i < slot->data_len; i++)
		assert_int_equal(slot->data[i], number & 0xff);
	capture_ring_release(r);
}

// Nothing is seen before it is published; then all is, in order, round and round.
static void
test_order(void **state)
{
	struct capture_ring *r;
	uint64_t position, last = 0;
	uint32_t number = 0, taken = 0;

	(void)state;
	assert_int_equal(capture_ring_create(&r, SIZE), 0);
	for (unsigned int round = 0; round < 1000; round++) {
		for (unsigned int i = 0; i < 1 + round % 7; i++, number++)
			assert_true(put(r, number, (uint16_t)(number * 37 % 400)));
		assert_null(capture_ring_peek(r, &position));
		capture_ring_publish(r);
		while (taken != number) {
			assert_non_null(capture_ring_peek(r, &position));
			assert_true(position >= last);
			last = position;
			take(r, taken++);
		}
	}
	capture_ring_destroy(r);
}

// A full ring refuses, keeps what it has, and takes again when there is room.
static void
test_full(void **state)
{
	struct capture_ring *r;
	uint64_t position;

	(void)state;
	assert_int_equal(capture_ring_create(&r, SIZE), 0);
	for (unsigned int round = 0; round < 50; round++) {
		uint32_t count = 0;

		while (put(r, count, (uint16_t)(100 + round)))
			count++;
		assert_in_range(count, SIZE / (sizeof(struct capture_slot) + 160) - 1,
				SIZE / (offsetof(struct capture_slot, data) + 100));
		assert_false(put(r, 7, 400));
		capture_ring_publish(r);
		for (uint32_t i = 0; i < count; i++)
			take(r, i);
		assert_null(capture_ring_peek(r, &position));
	}
	assert_false(put(r, 1, SIZE)); // never has room
	capture_ring_destroy(r);
	capture_ring_destroy(NULL);
}

// How much of a ring's memory is present.
static size_t
present_bytes(const struct capture_ring *r)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), count = r->size / page;
	unsigned char *pages = calloc(count, 1);
	size_t present = 0;

	assert_non_null(pages);
	assert_int_equal(mincore(r->data, r->size, pages), 0);
	for (size_t i = 0; i < count; i++)
		present += pages[i] & 1;
	free(pages);
	return present * page;
}

// The memory of a large ring comes in parts, not far ahead of the worker, and keeps what is there.
static void
test_memory_comes_in_parts(void **state)
{
	const size_t part = 1u << 20, ahead = 16u << 20;
	struct capture_ring *r;
	uint32_t count = 0;

	(void)state;
	assert_int_equal(capture_ring_create(&r, 1u << 30), 0);
	assert_int_equal(present_bytes(r), 0);
	assert_true(put(r, 0, 400));
	assert_true(capture_ring_populate(r));
	assert_int_equal(present_bytes(r), part);
	while (capture_ring_populate(r))
		count++;
	assert_int_equal(count, ahead / part - 1);
	assert_int_equal(present_bytes(r), ahead);
	for (count = 1; r->write < 3 * part; count++)
		assert_true(put(r, count, 60000));
	capture_ring_publish(r);
	while (capture_ring_populate(r))
		;
	assert_in_range(present_bytes(r), ahead + 3 * part, ahead + 4 * part);
	for (uint32_t i = 0; i < count; i++)
		take(r, i);
	capture_ring_destroy(r);
	assert_int_equal(capture_ring_create(&r, 1u << 16), 0);
	assert_true(capture_ring_populate(r));
	assert_int_equal(present_bytes(r), 1u << 16);
	assert_false(capture_ring_populate(r));
	capture_ring_destroy(r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_memory_comes_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
