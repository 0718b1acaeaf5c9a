// SPDX-License-Identifier: BSD-3-Clause
// A switch whose share of packets in memory is in use: pauses and drops with a name, and when they
// end. All packets of the harness are small ones.
#include "pfc_frames.h"
#include "dataplane/queueing/watermarks.h"

#define WIDE 100000 // cells of a group of its own: no reason for XOFF

static struct tables *
limited(uint32_t own, uint32_t most, uint32_t resume)
{
	struct tables *t = pfc_tables(WIDE);

	harness_profile(t)->pg[3].xon = WIDE;
	t->packet_limits[PACKET_SMALL] =
		(struct packet_limit){.own = own, .headroom = most, .most = most, .resume = resume};
	return t;
}

// A port whose group holds little goes on while another's has used up what there is for it.
static void
test_floor(void **state)
{
	struct tables *t = limited(2, 5, 1);
	struct harness h;

	(void)state;
	t->packet_limits[PACKET_SMALL].floor = 100;
	open_frozen(&h, t);
	for (unsigned int i = 1; i <= 4; i++)
		put(&h, 1, FROZEN, 0, 60, i * 1000);
	for (unsigned int i = 1; i <= 3; i++)
		put(&h, 2, FROZEN, 0, 60, i * 10000);
	put(&h, 3, FROZEN, 0, 60, 40000);
	put(&h, 3, FROZEN, 0, 60, 50000);
	harness_run(&h, PS_PER_US);
	// Of port 1 two, until its group has 120 cells; the same of port 2; then all are in use.
	assert_int_equal(harness_drops(&h, 1, DROP_PACKET_MEMORY), 2);
	assert_int_equal(harness_drops(&h, 2, DROP_PACKET_MEMORY), 1);
	assert_int_equal(harness_drops(&h, 3, DROP_PACKET_MEMORY), 1);
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used, 5);
	harness_check(&h);
	harness_close(&h);
}

// A lossless flood fills headroom, but leaves what is kept for groups that hold little.
static void
test_headroom_leaves_the_floor(void **state)
{
	struct tables *t = limited(2, 8, 1);
	struct harness h;

	(void)state;
	t->packet_limits[PACKET_SMALL].headroom = 5;
	t->packet_limits[PACKET_SMALL].floor = 100;
	open_frozen(&h, t);
	for (unsigned int i = 1; i <= 9; i++)
		put(&h, 1, FROZEN, 3, 60, i * 1000);
	put(&h, 2, FROZEN, 3, 60, 20000);
	put(&h, 2, FROZEN, 0, 60, 21000);
	put(&h, 3, FROZEN, 0, 60, 22000);
	put(&h, 3, FROZEN, 0, 60, 23000);
	harness_run(&h, PS_PER_US);
	assert_int_equal(harness_drops(&h, 1, DROP_PACKET_MEMORY), 4);
	assert_int_equal(h.node->ports[1].groups[3].headroom, 180);
	assert_int_equal(harness_drops(&h, 2, DROP_PACKET_MEMORY), 0);
	assert_int_equal(harness_drops(&h, 3, DROP_PACKET_MEMORY), 1); // all are in use
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used, 8);
	harness_check(&h);
	harness_close(&h);
}

// Two packets fit; two more take what is kept for headroom, the first of them causes XOFF; the
// fifth is dropped. When three have gone, one is left: XON.
static void
test_lossless_pauses(void **state)
{
	struct harness h;
	ps_t start;

	(void)state;
	open_frozen(&h, limited(2, 4, 1));
	for (unsigned int i = 1; i <= 5; i++)
		put(&h, 1, FROZEN, 3, 60, i * 1000);
	harness_run(&h, 2500);
	expect_nothing(&h, 1);
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used, 2);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 3000 + PFC_TIME, 1 << 3, 65535, 0);
	assert_int_equal(h.node->ports[1].groups[3].headroom, 120);
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used, 4);
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used_max, 4);
	assert_int_equal(harness_drops(&h, 1, DROP_PACKET_MEMORY), 1);
	assert_int_equal(h.node->ports[1].groups[3].dropped, 1);
	harness_check(&h);

	start = h.now;
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 0, start);
	harness_run(&h, start + 2 * harness_slot(60)); // two gone, which empties headroom
	expect_nothing(&h, 1);
	harness_run(&h, start + 2 * harness_slot(60) + 1);
	expect_pfc(&h, 1, start + 2 * harness_slot(60) + PFC_TIME, 1 << 3, 0, 0);
	harness_run(&h, 2 * PS_PER_US);
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used, 0);
	harness_check(&h);
	harness_close(&h);
}

// Lossy packets have nothing kept for them, and are dropped by name. What finds its port idle does
// not wait, and needs no share.
static void
test_lossy_drops(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, limited(2, 4, 1));
	for (unsigned int i = 1; i <= 5; i++)
		put(&h, 1, FROZEN, 0, 60, i * 1000);
	put(&h, 1, 2, 0, 60, 6000);
	harness_run(&h, PS_PER_US);
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used, 2);
	assert_int_equal(harness_drops(&h, 1, DROP_PACKET_MEMORY), 3);
	assert_int_equal(h.node->ports[1].groups[0].dropped, 3);
	assert_int_equal(harness_drain(&h, 2), 1);
	expect_nothing(&h, 1);
	harness_check(&h);
	harness_close(&h);
}

// Other packets than the group's own use the share up. The group stays XOFF, and says so again,
// though it is empty, until the share is free.
static void
test_empty_group_stays_paused(void **state)
{
	struct harness h;
	struct port *other;

	(void)state;
	open_frozen(&h, limited(2, 4, 1));
	other = &h.node->ports[3];
	node_set_tx_off(h.node, other, 0xff, 0);
	put(&h, 2, FROZEN, 0, 60, 1000);
	put(&h, 2, FROZEN, 0, 60, 1000);
	put(&h, 1, 3, 3, 60, 2000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 2000 + PFC_TIME, 1 << 3, 65535, 0);
	node_set_tx_off(h.node, other, 0, h.now);
	harness_run(&h, REFRESH + PS_PER_US);
	assert_int_equal(harness_drain(&h, 3), 1);
	expect_pfc(&h, 1, 2000 + REFRESH + PFC_TIME, 1 << 3, 65535, 0);
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 0, h.now);
	harness_run(&h, 2 * REFRESH + PS_PER_US);
	expect_pfc(&h, 1, 2000 + 2 * REFRESH + PFC_TIME, 1 << 3, 0, 0);
	harness_run(&h, 4 * REFRESH);
	expect_nothing(&h, 1);
	harness_check(&h);
	harness_close(&h);
}

// A change of tables brings its limits; packets that wait stay.
static void
test_adopts(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, pfc_tables(WIDE));
	for (unsigned int i = 1; i <= 3; i++)
		put(&h, 1, FROZEN, 0, 60, 1000);
	harness_run(&h, PS_PER_US);
	harness_adopt(&h, limited(2, 4, 1));
	put(&h, 1, FROZEN, 0, 60, h.now + 1000);
	harness_run(&h, 2 * PS_PER_US);
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used, 3);
	assert_int_equal(harness_drops(&h, 1, DROP_PACKET_MEMORY), 1);
	harness_adopt(&h, pfc_tables(WIDE));
	put(&h, 1, FROZEN, 0, 60, h.now + 1000);
	harness_run(&h, 3 * PS_PER_US);
	assert_int_equal(node_queued(h.node), 4);
	harness_adopt(&h, limited(5, 6, 1));
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used_max, 4);
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 0, h.now);
	harness_run(&h, 4 * PS_PER_US);
	watermarks_clear(h.node, &(struct watermark_choice){WATERMARKS_OF_NODE});
	assert_int_equal(h.node->buffer.packets[PACKET_SMALL].used_max, 0);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headroom_leaves_the_floor),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_lossless_pauses),
		cmocka_unit_test(test_lossy_drops),
		cmocka_unit_test(test_empty_group_stays_paused),
		cmocka_unit_test(test_adopts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
