// SPDX-License-Identifier: BSD-3-Clause
// What a full queue's packets become, byte by byte, and what counts where. Port 1 is frozen, its queue 1 takes 1000
// bytes, and what that refuses is cut to 256 bytes for queue 4.
#include "../harness.h"

#include "dataplane/checksum.h"
#include "dataplane/queueing/trim.h"
#include "dataplane/roce/headers.h"
#include "dataplane/roce/icrc.h"
#include "dataplane/roce/unsent.h"

#include <stdlib.h>
#include <string.h>

#define SIZE 256u
#define DSCP_CUT 11
#define IN 0u
#define OUT 1u

static const struct threshold takes_1000 = {.fixed = 1000, .down = 63, .pool = POOL_EGRESS_LOSSY};

static struct tables *
make_tables(void)
{
	struct tables *t = harness_tables(2);

	t->trim = (struct trim_profile){.size = SIZE, .dscp = DSCP_CUT, .tc = 4, .eligible = 1 << 1};
	harness_profile(t)->tc[1].threshold = takes_1000;
	return t;
}

static void
open_full(struct harness *h, struct tables *t)
{
	harness_open(h, t);
	node_set_tx_off(h->node, &h->node->ports[OUT], 0xff, 0);
	harness_put(h, IN, harness_frame(h, &(struct frame){.to = OUT, .bytes = 1000, .dscp = 8}), 0);
	harness_run(h, 1000);
	assert_int_equal(node_queued(h->node), 1);
}

static void
put(struct harness *h, const struct frame *f)
{
	harness_put(h, IN, harness_frame(h, f), h->now);
	harness_run(h, h->now + 1);
}

// Frees the queues and returns the packet that leaves behind the first.
static struct rte_mbuf *
second(struct harness *h)
{
	struct rte_mbuf *first, *cut;

	harness_check(h);
	node_set_tx_off(h->node, &h->node->ports[OUT], 0, h->now);
	harness_run(h, h->now + PS_PER_US);
	first = harness_take(h, OUT, NULL);
	cut = harness_take(h, OUT, NULL);
	assert_non_null(cut);
	if (packet_meta(cut)->wire_bytes == 1000) { // whichever turn it was
		struct rte_mbuf *swap = first;

		first = cut;
		cut = swap;
	}
	packet_free(h->pool, first);
	harness_check(h);
	return cut;
}

// The frame before it was routed and cut, with what both change put right.
static void
expected_frame(uint8_t *data, const struct frame *f, struct rte_mbuf *cut)
{
	uint32_t l3 = f->vlan_pcp != 0 ? 18 : 14;
	uint8_t *ip = data + l3;
	uint16_t checksum;

	harness_write_frame(data, f);
	memcpy(data, packet_data(cut), 12);
	if (f->ip6) {
		ip[0] = 0x60 | DSCP_CUT >> 2;
		ip[1] = (uint8_t)((DSCP_CUT & 3) << 6 | f->ecn << 4);
		ip[4] = (uint8_t)((SIZE - l3 - 40) >> 8);
		ip[5] = (uint8_t)(SIZE - l3 - 40);
		ip[7]--;
	} else {
		ip[1] = (uint8_t)(DSCP_CUT << 2 | f->ecn);
		ip[2] = (uint8_t)((SIZE - l3) >> 8);
		ip[3] = (uint8_t)(SIZE - l3);
		ip[8]--;
		checksum = checksum_ipv4_header(ip, 20);
		memcpy(ip + 10, &checksum, 2);
	}
}

// The first 256 bytes of the frame: lengths, DSCP, TTL and IPv4 checksum follow, UDP's length and all else stays.
static void
expect_cut(const struct frame *f)
{
	uint8_t expected[PACKET_FRAME_MAX];
	const struct packet_meta *meta;
	struct rte_mbuf *m;
	struct harness h;

	open_full(&h, make_tables());
	put(&h, f);
	assert_int_equal(node_queued(h.node), 2);
	m = second(&h);
	meta = packet_meta(m);
	assert_int_equal(meta->wire_bytes, SIZE);
	assert_int_equal(meta->data_len, SIZE);
	assert_int_equal(meta->tc, 4);
	assert_int_equal(meta->priority, 1);
	expected_frame(expected, f, m);
	assert_memory_equal(packet_data(m), expected, SIZE);
	packet_free(h.pool, m);
	harness_close(&h);
}

static void
test_bytes(void **state)
{
	static const uint32_t sizes[] = {257, 300, 1000, 1024};

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		for (unsigned int k = 0; k < 8; k++) {
			const struct frame f = {
				.to = OUT,
				.bytes = sizes[i],
				.dscp = 8 + (uint8_t)k,
				.ecn = (uint8_t)(k & 3),
				.ip6 = k & 1,
				.vlan_pcp = k & 2 ? 8 + 5 : 0,
				.dport = k & 4 ? ROCE_UDP_PORT : 0,
				.opcode = ROCE_OP_WRITE_MIDDLE,
			};

			expect_cut(&f);
		}
	}
}

static void
test_counts(void **state)
{
	struct tables *t = make_tables();
	struct harness h;
	struct port *in, *out;

	(void)state;
	open_full(&h, t);
	in = &h.node->ports[IN];
	out = &h.node->ports[OUT];
	put(&h, &(struct frame){.to = OUT, .bytes = 900, .dscp = 8});
	assert_int_equal(out->more[1].trimmed, 1);
	assert_int_equal(out->queues[1].dropped, 0);
	assert_int_equal(out->queues[4].usage.own, SIZE);
	assert_int_equal(out->queues[4].depth_max, SIZE);
	assert_int_equal(*node_depth(h.node, out, 4), SIZE);
	assert_int_equal(in->groups[1].usage.own, 1000 + SIZE);
	assert_int_equal(in->groups[1].packets, 2);
	assert_int_equal(in->groups[1].bytes, 1900);
	assert_int_equal(in->groups[1].dropped, 0);
	assert_int_equal(in->rx_bytes, 1900);
	assert_int_equal(out->more[4].trim_sent, 0);
	packet_free(h.pool, second(&h));
	assert_int_equal(out->more[4].trim_sent, 1);
	assert_int_equal(out->more[1].trim_sent, 0);
	assert_int_equal(out->queues[4].packets, 1);
	assert_int_equal(out->queues[4].bytes, SIZE);
	assert_int_equal(out->tx_bytes, 1000 + SIZE);
	harness_close(&h);
}

// A cut packet that finds its port idle goes at once: the queue refuses all there is.
static void
test_idle_port(void **state)
{
	struct tables *t = make_tables();
	struct harness h;
	struct rte_mbuf *m;
	ps_t left;

	(void)state;
	harness_profile(t)->tc[1].threshold.fixed = 0;
	harness_open(&h, t);
	harness_put(&h, IN, harness_frame(&h, &(struct frame){.to = OUT, .bytes = 500, .dscp = 8}), 5000);
	harness_run(&h, PS_PER_US);
	m = harness_take(&h, OUT, &left);
	assert_non_null(m);
	assert_int_equal(left, 5000 + harness_frame_time(SIZE));
	assert_int_equal(h.node->ports[OUT].more[4].trim_sent, 1);
	packet_free(h.pool, m);
	harness_check(&h);
	harness_close(&h);
}

// One that is refused again is dropped, whole, for the first reason, and counts as if there had been no trimming.
static void
expect_dropped(struct tables *t, const struct frame *f, enum drop_reason reason, bool by_queue)
{
	struct harness h;
	struct port *in, *out;

	open_full(&h, t);
	in = &h.node->ports[IN];
	out = &h.node->ports[OUT];
	put(&h, f);
	assert_int_equal(harness_drops(&h, IN, reason), 1);
	assert_int_equal(node_queued(h.node), 1);
	assert_int_equal(in->groups[f->dscp / 8].dropped, by_queue ? 0 : 1);
	assert_int_equal(out->queues[f->dscp / 8].dropped, by_queue ? 1 : 0);
	assert_int_equal(out->queues[4].dropped, 0);
	assert_int_equal(in->groups[f->dscp / 8].packets, f->dscp / 8 == 1 ? 2 : 1);
	for (unsigned int i = 0; i < PRIORITIES; i++)
		assert_int_equal(out->more[i].trimmed, 0);
	assert_int_equal(in->groups[4].packets, 0);
	harness_check(&h);
	harness_close(&h);
}

static uint32_t dropped_bytes;

static void
see_dropped(void *context, struct node *n, struct rte_mbuf *m, enum drop_reason reason, ps_t at)
{
	(void)context;
	(void)n;
	(void)reason;
	(void)at;
	dropped_bytes = packet_meta(m)->wire_bytes;
	assert_int_equal(packet_meta(m)->tc, 1);
	assert_int_equal(packet_data(m)[15], 8 << 2);
}

static void
test_refused_again(void **state)
{
	const struct node_tap tap = {.dropped = see_dropped};
	const struct frame f = {.to = OUT, .bytes = 900, .dscp = 8};
	struct tables *t = make_tables();
	struct harness h;

	(void)state;
	harness_profile(t)->tc[4].threshold = (struct threshold){.down = 63, .pool = POOL_EGRESS_LOSSY};
	expect_dropped(t, &f, DROP_EGRESS_POOL, true);

	t = make_tables();
	harness_profile(t)->pg[1].threshold = (struct threshold){.fixed = 1900, .down = 63, .pool = POOL_INGRESS_LOSSY};
	harness_profile(t)->tc[4].threshold = (struct threshold){.fixed = SIZE - 1, .down = 63, .pool = POOL_EGRESS_LOSSY};
	open_full(&h, t);
	h.node->tap = &tap;
	put(&h, &f);
	assert_int_equal(dropped_bytes, 900);
	assert_int_equal(h.node->ports[IN].groups[1].usage.own, 1000);
	harness_check(&h);
	harness_close(&h);
}

// What is not cut: what is small enough or has nothing but padding behind, classes that are not eligible, lossless
// groups, CNPs, and what the ingress side refuses.
static void
test_not_cut(void **state)
{
	const struct frame plain = {.to = OUT, .bytes = 900, .dscp = 8};
	struct tables *t;

	(void)state;
	t = make_tables();
	t->trim.size = 900;
	expect_dropped(t, &plain, DROP_EGRESS_POOL, true);
	t = make_tables();
	harness_profile(t)->tc[2].threshold = (struct threshold){.down = 63, .pool = POOL_EGRESS_LOSSY};
	expect_dropped(t, &(struct frame){.to = OUT, .bytes = 900, .dscp = 16}, DROP_EGRESS_POOL, true);
	t = make_tables();
	harness_profile(t)->pg[1].lossless = true;
	expect_dropped(t, &plain, DROP_EGRESS_POOL, true);
	t = make_tables();
	harness_profile(t)->pg[1].threshold = (struct threshold){.fixed = 1899, .down = 63, .pool = POOL_INGRESS_LOSSY};
	expect_dropped(t, &plain, DROP_INGRESS_POOL, false);
	expect_dropped(make_tables(),
		       &(struct frame){.to = OUT, .bytes = 900, .dscp = 8, .dport = ROCE_UDP_PORT, .opcode = ROCE_OP_CNP},
		       DROP_EGRESS_POOL, true);
}

static void
test_padding_only(void **state)
{
	struct harness h;
	struct rte_mbuf *m;
	uint8_t *ip;
	uint16_t checksum;

	(void)state;
	open_full(&h, make_tables());
	m = harness_frame(&h, &(struct frame){.to = OUT, .bytes = 900, .dscp = 8});
	ip = packet_data(m) + 14;
	ip[2] = 0;
	ip[3] = SIZE - 14; // ends where the cut would be
	ip[20 + 4] = 0;
	ip[20 + 5] = SIZE - 34;
	checksum = checksum_ipv4_header(ip, 20);
	memcpy(ip + 10, &checksum, 2);
	harness_put(&h, IN, m, h.now);
	harness_run(&h, h.now + 1);
	assert_int_equal(harness_drops(&h, IN, DROP_EGRESS_POOL), 1);
	harness_check(&h);
	harness_close(&h);
}

// A tenant's share: cut where the egress side's is used up, dropped where the ingress side's is.
static void
test_tenant_share(void **state)
{
	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		struct tables *t = make_tables();
		struct harness h;

		t->tenant_buffers = true;
		t->tenant_count = 1;
		t->tenants = calloc(1, sizeof(*t->tenants));
		t->ports[IN].tenant = 0;
		for (unsigned int i = 0; i < POOL_COUNT; i++)
			t->tenants[0].share[i] = (struct threshold){.fixed = THRESHOLD_UNLIMITED, .down = 63};
		t->tenants[0].share[side == 0 ? POOL_INGRESS_LOSSY : POOL_EGRESS_LOSSY].fixed = 1500;
		harness_profile(t)->tc[1].threshold.fixed = 100000;
		open_full(&h, t);
		put(&h, &(struct frame){.to = OUT, .bytes = 900, .dscp = 8});
		assert_int_equal(harness_drops(&h, IN, DROP_TENANT_SHARE), side == 0 ? 1 : 0);
		assert_int_equal(h.node->ports[OUT].more[1].trimmed, side == 0 ? 0 : 1);
		assert_int_equal(h.node->buffer.tenants[0].used[POOL_EGRESS_LOSSY], side == 0 ? 1000 : 1000 + SIZE);
		assert_int_equal(h.node->buffer.tenants[0].dropped, side == 0 ? 1 : 0);
		assert_int_equal(h.node->buffer.tenants[0].bytes, 1900);
		harness_check(&h);
		harness_close(&h);
	}
}

// A packet of whose payload nothing is written: only the headers are there, before and after, and a capture of what
// leaves shows the first bytes of the whole packet, of its ICRC too where that is cut in two.
static void
test_unsent(void **state)
{
	static const uint32_t sizes[] = {257, 258, 260, 261, 1500, 4170};

	(void)state;
	for (unsigned int i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct frame f = {.to = OUT,
					.bytes = sizes[i / 2],
					.dscp = 8,
					.ip6 = i & 1,
					.dport = ROCE_UDP_PORT,
					.opcode = ROCE_OP_WRITE_MIDDLE};
		const uint32_t headers = 14 + (f.ip6 ? 40 : 20) + 8 + 12;
		uint8_t whole[PACKET_FRAME_MAX], expected[PACKET_FRAME_MAX], seen[SIZE];
		struct harness h;
		struct rte_mbuf *m;

		open_full(&h, make_tables());
		m = harness_frame(&h, &f);
		packet_meta(m)->data_len = (uint16_t)headers;
		packet_meta(m)->flags = PACKET_UNSENT;
		harness_put(&h, IN, m, h.now);
		harness_run(&h, h.now + 1);
		m = second(&h);
		assert_int_equal(packet_meta(m)->wire_bytes, SIZE);
		assert_int_equal(packet_meta(m)->data_len, headers);

		harness_write_frame(whole, &f);
		assert_int_equal(icrc_write(whole, f.bytes), 0);
		expected_frame(expected, &f, m);
		memcpy(expected + headers, whole + headers, SIZE - headers);
		assert_int_equal(unsent_copy(m, seen, SIZE), 0);
		assert_memory_equal(seen, expected, SIZE);
		assert_int_equal(unsent_write(m, 2048), 0);
		assert_memory_equal(packet_data(m), expected, SIZE);
		assert_int_equal(packet_meta(m)->data_len, SIZE);
		packet_free(h.pool, m);
		harness_close(&h);
	}
}

// The watchdog discards what comes for the other queue: nothing is cut for it.
static void
test_stormed(void **state)
{
	struct tables *t = make_tables();
	struct harness h;

	(void)state;
	t->watchdog = (struct watchdog_profile){.action = WATCHDOG_DROP};
	open_full(&h, t);
	h.node->ports[OUT].stormed = 1 << 4;
	put(&h, &(struct frame){.to = OUT, .bytes = 900, .dscp = 8});
	assert_int_equal(harness_drops(&h, IN, DROP_EGRESS_POOL), 1);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),         cmocka_unit_test(test_counts),
		cmocka_unit_test(test_idle_port),     cmocka_unit_test(test_refused_again),
		cmocka_unit_test(test_not_cut),       cmocka_unit_test(test_padding_only),
		cmocka_unit_test(test_tenant_share),  cmocka_unit_test(test_unsent),
		cmocka_unit_test(test_stormed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
