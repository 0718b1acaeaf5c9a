// SPDX-License-Identifier: BSD-3-Clause
// What devices, and the kernel under them, lose: no switch counts it, so `show interface` tells it
// beside the port. Control thread.
#pragma once

#include "live_fabric.h"

#include <jansson.h>

// Adds "device" to the ports of an answer of `show` ({"nodes": {NODE: {"ports": {PORT: ...}}}})
// that end in one: its spec and what it lost, in packets. Returns 0 or -ENOMEM.
int device_drops_add(const struct live_fabric *live, json_t *answer);
