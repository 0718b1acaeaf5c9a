// SPDX-License-Identifier: BSD-3-Clause
// Congestion control by round-trip times: Swift (Kumar et al., "Swift: Delay is Simple and
// Effective for Congestion Control in the Datacenter", SIGCOMM 2020, section 3, algorithm 1). A
// window in packets, which may be a fraction of one, grows by `increase` a round trip while the
// round-trip time is below a target, and shrinks in proportion to how far it is above:
//
//	target = base + queue_target + max(0, min(a / sqrt(window) + b, scaling_range))
//	below:  window += increase * acknowledged / window     (window < 1: increase * acknowledged)
//	above:  window *= max(1 - decrease * (rtt - target) / rtt, 1 - max_decrease)
//
// a and b make the last term of the target scaling_range at scaling_min packets and 0 at
// scaling_max: the more flows share a queue, the smaller are their windows and the longer may the
// queue be; and a small window, with its longer target, grows at the cost of a large one.
//
// What differs from the paper: the base of the target is the round trip of the flow's empty path,
// where the paper estimates it by a constant and the number of hops; the transport times one packet
// at a time, so a window shrinks once for each packet timed, which is sent after the last change.
// Packets start rtt / window apart, however large the window is, as a NIC with a rate limiter for
// each queue pair does it; the paper's host paces below one packet only. The first sample limits
// the window to a share of what fills the path, because queue pairs of a host start together.
#include "congestion.h"

#include <math.h>

struct rtt {
	double window; // packets
	double window_max;
	double share;     // what the port's queue pairs start with together
	double scaling_a; // ps
	double scaling_b;
	ps_t base;         // round trip of the empty path, or the least seen; PS_NEVER: none yet
	ps_t last;         // sample; 0: none yet
	ps_t decreased_at; // 0: never
	const uint32_t *busy;
	ps_t gap; // between starts of packets; 0: not paced
	uint64_t line_byte_time;
	uint32_t path_mtu;
	uint32_t acknowledged; // bytes since the last sample
};

// A window of so many packets is set, at least the smallest and at most the largest.
static void
rtt_apply(struct congestion *c, struct rtt *s, double window, ps_t now)
{
	const struct rtt_parameters *p = c->parameters;
	ps_t old = s->gap, packet = time_of_bytes(s->line_byte_time, s->path_mtu);
	uint64_t whole;

	if (window > s->window_max)
		window = s->window_max;
	if (window < p->min_packets)
		window = p->min_packets;
	s->window = window;
	whole = (uint64_t)window;
	whole += (double)whole < window;
	c->window_bytes = whole * s->path_mtu;
	s->gap = (ps_t)((double)s->last / window);
	if (s->gap <= packet)
		s->gap = 0;
	// What is left of a gap goes on at the new rate, as in congestion_set_byte_time().
	if (c->next_at > now && old != 0)
		c->next_at = now + (ps_t)((double)(c->next_at - now) *
					  (double)(s->gap != 0 ? s->gap : packet) / (double)old);
}

// At the line's rate, the most that is in flight at the highest target.
static double
rtt_window_max(const struct rtt_parameters *p, const struct congestion_path *path)
{
	ps_t highest = path->base_rtt + p->queue_target + p->scaling_range;

	if (p->max_window_bytes != 0)
		return (double)p->max_window_bytes / path->path_mtu;
	return (double)(highest << BYTE_TIME_FRACTION_BITS) / (double)path->byte_time /
	       path->path_mtu;
}

static void
rtt_start(struct congestion *c, const struct congestion_path *path)
{
	const struct rtt_parameters *p = c->parameters;
	struct rtt *s = congestion_state(c, struct rtt);
	double least = 1 / sqrt(p->scaling_min), most = 1 / sqrt(p->scaling_max);

	s->scaling_a = (double)p->scaling_range / (least - most);
	s->scaling_b = -s->scaling_a * most;
	s->base = path->base_rtt != 0 ? path->base_rtt : PS_NEVER;
	s->line_byte_time = path->byte_time;
	s->path_mtu = path->path_mtu;
	s->window_max = rtt_window_max(p, path);
	s->busy = path->busy;
	s->share = path->bdp_bytes != 0 ? (double)path->bdp_bytes / path->path_mtu : 1;
	rtt_apply(c, s, s->share, 0);
}

static void
rtt_sent(struct congestion *c, uint32_t occupancy_bytes, ps_t now)
{
	struct rtt *s = congestion_state(c, struct rtt);
	ps_t from = c->next_at;

	(void)occupancy_bytes; // the window counts packets
	if (s->gap == 0)
		return;
	if (from > now || now - from >= s->gap)
		from = now;
	c->next_at = from + s->gap;
}

static void
rtt_acknowledged(struct congestion *c, uint64_t bytes, ps_t now)
{
	(void)now;
	congestion_state(c, struct rtt)->acknowledged += (uint32_t)bytes;
}

static double
rtt_target(const struct rtt_parameters *p, const struct rtt *s)
{
	double scaling = s->scaling_a / sqrt(s->window) + s->scaling_b;

	if (scaling > (double)p->scaling_range)
		scaling = (double)p->scaling_range;
	if (scaling < 0)
		scaling = 0;
	return (double)(s->base + p->queue_target) + scaling;
}

static void
rtt_sampled(struct congestion *c, ps_t rtt, ps_t now)
{
	const struct rtt_parameters *p = c->parameters;
	struct rtt *s = congestion_state(c, struct rtt);
	double window = s->window, target, factor;

	if (rtt < s->base)
		s->base = rtt;
	if (s->last == 0 && s->busy != NULL && window > s->share / *s->busy)
		window = s->window = s->share / *s->busy;
	s->last = rtt;
	target = rtt_target(p, s);
	if ((double)rtt < target) {
		double packets = (double)s->acknowledged / s->path_mtu * p->increase;

		window += window >= 1 ? packets / window : packets;
	} else {
		factor = 1 - p->decrease * ((double)rtt - target) / (double)rtt;
		if (factor < 1 - p->max_decrease)
			factor = 1 - p->max_decrease;
		window *= factor;
		s->decreased_at = now;
	}
	s->acknowledged = 0;
	rtt_apply(c, s, window, now);
}

static void
rtt_lost(struct congestion *c, ps_t now)
{
	const struct rtt_parameters *p = c->parameters;
	struct rtt *s = congestion_state(c, struct rtt);

	if (s->decreased_at != 0 && now - s->decreased_at < s->last)
		return;
	s->decreased_at = now;
	rtt_apply(c, s, s->window * (1 - p->max_decrease), now);
}

static void
rtt_read(const struct congestion *c, ps_t now, struct congestion_reading *out)
{
	const struct rtt *s = congestion_state(c, const struct rtt);
	double line = congestion_rate_of(s->line_byte_time), rate = line;

	(void)now;
	if (s->gap != 0)
		rate = 8e12 * s->path_mtu / (double)s->gap;
	*out = (struct congestion_reading){.rate_bps = rate, .target_bps = rate};
}

#define AT(member) CONGESTION_AT(struct rtt_parameters, member)

// Where the defaults come from stands in doc/nic.md.
static const struct congestion_parameter rtt_rows[] = {
	{"queue-target", CONGESTION_TIME, "20us",
	 "target queueing delay: round-trip time above that of the empty path", AT(queue_target),
	 .min = 0, .max = PS_PER_S},
	{"scaling-range", CONGESTION_TIME, "20us",
	 "added to the target for small windows; 0: nothing", AT(scaling_range), .min = 0,
	 .max = PS_PER_S},
	{"scaling-min", CONGESTION_FRACTION, "1/10",
	 "window in packets at which the whole range is added", AT(scaling_min)},
	{"scaling-max", CONGESTION_COUNT, "100",
	 "window in packets at and above which nothing is added", AT(scaling_max), .min = 2,
	 .max = CONGESTION_COUNT_MAX},
	{"increase", CONGESTION_FRACTION, "1/1", "packets by which a window grows in a round trip",
	 AT(increase)},
	{"decrease", CONGESTION_FRACTION, "4/5",
	 "beta, how strongly a window shrinks with what is beyond the target", AT(decrease)},
	{"max-decrease", CONGESTION_FRACTION, "1/2", "the most that a window shrinks at a time",
	 AT(max_decrease)},
	{"min-window", CONGESTION_FRACTION, "1/1000", "the smallest window, in packets",
	 AT(min_packets)},
	{"max-window", CONGESTION_BYTES, "auto",
	 "the largest window; auto: what the line carries in the longest round trip aimed at",
	 AT(max_window_bytes), .min = 1, .max = CONGESTION_BYTES_MAX, .has_auto = true},
	{.key = NULL},
};

const struct congestion_algorithm congestion_rtt = {
	.parameters = rtt_rows,
	.parameters_bytes = sizeof(struct rtt_parameters),
	.start = rtt_start,
	.sent = rtt_sent,
	.acknowledged = rtt_acknowledged,
	.sampled = rtt_sampled,
	.lost = rtt_lost,
	.read = rtt_read,
};
