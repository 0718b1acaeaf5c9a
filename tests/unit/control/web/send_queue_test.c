// SPDX-License-Identifier: BSD-3-Clause
#include "control/web/send_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
bytes_come_out_in_order(void **state)
{
	struct send_queue q = {0};
	unsigned char in = 0, out = 0;
	char bytes[64];

	(void)state;
	srandom(1);
	for (unsigned i = 0; i < 10000; i++) {
		size_t adds = (size_t)random() % sizeof(bytes), room = (size_t)random() % 64;
		size_t waiting = send_queue_waiting(&q), taken;

		for (size_t b = 0; b < adds; b++)
			bytes[b] = (char)in++;
		send_queue_add(&q, bytes, adds);
		waiting += adds;
		assert_int_equal(send_queue_waiting(&q), waiting);
		taken = send_queue_take(&q, bytes, room);
		assert_int_equal(taken, room < waiting ? room : waiting);
		for (size_t b = 0; b < taken; b++)
			assert_int_equal((unsigned char)bytes[b], out++);
	}
	send_queue_free(&q);
	assert_int_equal(send_queue_take(&q, bytes, sizeof(bytes)), 0);
}

static void
room_is_what_has_waited(void **state)
{
	struct send_queue q = {0};
	char bytes[100] = "";

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		send_queue_add(&q, bytes, sizeof(bytes));
		assert_int_equal(send_queue_take(&q, bytes, sizeof(bytes)), sizeof(bytes));
	}
	assert_int_equal(q.room, sizeof(bytes));
	send_queue_free(&q);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_come_out_in_order),
		cmocka_unit_test(room_is_what_has_waited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
