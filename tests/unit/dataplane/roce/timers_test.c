// SPDX-License-Identifier: BSD-3-Clause
//
// Timers against a list that is searched from end to end.

#include "dataplane/roce/timers.h"

#include "dataplane/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT 50

static void
test_order_at_one_instant(void **state)
{
	struct timers t = {0};
	struct timer timer[3];

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(timers_add(&t, &timer[i], TIMER_SENDER), 0);
	timer_set(&t, &timer[2], 5);
	timer_set(&t, &timer[0], 5);
	timer_set(&t, &timer[1], 5);
	assert_int_equal(timers_next(&t), 5);
	assert_null(timers_take(&t, 4));
	for (unsigned int i = 0; i < 3; i++)
		assert_ptr_equal(timers_take(&t, 5), &timer[i]);
	assert_null(timers_take(&t, PS_NEVER - 1));
	assert_int_equal(timers_next(&t), PS_NEVER);
	timers_destroy(&t);
}

static void
test_later_is_lazy_and_exact(void **state)
{
	struct timers t = {0};
	struct timer timer;

	(void)state;
	assert_int_equal(timers_add(&t, &timer, TIMER_STREAM), 0);
	assert_int_equal(timer.kind, TIMER_STREAM);
	timer_set(&t, &timer, 10);
	timer_set(&t, &timer, 30);
	assert_int_equal(timers_next(&t), 10); // a wake-up too early, but none too late
	assert_null(timers_take(&t, 29));
	assert_int_equal(timers_next(&t), 30);
	timer_set(&t, &timer, 20);
	assert_int_equal(timers_next(&t), 20);
	timer_stop(&timer);
	assert_null(timers_take(&t, 100));
	assert_int_equal(timers_next(&t), PS_NEVER);
	timer_set(&t, &timer, 200);
	assert_ptr_equal(timers_take(&t, 200), &timer);
	assert_int_equal(timer.due, PS_NEVER);
	timers_destroy(&t);
}

static void
test_against_a_list(void **state)
{
	struct random r = random_stream(1, 2);
	struct timers t = {0};
	struct timer timer[COUNT];
	ps_t due[COUNT];
	unsigned int fired = 0;

	(void)state;
	for (unsigned int i = 0; i < COUNT; i++) {
		assert_int_equal(timers_add(&t, &timer[i], TIMER_RECEIVER), 0);
		due[i] = PS_NEVER;
	}
	for (ps_t now = 0; now < 20000; now++) {
		unsigned int i = random_below(&r, COUNT), first;

		switch (random_below(&r, 4)) {
		case 0:
			timer_stop(&timer[i]);
			due[i] = PS_NEVER;
			break;
		case 1:
		case 2:
			due[i] = now + random_below(&r, 100);
			timer_set(&t, &timer[i], due[i]);
			break;
		}
		for (;;) {
			struct timer *got;

			first = 0;
			for (i = 1; i < COUNT; i++)
				if (due[i] < due[first])
					first = i;
			assert_true(timers_next(&t) <= due[first]);
			got = timers_take(&t, now);
			if (due[first] > now) {
				assert_null(got);
				break;
			}
			assert_ptr_equal(got, &timer[first]);
			due[first] = PS_NEVER;
			fired++;
		}
	}
	assert_true(fired > 5000);
	timers_destroy(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_at_one_instant),
		cmocka_unit_test(test_later_is_lazy_and_exact),
		cmocka_unit_test(test_against_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
