// SPDX-License-Identifier: BSD-3-Clause
// Private to device_open.c and device_check.c. Control thread.
#pragma once

#include "device_linux.h"

#define DEVICE_WHY_MAX 192

// What matters of a pool, which need not exist yet.
struct device_packets {
	unsigned room; // bytes behind the headroom
	unsigned element_bytes;
};

// Finds the driver that `e->spec` names. Returns 0 or -EINVAL with a line in `e`.
int device_find_driver(const struct device_quirks **out, const struct device_error *e);

// The packets must suit the driver, and the frames of the MTU the packets. Returns 0 or -EINVAL
// with a line in `e`.
int device_check_frames(const struct device_quirks *quirks, const struct device_packets *packets,
			unsigned mtu, const struct device_error *e);

// What the driver is given: the user's spec, completed for packets of `room` bytes. Returns 0 or
// -EINVAL with a line in `e`.
int device_complete(const struct device_quirks *quirks, unsigned room,
		    char out[static DEVICE_SPEC_MAX], const struct device_error *e);
