// SPDX-License-Identifier: BSD-3-Clause
// What tests of pacing share: an algorithm of congestion control that writes down what it is told.
#pragma once

#include "dataplane/roce/congestion.h"
#include "pair.h"

// An algorithm that keeps to a rate, ticks, and writes down what it is told.
struct tell_parameters {
	uint64_t byte_time;
	uint64_t window;
	ps_t tick; // 0: never
};

static struct {
	unsigned int sent, acknowledged, notified, lost, ticks;
	uint64_t acknowledged_bytes, occupancy;
	ps_t last_tick, late_ticks;
	struct congestion_path path;
} told;

static inline void
tell_start(struct congestion *c, const struct congestion_path *path)
{
	const struct tell_parameters *p = c->parameters;

	told.path = *path;
	c->byte_time = p->byte_time;
	if (p->window != 0)
		c->window_bytes = p->window;
	c->timer_at = p->tick != 0 ? p->tick : PS_NEVER;
}

static inline void
tell_sent(struct congestion *c, uint32_t occupancy_bytes, ps_t now)
{
	told.sent++;
	told.occupancy += occupancy_bytes;
	assert_true(now >= c->next_at);
	congestion_pace(c, occupancy_bytes, now);
}

static inline void
tell_acknowledged(struct congestion *c, uint64_t bytes, ps_t now)
{
	(void)c, (void)now;
	told.acknowledged++;
	told.acknowledged_bytes += bytes;
}

static inline void
tell_notified(struct congestion *c, ps_t now)
{
	assert_true(c->timer_at > now); // those missed have run
	told.notified++;
}

static inline void
tell_lost(struct congestion *c, ps_t now)
{
	(void)c, (void)now;
	told.lost++;
}

static inline void
tell_timer(struct congestion *c, ps_t at)
{
	const struct tell_parameters *p = c->parameters;

	assert_int_equal(at, c->timer_at);
	told.ticks++;
	told.last_tick = at;
	c->timer_at = at + p->tick;
}

static inline void
tell_read(const struct congestion *c, ps_t now, struct congestion_reading *out)
{
	(void)now;
	*out = (struct congestion_reading){.rate_bps = congestion_rate_of(c->byte_time)};
}

static const struct congestion_algorithm tell = {
	.parameters_bytes = sizeof(struct tell_parameters),
	.start = tell_start,
	.sent = tell_sent,
	.acknowledged = tell_acknowledged,
	.notified = tell_notified,
	.lost = tell_lost,
	.timer = tell_timer,
	.read = tell_read,
};

static inline void
pacing_init(struct pair *w, struct tell_parameters *parameters)
{
	memset(&told, 0, sizeof(told));
	pair_init(w, 1);
	w->config[A].congestion = &tell;
	w->config[A].congestion_parameters = parameters;
	pair_start(w);
	parameters->byte_time = 1; // theirs is a copy
}
