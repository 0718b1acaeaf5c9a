// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/base/punt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool
put(struct punt *p, uint16_t port, uint8_t mark)
{
	const uint8_t data[4] = {mark, 1, 2, 3};

	return punt_put(p, port, data, sizeof(data));
}

static void
take(struct punt *p, uint16_t port, uint8_t mark)
{
	const struct punt_frame *frame = punt_peek(p);

	assert_non_null(frame);
	assert_int_equal(frame->port, port);
	assert_int_equal(frame->length, 4);
	assert_int_equal(frame->data[0], mark);
	punt_release(p);
}

// First in, first out, over and over.
static void
test_order(void **state)
{
	struct punt *p;

	(void)state;
	assert_int_equal(punt_create(&p), 0);
	for (unsigned int round = 0; round < 100; round++) {
		assert_null(punt_peek(p));
		for (uint8_t i = 0; i < 5; i++)
			assert_true(put(p, i, (uint8_t)(round + i)));
		for (uint8_t i = 0; i < 5; i++)
			take(p, i, (uint8_t)(round + i));
	}
	punt_destroy(p);
}

// A port that floods leaves the others their room, and has its own back when it has been read.
static void
test_share(void **state)
{
	struct punt *p;

	(void)state;
	assert_int_equal(punt_create(&p), 0);
	for (unsigned int i = 0; i < PUNT_PORT_FRAMES; i++)
		assert_true(put(p, 7, (uint8_t)i));
	assert_false(put(p, 7, 99));
	assert_true(put(p, 8, 50));
	take(p, 7, 0);
	assert_true(put(p, 7, 60));
	assert_false(put(p, 7, 99));
	punt_destroy(p);
}

static void
test_full(void **state)
{
	static uint8_t frame[PUNT_FRAME_MAX + 1];
	struct punt *p;

	(void)state;
	assert_int_equal(punt_create(&p), 0);
	assert_false(punt_put(p, 0, frame, sizeof(frame)));
	assert_true(punt_put(p, 0, frame, PUNT_FRAME_MAX));
	assert_int_equal(punt_peek(p)->length, PUNT_FRAME_MAX);
	for (uint16_t i = 1; i < PUNT_FRAMES; i++)
		assert_true(put(p, i, 0));
	assert_false(put(p, PUNT_FRAMES, 0));
	punt_release(p);
	assert_true(put(p, PUNT_FRAMES, 0));
	punt_destroy(p);
	punt_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
