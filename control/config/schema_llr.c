// SPDX-License-Identifier: BSD-3-Clause
// The schema of `qos.llr`: link-level retry.
#include "schema_keys_internal.h"

#include <stddef.h>

#define AT(member) SCHEMA_AT(struct config_llr, member)

static const struct schema_choice llr_actions[] = {{"best-effort", CONFIG_LLR_BEST_EFFORT},
						   {"block", CONFIG_LLR_BLOCK},
						   {"discard", CONFIG_LLR_DISCARD},
						   {NULL, 0}};

static const struct schema_key llr_keys[] = {
	{"state", SCHEMA_BOOL, .def = "off", .help = "turn link-level retry on", AT(on)},
	{"replay-buffer", SCHEMA_AMOUNT, .def = "auto",
	 .help = "bytes that a port may send without an ACK; auto: enough for full rate, "
		 "computed from rate, cable and MTU",
	 AT(buffer), .amounts = 1u << CONFIG_AMOUNT_AUTO | 1u << CONFIG_AMOUNT_BYTES},
	{"spacing", SCHEMA_BYTES, .def = "2048B",
	 .help = "minimum distance between ACKs of a port, in bytes at its rate", AT(spacing_bytes),
	 .min = 8, .max = 65535},
	{"replay-max", SCHEMA_INTEGER, .def = "1",
	 .help = "replays in a row without progress, after which the port gives up and drops the "
		 "frames that the receiver does not have",
	 AT(replay_max), .min = 1, .max = 255},
	{"timer", SCHEMA_DURATION, .def = "auto",
	 .help = "resend after this time without an ACK or NACK; auto: two round trips",
	 AT(timer_ps), .word = "auto", .flag_offset = offsetof(struct config_llr, timer_auto),
	 .min = 100000, .max = SCHEMA_SECOND_PS},
	{"init-action", SCHEMA_ENUM, .def = "best-effort",
	 .help = "new frames while a link starts or restarts: send without retry, hold, or drop",
	 AT(action), .choices = llr_actions},
};

const struct schema schema_llr = {SCHEMA_COUNT(llr_keys)};
