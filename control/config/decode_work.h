// SPDX-License-Identifier: BSD-3-Clause
// What the schema of `workload:` needs beyond tables; private to control/config/.
#pragma once

#include "decode.h"

// Which kind an item is, or a collective within a step: a bit, or 0 with an error reported.
uint32_t decode_work_kind(struct decoder *d, const struct yaml_node *node, void *base);
uint32_t decode_part_kind(struct decoder *d, const struct yaml_node *node, void *base);

// That the shares of `mix: {3: 90%, 0: 10%}` make 100 %.
void check_mix(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	       void *base);

// What no single key tells.
void check_work(struct decoder *d, const struct yaml_node *node, void *base);
void check_part(struct decoder *d, const struct yaml_node *node, void *base);
