// SPDX-License-Identifier: BSD-3-Clause
// The schema of congestion control's parameters: a map for each algorithm that has any, under
// `hosts:`. Where the defaults come from stands in doc/nic.md.
#include "decode_host.h"

#define RATE_STEP_MIN 1000    // 1 kb/s
#define RATE_MIN_MIN 1000000  // 1 Mb/s
#define INTERVAL_MIN_PS 10000 // 10 ns
#define COUNT_MAX 1000

static const struct schema_form gain = {SCHEMA_TEXT, .pattern = "^[0-9]+/[0-9]+$",
					.words = "fraction such as 1/256, 1 at most"};

#define DCQCN(member) SCHEMA_AT(struct dcqcn_parameters, member)
static const struct schema_key dcqcn_keys[] = {
	{"gain", SCHEMA_FRACTION, .def = "1/256", .help = "g, the weight of news in alpha",
	 DCQCN(gain), .form = &gain},
	{"alpha-timer", SCHEMA_DURATION, .def = "55us",
	 .help = "without a CNP, after which alpha falls", DCQCN(alpha_timer),
	 .min = INTERVAL_MIN_PS, .max = SCHEMA_SECOND_PS},
	{"rate-timer", SCHEMA_DURATION, .def = "55us", .help = "between increases by time",
	 DCQCN(rate_timer), .min = INTERVAL_MIN_PS, .max = SCHEMA_SECOND_PS},
	{"byte-counter", SCHEMA_BYTES, .def = "10MB", .help = "between increases by bytes sent",
	 DCQCN(byte_counter), .min = 16000, .max = SCHEMA_BYTES_MAX},
	{"fast-recovery", SCHEMA_INTEGER, .def = "5",
	 .help = "F, increases before the target rises", DCQCN(fast_recovery), .min = 0,
	 .max = COUNT_MAX},
	{"rate-ai", SCHEMA_RATE, .def = "40M", .help = "additive increase", DCQCN(rate_ai_bps),
	 .min = RATE_STEP_MIN, .max = SCHEMA_RATE_MAX},
	{"rate-hai", SCHEMA_RATE, .def = "200M", .help = "hyper increase", DCQCN(rate_hai_bps),
	 .min = RATE_STEP_MIN, .max = SCHEMA_RATE_MAX},
	{"min-rate", SCHEMA_RATE, .def = "10M", .help = "never slower", DCQCN(rate_min_bps),
	 .min = RATE_MIN_MIN, .max = SCHEMA_RATE_MAX},
};
const struct schema schema_dcqcn = {SCHEMA_COUNT(dcqcn_keys)};

#define MLX(member) SCHEMA_AT(struct dcqcn_mlx_parameters, member)
static const struct schema_key dcqcn_mlx_keys[] = {
	{"gain", SCHEMA_FRACTION, .def = "1/256", .help = "g, the weight of news in alpha",
	 MLX(gain), .form = &gain},
	{"alpha-interval", SCHEMA_DURATION, .def = "1us", .help = "between updates of alpha",
	 MLX(alpha_interval), .min = INTERVAL_MIN_PS, .max = SCHEMA_SECOND_PS},
	{"decrease-interval", SCHEMA_DURATION, .def = "4us",
	 .help = "at most one decrease in this time", MLX(decrease_interval),
	 .min = INTERVAL_MIN_PS, .max = SCHEMA_SECOND_PS},
	{"increase-timer", SCHEMA_DURATION, .def = "300us", .help = "before and between increases",
	 MLX(increase_timer), .min = INTERVAL_MIN_PS, .max = SCHEMA_SECOND_PS},
	{"fast-recovery", SCHEMA_INTEGER, .def = "1", .help = "increases before the target rises",
	 MLX(fast_recovery), .min = 0, .max = COUNT_MAX},
	{"rate-ai", SCHEMA_RATE, .def = "auto",
	 .help = "additive increase; auto: 5M a 25G of the port", MLX(rate_ai_bps),
	 .min = RATE_STEP_MIN, .max = SCHEMA_RATE_MAX, .word = "auto"},
	{"rate-hai", SCHEMA_RATE, .def = "auto",
	 .help = "hyper increase; auto: 50M a 25G of the port", MLX(rate_hai_bps),
	 .min = RATE_STEP_MIN, .max = SCHEMA_RATE_MAX, .word = "auto"},
	{"min-rate", SCHEMA_RATE, .def = "100M", .help = "never slower", MLX(rate_min_bps),
	 .min = RATE_MIN_MIN, .max = SCHEMA_RATE_MAX},
	{"clamp-target", SCHEMA_BOOL, .def = "off",
	 .help = "every decrease lowers the target, not only the first in a row",
	 MLX(clamp_target)},
};
const struct schema schema_dcqcn_mlx = {SCHEMA_COUNT(dcqcn_mlx_keys)};

static const struct schema_key window_keys[] = {
	{"size", SCHEMA_BYTES, .def = "auto",
	 .help = "in flight for each queue pair; auto: the path's bandwidth-delay product",
	 SCHEMA_AT(struct window_parameters, size_bytes), .min = 1, .max = SCHEMA_BYTES_MAX,
	 .word = "auto"},
};
const struct schema schema_window = {SCHEMA_COUNT(window_keys)};
