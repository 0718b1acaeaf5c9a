// SPDX-License-Identifier: BSD-3-Clause
// Routes that a live fabric's switches learn (`learn:`). Control thread.
#pragma once

#include "lab.h"

// Opens the sources of all VRFs that learn and waits, not for long, until what they know is in
// force. Returns 0; -EINVAL with the error in report->diag; or -errno with a line in report->err.
int lab_open_learning(struct lab *lab, struct lab_report *report);
void lab_close_learning(struct lab *lab);

// Takes in what sources and switches say. Nothing where no VRF learns.
void lab_learn(struct lab *lab);
// Becomes readable when it is time to; -1 where no VRF learns.
int lab_learn_fd(const struct lab *lab);
// How long until lab_learn() has to be called, in ms, at most `most`.
int lab_learn_wait_ms(const struct lab *lab, int most);
