// SPDX-License-Identifier: BSD-3-Clause
// A node's snapshot (dataplane/tables.h) from its settings, its place in the topology and its
// routes. Control thread.
#pragma once

#include "../../dataplane/tables.h"
#include "../config/config.h"
#include "../routes/routes.h"
#include "../topology/topology.h"

// A switch's. routes: the node's own list. settings: config_switch() of the node.
// Returns 0 with a snapshot for tables_destroy(), -EINVAL with the errors in diag when the settings
// cannot hold (reserved space and headroom beyond the buffer, pools beyond 100 %), or -ENOMEM.
int tables_build(struct tables **out, const struct topology *topology, uint32_t node,
		 const struct switch_config *settings, const struct route_list *routes,
		 struct config_diag *diag);

// A NIC's. settings: those of the leaf it hangs on, so that both ends of the link agree on which
// DSCP is which priority, which priorities PFC pauses and which go first. A traffic class is a
// priority; the buffer is unlimited and nothing is marked. Returns 0, -EINVAL or -ENOMEM.
int tables_build_host(struct tables **out, const struct topology *topology, uint32_t node,
		      const struct switch_config *settings, struct config_diag *diag);
