// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/device/pool.h"

#include "dataplane/device/eal.h"

#include <rte_mbuf.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PACKETS 4096
#define ROOM 2048

static struct pool_options
options_of(const char *name)
{
	return (struct pool_options){
		.name = name,
		.packets = PACKETS,
		.private_bytes = PACKET_META_BYTES,
		.room = ROOM,
		.one_chunk = true,
	};
}

static void
is_one_packed_chunk(void **state)
{
	struct pool_options options = options_of("one");
	struct rte_mempool *pool;
	char err[256] = "";
	uintptr_t low = UINTPTR_MAX, high = 0;
	struct rte_mbuf *m[PACKETS];

	(void)state;
	assert_int_equal(pool_create(&pool, &options, err, sizeof(err)), 0);
	assert_int_equal(pool->nb_mem_chunks, 1);
	assert_int_equal(rte_pktmbuf_priv_size(pool), PACKET_META_BYTES);
	assert_int_equal(rte_pktmbuf_data_room_size(pool), RTE_PKTMBUF_HEADROOM + ROOM);
	assert_int_equal(rte_mempool_get_bulk(pool, (void **)m, PACKETS), 0);
	for (unsigned i = 0; i < PACKETS; i++) {
		uintptr_t at = (uintptr_t)m[i];

		low = at < low ? at : low;
		high = at > high ? at : high;
		assert_int_equal(rte_mbuf_refcnt_read(m[i]), 1);
		assert_int_equal(m[i]->nb_segs, 1);
	}
	// What AF_XDP takes for granted: element i stands i element sizes behind the first.
	assert_int_equal(high - low, (PACKETS - 1) * pool_element_bytes(pool));
	assert_int_equal(pool_planned_element_bytes(&options), pool_element_bytes(pool));
	rte_mempool_put_bulk(pool, (void **)m, PACKETS);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
	pool_destroy(pool);
}

static void
says_how_much_memory_is_missing(void **state)
{
	struct pool_options options = options_of("large");
	struct rte_mempool *pool;
	char err[256] = "";

	(void)state;
	options.packets = 1000000;
	assert_int_equal(pool_create(&pool, &options, err, sizeof(err)), -ENOMEM);
	assert_non_null(strstr(err, "MB"));
	options = options_of("odd");
	options.private_bytes = 63;
	assert_int_equal(pool_create(&pool, &options, err, sizeof(err)), -EINVAL);
	options = options_of("wide");
	options.room = 65535;
	assert_int_equal(pool_create(&pool, &options, err, sizeof(err)), -EINVAL);
}

// However packets are taken and given back, the LIFO and the mempool together have all that are not
// held.
static void
lifo_keeps_count_of_every_packet(void **state)
{
	struct pool_options options = options_of("lifo");
	struct rte_mbuf *held[PACKETS];
	struct packet_pool *lifo;
	struct rte_mempool *pool;
	unsigned count = 0;
	char err[256] = "";

	(void)state;
	assert_int_equal(pool_create(&pool, &options, err, sizeof(err)), 0);
	assert_int_equal(pool_lifo_create(&lifo, pool, 100), 0);
	assert_int_equal(lifo->data_room, RTE_PKTMBUF_HEADROOM + ROOM);
	srandom(1);
	for (int i = 0; i < 200000; i++) {
		// Long runs in either direction, so that both ends of the LIFO are met.
		bool take = (i / 3000) % 2 == 0 ? random() % 4 != 0 : random() % 4 == 0;

		if (take && count < PACKETS) {
			struct rte_mbuf *m = packet_alloc(lifo);

			if (m != NULL)
				held[count++] = m;
		} else if (count > 0) {
			unsigned at = (unsigned)random() % count;

			packet_free(lifo, held[at]);
			held[at] = held[--count];
		}
		assert_int_equal(rte_mempool_avail_count(pool) + lifo->count + count, PACKETS);
	}
	while (count < PACKETS) {
		struct rte_mbuf *m = packet_alloc(lifo);

		assert_non_null(m);
		held[count++] = m;
	}
	assert_null(packet_alloc(lifo));
	for (unsigned i = 0; i < PACKETS; i++)
		held[i]->buf_len ^= 0x8000; // marks each once: none was handed out twice
	for (unsigned i = 0; i < PACKETS; i++)
		assert_int_equal(held[i]->buf_len, (RTE_PKTMBUF_HEADROOM + ROOM) ^ 0x8000);
	while (count > 0)
		packet_free(lifo, held[--count]);
	pool_lifo_destroy(lifo);
	assert_int_equal(rte_mempool_avail_count(pool), PACKETS);
	pool_destroy(pool);
}

static void
destroys_nothing(void **state)
{
	(void)state;
	pool_lifo_destroy(NULL);
	pool_destroy(NULL);
}

static int
start(void **state)
{
	char err[256], prefix[64];
	struct eal_options options = {
		.prefix = prefix, .hugepages = EAL_HUGEPAGES_OFF, .memory_mb = 64};

	(void)state;
	snprintf(prefix, sizeof(prefix), "roost-pool-test-%d", (int)getpid());
	return eal_start(&options, err, sizeof(err));
}

static int
stop(void **state)
{
	(void)state;
	eal_stop();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_one_packed_chunk),
		cmocka_unit_test(says_how_much_memory_is_missing),
		cmocka_unit_test(lifo_keeps_count_of_every_packet),
		cmocka_unit_test(destroys_nothing),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
