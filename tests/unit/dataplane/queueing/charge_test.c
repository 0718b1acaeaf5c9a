// SPDX-License-Identifier: BSD-3-Clause
// The charging rule, cell by cell.
#include "charged.h"
#include "dataplane/node/ports.h"

static void
set_cell(struct tables *t, uint32_t cell)
{
	t->cell = cell;
	t->cell_magic = ((UINT64_C(1) << 32) + cell - 1) / cell;
}

// ceil(bytes / cell) by multiplication, for every size that a frame can have.
static void
test_cells(void **state)
{
	struct tables *t = harness_tables(2);

	(void)state;
	for (uint32_t cell = 1; cell <= 1024; cell = cell < 16 ? cell + 1 : cell + 16) {
		set_cell(t, cell);
		for (uint32_t bytes = 1; bytes <= PACKET_FRAME_MAX; bytes++)
			assert_int_equal(tables_cells(t, bytes), (bytes + cell - 1) / cell);
	}
	tables_destroy(t);
}

// 300 B are 2 cells of 192. Reserved 10 cells take 5 packets. Then, of a shared size of 100 cells
// and alpha 1, the packet that makes u cells of shared use goes in while u + 2 <= 100 - u, the last
// at u = 48: 25 more. The 31st packet (T) goes to headroom, whose 7 cells take 3; the 34th (D) is
// dropped.
static void
test_xoff_edge(void **state)
{
	struct tables *t = ingress_tables(2);
	struct harness h;

	(void)state;
	set_cell(t, 192);
	t->pools[POOL_INGRESS_LOSSLESS] = (struct pool_profile){.size = 110, .shared = 100};
	harness_profile(t)->pg[3].threshold.reserved = 10;
	harness_profile(t)->pg[3].headroom = 7;
	open_frozen(&h, t);
	for (unsigned int i = 1; i <= 30; i++) {
		assert_true(send(&h, 1, 3, 300));
		assert_int_equal(h.node->ports[1].pfc_tx[3], 0);
	}
	assert_int_equal(group(&h, 1, 3)->usage.own, 60);
	assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSLESS].shared_use, 50);
	for (unsigned int i = 31; i <= 33; i++) {
		assert_true(send(&h, 1, 3, 300));
		assert_int_equal(h.node->ports[1].pfc_tx[3], 1);
	}
	assert_int_equal(group(&h, 1, 3)->headroom, 6);
	assert_false(send(&h, 1, 3, 300));
	assert_int_equal(harness_drops(&h, 1, DROP_HEADROOM), 1);
	assert_int_equal(group(&h, 1, 3)->dropped, 1);
	assert_int_equal(h.node->ports[FROZEN].queues[3].dropped, 0);
	assert_int_equal(h.node->ports[1].pfc_tx[3], 1);
	// A smaller packet still fits what is left of headroom.
	assert_true(send(&h, 1, 3, 192));
	assert_int_equal(group(&h, 1, 3)->headroom, 7);
	assert_int_equal(group(&h, 1, 3)->used_max, 67);
	assert_int_equal(group(&h, 1, 3)->shared_max, 50);
	assert_int_equal(group(&h, 1, 3)->headroom_max, 7);
	assert_int_equal(h.node->buffer.pools[POOL_HEADROOM].used, 7);
	assert_int_equal(h.node->ports[FROZEN].queues[3].depth_max, 67);
	harness_close(&h);
}

// Releases give back headroom first, a packet's cells in part if need be, then own.
static void
test_headroom_first(void **state)
{
	struct tables *t = ingress_tables(2);
	struct harness h;

	(void)state;
	harness_profile(t)->pg[3].threshold = fixed(1000, POOL_INGRESS_LOSSLESS);
	harness_profile(t)->pg[3].headroom = 500;
	open_frozen(&h, t);
	assert_true(send(&h, 1, 3, 600));
	assert_true(send(&h, 1, 3, 400)); // own 1000: at the limit
	assert_true(send(&h, 1, 3, 450)); // headroom 450
	assert_int_equal(group(&h, 1, 3)->usage.own, 1000);
	assert_int_equal(group(&h, 1, 3)->headroom, 450);
	release_one(&h); // 600: 450 of headroom, 150 of own
	assert_int_equal(group(&h, 1, 3)->usage.own, 850);
	assert_int_equal(group(&h, 1, 3)->headroom, 0);
	release_one(&h);
	assert_int_equal(group(&h, 1, 3)->usage.own, 450);
	release_one(&h);
	assert_int_equal(group(&h, 1, 3)->usage.own, 0);
	assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSLESS].used, 0);
	assert_int_equal(h.node->buffer.pools[POOL_HEADROOM].used, 0);
	harness_close(&h);
}

// K equally congested groups with alpha a settle where u = a (S - k u), to one packet:
// u = a S / (1 + k a).
static void
expect_equilibrium(unsigned int up, unsigned int k, uint32_t settled)
{
	struct tables *t = ingress_tables(5);
	struct harness h;

	harness_profile(t)->pg[0].threshold = alpha(up, 0, POOL_INGRESS_LOSSY);
	open_frozen(&h, t);
	for (unsigned int round = 0; round < 9000 / k; round++)
		for (unsigned int i = 1; i <= k; i++)
			harness_put(&h, i,
				    harness_frame(&h, &(struct frame){.to = FROZEN, .bytes = 300}),
				    round);
	harness_run(&h, PS_PER_US);
	harness_check(&h);
	for (unsigned int i = 1; i <= k; i++) {
		assert_in_range(group(&h, i, 0)->usage.own, settled - 300, settled + 300);
		assert_true(harness_drops(&h, i, DROP_INGRESS_POOL) > 0);
		assert_int_equal(harness_drops(&h, i, DROP_INGRESS_POOL), group(&h, i, 0)->dropped);
	}
	harness_close(&h);
}

static void
test_equilibrium(void **state)
{
	(void)state;
	expect_equilibrium(0, 1, 500000);
	expect_equilibrium(0, 2, 333333);
	expect_equilibrium(0, 4, 200000);
	expect_equilibrium(3, 1, 888889);
	expect_equilibrium(3, 2, 470588);
}

// The two-level threshold: consumer alpha a over what port alpha p leaves. With B cells of the pool
// free for the port but for the `occ` that it uses itself, one-cell packets stop where u + 1 > a (p
// (B - occ - u) - occ - u), at u = ceil((a p (B - occ) - a occ) / (1 + a p + a)).
static uint32_t
two_level(uint32_t a, uint32_t p, uint32_t b, uint32_t occ)
{
	uint32_t above = a * p * (b - occ) - a * occ, below = 1 + a * p + a;

	return (above + below - 1) / below;
}

static uint32_t
fill(struct harness *h, unsigned int port, unsigned int priority)
{
	while (send(h, port, priority, 100))
		;
	return group(h, port, priority)->usage.own;
}

static void
expect_two_level(unsigned int up, unsigned int port_up, uint32_t cell)
{
	const uint32_t a = 1u << up, p = 1u << port_up, size = 1000;
	struct tables *t = ingress_tables(3);
	uint32_t first, second;
	struct harness h;

	set_cell(t, cell);
	t->port_levels = true;
	t->pools[POOL_INGRESS_LOSSY] = (struct pool_profile){
		.size = size, .shared = size, .port_level = true, .port_up = (uint8_t)port_up};
	harness_profile(t)->pg[0].threshold = alpha(up, 0, POOL_INGRESS_LOSSY);
	harness_profile(t)->pg[1].threshold = alpha(up, 0, POOL_INGRESS_LOSSY);
	open_frozen(&h, t);
	first = fill(&h, 1, 0);
	assert_int_equal(first, two_level(a, p, size, 0));
	second = fill(&h, 1, 1);
	assert_int_equal(second, two_level(a, p, size, first));
	assert_int_equal(h.node->ports[1].shared_use[POOL_INGRESS_LOSSY], first + second);
	assert_int_equal(fill(&h, 2, 0), two_level(a, p, size - first - second, 0));
	assert_int_equal(harness_drops(&h, 1, DROP_INGRESS_POOL), 2);
	while (node_queued(h.node) != 0)
		release_one(&h);
	assert_int_equal(h.node->ports[1].shared_use[POOL_INGRESS_LOSSY], 0);
	assert_int_equal(h.node->ports[2].shared_use[POOL_INGRESS_LOSSY], 0);
	harness_close(&h);
}

static void
test_two_levels(void **state)
{
	(void)state;
	expect_two_level(0, 1, 128);
	expect_two_level(0, 3, 192);
	expect_two_level(3, 3, 128);
}

// A port's limit holds whatever its groups' own limits are; reserved space is not asked.
static void
test_port_limit(void **state)
{
	struct tables *t = ingress_tables(3);
	struct harness h;

	(void)state;
	t->port_levels = true;
	t->pools[POOL_INGRESS_LOSSY] =
		(struct pool_profile){.size = 1200, .shared = 900, .port_level = true};
	harness_profile(t)->pg[0].threshold = fixed(THRESHOLD_UNLIMITED, POOL_INGRESS_LOSSY);
	harness_profile(t)->pg[1].threshold = fixed(THRESHOLD_UNLIMITED, POOL_INGRESS_LOSSY);
	harness_profile(t)->pg[1].threshold.reserved = 100;
	open_frozen(&h, t);
	// The 5th would use 500 where 900 - 400 are free: that still fits.
	for (unsigned int i = 0; i < 4; i++)
		assert_true(send(&h, 1, 0, 100));
	assert_true(send(&h, 1, 0, 100));
	assert_false(send(&h, 1, 0, 100)); // 600 > 900 - 500
	assert_true(send(&h, 1, 1, 100));  // reserved
	assert_false(send(&h, 1, 1, 60));
	assert_true(send(&h, 2, 0, 200)); // the other port: 200 <= 900 - 500
	assert_false(send(&h, 2, 0, 60)); // 260 > 900 - 700
	harness_close(&h);
}

// Groups that share a headroom pool: each up to its own headroom, all of them up to the pool's.
static void
test_headroom_pool(void **state)
{
	struct tables *t = ingress_tables(4);
	struct harness h;

	(void)state;
	harness_profile(t)->pg[3].threshold = fixed(0, POOL_INGRESS_LOSSLESS);
	harness_profile(t)->pg[3].headroom = 500;
	t->pools[POOL_HEADROOM] = (struct pool_profile){.size = 800, .shared = 800};
	open_frozen(&h, t);
	assert_true(send(&h, 1, 3, 300));
	assert_true(send(&h, 1, 3, 200));
	assert_false(send(&h, 1, 3, 60)); // its own 500 are used up
	assert_true(send(&h, 2, 3, 300)); // the pool's 800 are
	assert_false(send(&h, 2, 3, 60));
	assert_false(send(&h, 3, 3, 60));
	assert_int_equal(harness_drops(&h, 1, DROP_HEADROOM), 1);
	assert_int_equal(harness_drops(&h, 2, DROP_HEADROOM), 1);
	assert_int_equal(harness_drops(&h, 3, DROP_HEADROOM), 1);
	assert_int_equal(h.node->buffer.pools[POOL_HEADROOM].used, 800);
	assert_int_equal(h.node->buffer.pools[POOL_HEADROOM].used_max, 800);
	release_one(&h); // the 300 of port 1
	assert_true(send(&h, 3, 3, 300));
	harness_close(&h);
}

// How many cells a group may hold with a threshold, in a pool of 1000 cells, by packets of 100.
static uint32_t
most_cells(struct threshold threshold)
{
	struct tables *t = ingress_tables(2);
	struct harness h;
	uint32_t cells;

	t->pools[POOL_INGRESS_LOSSY] =
		(struct pool_profile){.size = 1000, .shared = 1000 - threshold.reserved};
	harness_profile(t)->pg[0].threshold = threshold;
	open_frozen(&h, t);
	for (unsigned int i = 0; i < 20; i++)
		send(&h, 1, 0, 100);
	cells = group(&h, 1, 0)->usage.own;
	harness_close(&h);
	return cells;
}

static void
test_thresholds(void **state)
{
	const enum pool_id pool = POOL_INGRESS_LOSSY;
	struct threshold reserved = alpha(0, 63, pool);

	(void)state;
	assert_int_equal(most_cells(alpha(0, 63, pool)), 0);   // alpha 0
	assert_int_equal(most_cells(alpha(0, 0, pool)), 500);  // 500 <= 1000 - 400, 600 > 500
	assert_int_equal(most_cells(alpha(0, 3, pool)), 100);  // 100 <= 125; 200 > 112
	assert_int_equal(most_cells(alpha(6, 0, pool)), 1000); // 64 x 100 >= 1000: the pool's end
	assert_int_equal(most_cells(fixed(299, pool)), 200);
	assert_int_equal(most_cells(fixed(300, pool)), 300);
	assert_int_equal(most_cells(fixed(THRESHOLD_UNLIMITED, pool)), 1000);
	reserved.reserved = 250; // 200 wholly reserved; the third would share 50 of a limit of 0
	assert_int_equal(most_cells(reserved), 200);
	// Shared 750: to 600 it shares 350 <= 750 - 250, to 700 it would share 450 > 750 - 350.
	reserved.down = 0;
	assert_int_equal(most_cells(reserved), 600);
}

// The egress side has the same rule, and its refusals leave the ingress side uncharged.
static void
test_egress(void **state)
{
	struct tables *t = harness_tables(3);
	struct harness h;

	(void)state;
	harness_profile(t)->tc[0].threshold = fixed(500, POOL_EGRESS_LOSSY);
	open_frozen(&h, t);
	assert_true(send(&h, 1, 0, 300));
	assert_true(send(&h, 2, 0, 200));
	assert_false(send(&h, 1, 0, 60));
	assert_int_equal(harness_drops(&h, 1, DROP_EGRESS_POOL), 1);
	assert_int_equal(h.node->ports[FROZEN].queues[0].dropped, 1);
	assert_int_equal(group(&h, 1, 0)->dropped, 0);
	assert_int_equal(group(&h, 1, 0)->usage.own, 300);
	assert_int_equal(group(&h, 1, 0)->packets, 2); // received, not admitted
	release_one(&h);
	assert_true(send(&h, 1, 0, 60));
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells),          cmocka_unit_test(test_xoff_edge),
		cmocka_unit_test(test_headroom_first), cmocka_unit_test(test_equilibrium),
		cmocka_unit_test(test_two_levels),     cmocka_unit_test(test_port_limit),
		cmocka_unit_test(test_headroom_pool),  cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_egress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
