// SPDX-License-Identifier: BSD-3-Clause
// XOFF and XON by 802.3x pauses of the whole link, from PFC to those and back, and links that go
// down.
#include "pfc_frames.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/ports.h"

#include <string.h>

static struct tables *
link_tables(uint32_t cells)
{
	struct tables *t = pfc_tables(cells);

	harness_profile(t)->link_pause = true;
	return t;
}

// The next frame out of `port` is an 802.3x pause, byte by byte, and left at `at`.
static void
expect_pause(struct harness *h, unsigned int port, ps_t at, uint16_t quanta)
{
	uint8_t want[60] = {0x01,
			    0x80,
			    0xc2,
			    0,
			    0,
			    0x01,
			    [12] = 0x88,
			    0x08,
			    0x00,
			    0x01,
			    (uint8_t)(quanta >> 8),
			    (uint8_t)quanta};
	ps_t left;
	struct rte_mbuf *m = harness_take(h, port, &left);

	memcpy(want + 6, h->tables->ports[port].mac, 6);
	assert_non_null(m);
	assert_int_equal(packet_meta(m)->wire_bytes, 60);
	assert_int_equal(packet_meta(m)->data_len, 60);
	assert_memory_equal(packet_data(m), want, 60);
	assert_int_equal(left, at);
	packet_free(h->pool, m);
}

// The first group's XOFF pauses the link, once, and is refreshed; other groups' add nothing; the
// last one's XON resumes it. Group 3 holds one packet, group 4 two, which leave by turns of 1500
// bytes: 3, 4, 4.
static void
test_link_pause(void **state)
{
	struct harness h;
	const struct port *p;
	ps_t start;

	(void)state;
	open_frozen(&h, link_tables(0));
	p = &h.node->ports[1];
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 4, 300, 1000);
	put(&h, 1, FROZEN, 4, 300, 2000);
	put(&h, 1, FROZEN, 0, 300, 2000); // lossy
	put(&h, 2, FROZEN, 4, 300, 3000); // another port's link
	harness_run(&h, 2 * REFRESH);
	expect_pause(&h, 1, 1000 + PFC_TIME, 65535);
	expect_pause(&h, 1, 1000 + REFRESH + PFC_TIME, 65535);
	expect_nothing(&h, 1);
	expect_pause(&h, 2, 3000 + PFC_TIME, 65535);
	assert_int_equal(p->groups[3].xoff_sent, 2);
	assert_int_equal(p->groups[4].xoff_sent, 0);
	assert_int_equal(p->pause_tx, 2);
	assert_int_equal(p->pfc_tx[3] + p->pfc_tx[4], 0);

	// Group 3 goes first and is XON: the pause goes on for group 4, refreshed when it would
	// have been.
	start = h.now;
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 1 << 4 | 1 << 0, start);
	harness_run(&h, 1000 + 3 * REFRESH);
	assert_false(p->groups[3].xoff);
	expect_pause(&h, 1, 1000 + 2 * REFRESH + PFC_TIME, 65535);
	expect_nothing(&h, 1);
	assert_int_equal(p->groups[4].xoff_sent, 1);

	start = h.now;
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 1 << 3 | 1 << 0, start);
	harness_run(&h, start + harness_slot(300));
	// The refresh of this very instant, which is before the departure.
	assert_int_equal(p->groups[4].headroom, 300);
	harness_run(&h, 30 * REFRESH);
	expect_pause(&h, 1, start + PFC_TIME, 65535);
	expect_pause(&h, 1, start + harness_slot(300) + PFC_TIME, 0);
	expect_nothing(&h, 1);
	assert_int_equal(p->pause_tx, 5);
	assert_int_equal(p->control_tx, 5);
	assert_int_equal(p->tx_pause[PAUSE_LINK].total, start + harness_slot(300) - 1000);
	assert_int_equal(p->tx_pause[PAUSE_LINK].transitions, 1);
	assert_int_equal(p->tx_pause[PAUSE_LINK].last_start, 1000);
	assert_int_equal(p->tx_pause[PAUSE_LINK].last_end, start + harness_slot(300));
	assert_int_equal(p->tx_pause[3].transitions, 0);
	harness_check(&h);
	harness_close(&h);
}

// A pause waits for the transmitter, ahead of all queues; an XON of the instant of its XOFF takes
// its place.
static void
test_link_pause_waits(void **state)
{
	struct tables *t = link_tables(300);
	struct harness h;
	const struct port *p;
	ps_t busy = 1000 + harness_slot(9000), left;

	(void)state;
	open_frozen(&h, t);
	put(&h, 2, 1, 0, 9000, 1000);
	put(&h, 2, 1, 6, 300, 1001);
	put(&h, 1, FROZEN, 3, 300, 4000);
	put(&h, 1, FROZEN, 3, 300, 5000);
	harness_run(&h, PS_PER_US);
	packet_free(h.pool, harness_take(&h, 1, NULL));
	expect_pause(&h, 1, busy + PFC_TIME, 65535);
	packet_free(h.pool, harness_take(&h, 1, &left));
	assert_int_equal(left, busy + PFC_SLOT + harness_frame_time(300));
	harness_close(&h);

	t = link_tables(300);
	harness_profile(t)->pg[3].xon = harness_profile(t)->pg[4].xon = 300;
	harness_open(&h, t);
	p = &h.node->ports[1];
	put(&h, 2, FROZEN, 3, 300, 1000); // keeps the way out busy until 1000 + slot
	put(&h, 1, FROZEN, 3, 300, 2000); // own 300
	put(&h, 1, FROZEN, 3, 300, 1000 + harness_slot(300));
	harness_run(&h, 10 * PS_PER_US);
	expect_pause(&h, 1, 1000 + harness_slot(300) + PFC_TIME, 0);
	expect_nothing(&h, 1);
	assert_int_equal(p->pause_tx, 1);
	assert_int_equal(p->groups[3].xoff_sent, 0);
	assert_int_equal(p->tx_pause[PAUSE_LINK].total, 0);
	harness_check(&h);
	harness_close(&h);
}

// The refresh falls to group 5, which holds nothing: it is passed on to group 3, and is sent at its
// time all the same.
static void
test_refresh_passed_on(void **state)
{
	struct tables *t = link_tables(600);
	struct port_profile *profile = harness_profile(t);
	const ps_t refresh = 20 * PS_PER_US, first = PS_PER_US;
	struct harness h;
	const struct port *p;

	(void)state;
	profile->refresh = refresh;
	profile->pg[5] = profile->pg[3];
	profile->pg[5].threshold.fixed = profile->pg[5].headroom = 0; // takes nothing
	open_frozen(&h, t);
	p = &h.node->ports[1];
	put(&h, 1, FROZEN, 5, 300, first);
	for (unsigned int i = 0; i < 3; i++)
		put(&h, 1, FROZEN, 3, 300, 2 * PS_PER_US + i); // the third in headroom
	harness_run(&h, 100 * PS_PER_US);
	assert_int_equal(harness_drops(&h, 1, DROP_HEADROOM), 1);
	for (unsigned int i = 0; i < 5; i++)
		expect_pause(&h, 1, first + i * refresh + PFC_TIME, 65535);
	expect_nothing(&h, 1);
	assert_int_equal(p->groups[5].xoff_sent, 1);
	assert_int_equal(p->groups[3].xoff_sent, 4);
	assert_int_equal(p->refresh_at[5], PS_NEVER);
	assert_int_equal(p->refresh_at[3], first + 5 * refresh);
	assert_int_equal(h.node->pfc_due, first + 5 * refresh);
	harness_check(&h);
	harness_close(&h);
}

// What waits and is XOFF when PFC gives way to 802.3x, or the other way round: told again in the
// new way, after the old word was taken back.
static void
test_mode_change(void **state)
{
	struct tables *pfc = pfc_tables(0), *link = link_tables(0);
	struct harness h;
	const struct port *p;

	(void)state;
	open_frozen(&h, pfc);
	p = &h.node->ports[1];
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 4, 300, 1000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	node_set_tables(h.node, link);
	h.tables = link;
	harness_run(&h, 2 * PS_PER_US);
	expect_pfc(&h, 1, PS_PER_US + PFC_TIME, 1 << 3 | 1 << 4, 0, 0);
	expect_pause(&h, 1, PS_PER_US + PFC_SLOT + PFC_TIME, 65535);
	expect_nothing(&h, 1);
	assert_int_equal(p->tx_pause[3].last_end, PS_PER_US);
	assert_int_equal(p->tx_pause[PAUSE_LINK].since, PS_PER_US);
	node_set_tables(h.node, pfc);
	h.tables = pfc;
	harness_run(&h, 3 * PS_PER_US);
	expect_pause(&h, 1, 2 * PS_PER_US + PFC_TIME, 0);
	expect_pfc(&h, 1, 2 * PS_PER_US + PFC_SLOT + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	expect_nothing(&h, 1);
	assert_int_equal(p->tx_pause[PAUSE_LINK].total, PS_PER_US);
	tables_destroy(link);

	// Neither: all is taken back.
	link = pfc_tables(0);
	harness_profile(link)->pg[3].pfc_priorities = harness_profile(link)->pg[4].pfc_priorities =
		0;
	node_set_tables(h.node, link);
	h.tables = link;
	harness_run(&h, 3 * REFRESH);
	expect_pfc(&h, 1, 3 * PS_PER_US + PFC_TIME, 1 << 3 | 1 << 4, 0, 0);
	expect_nothing(&h, 1);
	tables_destroy(pfc);
	harness_check(&h);
	harness_close(&h);
}

// A link that is down carries no pause, and none is counted; one that comes up is told once.
static void
expect_link_down(struct tables *t, unsigned int clock)
{
	struct harness h;
	const struct port *p;

	open_frozen(&h, t);
	p = &h.node->ports[1];
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 4, 300, 1000);
	harness_run(&h, PS_PER_US);
	assert_int_equal(harness_drain(&h, 1), 1);
	node_set_link(h.node, &h.node->ports[1], false, h.now);
	harness_run(&h, 10 * REFRESH);
	expect_nothing(&h, 1);
	assert_int_equal(p->tx_pause[clock].since, PS_NEVER);
	assert_int_equal(p->tx_pause[clock].total, PS_PER_US - 1000);
	node_set_link(h.node, &h.node->ports[1], true, h.now);
	harness_run(&h, h.now + PS_PER_US);
	assert_int_equal(harness_drain(&h, 1), 1);
	assert_int_equal(p->tx_pause[clock].last_start, 10 * REFRESH);
	assert_int_equal(p->tx_pause[clock].transitions, 2);
	assert_int_equal(p->control_tx, 2);
	harness_check(&h);
	harness_close(&h);
}

static void
test_link_down(void **state)
{
	(void)state;
	expect_link_down(pfc_tables(0), 3);
	expect_link_down(link_tables(0), PAUSE_LINK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link_pause),        cmocka_unit_test(test_link_pause_waits),
		cmocka_unit_test(test_refresh_passed_on), cmocka_unit_test(test_mode_change),
		cmocka_unit_test(test_link_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
