// SPDX-License-Identifier: BSD-3-Clause
// How far the flows of a NIC have come. Control thread, between two turns of the node's worker.
#pragma once

#include "nic.h"

// Bytes of payload that a flow's sender, or a READ's reader, knows to have arrived, over all its
// repetitions so far. Returns 0, or -ENOENT when no queue pair of that number is one.
int nic_flow_acknowledged(const struct nic *nic, uint32_t qpn, uint64_t *out);
