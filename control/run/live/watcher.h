// SPDX-License-Identifier: BSD-3-Clause
// A small process that outlives this one for a moment, however it ends, and then takes the
// interfaces down whose frames nobody forwards any more. Control thread.
#pragma once

#include "live_fabric.h"

struct watcher;

// It is this program under another name: whether it was called so, and what it does then. Returns
// the status to exit with.
bool watcher_is_called(int argc, char **argv);
int watcher_main(void);

// Starts it, in the network namespace that the command was run in. Returns 0 or -errno.
int watcher_start(struct watcher **out, struct diag *diag);

// The device is about to be opened; or it is closed, and its interface is Linux's alone. Nothing
// for a device without an interface that would outlive the process. NULL is fine.
void watcher_add(struct watcher *w, const struct device_port *d);
void watcher_remove(struct watcher *w, const struct device_port *d);

// Starts it again if it has ended, a few times, and logs that, or that it does not read what it is
// sent.
void watcher_poll(struct live_fabric *live);

// Ends it; the interfaces stay as they are. NULL is fine.
void watcher_stop(struct watcher *w);
