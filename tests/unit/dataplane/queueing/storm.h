// SPDX-License-Identifier: BSD-3-Clause
// The PFC watchdog to the picosecond: port 1 of the leaf is paused, packets come for it by port 0.
// It looks every 10 us, a storm is 30 us without progress, and it ends when nobody has paused the
// queue for 20 us.
#pragma once

#include "pauses.h"

#include "dataplane/base/node_log.h"
#include "dataplane/queueing/watchdog.h"

#define POLL (10 * PS_PER_US)
#define DETECT (30 * PS_PER_US)
#define RESTORE (20 * PS_PER_US)
#define US PS_PER_US

static inline struct tables *
watchdog_tables(enum watchdog_action action)
{
	struct tables *t = harness_tables(4);

	t->watchdog_poll = POLL;
	harness_profile(t)->watchdog = (struct watchdog_profile){
		.on = true, .detect = DETECT, .restore = RESTORE, .action = (uint8_t)action};
	return t;
}

static inline void
open_with(struct harness *h, enum watchdog_action action)
{
	harness_open(h, watchdog_tables(action));
}

static inline const struct watchdog_queue *
watched(const struct harness *h, unsigned int port, unsigned int tc)
{
	return port_watchdog(&h->node->ports[port], tc);
}

// Nothing at all was logged, or just this.
static inline void
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

static inline void
expect_no_log(struct harness *h)
{
	struct node_log_entry e;

	assert_false(node_log_take(h->node->log, &e));
}

// Paused from 3 us for good. Looks at 10 (stuck since 3 us), 20, 30, 40 us: at 40 it is 37 us, and
// a storm; at 30 it was 27. Two packets wait.
static inline void
storm(struct harness *h)
{
	put_pfc(h, 1, 1 << 3, 65535, 3 * US); // 335 us
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
