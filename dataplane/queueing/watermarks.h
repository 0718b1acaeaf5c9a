// SPDX-License-Identifier: BSD-3-Clause
// The watermarks of a node's buffer: the greatest depth of each queue, use of each group, pool and
// tenant (watermark.h: the user's and the persistent ones).
#pragma once

#include "dataplane/base/node.h"

// Clears the user's watermarks, or the persistent ones: they start again from what is held now. The
// node's worker, between turns.
void watermarks_clear(struct node *n, bool persistent);
