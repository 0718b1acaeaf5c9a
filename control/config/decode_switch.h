// SPDX-License-Identifier: BSD-3-Clause
// The values of a switch's settings that are not one plain word: maps of priorities, thresholds
// that exclude each other, lists. Their base is the struct their schema stands for.
#pragma once

#include "decode.h"

typedef void decode_custom(struct decoder *d, const struct schema_key *key,
			   const struct yaml_node *node, void *base);

decode_custom decode_alpha, decode_static; // into one struct config_limit
decode_custom decode_ecn;                  // {min, max, probability}, or off
decode_custom decode_trust, decode_priorities, decode_grades;
// Base struct switch_draft: the map and what `default:` in it says.
decode_custom decode_dscp_map, decode_pcp_map, decode_group_map, decode_class_map;

// `alpha` and `static` in one section: which would win?
void check_one_limit(struct decoder *d, const struct yaml_node *node, void *base);

extern const struct schema schema_ecn; // base struct config_ecn
