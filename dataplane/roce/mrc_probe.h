// SPDX-License-Identifier: BSD-3-Clause
// Probing the paths that a sender of Multipath Reliable Connection assumes to be bad. Worker only.
#pragma once

#include "mrc_sender.h"

// Its timer fired.
void mrc_probe_run(struct nic *nic, struct mrc_sender *x, ps_t now);
