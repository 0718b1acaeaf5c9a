// SPDX-License-Identifier: BSD-3-Clause
// Shared by live.c and live_request.c.
#pragma once

#include "live.h"

#define LIVE_DEVICE_WIRE 512 // packets that may wait for a device

// Serves the request that a worker has, if any. On the worker, or while it does not run.
void live_serve_request(struct live_worker *w);
