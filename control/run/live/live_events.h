// SPDX-License-Identifier: BSD-3-Clause
// The file's events in a live fabric; private to control/live/.
#pragma once

#include "live_fabric.h"

// Resolves them; the fabric exists. Returns 0, -EINVAL with the errors in diag, or -ENOMEM.
int live_events_create(struct live_fabric *live, struct diag *diag);

// Puts the tables that have been left for nodes in force, and frees those before when no worker
// holds them any more: one grace period for all. Workers run.
void live_events_publish_tables(struct live_fabric *live, struct tables **old, uint32_t count);

// Applies the file's events that are due. Errors go to the log.
void live_events_apply(struct live_fabric *live);

// How long until the next event in wall time, in ms, at most `most`.
int live_events_next_ms(const struct live_fabric *live, int most);

// A message without the name of the file, where it names no place in it.
const char *live_message_text(const struct diag_message *m);
