// SPDX-License-Identifier: BSD-3-Clause
// Asking a view about the fixture at 5 us, as a client of the API does.
#pragma once

#include "report_fixture.h"

#include "control/show/show.h"

#include <stdio.h>

static char why[256]; // of the last refusal

// `also`: what the fixture does not have. Takes the reference to params.
static int
ask_with(const struct fixture *f, const struct show_state *also, json_t *params, json_t **out)
{
	struct show_state s = *also;
	struct diag diag = {0};
	int status;

	s.nodes = f->nodes;
	s.node_count = 2;
	s.now = 5 * PS_PER_US;
	status = show_answer(&s, params, out, &diag);
	snprintf(why, sizeof(why), "%s", diag_first_error(&diag));
	diag_free(&diag);
	json_decref(params);
	return status;
}

// The answer to a question that is not refused. `port`: or a node; NULL: all.
static json_t *
answer_with(const struct fixture *f, const struct show_state *also, const char *what,
	    const char *port)
{
	json_t *params = json_pack("{s:s,s:s*}", "what", what, "port", port), *out;

	assert_int_equal(ask_with(f, also, params, &out), 0);
	assert_integer_at(out, "time_ns", 5000);
	return out;
}
