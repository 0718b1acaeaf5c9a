// SPDX-License-Identifier: BSD-3-Clause
// Who is who in a fabric that has tenants, and who joins whom. Control thread.
#pragma once

#include "control/model/topology/topology.h"

#include <jansson.h>

// A list of the tenants, `rest` last: {"tenant", "network": "east-west", "encap": "vxlan", "id":
// VNI or VLAN (0: plain), "dscp": "uniform" or "pipe", "hosts": [...], "joins": tenants whose VRFs
// it exchanges routes with, "border": [{"host", "prefix"}]}. Empty without tenants; NULL when
// memory ran out.
json_t *fabric_list_networks(const struct topology *t);
