// SPDX-License-Identifier: BSD-3-Clause
// XOFF and XON: when they go, what they say, and what they wait for. Port 0 of the leaf is frozen;
// packets of port 1 pile up there.
#include "../harness.h"

#include "dataplane/queueing/pfc.h"

#include <string.h>

#define FROZEN 0u
#define PFC_SLOT harness_slot(60)
#define PFC_TIME harness_frame_time(60)

// Group 3, and 4 likewise, own `cells` at most. Refresh: half of 65535 quanta of 5.12 ns is
// 167,769,600 ps.
#define REFRESH UINT64_C(167769600)

static struct tables *
pfc_tables(uint32_t cells)
{
	struct tables *t = harness_tables(4);
	struct port_profile *p = harness_profile(t);

	p->pg[3].threshold = (struct threshold){.fixed = cells, .down = 63, .pool = POOL_INGRESS_LOSSLESS};
	p->pg[4] = p->pg[3];
	p->pg[4].pfc_priorities = 1 << 4;
	p->tc[4] = p->tc[3];
	assert_int_equal(p->refresh, REFRESH);
	return t;
}

static void
open_frozen(struct harness *h, struct tables *t)
{
	harness_open(h, t);
	node_set_tx_off(h->node, &h->node->ports[FROZEN], 0xff, 0);
}

static void
put(struct harness *h, unsigned int from, unsigned int to, unsigned int priority, uint32_t bytes, ps_t at)
{
	const struct frame f = {.to = to, .bytes = bytes, .dscp = (uint8_t)(priority * 8)};

	harness_put(h, from, harness_frame(h, &f), at);
}

// The next frame out of `port` is PFC, left at `at`, and has these priorities at these quanta.
static void
expect_pfc(struct harness *h, unsigned int port, ps_t at, uint8_t vector, uint16_t quanta3, uint16_t quanta4)
{
	uint16_t quanta[PRIORITIES];
	ps_t left;
	struct rte_mbuf *m = harness_take(h, port, &left);

	assert_int_equal(harness_read_pfc(h, port, m, quanta), vector);
	assert_int_equal(left, at);
	for (unsigned int i = 0; i < PRIORITIES; i++)
		assert_int_equal(quanta[i], i == 3 ? quanta3 : i == 4 ? quanta4 : 0);
	packet_free(h->pool, m);
}

static void
expect_nothing(struct harness *h, unsigned int port)
{
	assert_null(harness_take(h, port, NULL));
}

// One frame when own space runs out, at that very instant; the next half of its
// quanta later, then every half; none for packets that fit.
static void
test_xoff_and_refresh(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, pfc_tables(600));
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 3, 300, 2000);
	harness_run(&h, 2500);
	expect_nothing(&h, 1);
	put(&h, 1, FROZEN, 3, 300, 3000);
	put(&h, 1, FROZEN, 3, 300, 4000);
	harness_run(&h, REFRESH + 3000);
	expect_pfc(&h, 1, 3000 + PFC_TIME, 1 << 3, 65535, 0);
	expect_nothing(&h, 1);
	harness_run(&h, 3 * REFRESH + 3001);
	for (unsigned int i = 1; i <= 3; i++)
		expect_pfc(&h, 1, 3000 + i * REFRESH + PFC_TIME, 1 << 3, 65535, 0);
	expect_nothing(&h, 1);
	assert_int_equal(h.node->ports[1].pfc_tx[3], 4);
	assert_int_equal(h.node->ports[1].groups[3].xoff_sent, 4);
	assert_int_equal(h.node->ports[1].control_tx, 4);
	assert_int_equal(h.node->ports[1].tx_packets, 4);
	assert_int_equal(pause_clock_total(&h.node->ports[1].tx_pause[3], h.now), 3 * REFRESH + 1);
	harness_check(&h);
	harness_close(&h);
}

// Own space of 600 + `rest` cells, full, and a packet of 300 in headroom; then two packets of 300
// go: the first gives back headroom, the second leaves 300 + `rest`.
static void
expect_xon_after_two(uint32_t rest, bool due)
{
	struct tables *t = pfc_tables(600 + rest);
	struct port *frozen;
	struct harness h;
	ps_t start;

	harness_profile(t)->pg[3].xon = 600;
	open_frozen(&h, t);
	frozen = &h.node->ports[FROZEN];
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 3, rest, 1000);
	put(&h, 1, FROZEN, 3, 300, 2000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 2000 + PFC_TIME, 1 << 3, 65535, 0);
	start = h.now;
	node_set_tx_off(h.node, frozen, 0, start);
	harness_run(&h, start + harness_slot(300) + 1); // the second has just begun
	node_set_tx_off(h.node, frozen, 0xff, h.now);
	assert_int_equal(h.node->ports[1].groups[3].headroom, 0);
	assert_int_equal(h.node->ports[1].groups[3].usage.own, 300 + rest);
	start += harness_slot(300);
	harness_run(&h, 2 * REFRESH);
	if (!due) {
		expect_pfc(&h, 1, 2000 + REFRESH + PFC_TIME, 1 << 3, 65535, 0);
		expect_nothing(&h, 1);
		start = h.now;
		node_set_tx_off(h.node, frozen, 0, start);
		harness_run(&h, start + 1);
	}
	expect_pfc(&h, 1, start + PFC_TIME, 1 << 3, 0, 0);
	harness_run(&h, 20 * REFRESH);
	expect_nothing(&h, 1); // one XON, and nothing is refreshed any more
	assert_int_equal(pause_clock_total(&h.node->ports[1].tx_pause[3], h.now), start - 2000);
	harness_check(&h);
	harness_close(&h);
}

// With `xon-offset: none`, xon 600: at 601 cells it is still XOFF, and refreshed; at 600 it is XON.
static void
test_xon(void **state)
{
	(void)state;
	expect_xon_after_two(301, false);
	expect_xon_after_two(300, true);
}

// XON by offset from a dynamic limit: 10,000 cells, alpha 1, offset 2,000. With u used the limit is
// 10,000 - u; XON when u <= 8,000 - u, u = 4,000.
static void
test_xon_offset(void **state)
{
	struct tables *t = pfc_tables(0);
	struct port_profile *p = harness_profile(t);
	struct harness h;
	ps_t start;

	(void)state;
	t->pools[POOL_INGRESS_LOSSLESS] = (struct pool_profile){.size = 10000, .shared = 10000};
	p->pg[3].threshold = (struct threshold){.pool = POOL_INGRESS_LOSSLESS};
	p->pg[3].xon_offset = 2000;
	p->pg[3].xon_by_offset = true;
	open_frozen(&h, t);
	for (unsigned int i = 0; i < 11; i++)
		put(&h, 1, FROZEN, 3, 500, 1000);
	harness_run(&h, PS_PER_US);
	assert_int_equal(h.node->ports[1].groups[3].usage.own, 5000); // the eleventh in headroom
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	start = h.now;
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 0, start);
	harness_run(&h, start + 2 * harness_slot(500)); // two gone: headroom empty, own 4500
	expect_nothing(&h, 1);
	harness_run(&h, start + 2 * harness_slot(500) + 1); // the third begins: own 4000
	expect_pfc(&h, 1, start + 2 * harness_slot(500) + PFC_TIME, 1 << 3, 0, 0);
	harness_close(&h);
}

// What changes at one instant goes in one frame; what does not, is not in it. Groups refresh apart.
static void
test_joins(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, pfc_tables(0));
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 4, 300, 1000);
	put(&h, 2, FROZEN, 3, 300, 1000);
	put(&h, 2, FROZEN, 4, 300, 2000);
	harness_run(&h, 2 * REFRESH);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	expect_pfc(&h, 1, 1000 + REFRESH + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	// On port 2 the transmitter is busy with the first until 1000 + 84 byte times.
	expect_pfc(&h, 2, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	expect_pfc(&h, 2, 1000 + PFC_SLOT + PFC_TIME, 1 << 4, 0, 65535);
	expect_pfc(&h, 2, 1000 + REFRESH + PFC_TIME, 1 << 3, 65535, 0);
	expect_pfc(&h, 2, 1000 + REFRESH + PFC_SLOT + PFC_TIME, 1 << 4, 0, 65535);
	expect_nothing(&h, 1);
	expect_nothing(&h, 2);
	harness_check(&h);
	harness_close(&h);
}

// A frame that waits for the transmitter is joined as well; it goes ahead of all queues, the strict
// one too, whether the port's queues are frozen or paused or not.
static void
test_waits_ahead_of_queues(void **state)
{
	struct harness h;
	ps_t busy = 1000 + harness_slot(9000), left;
	struct rte_mbuf *m;

	(void)state;
	open_frozen(&h, pfc_tables(0));
	put(&h, 2, 1, 0, 9000, 1000);
	put(&h, 2, 1, 6, 300, 1001);
	put(&h, 1, FROZEN, 3, 300, 5000);
	put(&h, 1, FROZEN, 4, 300, 5000);
	harness_run(&h, 2 * PS_PER_US);
	packet_free(h.pool, harness_take(&h, 1, NULL));
	expect_pfc(&h, 1, busy + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	m = harness_take(&h, 1, &left);
	assert_int_equal(left, busy + PFC_SLOT + harness_frame_time(300));
	packet_free(h.pool, m);
	expect_nothing(&h, 1);

	node_set_tx_off(h.node, &h.node->ports[3], 0xff, h.now);
	put(&h, 3, FROZEN, 3, 300, h.now);
	harness_run(&h, h.now + PS_PER_US);
	expect_pfc(&h, 3, 2 * PS_PER_US + PFC_TIME, 1 << 3, 65535, 0);
	harness_check(&h);
	harness_close(&h);
}

// An XOFF taken back within its instant never goes: the frame says XON, and counts once. Port 1's
// packet for the frozen port causes XOFF as it arrives, among the arrivals; the departure of the
// one before, at the same instant, empties headroom and causes XON.
static void
test_xoff_and_xon_at_one_instant(void **state)
{
	struct tables *t = pfc_tables(300);
	struct harness h;
	const struct port *p;

	(void)state;
	harness_profile(t)->pg[3].xon = 300;
	harness_open(&h, t);
	p = &h.node->ports[1];
	put(&h, 2, FROZEN, 3, 300, 1000); // keeps the way out busy until 1000 + slot
	put(&h, 1, FROZEN, 3, 300, 2000); // own 300
	put(&h, 1, FROZEN, 3, 300, 1000 + harness_slot(300));
	harness_run(&h, 10 * PS_PER_US);
	expect_pfc(&h, 1, 1000 + harness_slot(300) + PFC_TIME, 1 << 3, 0, 0);
	expect_nothing(&h, 1);
	assert_int_equal(p->pfc_tx[3], 1);
	assert_int_equal(p->groups[3].xoff_sent, 0);
	assert_false(p->groups[3].xoff);
	assert_int_equal(pause_clock_total(&p->tx_pause[3], h.now), 0);
	harness_check(&h);
	harness_close(&h);
}

// A departure at one port causes XON at another, at that instant, ahead of what that port is about
// to send, and even when its queues are frozen.
static void
test_xon_starts_at_once(void **state)
{
	struct harness h;
	ps_t start, left;

	(void)state;
	open_frozen(&h, pfc_tables(0));
	put(&h, 1, FROZEN, 3, 300, 1000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	start = h.now;
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 0, start);
	node_set_tx_off(h.node, &h.node->ports[1], 0xff, start);
	put(&h, 2, 1, 0, 500, start);
	harness_run(&h, start + 1); // XON at once, although port 1 is frozen
	expect_pfc(&h, 1, start + PFC_TIME, 1 << 3, 0, 0);
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, h.now + PS_PER_US);
	packet_free(h.pool, harness_take(&h, 1, &left));
	assert_int_equal(left, start + PFC_SLOT + harness_frame_time(500));
	harness_close(&h);
}

// XOFF for a packet that then is dropped, of a group that holds nothing: there is no release to
// send XON at, so it goes when the XOFF would be sent again.
static void
test_xoff_of_an_empty_group(void **state)
{
	struct tables *t = pfc_tables(0);
	struct harness h;

	(void)state;
	harness_profile(t)->pg[3].headroom = 200;
	open_frozen(&h, t);
	put(&h, 1, FROZEN, 3, 300, 1000);
	harness_run(&h, 4 * REFRESH);
	assert_int_equal(harness_drops(&h, 1, DROP_HEADROOM), 1);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	expect_pfc(&h, 1, 1000 + REFRESH + PFC_TIME, 1 << 3, 0, 0);
	expect_nothing(&h, 1);
	harness_close(&h);
}

// New tables that give a group more room, or take PFC from it, send its XON when they are taken
// over; a link that comes up is told of the XOFFs in force.
static void
test_changes(void **state)
{
	struct tables *old = pfc_tables(0), *t;
	struct harness h;

	(void)state;
	open_frozen(&h, old);
	put(&h, 1, FROZEN, 3, 300, 1000);
	put(&h, 1, FROZEN, 4, 300, 1000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	node_set_link(h.node, &h.node->ports[1], false, h.now);
	node_set_link(h.node, &h.node->ports[1], true, h.now);
	harness_run(&h, 2 * PS_PER_US);
	expect_pfc(&h, 1, PS_PER_US + PFC_TIME, 1 << 3 | 1 << 4, 65535, 65535);
	// Group 4 loses PFC; group 3 still has headroom in use.
	t = pfc_tables(1000);
	harness_profile(t)->pg[4].pfc_priorities = 0;
	node_set_tables(h.node, t);
	h.tables = t;
	harness_run(&h, 3 * PS_PER_US);
	tables_destroy(old);
	expect_pfc(&h, 1, 2 * PS_PER_US + PFC_TIME, 1 << 4, 0, 0);
	harness_run(&h, PS_PER_US + REFRESH + 1);
	expect_pfc(&h, 1, PS_PER_US + REFRESH + PFC_TIME, 1 << 3, 65535, 0);
	expect_nothing(&h, 1);
	harness_close(&h);
}

// While the far side takes nothing at all, one frame waits and says the latest.
static void
test_stuck_wire(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, pfc_tables(0));
	put(&h, 1, FROZEN, 3, 300, 1000);
	h.out[1]->limit = 0;
	harness_run(&h, 100 * REFRESH);
	assert_int_equal(h.pool->count, packet_pool_size(h.pool) - 2);
	node_set_tx_off(h.node, &h.node->ports[FROZEN], 0, h.now);
	harness_run(&h, h.now + PS_PER_US);
	h.out[1]->limit = UINT32_MAX;
	harness_run(&h, h.now + PS_PER_US);
	expect_pfc(&h, 1, 100 * REFRESH + PS_PER_US + PFC_TIME, 1 << 3, 0, 0);
	expect_nothing(&h, 1);
	assert_int_equal(h.node->ports[1].pfc_tx[3], 1);
	harness_check(&h);
	harness_close(&h);
}

// The same with 802.3x pauses in PFC's place.
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
	uint8_t want[60] = {0x01, 0x80, 0xc2, 0, 0, 0x01, [12] = 0x88, 0x08, 0x00, 0x01,
			    (uint8_t)(quanta >> 8), (uint8_t)quanta};
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
	harness_profile(link)->pg[3].pfc_priorities = harness_profile(link)->pg[4].pfc_priorities = 0;
	node_set_tables(h.node, link);
	h.tables = link;
	harness_run(&h, 3 * REFRESH);
	expect_pfc(&h, 1, 3 * PS_PER_US + PFC_TIME, 1 << 3 | 1 << 4, 0, 0);
	expect_nothing(&h, 1);
	tables_destroy(pfc);
	harness_check(&h);
	harness_close(&h);
}

// A priority that joins a group that is XOFF is paused at once, also when it comes from another
// one.
static void
test_priorities_move(void **state)
{
	struct tables *old = pfc_tables(0), *t = pfc_tables(0);
	struct harness h;

	(void)state;
	open_frozen(&h, old);
	put(&h, 1, FROZEN, 3, 300, 1000);
	harness_run(&h, PS_PER_US);
	expect_pfc(&h, 1, 1000 + PFC_TIME, 1 << 3, 65535, 0);
	harness_profile(t)->pg[3].pfc_priorities = 1 << 3 | 1 << 4;
	harness_profile(t)->pg[4].pfc_priorities = 0;
	node_set_tables(h.node, t);
	h.tables = t;
	harness_run(&h, 2 * PS_PER_US);
	expect_pfc(&h, 1, PS_PER_US + PFC_TIME, 1 << 4, 0, 65535);
	tables_destroy(old);

	// Both are XOFF, and 4 goes back to group 4 while 3 goes there as well.
	put(&h, 1, FROZEN, 4, 300, 2 * PS_PER_US);
	harness_run(&h, 3 * PS_PER_US);
	old = t;
	t = pfc_tables(0);
	harness_profile(t)->pg[3].pfc_priorities = 1 << 5;
	harness_profile(t)->pg[4].pfc_priorities = 1 << 3 | 1 << 4;
	node_set_tables(h.node, t);
	h.tables = t;
	harness_run(&h, 4 * PS_PER_US);
	tables_destroy(old);
	{
		uint16_t quanta[PRIORITIES];
		struct rte_mbuf *m = harness_take(&h, 1, NULL);

		// Nothing told by group 3 is left, so it says all anew; group 4 is not XOFF.
		assert_int_equal(harness_read_pfc(&h, 1, m, quanta), 1 << 3 | 1 << 4 | 1 << 5);
		assert_int_equal(quanta[3], 0);
		assert_int_equal(quanta[4], 0);
		assert_int_equal(quanta[5], 65535);
		packet_free(h.pool, m);
	}
	expect_nothing(&h, 1);
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
		cmocka_unit_test(test_xoff_and_refresh),
		cmocka_unit_test(test_xon),
		cmocka_unit_test(test_xon_offset),
		cmocka_unit_test(test_joins),
		cmocka_unit_test(test_waits_ahead_of_queues),
		cmocka_unit_test(test_xoff_and_xon_at_one_instant),
		cmocka_unit_test(test_xon_starts_at_once),
		cmocka_unit_test(test_xoff_of_an_empty_group),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_stuck_wire),
		cmocka_unit_test(test_link_pause),
		cmocka_unit_test(test_link_pause_waits),
		cmocka_unit_test(test_mode_change),
		cmocka_unit_test(test_priorities_move),
		cmocka_unit_test(test_link_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
