// SPDX-License-Identifier: BSD-3-Clause
// What a switch remembers to choose paths by (base/paths.h): room for it, and what it says.
#pragma once

#include "dataplane/base/node.h"

// Worker: makes room for what the tables, n->current, ask for. Memory runs out before the first
// packet or as abruptly as anywhere else where nothing sensible is left to do.
void paths_adopt(struct node *n);
// Control thread: leaves the memory for that (base/spare.h).
void paths_leave_spares(struct node *n, const struct tables *t);
void paths_destroy(struct node *n);

// Worker, between turns: an event has made a port's link degraded, or whole again.
void paths_set_degraded(struct node *n, const struct port *p, bool degraded);

// Entries of the flowlet table in which a packet was seen within the gap before `now`.
uint32_t paths_flowlets_open(const struct node *n, ps_t now);

// What a port sends, in bytes a window with the gaps between frames, as of `now`.
uint64_t paths_utilisation(const struct node *n, const struct port *p, ps_t now);
