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

#define SMALL 4096
#define LARGE 512
#define LARGE_ROOM (RTE_PKTMBUF_HEADROOM + ROOM)
#define RESERVE 1000

// A mempool, a store and a LIFO of both.
struct memory {
	struct rte_mempool *pool;
	struct packet_store *store;
	struct packet_pool *lifo;
};

static struct memory
open_memory(const char *name)
{
	struct pool_options options = options_of(name);
	const struct packet_store_options store = {
		.small = SMALL, .large = LARGE, .large_room = LARGE_ROOM};
	struct memory m;
	char err[256] = "";

	assert_int_equal(pool_create(&m.pool, &options, err, sizeof(err)), 0);
	assert_int_equal(packet_store_create(&m.store, &store), 0);
	assert_int_equal(pool_lifo_create(&m.lifo, m.store, m.pool, 100, RESERVE), 0);
	assert_int_equal(m.lifo->data_room, PACKET_STORE_SMALL_ROOM);
	assert_int_equal(m.lifo->large_room, LARGE_ROOM);
	return m;
}

// Nothing has got lost.
static void
close_memory(struct memory *m)
{
	uint64_t taken[2];

	pool_lifo_destroy(m->lifo);
	packet_store_count(m->store, taken);
	assert_int_equal(taken[PACKET_SMALL], 0);
	assert_int_equal(taken[PACKET_LARGE], 0);
	assert_int_equal(rte_mempool_avail_count(m->pool), PACKETS);
	packet_store_destroy(m->store);
	pool_destroy(m->pool);
}

// However packets are taken and given back, the LIFO and the store together have all that are not
// held.
static void
lifo_keeps_count_of_every_packet(void **state)
{
	struct memory memory = open_memory("lifo");
	struct rte_mbuf *held[SMALL];
	unsigned count = 0;
	uint64_t taken[2];

	(void)state;
	srandom(1);
	for (int i = 0; i < 200000; i++) {
		// Long runs in either direction, so that both ends of the LIFO are met.
		bool take = (i / 3000) % 2 == 0 ? random() % 4 != 0 : random() % 4 == 0;

		if (take && count < SMALL) {
			struct rte_mbuf *m = packet_alloc(memory.lifo);

			if (m != NULL)
				held[count++] = m;
		} else if (count > 0) {
			unsigned at = (unsigned)random() % count;

			packet_free(memory.lifo, held[at]);
			held[at] = held[--count];
		}
		packet_store_count(memory.store, taken);
		assert_int_equal(taken[PACKET_SMALL], memory.lifo->count + count);
	}
	while (count < SMALL) {
		struct rte_mbuf *m = packet_alloc(memory.lifo);

		assert_non_null(m);
		held[count++] = m;
	}
	assert_null(packet_alloc(memory.lifo));
	for (unsigned i = 0; i < SMALL; i++)
		held[i]->buf_len = 0;
	for (unsigned i = 0; i < SMALL; i++)
		held[i]->buf_len++;
	for (unsigned i = 0; i < SMALL; i++)
		assert_int_equal(held[i]->buf_len, 1); // none was handed out twice
	while (count > 0)
		packet_free(memory.lifo, held[--count]);
	close_memory(&memory);
}

// A copy says what the packet says, in a small packet if it fits with room for a tunnel's headers,
// else in a large one. Each kind goes back to where it came from.
static void
lifo_copies_received_packets(void **state)
{
	static const uint16_t lengths[] = {60, PACKET_STORE_SMALL_FRAME,
					   PACKET_STORE_SMALL_FRAME + 1, 1500};
	struct memory memory = open_memory("copies");
	struct rte_mbuf *received, *copies[LARGE];
	unsigned count = 0;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		received = pool_lifo_alloc_sendable(memory.lifo);
		assert_int_equal(packet_kind(memory.lifo, received), PACKET_OF_DEVICE);
		packet_init_frame(received, RTE_PKTMBUF_HEADROOM, lengths[i]);
		memset(packet_data(received), (int)(i + 1), lengths[i]);
		copies[i] = pool_lifo_copy(memory.lifo, received);
		packet_free(memory.lifo, received);
		assert_int_equal(packet_kind(memory.lifo, copies[i]),
				 i < 2 ? PACKET_SMALL : PACKET_LARGE);
		assert_int_equal(packet_meta(copies[i])->data_len, lengths[i]);
		assert_int_equal(packet_meta(copies[i])->wire_bytes, lengths[i]);
		assert_int_equal(packet_data(copies[i])[0], i + 1);
		assert_int_equal(packet_data(copies[i])[lengths[i] - 1], i + 1);
		assert_true((uint32_t)packet_meta(copies[i])->data_off + lengths[i] +
				    PACKET_TUNNEL_ROOM <=
			    packet_room(memory.lifo, copies[i]));
	}
	for (unsigned i = 0; i < 4; i++)
		packet_free(memory.lifo, copies[i]);
	received = pool_lifo_alloc_sendable(memory.lifo);
	packet_init_frame(received, RTE_PKTMBUF_HEADROOM, 1500);
	while (count < LARGE && (copies[count] = pool_lifo_copy(memory.lifo, received)) != NULL)
		count++;
	assert_int_equal(count, LARGE);
	assert_null(pool_lifo_copy(memory.lifo, received));
	packet_free(memory.lifo, received);
	while (count > 0)
		packet_free(memory.lifo, copies[--count]);
	close_memory(&memory);
}

// What is longer than a small packet, an answer to a long ping, gets a large one.
static void
lifo_has_room_for_long_frames(void **state)
{
	static const struct {
		uint32_t bytes;
		int kind; // -1: none
	} cases[] = {{60, PACKET_SMALL},
		     {PACKET_STORE_SMALL_ROOM, PACKET_SMALL},
		     {PACKET_STORE_SMALL_ROOM + 1, PACKET_LARGE},
		     {LARGE_ROOM, PACKET_LARGE},
		     {LARGE_ROOM + 1, -1}};
	struct memory memory = open_memory("long");

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rte_mbuf *m = packet_alloc_bytes(memory.lifo, cases[i].bytes);

		assert_int_equal(m != NULL ? (int)packet_kind(memory.lifo, m) : -1, cases[i].kind);
		if (m != NULL)
			packet_free(memory.lifo, m);
	}
	close_memory(&memory);
}

// Devices keep what they need to receive: it is time to copy before they have run out.
static void
lifo_says_when_packets_are_scarce(void **state)
{
	struct memory memory = open_memory("scarce");
	struct rte_mbuf *held[PACKETS];
	unsigned count = 0;

	(void)state;
	assert_false(pool_lifo_scarce(memory.lifo));
	while (!pool_lifo_scarce(memory.lifo))
		assert_non_null(held[count++] = pool_lifo_alloc_sendable(memory.lifo));
	assert_in_range(count, PACKETS - RESERVE - 512, PACKETS - RESERVE + 1);
	while (count > 0)
		packet_free(memory.lifo, held[--count]);
	close_memory(&memory);
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
		cmocka_unit_test(lifo_copies_received_packets),
		cmocka_unit_test(lifo_has_room_for_long_frames),
		cmocka_unit_test(lifo_says_when_packets_are_scarce),
		cmocka_unit_test(destroys_nothing),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
