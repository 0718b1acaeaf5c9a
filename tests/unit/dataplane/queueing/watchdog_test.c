// SPDX-License-Identifier: BSD-3-Clause
// The PFC watchdog to the picosecond: port 1 of the leaf is paused, packets come for it by port 0.
// It looks every 10 us, a storm is 30 us without progress, and it ends when nobody has paused the
// queue for 20 us.
#include "../harness.h"

#include "dataplane/node_log.h"
#include "dataplane/queueing/watchdog.h"

#define POLL (10 * PS_PER_US)
#define DETECT (30 * PS_PER_US)
#define RESTORE (20 * PS_PER_US)
#define US PS_PER_US
#define QUANTUM UINT64_C(5120) // 512 bit times at 100 Gb/s

static struct tables *
watchdog_tables(enum watchdog_action action)
{
	struct tables *t = harness_tables(4);

	t->watchdog = (struct watchdog_profile){
		.poll = POLL, .detect = DETECT, .restore = RESTORE, .action = (uint8_t)action};
	return t;
}

static void
open_with(struct harness *h, enum watchdog_action action)
{
	harness_open(h, watchdog_tables(action));
}

static struct tables *
adopt(struct harness *h, struct tables *t)
{
	struct tables *old = h->tables;

	node_set_tables(h->node, t);
	h->tables = t;
	return old;
}

static void
put(struct harness *h, unsigned int from, unsigned int to, unsigned int priority, ps_t at)
{
	harness_put(h, from,
		    harness_frame(h, &(struct frame){.to = to, .dscp = (uint8_t)(priority * 8)}),
		    at);
}

static void
pause_port(struct harness *h, unsigned int port, uint8_t vector, uint16_t quanta, ps_t at)
{
	uint16_t each[PRIORITIES];

	for (unsigned int i = 0; i < PRIORITIES; i++)
		each[i] = quanta;
	harness_put(h, port, harness_pfc(h, vector, each), at);
}

static const struct watchdog_queue *
watched(const struct harness *h, unsigned int port, unsigned int tc)
{
	return &h->node->ports[port].more[tc].watchdog;
}

// Nothing at all was logged, or just this.
static void
expect_log(struct harness *h, enum node_log_kind kind, ps_t at, ps_t span, uint64_t packets)
{
	struct node_log_entry e;

	assert_true(node_log_take(h->node->log, &e));
	assert_int_equal(e.kind, kind);
	assert_int_equal(e.at, at);
	assert_int_equal(e.span, span);
	assert_int_equal(e.packets, packets);
	assert_int_equal(e.port, 1);
	assert_int_equal(e.tc, 3);
	assert_false(node_log_take(h->node->log, &e));
}

static void
expect_no_log(struct harness *h)
{
	struct node_log_entry e;

	assert_false(node_log_take(h->node->log, &e));
}

// Sent packets by their instants: the next that left began at `at`.
static void
expect_started(struct harness *h, unsigned int port, ps_t at)
{
	ps_t left;
	struct rte_mbuf *m = harness_take(h, port, &left);

	assert_non_null(m);
	assert_int_equal(left, at + harness_frame_time(300));
	packet_free(h->pool, m);
}

// Paused from 3 us for good. Looks at 10 (stuck since 3 us), 20, 30, 40 us: at 40 it is 37 us, and
// a storm; at 30 it was 27. Two packets wait.
static void
storm(struct harness *h)
{
	pause_port(h, 1, 1 << 3, 65535, 3 * US); // 335 us
	put(h, 0, 1, 3, 4 * US);
	put(h, 0, 1, 3, 5 * US);
	harness_run(h, 40 * US);
	assert_false(watched(h, 1, 3)->storm);
	expect_no_log(h);
	harness_run(h, 40 * US + 1);
	assert_true(watched(h, 1, 3)->storm);
	assert_int_equal(watched(h, 1, 3)->storms, 1);
	expect_log(h, NODE_LOG_STORM, 40 * US, 37 * US, 0);
	harness_check(h);
}

// DROP without flush: what waits is sent from the look on, what comes is dropped, by whatever port;
// other queues of the port and queue 3 of other ports go on.
static void
test_drop(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	put(&h, 2, 1, 3, 42 * US);
	put(&h, 0, 1, 0, 43 * US);
	put(&h, 0, 2, 3, 44 * US);
	put(&h, 1, 2, 3, 45 * US); // comes in by the port; ingress is off
	harness_run(&h, 50 * US);
	expect_started(&h, 1, 40 * US);
	expect_started(&h, 1, 40 * US + harness_slot(300));
	expect_started(&h, 1, 43 * US);
	assert_null(harness_take(&h, 1, NULL));
	expect_started(&h, 2, 44 * US);
	expect_started(&h, 2, 45 * US);
	assert_int_equal(harness_drops(&h, 0, DROP_WATCHDOG), 1);
	assert_int_equal(harness_drops(&h, 2, DROP_WATCHDOG), 1);
	assert_int_equal(h.node->ports[1].queues[3].dropped, 2);
	assert_int_equal(h.node->ports[0].groups[3].packets,
			 4); // two queued, one refused, one for port 2
	assert_int_equal(watched(&h, 1, 3)->dropped, 2);
	assert_int_equal(h.node->held[1], 1 << 3); // what has a choice goes another way
	harness_check(&h);

	// The last frame that paused it came at 3 us: quiet for 20 us long since, so it ends at the
	// next look, and the pause, which lasts until 338.5 us, holds again.
	put(&h, 0, 1, 3, 50 * US);
	harness_run(&h, 60 * US);
	expect_log(&h, NODE_LOG_RESTORE_QUIET, 50 * US, 47 * US, 2);
	assert_int_equal(h.node->ports[1].paused, 1 << 3);
	assert_int_equal(h.node->ports[1].stormed, 0);
	assert_int_equal(h.node->ports[1].more[3].held.since, 50 * US);
	assert_int_equal(h.node->ports[1].more[3].held.total, 37 * US);
	assert_null(harness_take(&h, 1, NULL));
	harness_check(&h);

	// Which the watchdog finds stuck since 50 us: the next storm is at 80 us.
	harness_run(&h, 80 * US);
	assert_int_equal(watched(&h, 1, 3)->storms, 1);
	harness_run(&h, 80 * US + 1);
	assert_int_equal(watched(&h, 1, 3)->storms, 2);
	expect_log(&h, NODE_LOG_STORM, 80 * US, 30 * US, 0);
	harness_close(&h);
}

// While frames keep coming that pause it, the storm lasts; the last comes at 77 us, so that the
// looks at 80 and 90 see 3 and 13 us of quiet, and 100 us sees 23.
static void
test_restore_by_quiet(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	storm(&h);
	for (ps_t at = 45; at < 80; at += 8)
		pause_port(&h, 1, 1 << 3, 3000, at * US);
	pause_port(&h, 1, 1 << 4, 3000, 90 * US); // not obeyed, and another queue's
	pause_port(&h, 1, 1 << 3, 0, 91 * US);    // a resume pauses nobody
	harness_run(&h, 100 * US);
	assert_true(watched(&h, 1, 3)->storm);
	expect_no_log(&h);
	harness_run(&h, 100 * US + 1);
	assert_false(watched(&h, 1, 3)->storm);
	expect_log(&h, NODE_LOG_RESTORE_QUIET, 100 * US, 23 * US, 0);
	put(&h, 0, 1, 3, 101 * US);
	harness_run(&h, 102 * US);
	assert_int_equal(harness_drain(&h, 1), 3);
	harness_check(&h);
	harness_close(&h);
}

// Flush: what waits goes at the look, of all tenants and ports, and the cells come back then.
static void
test_flush(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;

	(void)state;
	t->watchdog.flush = true;
	harness_open(&h, t);
	put(&h, 2, 1, 3, 6 * US);
	put(&h, 0, 1, 0, 3 * US - 1); // another queue's packet is no progress of this one
	pause_port(&h, 1, 1 << 3, 65535, 3 * US);
	put(&h, 0, 1, 3, 4 * US);
	harness_run(&h, 40 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 40 * US, 37 * US, 0);
	assert_int_equal(harness_drops(&h, 0, DROP_WATCHDOG), 1);
	assert_int_equal(harness_drops(&h, 2, DROP_WATCHDOG), 1);
	assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSLESS].used, 0);
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(harness_drain(&h, 1), 1);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 42 * US);
	watchdog_restore(h.node, &h.node->ports[1], 3, h.now);
	expect_log(&h, NODE_LOG_RESTORE_BY_HAND, 42 * US, 39 * US, 3);
	assert_null(harness_take(&h, 1, NULL));
	harness_check(&h);
	harness_close(&h);
}

// A flush sends the XONs that it makes due, and those before the refresh of the same instant.
static void
test_flush_resumes(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;
	uint16_t quanta[PRIORITIES];
	struct rte_mbuf *m;
	ps_t left;

	(void)state;
	t->watchdog.flush = true;
	harness_profile(t)->pg[3].threshold =
		(struct threshold){.fixed = 300, .down = 63, .pool = POOL_INGRESS_LOSSLESS};
	harness_profile(t)->refresh = 35 * US; // 5 + 35 = 40
	harness_open(&h, t);
	storm(&h); // the second packet, at 5 us, goes to headroom
	harness_run(&h, 200 * US);
	m = harness_take(&h, 0, &left);
	assert_int_equal(left, 5 * US + harness_frame_time(60));
	assert_int_equal(harness_read_pfc(&h, 0, m, quanta), 1 << 3);
	assert_int_equal(quanta[3], 65535);
	packet_free(h.pool, m);
	m = harness_take(&h, 0, &left);
	assert_int_equal(left, 40 * US + harness_frame_time(60));
	assert_int_equal(harness_read_pfc(&h, 0, m, quanta), 1 << 3);
	assert_int_equal(quanta[3], 0);
	packet_free(h.pool, m);
	assert_null(harness_take(&h, 0, NULL));
	assert_int_equal(h.node->ports[0].groups[3].xoff_sent, 1);
	harness_check(&h);
	harness_close(&h);
}

// FORWARD: all is sent, nothing is dropped.
static void
test_forward(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_FORWARD);
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 50 * US);
	expect_started(&h, 1, 40 * US);
	expect_started(&h, 1, 40 * US + harness_slot(300));
	expect_started(&h, 1, 41 * US);
	assert_int_equal(h.node->held[1], 0);
	assert_int_equal(watched(&h, 1, 3)->dropped, 0);
	// The pause itself is known all along.
	assert_int_equal(h.node->ports[1].rx_pause[3].since, 3 * US);
	harness_check(&h);
	harness_close(&h);
}

// ALERT: nothing but the word; the pause holds to its end, at 338,539,200 ps.
static void
test_alert(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_ALERT);
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 500 * US);
	for (unsigned int i = 0; i < 3; i++)
		expect_started(&h, 1, 3 * US + 65535 * QUANTUM + i * harness_slot(300));
	assert_int_equal(h.node->ports[1].more[3].held.total, 65535 * QUANTUM);
	// The storm ended at 50 us, for nobody had paused it since 3 us, and the next began when
	// that had lasted.
	assert_true(watched(&h, 1, 3)->storms > 1);
	harness_check(&h);
	harness_close(&h);
}

// Half of `detect` is nothing, with packets waiting or not; nor is one look short of it.
static void
test_short_pause(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	pause_port(&h, 1, 1 << 3, (uint16_t)(15 * US / QUANTUM), 3 * US);
	put(&h, 0, 1, 3, 4 * US);
	pause_port(&h, 2, 1 << 3, (uint16_t)(15 * US / QUANTUM), 3 * US);
	pause_port(&h, 3, 1 << 3, 65535, 10 * US + 1); // stuck for 30 us - 1 ps at 40 us
	pause_port(&h, 3, 1 << 3, 0, 40 * US);
	harness_run(&h, 200 * US);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(watched(&h, i, 3)->storms, 0);
	expect_no_log(&h);
	assert_int_equal(harness_drain(&h, 1), 1);

	// Exactly `detect` is enough.
	pause_port(&h, 1, 1 << 3, 65535, 210 * US);
	harness_run(&h, 240 * US);
	assert_int_equal(watched(&h, 1, 3)->storms, 0);
	harness_run(&h, 240 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 240 * US, 30 * US, 0);
	harness_close(&h);
}

// A queue with packets that is let go for a moment but sends nothing in it, because it is frozen,
// stays stuck; one that sends a packet between pauses does not.
static void
test_gaps(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	node_set_tx_off(h.node, &h.node->ports[1], 1 << 3, 0);
	put(&h, 0, 1, 3, 1 * US);
	pause_port(&h, 1, 1 << 3, (uint16_t)(2 * US / QUANTUM), 9 * US); // held at 10 us
	for (ps_t at = 13; at < 40; at += 10) // and for a tenth of the time after that
		pause_port(&h, 1, 1 << 3, (uint16_t)(US / QUANTUM), at * US);
	harness_run(&h, 40 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 40 * US, 31 * US, 0);
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, 42 * US);
	harness_check(&h);
	harness_close(&h);

	open_with(&h, WATCHDOG_DROP);
	for (ps_t at = 3; at < 200; at += 10) {
		pause_port(&h, 1, 1 << 3, 65535, at * US);
		put(&h, 0, 1, 3, (at + 1) * US);
		pause_port(&h, 1, 1 << 3, 0, (at + 8) * US); // 1 or 2 packets go, once in a look
		pause_port(&h, 1, 1 << 3, 65535, (at + 9) * US);
	}
	harness_run(&h, 200 * US);
	assert_int_equal(watched(&h, 1, 3)->storms, 0);
	harness_check(&h);
	harness_close(&h);
}

// An empty queue is stuck while pauses hold it for more than 80 % of the time between looks: 81 %
// is a storm, 80 % is none.
static void
expect_empty_queue(ps_t held, bool storms)
{
	struct harness h;

	open_with(&h, WATCHDOG_DROP);
	// Each held from 2 us before a look on.
	for (ps_t at = 8 * US; at < 100 * US; at += POLL) {
		pause_port(&h, 1, 1 << 3, 65535, at);
		pause_port(&h, 1, 1 << 3, 0, at + held);
	}
	harness_run(&h, 40 * US + 1);
	assert_int_equal(watched(&h, 1, 3)->storms, storms);
	if (storms)
		expect_log(&h, NODE_LOG_STORM, 40 * US, 32 * US, 0);
	harness_run(&h, 90 * US);
	assert_int_equal(watched(&h, 1, 3)->storms, storms);
	harness_close(&h);
}

static void
test_empty_queue(void **state)
{
	(void)state;
	expect_empty_queue(8 * US + 1, true);
	expect_empty_queue(8 * US, false);
}

// Priorities 3 and 4 share queue 3: pauses that take turns hold it without a gap.
static void
test_two_priorities(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;

	(void)state;
	t->priority_to_tc[4] = 3;
	t->tc_priorities[3] = 1 << 3 | 1 << 4;
	t->tc_priorities[4] = 0;
	harness_profile(t)->obeyed = 1 << 3 | 1 << 4;
	harness_open(&h, t);
	for (ps_t at = 3; at < 200; at += 8) {
		pause_port(&h, 1, 1 << 3, (uint16_t)(5 * US / QUANTUM), at * US);
		pause_port(&h, 1, 1 << 4, (uint16_t)(5 * US / QUANTUM), (at + 4) * US);
	}
	harness_run(&h, 40 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 40 * US, 37 * US, 0);
	harness_run(&h, 200 * US);
	expect_no_log(&h);
	assert_int_equal(h.node->ports[1].more[3].held.total, 37 * US);
	assert_int_equal(h.node->ports[1].more[3].held.transitions, 1);
	assert_true(watched(&h, 1, 3)->storm);
	harness_close(&h);
}

// `ingress`: what comes in by the stormed port with the queue's priority is dropped, and its group,
// which is XOFF when the storm begins, says XON and then nothing.
static void
test_ingress(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;
	uint16_t quanta[PRIORITIES];
	struct rte_mbuf *m;
	ps_t left;

	(void)state;
	t->watchdog.ingress = true;
	harness_profile(t)->pg[3].threshold =
		(struct threshold){.fixed = 0, .down = 63, .pool = POOL_INGRESS_LOSSLESS};
	harness_open(&h, t);
	node_set_tx_off(h.node, &h.node->ports[2], 0xff, 0);
	pause_port(&h, 1, 1 << 3, 65535, 3 * US);
	put(&h, 1, 2, 3, 5 * US);
	put(&h, 1, 2, 3, 41 * US); // dropped
	put(&h, 1, 2, 0, 42 * US); // not of the priority
	put(&h, 0, 2, 3, 43 * US); // not by the port
	harness_run(&h, 50 * US);
	expect_log(&h, NODE_LOG_STORM, 40 * US, 37 * US, 0);
	for (unsigned int i = 0; i < 2; i++) {
		m = harness_take(&h, 1, &left);
		assert_int_equal(left, (i == 0 ? 5 * US : 40 * US) + harness_frame_time(60));
		assert_int_equal(harness_read_pfc(&h, 1, m, quanta), 1 << 3);
		assert_int_equal(quanta[3], i == 0 ? 65535 : 0);
		packet_free(h.pool, m);
	}
	assert_int_equal(harness_drops(&h, 1, DROP_WATCHDOG), 1);
	assert_int_equal(h.node->ports[1].groups[3].dropped, 1);
	assert_int_equal(h.node->ports[1].groups[3].packets, 2);
	assert_int_equal(watched(&h, 1, 3)->dropped, 1);
	assert_int_equal(node_queued(h.node), 3);
	harness_check(&h);
	assert_int_equal(harness_drain(&h, 1), 0);

	// When it is over, a packet is admitted, and causes XOFF.
	harness_run(&h, 50 * US + 1);
	expect_log(&h, NODE_LOG_RESTORE_QUIET, 50 * US, 47 * US, 1);
	put(&h, 1, 2, 3, 51 * US);
	harness_run(&h, 52 * US);
	assert_int_equal(harness_drain(&h, 1), 1);
	assert_int_equal(node_queued(h.node), 4);
	harness_check(&h);
	harness_close(&h);
}

// By hand: at once, in a storm only; the pause that still runs holds again.
static void
test_restore_by_hand(void **state)
{
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	watchdog_restore(h.node, &h.node->ports[1], 3, 0);
	expect_no_log(&h);
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 42 * US);
	watchdog_restore(h.node, &h.node->ports[1], 3, h.now);
	watchdog_restore(h.node, &h.node->ports[1], 3, h.now);
	expect_log(&h, NODE_LOG_RESTORE_BY_HAND, 42 * US, 39 * US, 1);
	put(&h, 0, 1, 3, 43 * US);
	harness_run(&h, 50 * US);
	assert_int_equal(harness_drain(&h, 1), 2);
	assert_int_equal(node_queued(h.node), 1);
	assert_int_equal(h.node->ports[1].more[3].held.since, 42 * US);
	harness_check(&h);
	harness_close(&h);
}

// Off, on, other actions while a storm lasts; and a queue held since before it was on counts from
// then.
static void
test_tables_change(void **state)
{
	struct tables *t;
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(4));
	pause_port(&h, 1, 1 << 3, 65535, 3 * US);
	put(&h, 0, 1, 3, 4 * US);
	harness_run(&h, 55 * US);
	assert_int_equal(h.node->watchdog_due, PS_NEVER);
	tables_destroy(adopt(&h, watchdog_tables(WATCHDOG_ALERT)));
	harness_run(&h, 60 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 60 * US, 57 * US, 0);
	assert_int_equal(node_queued(h.node), 1);

	pause_port(&h, 1, 1 << 3, 65535, 61 * US); // the storm goes on
	t = watchdog_tables(WATCHDOG_FORWARD);
	tables_destroy(adopt(&h, t));
	harness_run(&h, 62 * US);
	expect_started(&h, 1, 60 * US + 1);
	expect_no_log(&h);

	t = watchdog_tables(WATCHDOG_DROP);
	tables_destroy(adopt(&h, t));
	put(&h, 0, 1, 3, 63 * US);
	harness_run(&h, 65 * US);
	assert_int_equal(watched(&h, 1, 3)->dropped, 1);

	tables_destroy(adopt(&h, harness_tables(4)));
	put(&h, 0, 1, 3, 66 * US);
	harness_run(&h, 100 * US);
	expect_log(&h, NODE_LOG_RESTORE_CHANGED, 65 * US, 4 * US, 1);
	assert_int_equal(h.node->ports[1].stormed, 0);
	assert_int_equal(node_queued(h.node), 1); // held again
	assert_int_equal(h.node->ports[1].more[3].held.since, 65 * US);

	// Flush begins with the tables that say so.
	tables_destroy(adopt(&h, watchdog_tables(WATCHDOG_ALERT)));
	harness_run(&h, 100 * US + 1);
	expect_log(&h, NODE_LOG_STORM, 100 * US, 35 * US, 0);
	t = watchdog_tables(WATCHDOG_DROP);
	t->watchdog.flush = true;
	tables_destroy(adopt(&h, t));
	harness_run(&h, 101 * US);
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(watched(&h, 1, 3)->dropped, 2);

	// A queue that no obeyed priority maps to is not watched any more.
	t = watchdog_tables(WATCHDOG_DROP);
	harness_profile(t)->obeyed = 0;
	tables_destroy(adopt(&h, t));
	harness_run(&h, 102 * US);
	expect_log(&h, NODE_LOG_RESTORE_CHANGED, 101 * US, 40 * US, 1);
	assert_int_equal(h.node->ports[1].paused, 0);
	harness_check(&h);
	harness_close(&h);
}

// 802.3x: every queue of the port is watched, and the flush takes them all.
static void
test_link_pause(void **state)
{
	struct tables *t = watchdog_tables(WATCHDOG_DROP);
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	t->watchdog.flush = true;
	harness_profile(t)->link_pause = true;
	harness_open(&h, t);
	m = harness_pfc(&h, 0, (const uint16_t[PRIORITIES]){0});
	packet_data(m)[14] = 0x00;
	packet_data(m)[16] = packet_data(m)[17] = 0xff;
	harness_put(&h, 1, m, 3 * US);
	put(&h, 0, 1, 0, 4 * US);
	put(&h, 0, 1, 3, 4 * US);
	put(&h, 0, 1, 6, 4 * US);
	harness_run(&h, 40 * US);
	assert_int_equal(node_queued(h.node), 3);
	harness_run(&h, 41 * US);
	assert_int_equal(node_queued(h.node), 0);
	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		assert_int_equal(watched(&h, 1, tc)->storms, 1);
		assert_int_equal(watched(&h, 1, tc)->dropped, tc == 0 || tc == 3 || tc == 6);
	}
	harness_check(&h);
	harness_close(&h);
}

// Looks come at multiples of `poll`, however the timer is used otherwise, and the outcome does not
// depend on the windows.
static void
test_windows(void **state)
{
	struct node_log_entry e;
	struct harness h;

	(void)state;
	open_with(&h, WATCHDOG_DROP);
	h.window = 7777;
	storm(&h);
	put(&h, 0, 1, 3, 41 * US);
	harness_run(&h, 300 * US);
	assert_true(node_log_take(h.node->log, &e));
	assert_int_equal(e.at, 50 * US);
	assert_true(node_log_take(h.node->log, &e));
	assert_int_equal(e.at, 80 * US);
	assert_int_equal(h.node->watchdog_due, 300 * US);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drop),          cmocka_unit_test(test_restore_by_quiet),
		cmocka_unit_test(test_flush),         cmocka_unit_test(test_flush_resumes),
		cmocka_unit_test(test_forward),       cmocka_unit_test(test_alert),
		cmocka_unit_test(test_short_pause),   cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_empty_queue),   cmocka_unit_test(test_two_priorities),
		cmocka_unit_test(test_ingress),       cmocka_unit_test(test_restore_by_hand),
		cmocka_unit_test(test_tables_change), cmocka_unit_test(test_link_pause),
		cmocka_unit_test(test_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
