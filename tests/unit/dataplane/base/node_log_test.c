// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/base/node_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
put(struct node_log *log, ps_t at)
{
	const struct node_log_entry entry = {.at = at, .kind = NODE_LOG_STORM, .port = 7, .tc = 3};

	node_log_put(log, &entry);
}

// First in, first out, over and over, and nothing where nothing was put.
static void
test_order(void **state)
{
	struct node_log *log;
	struct node_log_entry e;

	(void)state;
	assert_int_equal(node_log_create(&log, 3), 0);
	for (ps_t round = 0; round < 100; round++) {
		assert_false(node_log_take(log, &e));
		for (ps_t i = 0; i < 5; i++)
			put(log, 5 * round + i);
		for (ps_t i = 0; i < 5; i++) {
			assert_true(node_log_take(log, &e));
			assert_int_equal(e.at, 5 * round + i);
			assert_int_equal(e.port, 7);
		}
	}
	assert_int_equal(node_log_lost(log), 0);
	node_log_destroy(log);
}

// A storm and its end of each of eight queues of three ports fit; what does not is counted, and
// what was there stays.
static void
test_overrun(void **state)
{
	struct node_log *log;
	struct node_log_entry e;
	ps_t fit = 0;

	(void)state;
	assert_int_equal(node_log_create(&log, 3), 0);
	for (ps_t i = 0; i < 1000; i++)
		put(log, i);
	while (node_log_take(log, &e))
		assert_int_equal(e.at, fit++);
	assert_true(fit >= 3 * 8 * 2);
	assert_int_equal(node_log_lost(log), 1000 - fit);
	put(log, 5000);
	assert_true(node_log_take(log, &e));
	assert_int_equal(e.at, 5000);
	node_log_destroy(log);
	node_log_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
