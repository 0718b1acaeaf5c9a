// SPDX-License-Identifier: BSD-3-Clause
// A window of fixed size: parameters of congestion_window.
#pragma once

#include "congestion.h"

struct window_parameters {
	uint64_t size_bytes; // 0: the path's bandwidth-delay product
};
