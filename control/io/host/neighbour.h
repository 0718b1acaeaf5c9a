// SPDX-License-Identifier: BSD-3-Clause
// What the kernel knows about the way to a neighbour, in this thread's network namespace. Any
// thread.
#pragma once

#include <stdint.h>

// The MAC of a neighbour at an interface. Returns 0; -ENOENT if the kernel does not know it now; or
// another -errno. `address`: of IP version 4 or 6, network byte order.
int neighbour_get(unsigned interface, uint8_t version, const uint8_t *address, uint8_t mac[6]);
// Has the kernel resolve it, and does not wait. Returns 0 or -errno.
int neighbour_resolve(unsigned interface, uint8_t version, const uint8_t *address);

// The interface by which the kernel sends to an address, and the source that it uses. Returns 0;
// -ENETUNREACH; or another -errno.
int neighbour_route(uint8_t version, const uint8_t *address, unsigned *interface,
		    uint8_t source[16]);
