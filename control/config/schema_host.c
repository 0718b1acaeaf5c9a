// SPDX-License-Identifier: BSD-3-Clause
// The schema of a host's settings: `hosts:` and a host's own section.
#include "decode_fabric.h"

#define AT(member) SCHEMA_AT(struct host_config, member)
#define LATER .flags = SCHEMA_LATER

static const struct schema_choice recoveries[] = {
	{"go-back-n", CONFIG_RECOVERY_GO_BACK_N, false},
	{"selective", CONFIG_RECOVERY_SELECTIVE, true},
	{"go-back-0", CONFIG_RECOVERY_GO_BACK_0, true},
	{NULL, 0, false},
};
static const struct schema_choice placements[] = {
	{"in-order", CONFIG_PLACEMENT_IN_ORDER, false},
	{"out-of-order", CONFIG_PLACEMENT_OUT_OF_ORDER, false},
	{NULL, 0, false},
};
static const struct schema_choice congestions[] = {
	{"none", CONFIG_CONGESTION_NONE, false},
	{"dcqcn", CONFIG_CONGESTION_DCQCN, true},
	{"dcqcn-mlx", CONFIG_CONGESTION_DCQCN_MLX, true},
	{"window", CONFIG_CONGESTION_WINDOW, true},
	{NULL, 0, false},
};
static const struct schema_choice ip_versions[] = {
	{"4", 4, false}, {"6", 6, false}, {NULL, 0, false}};

static const struct schema_key cnp_keys[] = {
	{"dscp", SCHEMA_INTEGER, .def = "48", .help = "of CNPs", AT(cnp_dscp), .min = 0, .max = 63},
	{"interval", SCHEMA_DURATION, .def = "50us", .help = "at most one CNP in this time",
	 AT(cnp_interval_ps), .min = 0, .max = SCHEMA_SECOND_PS},
};

static const struct schema_key host_keys[] = {
	{"recovery", SCHEMA_ENUM, .def = "go-back-n", .help = "what is sent again after a loss",
	 AT(recovery), .choices = recoveries},
	{"placement", SCHEMA_ENUM, .def = "in-order",
	 .help = "whether a packet may arrive ahead of another", AT(placement),
	 .choices = placements},
	{"congestion", SCHEMA_ENUM, .def = "none", .help = "congestion control", AT(congestion),
	 .choices = congestions},
	{"dcqcn", SCHEMA_MAP, LATER, .help = "parameters of dcqcn"},
	{"dcqcn-mlx", SCHEMA_MAP, LATER, .help = "parameters of dcqcn-mlx"},
	{"window", SCHEMA_MAP, LATER, .help = "parameters of window"},
	{"path-mtu", SCHEMA_CUSTOM, .def = "auto",
	 .help = "auto: the largest of 256..4096 that fits", AT(path_mtu), .min = 256, .max = 4096,
	 .word = "auto", .decode = decode_path_mtu},
	{"ack-every", SCHEMA_INTEGER, .def = "1", .help = "packets per ACK", AT(ack_every),
	 .min = 1, .max = 65536},
	{"priority", SCHEMA_INTEGER, .def = "3", .help = "of what it sends", AT(priority), .min = 0,
	 .max = 7},
	{"dscp", SCHEMA_INTEGER, .def = "auto", .help = "auto: the preset's for the priority",
	 AT(dscp), .min = 0, .max = 63, .word = "auto", .word_value = -1},
	{"ack-dscp", SCHEMA_INTEGER, .def = "auto", .help = "auto: the data's", AT(ack_dscp),
	 .min = 0, .max = 63, .word = "auto", .word_value = -1},
	{"cnp", SCHEMA_MAP, .sub = &(const struct schema){SCHEMA_COUNT(cnp_keys)}},
	{"rto", SCHEMA_DURATION, .def = "1ms", .help = "retransmission timeout", AT(rto_ps),
	 .min = 1000000, .max = SCHEMA_HOUR_PS},
	{"reorder-window", SCHEMA_INTEGER, .def = "1024", .help = "packets placed ahead of a gap",
	 AT(reorder_window), .min = 1, .max = 65536},
	{"reorder-timeout", SCHEMA_DURATION, .def = "100us", .help = "after which a gap is a loss",
	 AT(reorder_timeout_ps), .min = 1000, .max = SCHEMA_HOUR_PS},
	{"ip", SCHEMA_ENUM, .def = "4", .help = "IP version", AT(ip_version),
	 .choices = ip_versions},
	{"qps", SCHEMA_INTEGER, .def = "1", .help = "queue pairs a flow is split over", AT(qps),
	 .min = 1, .max = 1024},
	{"start-jitter", SCHEMA_DURATION, .def = "0ns", .help = "random start offset of each flow",
	 AT(start_jitter_ps), .min = 0, .max = SCHEMA_SECOND_PS},
	{"clock-ppm", SCHEMA_INTEGER, .def = "0", .help = "random skew of each host's rate",
	 AT(clock_ppm), .min = 0, .max = 1000},
	{"drain-rate", SCHEMA_RATE, LATER, .def = "none", .help = "slow receiver"},
	{"stall", SCHEMA_MAP, LATER, .help = "receiver that stops now and then"},
	{"pause-storm", SCHEMA_MAP, LATER, .help = "sends PFC without need"},
	{"header-bytes", SCHEMA_BYTES, .def = "auto", .help = "auto: real frames", AT(header_bytes),
	 .min = 1, .max = 1024, .word = "auto", .word_value = -1},
	{"ack-bytes", SCHEMA_BYTES, .def = "auto", .help = "auto: real frames", AT(ack_bytes),
	 .min = 1, .max = 1024, .word = "auto", .word_value = -1},
};

const struct schema schema_host = {SCHEMA_COUNT(host_keys), .size = sizeof(struct host_config)};
