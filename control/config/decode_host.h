// SPDX-License-Identifier: BSD-3-Clause
// The values of a host's keys that are not one plain word.
#pragma once

#include "decode_fabric.h"

decode_custom decode_gain; // a double: 1/256
// A map, or none or off. They are whole: nothing of one in a farther section shows through.
decode_custom decode_stall, decode_storm;

void check_stall(struct decoder *d, const struct yaml_node *node, void *base);
void check_storm(struct decoder *d, const struct yaml_node *node, void *base);

extern const struct schema schema_dcqcn;     // base struct dcqcn_parameters
extern const struct schema schema_dcqcn_mlx; // base struct dcqcn_mlx_parameters
extern const struct schema schema_window;    // base struct window_parameters
extern const struct schema schema_stall;     // base struct config_stall
extern const struct schema schema_storm;     // base struct config_storm
