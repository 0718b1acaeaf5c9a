// SPDX-License-Identifier: BSD-3-Clause
// The reaction point of DCQCN (Zhu et al.: Congestion Control for Large-Scale RDMA Deployments,
// SIGCOMM 2015, section 3.1, with the parameters of its section 5 and of the fluid model's table).
//
// A queue pair sends at line rate until the first CNP. A CNP remembers the rate as the target, cuts
// the rate by alpha / 2, and raises alpha; alpha falls again when alpha_timer passes without a CNP.
// From a CNP on the rate is increased by two clocks that run beside each other, one of time and one
// of bytes sent. With T and BC the increases that either has made since: until one of them has made
// more than F, the rate goes half the way to the target (fast recovery); then the target itself
// rises before, by R_AI, and by R_HAI once both have made more than F (additive and hyper
// increase). So there are F increases of fast recovery by one clock alone, which is how the
// paper's fluid model counts them: additive ones are those from number F + 1 on.
//
// Open in the paper, and settled here: alpha begins at 1, with the first CNP. R_HAI is added once
// for each increase (the authors' simulator; 802.1Qau multiplies it by the number of the increase).
// Bytes are those that a packet takes of the link, and it is their rate that is held. A new rate
// holds at once, also for the packet that waits (congestion_set_byte_time()): if it kept its time,
// 16 senders that start together on 40 Gb/s would cut one another to rates whose gaps outlast the
// recovery, and swing between idle and overload for ever.
//
// A queue pair whose byte time has come back to the line's is as before the first CNP: it is not
// paced and has no timer. alpha goes on falling then; that is made good when it is next needed.
#include "congestion.h"

struct dcqcn {
	double rate_bps;
	double target_bps;
	double alpha;
	double line_bps;
	uint64_t line_byte_time;
	ps_t alpha_at;       // when alpha falls next, while the queue pair rests as well
	ps_t increase_at;    // by time
	uint64_t bytes_left; // until an increase by bytes
	uint32_t time_stage; // increases since the last CNP
	uint32_t byte_stage;
};

// Not paced: before the first CNP, or all is recovered.
static bool
dcqcn_rests(const struct congestion *c)
{
	return c->byte_time == 0;
}

static void
dcqcn_start(struct congestion *c, const struct congestion_path *path)
{
	struct dcqcn *s = congestion_state(c, struct dcqcn);

	s->line_byte_time = path->byte_time;
	s->line_bps = congestion_rate_of(path->byte_time);
	s->rate_bps = s->target_bps = s->line_bps;
	s->alpha = 1;
	s->alpha_at = PS_NEVER;
}

// Paces at the rate, or rests when that is the line's.
static void
dcqcn_apply(struct congestion *c, struct dcqcn *s, ps_t now)
{
	uint64_t byte_time = congestion_byte_time_of(s->rate_bps);

	if (byte_time <= s->line_byte_time) {
		s->rate_bps = s->target_bps = s->line_bps;
		congestion_set_byte_time(c, 0, s->line_byte_time, now);
		c->timer_at = PS_NEVER;
		return;
	}
	congestion_set_byte_time(c, byte_time, s->line_byte_time, now);
	c->timer_at = time_min(s->alpha_at, s->increase_at);
}

static void
dcqcn_increase(struct congestion *c, struct dcqcn *s, ps_t now)
{
	const struct dcqcn_parameters *p = c->parameters;
	uint32_t most = s->time_stage > s->byte_stage ? s->time_stage : s->byte_stage;
	uint32_t least = s->time_stage < s->byte_stage ? s->time_stage : s->byte_stage;

	if (least > p->fast_recovery)
		s->target_bps += (double)p->rate_hai_bps;
	else if (most > p->fast_recovery)
		s->target_bps += (double)p->rate_ai_bps;
	if (s->target_bps > s->line_bps)
		s->target_bps = s->line_bps;
	s->rate_bps = (s->target_bps + s->rate_bps) / 2;
	dcqcn_apply(c, s, now);
}

static void
dcqcn_sent(struct congestion *c, uint32_t occupancy_bytes, ps_t now)
{
	const struct dcqcn_parameters *p = c->parameters;
	struct dcqcn *s = congestion_state(c, struct dcqcn);

	if (dcqcn_rests(c))
		return;
	if (s->bytes_left > occupancy_bytes) {
		s->bytes_left -= occupancy_bytes;
	} else {
		s->bytes_left += p->byte_counter - occupancy_bytes;
		s->byte_stage++;
		dcqcn_increase(c, s, now);
	}
	congestion_pace(c, occupancy_bytes, now);
}

// What alpha has become by `now`. While the queue pair rests nothing has counted the times it fell.
static double
dcqcn_alpha(const struct congestion *c, const struct dcqcn *s, ps_t now)
{
	const struct dcqcn_parameters *p = c->parameters;

	if (!dcqcn_rests(c) || now < s->alpha_at)
		return s->alpha;
	return s->alpha * congestion_power(1 - p->gain, (now - s->alpha_at) / p->alpha_timer + 1);
}

static void
dcqcn_notified(struct congestion *c, ps_t now)
{
	const struct dcqcn_parameters *p = c->parameters;
	struct dcqcn *s = congestion_state(c, struct dcqcn);

	s->alpha = dcqcn_alpha(c, s, now);
	s->target_bps = s->rate_bps;
	s->rate_bps *= 1 - s->alpha / 2;
	if (s->rate_bps < (double)p->rate_min_bps)
		s->rate_bps = (double)p->rate_min_bps;
	s->alpha = (1 - p->gain) * s->alpha + p->gain;
	s->time_stage = s->byte_stage = 0;
	s->alpha_at = now + p->alpha_timer;
	s->increase_at = now + p->rate_timer;
	s->bytes_left = p->byte_counter;
	dcqcn_apply(c, s, now);
}

static void
dcqcn_timer(struct congestion *c, ps_t at)
{
	const struct dcqcn_parameters *p = c->parameters;
	struct dcqcn *s = congestion_state(c, struct dcqcn);

	if (s->alpha_at <= at) {
		s->alpha *= 1 - p->gain;
		s->alpha_at += p->alpha_timer;
	}
	if (s->increase_at <= at) {
		s->increase_at += p->rate_timer;
		s->time_stage++;
		dcqcn_increase(c, s, at);
	} else {
		c->timer_at = time_min(s->alpha_at, s->increase_at);
	}
}

static void
dcqcn_read(const struct congestion *c, ps_t now, struct congestion_reading *out)
{
	const struct dcqcn *s = congestion_state(c, const struct dcqcn);

	*out = (struct congestion_reading){
		.rate_bps = s->rate_bps,
		.target_bps = s->target_bps,
		.alpha = dcqcn_alpha(c, s, now),
	};
}

#define AT(member) CONGESTION_AT(struct dcqcn_parameters, member)

// Where the defaults come from stands in doc/nic.md.
static const struct congestion_parameter dcqcn_rows[] = {
	{"gain", CONGESTION_FRACTION, "1/256", "g, the weight of new information in alpha",
	 AT(gain)},
	{"alpha-timer", CONGESTION_TIME, "55us", "time without a CNP after which alpha falls",
	 AT(alpha_timer), .min = 10 * PS_PER_NS, .max = PS_PER_S},
	{"rate-timer", CONGESTION_TIME, "55us", "time between increases by time", AT(rate_timer),
	 .min = 10 * PS_PER_NS, .max = PS_PER_S},
	{"byte-counter", CONGESTION_BYTES, "10MB", "bytes sent between increases by bytes",
	 AT(byte_counter), .min = 16000, .max = CONGESTION_BYTES_MAX},
	{"fast-recovery", CONGESTION_COUNT, "5", "F, increases before the target rises",
	 AT(fast_recovery), .min = 0, .max = CONGESTION_COUNT_MAX},
	{"rate-ai", CONGESTION_RATE, "40M", "additive increase", AT(rate_ai_bps),
	 .min = CONGESTION_RATE_STEP, .max = CONGESTION_RATE_MAX},
	{"rate-hai", CONGESTION_RATE, "200M", "hyper increase", AT(rate_hai_bps),
	 .min = CONGESTION_RATE_STEP, .max = CONGESTION_RATE_MAX},
	{"min-rate", CONGESTION_RATE, "10M", "the lowest rate", AT(rate_min_bps),
	 .min = CONGESTION_RATE_LEAST, .max = CONGESTION_RATE_MAX},
	{.key = NULL},
};

const struct congestion_algorithm congestion_dcqcn = {
	.parameters = dcqcn_rows,
	.parameters_bytes = sizeof(struct dcqcn_parameters),
	.start = dcqcn_start,
	.sent = dcqcn_sent,
	.notified = dcqcn_notified,
	.timer = dcqcn_timer,
	.read = dcqcn_read,
};
