// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "input.h"

struct replay_options {
	const char *file;
	const char *out; // directory
	ps_t until;      // PS_NEVER: until drained
	bool line_rate;
	const struct replay_input *inputs; // port_name and path of each
	unsigned input_count;              // at most PORTS_MAX
};

// `roost replay`: plays captures into one switch in virtual time. Errors go to stderr. Returns an
// exit status.
int run_replay(const struct replay_options *options);
