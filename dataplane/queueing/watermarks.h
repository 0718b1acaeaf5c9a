// SPDX-License-Identifier: BSD-3-Clause
// The watermarks of a node's buffer: the greatest depth of each queue, use of each group, pool and
// tenant (watermark.h: the user's and the persistent ones).
#pragma once

#include "dataplane/base/node.h"

// Which watermarks of a node to clear; -1: all, of that kind of thing.
struct watermark_choice {
	bool persistent; // the persistent ones, not the user's
	int port;        // only of this port's groups and queues
	int pg;          // only of this group of the port
	int queue;       // only of this queue of the port
	int pool;        // only of this pool
};

#define WATERMARKS_OF_NODE .port = -1, .pg = -1, .queue = -1, .pool = -1

// Clears them: they start again from what is held now. The node's worker, between turns.
void watermarks_clear(struct node *n, const struct watermark_choice *which);
