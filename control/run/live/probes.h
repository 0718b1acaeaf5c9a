// SPDX-License-Identifier: BSD-3-Clause
// Probes of clients: packets that are sent to be followed through a live fabric (`roost trace
// --live`). Control thread.
#pragma once

#include "capture_hub.h"
#include "control/api/api.h"
#include "control/trace/trace.h"

#define PROBES_MAX 16 // at a time
#define PROBE_WAIT_MS 1000
#define PROBE_WAIT_MOST_MS 60000

struct probes;

struct probes *probes_create(struct capture_hub *hub, struct api_server *server);
// Before the hub is. NULL is fine.
void probes_destroy(struct probes *all);

// Sends a probe for the client whose request is being answered. Returns 0 with the answer in
// *result; -EINVAL, -EBUSY or -ENETDOWN with an error in diag.
int probes_begin(struct probes *all, const struct trace_state *state, const json_t *params,
		 json_t **result, struct diag *diag);

// Reports probes that have arrived, were dropped, or have been waited for long enough, and forgets
// those whose client is gone. After capture_hub_poll().
void probes_poll(struct probes *all);
