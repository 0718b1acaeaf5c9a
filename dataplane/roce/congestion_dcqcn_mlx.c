// SPDX-License-Identifier: BSD-3-Clause
// The reaction point of DCQCN with the timers of ConnectX NICs, as the ns-3 simulators of HPCC and
// ConWeave model it ("dcqcn" there; NVIDIA: DCQCN CC parameters). What differs from the published
// algorithm: a CNP only leaves a mark. Every alpha_interval alpha rises where a CNP came in the
// interval and falls otherwise; every decrease_interval the rate is cut by alpha / 2 where a CNP
// came. Increases are by time alone: fast_recovery of them go half the way to the target, the next
// one adds R_AI to the target before, all further ones R_HAI. The target is set to the rate by a
// decrease that follows an increase, so that several in a row all recover to where they began;
// with clamp_target by each.
//
// Both intervals run from the queue pair's first CNP on. Nothing happens at most of their ends:
// alpha is worked out when it is next needed, and only the end of a decrease_interval in which a
// CNP came has a timer. An interval's end at the instant of a CNP comes before it.
#include "congestion.h"

struct dcqcn_mlx {
	double rate_bps;
	double target_bps;
	double alpha;
	double line_bps;
	uint64_t line_byte_time;
	ps_t alpha_at;    // end of the alpha interval that alpha has not been updated for
	ps_t decrease_at; // end of a decrease interval; while a CNP waits the one in which it came
	ps_t increase_at; // PS_NEVER when there is nothing to recover
	uint32_t stage;   // increases since the last decrease
	bool first;       // no CNP has come
	bool alpha_cnp;   // one came in the alpha interval
	bool decrease_cnp;
};

static void
mlx_start(struct congestion *c, const struct congestion_path *path)
{
	struct dcqcn_mlx *s = congestion_state(c, struct dcqcn_mlx);

	s->line_byte_time = path->byte_time;
	s->line_bps = congestion_rate_of(path->byte_time);
	s->rate_bps = s->target_bps = s->line_bps;
	s->alpha = 1;
	s->first = true;
	s->increase_at = PS_NEVER;
}

static void
mlx_sent(struct congestion *c, uint32_t occupancy_bytes, ps_t now)
{
	congestion_pace(c, occupancy_bytes, now);
}

// Paces at the rate, or not at all when that is the line's.
static void
mlx_apply(struct congestion *c, struct dcqcn_mlx *s, ps_t now)
{
	uint64_t byte_time = congestion_byte_time_of(s->rate_bps);

	if (byte_time <= s->line_byte_time) {
		s->rate_bps = s->target_bps = s->line_bps;
		s->increase_at = PS_NEVER;
		byte_time = 0;
	}
	congestion_set_byte_time(c, byte_time, s->line_byte_time, now);
}

static void
mlx_set_timer(struct congestion *c, const struct dcqcn_mlx *s)
{
	c->timer_at = s->decrease_cnp ? time_min(s->decrease_at, s->increase_at) : s->increase_at;
}

// What alpha has become by `now`; *ends: how many alpha intervals ended.
static double
mlx_alpha(const struct congestion *c, const struct dcqcn_mlx *s, ps_t now, uint64_t *ends)
{
	const struct dcqcn_mlx_parameters *p = c->parameters;
	double alpha = s->alpha;

	*ends = 0;
	if (s->first || now < s->alpha_at)
		return alpha;
	*ends = (now - s->alpha_at) / p->alpha_interval + 1;
	alpha = (1 - p->gain) * alpha + (s->alpha_cnp ? p->gain : 0);
	return *ends == 1 ? alpha : alpha * congestion_power(1 - p->gain, *ends - 1);
}

static void
mlx_update_alpha(struct congestion *c, struct dcqcn_mlx *s, ps_t now)
{
	const struct dcqcn_mlx_parameters *p = c->parameters;
	uint64_t ends;

	s->alpha = mlx_alpha(c, s, now, &ends);
	if (ends == 0)
		return;
	s->alpha_at += ends * p->alpha_interval;
	s->alpha_cnp = false;
}

static void
mlx_notified(struct congestion *c, ps_t now)
{
	const struct dcqcn_mlx_parameters *p = c->parameters;
	struct dcqcn_mlx *s = congestion_state(c, struct dcqcn_mlx);

	if (s->first) {
		s->first = false;
		s->alpha_at = now + p->alpha_interval;
		s->decrease_at = now + p->decrease_interval;
	} else {
		mlx_update_alpha(c, s, now);
		s->alpha_cnp = true;
		if (s->decrease_at <= now)
			s->decrease_at += ((now - s->decrease_at) / p->decrease_interval + 1) *
					  p->decrease_interval;
	}
	s->decrease_cnp = true;
	mlx_set_timer(c, s);
}

static void
mlx_decrease(struct congestion *c, struct dcqcn_mlx *s, ps_t at)
{
	const struct dcqcn_mlx_parameters *p = c->parameters;

	mlx_update_alpha(c, s, at);
	if (p->clamp_target || s->stage != 0)
		s->target_bps = s->rate_bps;
	s->rate_bps *= 1 - s->alpha / 2;
	if (s->rate_bps < (double)p->rate_min_bps)
		s->rate_bps = (double)p->rate_min_bps;
	s->stage = 0;
	s->increase_at = at + p->increase_timer;
	s->decrease_at = at + p->decrease_interval;
	s->decrease_cnp = false;
	mlx_apply(c, s, at);
}

static void
mlx_increase(struct congestion *c, struct dcqcn_mlx *s, ps_t at)
{
	const struct dcqcn_mlx_parameters *p = c->parameters;

	if (s->stage > p->fast_recovery)
		s->target_bps += (double)p->rate_hai_bps;
	else if (s->stage == p->fast_recovery)
		s->target_bps += (double)p->rate_ai_bps;
	if (s->target_bps > s->line_bps)
		s->target_bps = s->line_bps;
	s->rate_bps = (s->rate_bps + s->target_bps) / 2;
	s->stage++;
	s->increase_at = at + p->increase_timer;
	mlx_apply(c, s, at);
}

static void
mlx_timer(struct congestion *c, ps_t at)
{
	struct dcqcn_mlx *s = congestion_state(c, struct dcqcn_mlx);

	if (s->increase_at <= at)
		mlx_increase(c, s, at);
	if (s->decrease_cnp && s->decrease_at <= at)
		mlx_decrease(c, s, at);
	mlx_set_timer(c, s);
}

static void
mlx_read(const struct congestion *c, ps_t now, struct congestion_reading *out)
{
	const struct dcqcn_mlx *s = congestion_state(c, const struct dcqcn_mlx);
	uint64_t ends;

	*out = (struct congestion_reading){
		.rate_bps = s->rate_bps,
		.target_bps = s->target_bps,
		.alpha = mlx_alpha(c, s, now, &ends),
	};
}

// Rates of increase by the port's, as HPCC's simulator has them: 5 and 50 Mb/s for each 25 Gb/s.
#define AI_SHARE 5000
#define HAI_SHARE 500

static void
mlx_fit(void *parameters, uint64_t rate_bps)
{
	struct dcqcn_mlx_parameters *p = parameters;

	if (p->rate_ai_bps == 0)
		p->rate_ai_bps = rate_bps / AI_SHARE;
	if (p->rate_hai_bps == 0)
		p->rate_hai_bps = rate_bps / HAI_SHARE;
}

#define AT(member) CONGESTION_AT(struct dcqcn_mlx_parameters, member)

// Where the defaults come from stands in doc/nic.md.
static const struct congestion_parameter dcqcn_mlx_rows[] = {
	{"gain", CONGESTION_FRACTION, "1/256", "g, the weight of new information in alpha",
	 AT(gain)},
	{"alpha-interval", CONGESTION_TIME, "1us", "time between updates of alpha",
	 AT(alpha_interval), .min = 10 * PS_PER_NS, .max = PS_PER_S},
	{"decrease-interval", CONGESTION_TIME, "4us", "at most one decrease in this time",
	 AT(decrease_interval), .min = 10 * PS_PER_NS, .max = PS_PER_S},
	{"increase-timer", CONGESTION_TIME, "300us", "time before and between increases",
	 AT(increase_timer), .min = 10 * PS_PER_NS, .max = PS_PER_S},
	{"fast-recovery", CONGESTION_COUNT, "1", "increases before the target rises",
	 AT(fast_recovery), .min = 0, .max = CONGESTION_COUNT_MAX},
	{"rate-ai", CONGESTION_RATE, "auto", "additive increase; auto: 5M for each 25G of the port",
	 AT(rate_ai_bps), .min = CONGESTION_RATE_STEP, .max = CONGESTION_RATE_MAX,
	 .has_auto = true},
	{"rate-hai", CONGESTION_RATE, "auto", "hyper increase; auto: 50M for each 25G of the port",
	 AT(rate_hai_bps), .min = CONGESTION_RATE_STEP, .max = CONGESTION_RATE_MAX,
	 .has_auto = true},
	{"min-rate", CONGESTION_RATE, "100M", "the lowest rate", AT(rate_min_bps),
	 .min = CONGESTION_RATE_LEAST, .max = CONGESTION_RATE_MAX},
	{"clamp-target", CONGESTION_BOOL, "off",
	 "every decrease lowers the target, not only the first in a row", AT(clamp_target)},
	{.key = NULL},
};

const struct congestion_algorithm congestion_dcqcn_mlx = {
	.parameters = dcqcn_mlx_rows,
	.parameters_bytes = sizeof(struct dcqcn_mlx_parameters),
	.fit = mlx_fit,
	.start = mlx_start,
	.sent = mlx_sent,
	.notified = mlx_notified,
	.timer = mlx_timer,
	.read = mlx_read,
};
