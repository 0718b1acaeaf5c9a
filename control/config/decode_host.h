// SPDX-License-Identifier: BSD-3-Clause
// The maps of a host's settings.
#pragma once

#include "decode_fabric.h"

extern const struct schema schema_stall; // base struct config_stall
extern const struct schema schema_storm; // base struct config_storm
// By enum congestion_kind; base: the algorithm's parameters.
extern struct schema schema_congestion[CONGESTION_KINDS];
extern const struct schema_choice schema_congestion_names[];
