// SPDX-License-Identifier: BSD-3-Clause
// The maps of a host's settings.
#pragma once

#include "decode_fabric.h"

extern const struct schema schema_dcqcn;     // base struct dcqcn_parameters
extern const struct schema schema_dcqcn_mlx; // base struct dcqcn_mlx_parameters
extern const struct schema schema_window;    // base struct window_parameters
extern const struct schema schema_stall;     // base struct config_stall
extern const struct schema schema_storm;     // base struct config_storm
