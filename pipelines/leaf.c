// SPDX-License-Identifier: BSD-3-Clause
// The stages and their order: switch.h.
#include "pipelines.h"
#include "switch.h"

static ps_t
leaf_advance(struct node *n, ps_t start, ps_t until)
{
	return switch_advance(n, start, until);
}

const struct node_ops pipeline_leaf = {.advance = leaf_advance};
