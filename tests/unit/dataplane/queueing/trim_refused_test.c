// SPDX-License-Identifier: BSD-3-Clause
// What is dropped where others are trimmed.
#include "trimmed.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>
#include <string.h>

// One that is refused again is dropped, whole, for the first reason, and counts as if there had
// been no trimming.
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
		assert_int_equal(out->queue_cold[i].trimmed, 0);
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
	harness_profile(t)->tc[4].threshold =
		(struct threshold){.down = 63, .pool = POOL_EGRESS_LOSSY};
	expect_dropped(t, &f, DROP_EGRESS_POOL, true);

	t = make_tables();
	harness_profile(t)->pg[1].threshold =
		(struct threshold){.fixed = 1900, .down = 63, .pool = POOL_INGRESS_LOSSY};
	harness_profile(t)->tc[4].threshold =
		(struct threshold){.fixed = SIZE - 1, .down = 63, .pool = POOL_EGRESS_LOSSY};
	open_full(&h, t);
	h.node->tap = &tap;
	put(&h, &f);
	assert_int_equal(dropped_bytes, 900);
	assert_int_equal(h.node->ports[IN].groups[1].usage.own, 1000);
	harness_check(&h);
	harness_close(&h);
}

// What is not trimmed: what is small enough or has nothing but padding behind, classes that are not
// eligible, lossless groups, CNPs, and what the ingress side refuses.
static void
test_not_trimmed(void **state)
{
	const struct frame plain = {.to = OUT, .bytes = 900, .dscp = 8};
	struct tables *t;

	(void)state;
	t = make_tables();
	t->trim.size = 900;
	expect_dropped(t, &plain, DROP_EGRESS_POOL, true);
	t = make_tables();
	harness_profile(t)->tc[2].threshold =
		(struct threshold){.down = 63, .pool = POOL_EGRESS_LOSSY};
	expect_dropped(t, &(struct frame){.to = OUT, .bytes = 900, .dscp = 16}, DROP_EGRESS_POOL,
		       true);
	t = make_tables();
	harness_profile(t)->pg[1].lossless = true;
	expect_dropped(t, &plain, DROP_EGRESS_POOL, true);
	t = make_tables();
	harness_profile(t)->pg[1].threshold =
		(struct threshold){.fixed = 1899, .down = 63, .pool = POOL_INGRESS_LOSSY};
	expect_dropped(t, &plain, DROP_INGRESS_POOL, false);
	expect_dropped(make_tables(),
		       &(struct frame){.to = OUT,
				       .bytes = 900,
				       .dscp = 8,
				       .dport = ROCE_UDP_PORT,
				       .opcode = ROCE_OP_CNP},
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
	ip[3] = SIZE - 14; // ends where it would be cut
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

// A tenant's share: trimmed where the egress side's is used up, dropped where the ingress's is.
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
			t->tenants[0].share[i] =
				(struct threshold){.fixed = THRESHOLD_UNLIMITED, .down = 63};
		t->tenants[0].share[side == 0 ? POOL_INGRESS_LOSSY : POOL_EGRESS_LOSSY].fixed =
			1500;
		harness_profile(t)->tc[1].threshold.fixed = 100000;
		open_full(&h, t);
		put(&h, &(struct frame){.to = OUT, .bytes = 900, .dscp = 8});
		assert_int_equal(harness_drops(&h, IN, DROP_TENANT_SHARE), side == 0 ? 1 : 0);
		assert_int_equal(h.node->ports[OUT].queue_cold[1].trimmed, side == 0 ? 0 : 1);
		assert_int_equal(h.node->buffer.tenants[0].pool_used[POOL_EGRESS_LOSSY],
				 side == 0 ? 1000 : 1000 + SIZE);
		assert_int_equal(h.node->buffer.tenants[0].dropped, side == 0 ? 1 : 0);
		assert_int_equal(h.node->buffer.tenants[0].bytes, 1900);
		harness_check(&h);
		harness_close(&h);
	}
}

// The watchdog discards what comes for the other queue: nothing is trimmed for it.
static void
test_stormed(void **state)
{
	struct tables *t = make_tables();
	struct harness h;

	(void)state;
	harness_profile(t)->watchdog = (struct watchdog_profile){.action = WATCHDOG_DROP};
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
		cmocka_unit_test(test_refused_again), cmocka_unit_test(test_not_trimmed),
		cmocka_unit_test(test_padding_only),  cmocka_unit_test(test_tenant_share),
		cmocka_unit_test(test_stormed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
