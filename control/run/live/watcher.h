// SPDX-License-Identifier: BSD-3-Clause
// A small process that outlives this one for a moment, however it ends, and then takes the interfaces
// down whose frames nobody forwards any more. Control thread.
#pragma once

#include "live_fabric.h"

struct watcher;

// Starts it for the interfaces of `netdev:`, in this process's network namespace and before any other
// thread. NULL in *out if there is none. Returns 0 or -errno.
int watcher_start(struct watcher **out, const struct live_fabric *live, struct diag *diag);

// Ends it; the interfaces stay as they are. NULL is fine.
void watcher_stop(struct watcher *w);
