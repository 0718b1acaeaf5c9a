// SPDX-License-Identifier: BSD-3-Clause
// Policy routing: packets from an address of a host with several NICs leave by the NIC that has it.
#pragma once

#include "veth.h"

// Adds `ip rule from ADDRESS lookup TABLE` to this thread's network namespace, or removes it.
// Adding leaves one such rule, however many there were. Return 0, -ENOENT if there was none to
// remove, or -errno.
int rule_add(const struct veth_address *from, uint8_t table);
int rule_delete(const struct veth_address *from, uint8_t table);
