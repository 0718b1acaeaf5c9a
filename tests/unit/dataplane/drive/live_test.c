// SPDX-License-Identifier: BSD-3-Clause
// What a worker does with packets that a device does not send. The worker has no nodes and one
// port, on net_null, which takes everything.
#include "dataplane/drive/live.h"

#include "dataplane/device/eal.h"

#include <rte_mbuf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define PACKETS 4096
#define ROOM 2048
#define FRAME_MAX 500
#define WAIT_S 20

struct bench {
	struct rte_mempool *pool;
	struct packet_store *store;
	struct packet_pool *lifo;
	struct live_port port, *ports[1];
	struct live_drive drive;
};

static void
bench_open(struct bench *b)
{
	const struct pool_options pool = {.name = "live",
					  .packets = PACKETS,
					  .private_bytes = PACKET_META_BYTES,
					  .room = ROOM};
	const struct packet_store_options store = {
		.small = PACKETS, .large = PACKETS, .large_room = RTE_PKTMBUF_HEADROOM + ROOM};
	struct device_options device = {.spec = "net_null0,no-rx=1", .mtu = 1500, .netns_fd = -1};
	struct live_worker *w = &b->drive.workers[0];
	char err[256] = "";

	assert_int_equal(pool_create(&b->pool, &pool, err, sizeof(err)), 0);
	assert_int_equal(packet_store_create(&b->store, &store), 0);
	assert_int_equal(pool_lifo_create(&b->lifo, b->store, b->pool, 128, 64), 0);
	device.pool = b->pool;
	b->port = (struct live_port){0};
	assert_int_equal(device_open(&b->port.device, &device, err, sizeof(err)), 0);
	b->port.device->frame_max = FRAME_MAX;
	assert_int_equal(wire_create(&b->port.to_node, 1, false, 0), 0);
	assert_int_equal(wire_create(&b->port.from_node, 1, false, 0), 0);
	assert_int_equal(live_init(&b->drive, 1, PS_PER_US, 1, PS_PER_S, false), 0);
	b->ports[0] = &b->port;
	w->ports = b->ports;
	w->port_count = 1;
	w->packets = b->lifo;
	w->lcore = 1;
}

static void
bench_close(struct bench *b)
{
	live_destroy(&b->drive);
	wire_destroy(b->port.to_node);
	wire_destroy(b->port.from_node);
	device_close(b->port.device);
	pool_lifo_destroy(b->lifo);
	packet_store_destroy(b->store);
	assert_int_equal(rte_mempool_avail_count(b->pool), PACKETS);
	pool_destroy(b->pool);
}

// Puts packets on the wire to the device, runs until it is empty, and returns how many were sent.
static uint64_t
send_all(struct bench *b, struct rte_mbuf **packets, unsigned int count)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	struct device_stats stats;

	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(wire_put(b->port.from_node, packets[i], 0), 0);
	assert_int_equal(live_start(&b->drive), 0);
	for (unsigned int i = 0; wire_count(b->port.from_node) != 0; i++) {
		assert_true(i < WAIT_S * 1000);
		nanosleep(&moment, NULL);
	}
	live_stop(&b->drive);
	assert_int_equal(device_stats(b->port.device, &stats), 0);
	return stats.tx_packets;
}

static struct rte_mbuf *
make_packet(struct bench *b, uint16_t bytes)
{
	struct rte_mbuf *m = pool_lifo_alloc_sendable(b->lifo);

	assert_non_null(m);
	packet_init_frame(m, RTE_PKTMBUF_HEADROOM, bytes);
	memset(packet_data(m), 0, bytes);
	return m;
}

// Each is counted once, wherever it stands among those that are sent.
static void
test_what_is_too_long_is_counted_once(void **state)
{
	static const uint16_t lengths[] = {60, 501, 500, 400, 501, 501, 60, 501};
	struct rte_mbuf *packets[8];
	struct bench b = {0};

	(void)state;
	bench_open(&b);
	for (unsigned int i = 0; i < 8; i++)
		packets[i] = make_packet(&b, lengths[i]);
	assert_int_equal(send_all(&b, packets, 8), 4);
	assert_int_equal(b.port.oversized, 4);
	assert_int_equal(b.port.unsendable, 0);
	bench_close(&b);
}

// Packets of which only a part was ever made, and that have no room for the rest.
static void
test_what_cannot_be_made_is_counted_once(void **state)
{
	struct rte_mbuf *packets[6];
	struct bench b = {0};

	(void)state;
	bench_open(&b);
	b.port.device->frame_max = 2 * ROOM;
	for (unsigned int i = 0; i < 6; i++) {
		packets[i] = make_packet(&b, 60);
		if (i % 2 != 0)
			packet_meta(packets[i])->wire_bytes = ROOM + 1;
	}
	assert_int_equal(send_all(&b, packets, 6), 3);
	assert_int_equal(b.port.unsendable, 3);
	assert_int_equal(b.port.oversized, 0);
	bench_close(&b);
}

static void
hang(void *context, struct live_worker *w)
{
	const struct timespec moment = {.tv_nsec = 100000};

	(void)w;
	while (!__atomic_load_n((bool *)context, __ATOMIC_ACQUIRE))
		nanosleep(&moment, NULL);
}

static void
note(void *context, struct live_worker *w)
{
	(void)w;
	++*(unsigned int *)context;
}

// Who does not wait is not held up by a worker that hangs; who waits comes after it.
static void
test_submitted_requests(void **state)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	bool go_on = false;
	unsigned int noted = 0;
	struct live_request first = {.change = hang, .context = &go_on};
	struct live_request second = {.change = note, .context = &noted};
	struct bench b = {0};

	(void)state;
	bench_open(&b);
	assert_int_equal(live_start(&b.drive), 0);
	assert_true(live_submit(&b.drive, 0, &first));
	assert_false(live_submit(&b.drive, 0, &second));
	assert_false(live_is_served(&b.drive, 0, &first));
	__atomic_store_n(&go_on, true, __ATOMIC_RELEASE);
	for (unsigned int i = 0; !live_is_served(&b.drive, 0, &first); i++) {
		assert_true(i < WAIT_S * 1000);
		nanosleep(&moment, NULL);
	}
	assert_true(live_submit(&b.drive, 0, &second));
	live_call(&b.drive, NULL, NULL); // the worker has no nodes
	assert_true(live_is_served(&b.drive, 0, &second));
	assert_int_equal(noted, 1);
	live_stop(&b.drive);
	bench_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_too_long_is_counted_once),
		cmocka_unit_test(test_what_cannot_be_made_is_counted_once),
		cmocka_unit_test(test_submitted_requests),
	};
	const struct eal_options options = {.prefix = "live-test", .workers = 1, .memory_mb = 64};
	char err[256] = "";

	if (eal_start(&options, err, sizeof(err)) != 0) {
		fprintf(stderr, "%s\n", err);
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
