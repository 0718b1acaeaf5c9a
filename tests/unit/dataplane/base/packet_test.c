// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/base/packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA_ROOM 256
#define SLAB (2u << 20)
#define STRIDE (64 + DATA_ROOM)          // metadata, data: 320
#define PER_SLAB ((SLAB - 128) / STRIDE) // 6553; before the first is room for its mbuf

static int
compare_addresses(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return x < y ? -1 : x > y;
}

// Packets do not overlap, stand on cache lines, and all of their room may be written.
static void
test_elements(void **state)
{
	static uintptr_t at[2 * PER_SLAB];
	struct packet_pool *pool;

	(void)state;
	assert_int_equal(packet_pool_create(&pool, DATA_ROOM), 0);
	assert_int_equal(pool->data_room, DATA_ROOM);
	assert_int_equal(packet_pool_size(pool), 0);
	for (unsigned int i = 0; i < 2 * PER_SLAB; i++) {
		struct rte_mbuf *m = packet_alloc(pool);

		assert_non_null(m);
		packet_init_frame(m, 0, DATA_ROOM);
		memset(packet_data(m), 0x5a, DATA_ROOM);
		at[i] = (uintptr_t)m;
	}
	assert_int_equal(packet_pool_size(pool), 2 * PER_SLAB);
	assert_int_equal(packet_pool_bytes(pool), 2 * SLAB);
	assert_int_equal(pool->count, 0);
	qsort(at, 2 * PER_SLAB, sizeof(at[0]), compare_addresses);
	for (unsigned int i = 0; i < 2 * PER_SLAB; i++) {
		assert_int_equal(at[i] % 64, 0);
		if (i > 0)
			assert_true(at[i] - at[i - 1] >= STRIDE);
	}
	packet_pool_destroy(pool);
}

// The packet given back last is taken first; the stack holds all that were ever made.
static void
test_lifo(void **state)
{
	static struct rte_mbuf *taken[PER_SLAB + 1];
	struct packet_pool *pool;

	(void)state;
	assert_int_equal(packet_pool_create(&pool, DATA_ROOM), 0);
	for (unsigned int i = 0; i < PER_SLAB + 1; i++)
		taken[i] = packet_alloc(pool);
	for (unsigned int i = 0; i < PER_SLAB + 1; i++)
		packet_free(pool, taken[i]);
	assert_int_equal(pool->count, packet_pool_size(pool));
	for (unsigned int i = PER_SLAB + 1; i-- > 0;)
		assert_ptr_equal(packet_alloc(pool), taken[i]);
	packet_pool_destroy(pool);
	packet_pool_destroy(NULL);
}

static int
refuse(struct packet_pool *pool)
{
	(void)pool;
	return -1;
}

static void
test_runs_dry(void **state)
{
	struct packet_pool pool = {.refill = refuse};

	(void)state;
	assert_null(packet_alloc(&pool));
}

// A wire pads to 60 bytes before the FCS; what is in memory is not padded.
static void
test_init_frame(void **state)
{
	struct packet_pool *pool;
	struct rte_mbuf *m;

	(void)state;
	assert_int_equal(packet_pool_create(&pool, DATA_ROOM), 0);
	m = packet_alloc(pool);
	packet_meta(m)->flags = 0xff;
	packet_init_frame(m, 32, 42);
	assert_int_equal(packet_meta(m)->wire_bytes, 60);
	assert_int_equal(packet_meta(m)->data_len, 42);
	assert_int_equal(packet_meta(m)->flags, 0);
	assert_ptr_equal(packet_data(m), (uint8_t *)m + 128 + 64 + 32);
	packet_init_frame(m, 0, 61);
	assert_int_equal(packet_meta(m)->wire_bytes, 61);
	packet_pool_destroy(pool);
}

// It is noted until there is another pool: a run asks whether it had what it needed.
static void
test_a_lack_of_memory_is_noted(void **state)
{
	struct packet_pool *pool;

	(void)state;
	assert_int_equal(packet_pool_create(&pool, DATA_ROOM), 0);
	assert_false(packet_memory_lacked());
	packet_memory_note_lack();
	assert_true(packet_memory_lacked());
	packet_pool_destroy(pool);
	assert_int_equal(packet_pool_create(&pool, DATA_ROOM), 0);
	assert_false(packet_memory_lacked());
	packet_pool_destroy(pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_lifo),
		cmocka_unit_test(test_runs_dry),
		cmocka_unit_test(test_init_frame),
		cmocka_unit_test(test_a_lack_of_memory_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
