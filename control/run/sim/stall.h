// SPDX-License-Identifier: BSD-3-Clause
// Why a run stands still.
#pragma once

#include "control/fabric/fabric.h"

#include <stdio.h>

// Prints how many packets are held, and if paused queues wait for each other in a cycle, that
// cycle: each queue waits for room in a group of the node behind it, whose packets wait in the next
// queue.
void stall_print(const struct fabric *f, ps_t now, FILE *to);
