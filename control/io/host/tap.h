// SPDX-License-Identifier: BSD-3-Clause
// Tap interfaces for virtual machines: persistent, so that QEMU can open one by its name, leave it
// and open it again.
#pragma once

#include "control/base/diag.h"

#include <stdbool.h>

struct tap_options {
	const char *name;
	const char *fabric; // the alias says whose it is
	unsigned mtu;
};

// Makes the interface in this thread's namespace and brings it up, without IPv6 and offloads. One
// that a killed fabric of the same name left is used. Returns 0, or -EEXIST or -errno with an error
// in diag. Root.
int tap_create(const struct tap_options *options, struct diag *diag);

// Removes it, if it is still this fabric's. Returns whether it was.
bool tap_delete(const char *name, const char *fabric);
