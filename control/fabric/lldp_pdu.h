// SPDX-License-Identifier: BSD-3-Clause
// What a switch port announces by LLDP. Control thread.
#pragma once

#include "control/io/lldp/lldp.h"
#include "fabric.h"

#define FABRIC_LLDP_TTL 120 // seconds

// Fills in chassis, port, names, capabilities, the loopbacks as management addresses, and DCBX,
// from the switch's place in the topology and its tables in force.
void fabric_lldp_pdu(const struct fabric *f, uint32_t node, uint16_t port, struct lldp_pdu *out);
