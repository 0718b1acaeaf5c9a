// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/device/packet_store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SMALL 300
#define LARGE 40
#define LARGE_ROOM 2176

static struct packet_store *
make(void)
{
	const struct packet_store_options options = {
		.small = SMALL, .large = LARGE, .large_room = LARGE_ROOM};
	struct packet_store *store;

	assert_int_equal(packet_store_create(&store, &options), 0);
	return store;
}

// Every packet once, no more than there are, each as large as it says, and of the kind that its
// address says.
static void
test_hands_out_each_packet_once(void **state)
{
	struct packet_store *store = make();
	struct rte_mbuf *small[SMALL + 1], *large[LARGE + 1];
	struct packet_pool pool = {0};
	uint64_t taken[2];

	(void)state;
	packet_store_describe(store, &pool);
	assert_int_equal(pool.data_room, PACKET_STORE_SMALL_ROOM);
	assert_int_equal(pool.large_room, LARGE_ROOM);
	assert_int_equal(packet_store_take(store, PACKET_SMALL, small, SMALL + 1), SMALL);
	assert_int_equal(packet_store_take(store, PACKET_LARGE, large, LARGE + 1), LARGE);
	for (unsigned int i = 0; i < SMALL; i++) {
		assert_int_equal(packet_kind(&pool, small[i]), PACKET_SMALL);
		memset(small[i], (int)i, packet_store_small_bytes());
	}
	for (unsigned int i = 0; i < LARGE; i++) {
		assert_int_equal(packet_kind(&pool, large[i]), PACKET_LARGE);
		memset(large[i], (int)i, packet_store_large_bytes(LARGE_ROOM));
	}
	for (unsigned int i = 0; i < SMALL; i++)
		assert_int_equal(*((uint8_t *)small[i] + packet_store_small_bytes() - 1),
				 (uint8_t)i);
	for (unsigned int i = 0; i < LARGE; i++)
		assert_int_equal(*(uint8_t *)large[i], (uint8_t)i);
	assert_int_equal(packet_kind(&pool, (struct rte_mbuf *)&pool), PACKET_OF_DEVICE);
	packet_store_count(store, taken);
	assert_int_equal(taken[PACKET_SMALL], SMALL);
	assert_int_equal(taken[PACKET_LARGE], LARGE);
	packet_store_destroy(store);
}

// What was given back goes out again before what never was, so that a store takes no more memory
// than packets were ever in use at once.
static void
test_takes_used_packets_first(void **state)
{
	struct packet_store *store = make();
	struct rte_mbuf *first[10], *second[12];
	uint64_t taken[2];

	(void)state;
	assert_int_equal(packet_store_take(store, PACKET_SMALL, first, 10), 10);
	packet_store_put(store, PACKET_SMALL, first, 10);
	packet_store_count(store, taken);
	assert_int_equal(taken[PACKET_SMALL], 0);
	assert_int_equal(packet_store_take(store, PACKET_SMALL, second, 12), 12);
	for (unsigned int i = 0; i < 10; i++)
		assert_ptr_equal(second[i], first[i]);
	packet_store_destroy(store);
}

static void
test_says_when_there_is_no_room(void **state)
{
	const struct packet_store_options options = {.small = UINT64_C(1) << 50};
	struct packet_store *store;

	(void)state;
	assert_int_equal(packet_store_create(&store, &options), -ENOMEM);
	packet_store_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hands_out_each_packet_once),
		cmocka_unit_test(test_takes_used_packets_first),
		cmocka_unit_test(test_says_when_there_is_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
