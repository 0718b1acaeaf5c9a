// SPDX-License-Identifier: BSD-3-Clause
// The tenants of a fabric and the tenants that they join. Control thread.
#pragma once

#include "control/model/topology/topology.h"

#include <jansson.h>

// A list of the tenants, `rest` last: {"tenant", "network": "east-west", "encap": "vxlan", "id":
// VNI or VLAN (0: plain), "dscp": "uniform" or "pipe", "hosts": [...], "joins": tenants whose VRFs
// it exchanges routes with, "border": [{"host", "prefix"}]}. Empty without tenants.
json_t *fabric_list_networks(const struct topology *t);
