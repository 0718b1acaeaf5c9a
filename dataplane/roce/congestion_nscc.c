// SPDX-License-Identifier: BSD-3-Clause
// NSCC, the sender's congestion control of Ultra Ethernet Transport (UE Specification 1.0, UET-CC),
// as the UEC's simulator has it (uet-htsim, htsim/sim/uec.cpp: initNsccParams(), quick_adapt(),
// updateCwndOnAck_NSCC(), updateCwndOnNack_NSCC()); it grew out of SMaRTT (Bonato et al.,
// "SMaRTT-REPS", 2024). A window of bytes in flight follows from two signals of each
// acknowledgement: the queueing delay d, which is what its round trip took longer than an empty
// network's, against a target T, and the CE mark.
//
//	no mark, d < T   proportional increase: 4 mtu a (T - d) / 12 us for each window
//	                 acknowledged; fast increase after a window without delay
//	no mark, d >= T  fair increase: 5 mtu a for each window acknowledged
//	mark, d < T      nothing: the queue has only begun to grow, another path may do
//	mark, d >= T     multiplicative decrease by the average delay D > T, once a round trip:
//	                 window (1 - g (D - T) / D), but no less than half
//
// `a` is the path's bandwidth-delay product in units of 150,000 bytes (100 Gb/s and 12 us, for
// which the constants were found). Increases are collected and applied every 8 packets.
//
// Quick adapt is for incast: when a round trip in which packets were trimmed, or were very late,
// has brought less than an eighth of the largest window, the window becomes what it has brought.
// Until what was in flight then has come back, marks are ignored. A trimmed packet takes its bytes
// off the window otherwise.
#include "congestion.h"

#define REFERENCE_RTT_PS 12e6
#define REFERENCE_BDP 150000.0
#define UNDELAYED_PS PS_PER_US // what counts as no delay
#define VERY_LATE 4            // times the target

struct nscc {
	double window; // bytes, as are all of these but the scale
	double largest;
	double target_ps;
	double average_ps;   // delay
	double increase;     // collected: bytes times bytes of the window
	double scale;        // a
	double bdp;          // of the path
	ps_t base_rtt;       // PS_NEVER: not known yet
	ps_t decreased_at;   // the last multiplicative decrease
	ps_t adjusted_at;    // the last increase by time
	ps_t measured_until; // the end of quick adapt's round trip; 0: none began
	uint64_t collected;  // acknowledged since the last adjustment
	uint64_t achieved;   // and in quick adapt's round trip
	uint64_t to_ignore;  // until so much more has come back, marks do not count
	uint64_t undelayed;  // acknowledged in a row without delay
	uint64_t byte_time;  // of the NIC's port
	uint32_t path_mtu;
	bool fast;    // in fast increase
	bool trimmed; // since the last quick adapt
};

// Sets what follows from the round trip of an empty network.
static void
nscc_set_base(struct nscc *s, const struct nscc_parameters *p, ps_t base_rtt, double bdp)
{
	s->base_rtt = base_rtt;
	s->bdp = bdp;
	s->scale = bdp / REFERENCE_BDP;
	s->target_ps = p->target_delay != 0 ? (double)p->target_delay : 0.75 * (double)base_rtt;
	s->largest = p->max_window_bytes != 0 ? (double)p->max_window_bytes : 1.5 * bdp;
	if (s->largest < s->path_mtu)
		s->largest = s->path_mtu;
}

static void
nscc_publish(struct congestion *c, struct nscc *s)
{
	if (s->window < s->path_mtu)
		s->window = s->path_mtu;
	if (s->window > s->largest)
		s->window = s->largest;
	c->window_bytes = (uint64_t)s->window;
}

static void
nscc_start(struct congestion *c, const struct congestion_path *path)
{
	struct nscc *s = congestion_state(c, struct nscc);

	s->path_mtu = path->path_mtu;
	s->byte_time = path->byte_time;
	s->base_rtt = PS_NEVER;
	if (path->base_rtt == 0)
		return; // no window before the first round trip
	nscc_set_base(s, c->parameters, path->base_rtt, (double)path->bdp_bytes);
	s->window = s->largest;
	nscc_publish(c, s);
}

// The bandwidth-delay product of a path with that round trip: of the rate that is known of it, or
// else of the NIC's.
static double
nscc_bdp_of(const struct nscc *s, ps_t rtt)
{
	if (s->base_rtt != PS_NEVER)
		return s->bdp * (double)rtt / (double)s->base_rtt;
	return (double)rtt * (1 << BYTE_TIME_FRACTION_BITS) / (double)s->byte_time;
}

// The queueing delay of a round trip, in picoseconds; one that is shorter than any before shows
// that the network is nearer than was known, if it is so by more than the error of the measurement.
static double
nscc_delay(struct congestion *c, struct nscc *s, const struct congestion_feedback *f)
{
	const struct nscc_parameters *p = c->parameters;
	bool first = s->base_rtt == PS_NEVER;
	double delay, sample;

	if (f->round_trip == 0)
		return s->average_ps;
	if (first || f->round_trip + CONGESTION_ROUND_TRIP_ERROR < s->base_rtt) {
		nscc_set_base(s, p, f->round_trip, nscc_bdp_of(s, f->round_trip));
		if (first)
			s->window = s->largest;
	}
	delay = f->round_trip > s->base_rtt ? (double)(f->round_trip - s->base_rtt) : 0;
	// A late packet without a mark: the queue is gone already.
	sample = !f->marked && delay > s->target_ps ? 0.25 * (double)s->base_rtt : delay;
	s->average_ps += p->delay_gain * (sample - s->average_ps);
	return delay;
}

// Whether the window was set, or the signal is to be ignored.
static bool
nscc_quick_adapt(struct nscc *s, const struct nscc_parameters *p, double delay, bool marked,
		 uint64_t in_flight, ps_t now)
{
	bool adapts = false;

	if (!p->quick_adapt)
		return false;
	if (s->to_ignore != 0 && marked) {
		adapts = true;
	} else if (now > s->measured_until) {
		if (s->measured_until != 0 && (s->trimmed || delay > VERY_LATE * s->target_ps) &&
		    (double)s->achieved * (double)(1u << p->quick_gate) < s->largest) {
			s->window = (double)s->achieved;
			s->to_ignore = in_flight;
			s->trimmed = false;
			adapts = true;
		}
		s->achieved = 0;
		s->measured_until = now + s->base_rtt + (ps_t)s->target_ps;
	}
	if (adapts) {
		s->increase = 0;
		s->collected = 0;
	}
	return adapts;
}

static void
nscc_increase(struct nscc *s, const struct nscc_parameters *p, double delay, uint64_t bytes)
{
	double unit = (double)s->path_mtu * s->scale;

	if (delay >= s->target_ps) {
		s->increase += p->fair_packets * unit * (double)bytes;
		return;
	}
	s->undelayed = delay < (double)UNDELAYED_PS ? s->undelayed + bytes : 0;
	s->fast = s->undelayed != 0 && (s->fast || (double)s->undelayed > s->window);
	if (s->fast)
		s->window += p->fast_gain * s->scale * (double)bytes;
	else
		s->increase += p->proportional_packets * unit * (double)bytes *
			       (s->target_ps - delay) / REFERENCE_RTT_PS;
}

static void
nscc_decrease(struct nscc *s, const struct nscc_parameters *p, ps_t now)
{
	double keeps;

	s->fast = false;
	s->undelayed = 0;
	if (s->average_ps <= s->target_ps || now - s->decreased_at <= s->base_rtt)
		return;
	keeps = 1 - p->decrease * (s->average_ps - s->target_ps) / s->average_ps;
	s->window *= keeps > 0.5 ? keeps : 0.5;
	s->decreased_at = now;
}

// Applies the increases that were collected.
static void
nscc_adjust(struct nscc *s, const struct nscc_parameters *p, ps_t now)
{
	s->window += s->increase / s->window;
	if (now - s->adjusted_at >= s->base_rtt) {
		s->window += p->periodic_gain * (double)s->path_mtu * s->scale;
		s->adjusted_at = now;
	}
	s->increase = 0;
	s->collected = 0;
}

static void
nscc_come_back(struct nscc *s, uint64_t bytes)
{
	s->to_ignore = s->to_ignore > bytes ? s->to_ignore - bytes : 0;
}

static void
nscc_fed_back(struct congestion *c, const struct congestion_feedback *f, ps_t now)
{
	struct nscc *s = congestion_state(c, struct nscc);
	const struct nscc_parameters *p = c->parameters;
	double delay;

	s->achieved += f->bytes;
	s->collected += f->bytes;
	nscc_come_back(s, f->bytes);
	delay = nscc_delay(c, s, f);
	if (s->base_rtt == PS_NEVER)
		return;
	if (!nscc_quick_adapt(s, p, delay, f->marked, f->in_flight, now)) {
		if (!f->marked)
			nscc_increase(s, p, delay, f->bytes);
		else if (delay >= s->target_ps)
			nscc_decrease(s, p, now);
		nscc_publish(c, s);
		if (s->collected > (uint64_t)p->adjust_packets * s->path_mtu ||
		    now - s->adjusted_at > s->base_rtt)
			nscc_adjust(s, p, now);
	}
	nscc_publish(c, s);
}

static void
nscc_trimmed(struct congestion *c, uint64_t bytes, uint64_t in_flight, ps_t now)
{
	struct nscc *s = congestion_state(c, struct nscc);
	const struct nscc_parameters *p = c->parameters;

	if (s->base_rtt == PS_NEVER)
		return;
	nscc_come_back(s, bytes);
	// The queue that it did not fit in takes about a round trip to empty.
	s->average_ps += p->delay_gain * ((double)s->base_rtt - s->average_ps);
	s->trimmed = true;
	if (!nscc_quick_adapt(s, p, 0, true, in_flight, now))
		s->window -= (double)bytes;
	nscc_publish(c, s);
}

static void
nscc_lost(struct congestion *c, ps_t now)
{
	struct nscc *s = congestion_state(c, struct nscc);

	(void)now;
	if (s->base_rtt == PS_NEVER)
		return;
	s->window -= s->path_mtu;
	nscc_publish(c, s);
}

static void
nscc_read(const struct congestion *c, ps_t now, struct congestion_reading *out)
{
	double line = congestion_rate_of(congestion_state(c, const struct nscc)->byte_time);

	(void)now;
	*out = (struct congestion_reading){.rate_bps = line, .target_bps = line};
}

#define AT(member) CONGESTION_AT(struct nscc_parameters, member)

// Where the defaults come from stands in doc/uet.md.
static const struct congestion_parameter nscc_rows[] = {
	{"target-delay", CONGESTION_TIME, "auto",
	 "queueing delay that it aims at; auto: 3/4 of the path's round trip", AT(target_delay),
	 .min = 1000, .max = PS_PER_S, .has_auto = true},
	{"max-window", CONGESTION_BYTES, "auto",
	 "largest window, which it starts with; auto: 3/2 of the path's bandwidth-delay product",
	 AT(max_window_bytes), .min = 1, .max = CONGESTION_BYTES_MAX, .has_auto = true},
	{"decrease", CONGESTION_FRACTION, "4/5",
	 "how much of the average delay above the target a decrease takes away", AT(decrease)},
	{"delay-gain", CONGESTION_FRACTION, "1/80", "weight of one sample in the average delay",
	 AT(delay_gain)},
	{"fair-increase", CONGESTION_COUNT, "5",
	 "packets that a round trip above the target without marks adds to the window",
	 AT(fair_packets), .min = 0, .max = CONGESTION_COUNT_MAX},
	{"proportional-increase", CONGESTION_COUNT, "4",
	 "packets that a round trip 12us below the target adds", AT(proportional_packets), .min = 0,
	 .max = CONGESTION_COUNT_MAX},
	{"fast-increase", CONGESTION_FRACTION, "1/4",
	 "part of what is acknowledged that is added after a window without delay", AT(fast_gain)},
	{"periodic-increase", CONGESTION_FRACTION, "3/20",
	 "part of a packet that each round trip adds", AT(periodic_gain)},
	{"adjust-every", CONGESTION_COUNT, "8", "acknowledged packets between adjustments",
	 AT(adjust_packets), .min = 0, .max = CONGESTION_COUNT_MAX},
	{"quick-adapt", CONGESTION_BOOL, "on",
	 "cut the window to what a round trip with trimmed packets has brought", AT(quick_adapt)},
	{"quick-adapt-gate", CONGESTION_COUNT, "3",
	 "only if that is less than the largest window divided by two to the power of this",
	 AT(quick_gate), .min = 0, .max = 16},
	{.key = NULL},
};

const struct congestion_algorithm congestion_nscc = {
	.parameters = nscc_rows,
	.parameters_bytes = sizeof(struct nscc_parameters),
	.start = nscc_start,
	.fed_back = nscc_fed_back,
	.trimmed = nscc_trimmed,
	.lost = nscc_lost,
	.read = nscc_read,
};
