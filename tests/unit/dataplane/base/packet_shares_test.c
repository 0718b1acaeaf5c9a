// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/base/packet_shares.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <pthread.h>

#define BATCH 1000
#define ROUNDS 200

static struct packet_pool *pool;
static struct packet_shares *shares;

static void
open_shares(uint32_t count)
{
	assert_int_equal(packet_pool_create(&pool, 128), 0);
	assert_int_equal(packet_shares_create(&shares, pool, count), 0);
}

static void
close_shares(void)
{
	packet_shares_destroy(shares);
	assert_int_equal(pool->count, packet_pool_size(pool));
	packet_pool_destroy(pool);
}

// What one thread takes another frees, again and again: memory does not grow with the rounds.
static void
test_from_one_to_another(void **state)
{
	static struct rte_mbuf *held[BATCH];
	uint64_t bytes = 0;

	(void)state;
	open_shares(2);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < BATCH; i++) {
			held[i] = packet_alloc(packet_shares_get(shares, 0));
			assert_non_null(held[i]);
			assert_int_equal(packet_room(packet_shares_get(shares, 0), held[i]),
					 pool->data_room);
		}
		for (unsigned int i = 0; i < BATCH; i++)
			packet_free(packet_shares_get(shares, 1), held[i]);
		if (round == 10)
			bytes = packet_pool_bytes(pool);
	}
	assert_int_equal(packet_pool_bytes(pool), bytes);
	close_shares();
}

static void *
take_and_free(void *arg)
{
	struct rte_mbuf *held[BATCH];
	struct packet_pool *own = arg;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < BATCH; i++) {
			held[i] = packet_alloc(own);
			packet_meta(held[i])->wire_bytes = i;
		}
		for (unsigned int i = 0; i < BATCH; i++) {
			if (packet_meta(held[i])->wire_bytes != i)
				return own; // somebody else has it too
			packet_free(own, held[i]);
		}
	}
	return NULL;
}

static void
test_side_by_side(void **state)
{
	pthread_t threads[4];

	(void)state;
	open_shares(4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_free,
						packet_shares_get(shares, i)),
				 0);
	for (uint32_t i = 0; i < 4; i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	close_shares();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_one_to_another),
		cmocka_unit_test(test_side_by_side),
	};

	packet_shares_destroy(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
