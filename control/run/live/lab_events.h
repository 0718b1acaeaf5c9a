// SPDX-License-Identifier: BSD-3-Clause
// The file's events in a live fabric; private to control/live/.
#pragma once

#include "lab.h"

// Resolves them; the fabric exists. Returns 0, -EINVAL with the errors in diag, or -ENOMEM.
int lab_create_events(struct lab *lab, struct config_diag *diag);

// Puts the tables that have been left for nodes in force, and frees those before when no worker
// holds them any more: one grace period for all. Workers run.
void lab_publish_tables(struct lab *lab, struct tables **old, uint32_t count);
