// SPDX-License-Identifier: BSD-3-Clause
// Shared by live.c, live_nodes.c and live_request.c.
#pragma once

#include "live.h"

#define LIVE_DEVICE_WIRE 512 // packets that may wait for a device

// Serves the request that a worker has, if any. On the worker, or while it does not run.
void live_serve_request(struct live_worker *w);

// Makes what a worker keeps of its nodes and of its wires to others. Returns 0 or -ENOMEM.
// live_forget_nodes() frees it. Control thread, the worker does not run.
int live_prepare_nodes(struct live_worker *w);
void live_forget_nodes(struct live_worker *w);

// The rest is the worker's.

// Has wires to the worker's nodes lower the instant when these are due. Those that other workers
// put on are watched by these.
void live_bind_wires(struct live_worker *w);

// Has all nodes visited in the next window.
void live_make_all_due(struct live_worker *w);

// Makes nodes due for which other workers have put something, up to what live_limit() has seen.
void live_take_notes(struct live_worker *w);

// When the next thing may happen at any node.
ps_t live_next_due(const struct live_worker *w);

// Takes everything that happens at nodes before `end`. Nothing happens before `start`, and the
// window is no longer than the drive's.
void live_advance_nodes(struct live_worker *w, ps_t start, ps_t end);
