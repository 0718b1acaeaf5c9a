// SPDX-License-Identifier: BSD-3-Clause
// Routes that a live fabric's switches learn (`learn:`). Control thread.
#pragma once

#include "live_fabric.h"

// Opens the sources of all VRFs that learn and waits, not for long, until what they know is in
// force. Returns 0; -EINVAL with the error in report->diag; or -errno with a line in report->err.
int learning_open(struct live_fabric *live, struct live_report *report);
void learning_close(struct live_fabric *live);

// Takes in what sources and switches say. Nothing where no VRF learns.
void learning_poll(struct live_fabric *live);
// Becomes readable when it is time to; -1 where no VRF learns.
int learning_fd(const struct live_fabric *live);
// How long until learning_poll() has to be called, in ms, at most `most`.
int learning_wait_ms(const struct live_fabric *live, int most);
