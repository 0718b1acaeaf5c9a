// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/node/capture_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
