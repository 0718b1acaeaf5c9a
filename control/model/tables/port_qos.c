// SPDX-License-Identifier: BSD-3-Clause
// How a port classifies packets and what it writes into them, and which settings `qos.ports` has
// for it alone. A NIC follows the leaf's port behind it, so that both ends of the link agree.
#include "build_internal.h"

#include <string.h>

_Static_assert(CONFIG_PRIORITIES == PRIORITIES, "maps are of one length");

const struct config_port_qos *
tables_find_override(const struct tables_draft *draft, const struct topo_port *port)
{
	unsigned number = port->number;

	if (draft->host) {
		if (port->peer_node == TOPOLOGY_NONE)
			return NULL;
		number = draft->topology->nodes[port->peer_node].ports[port->peer_port].number;
	}
	return config_find_port(draft->settings, number);
}

void
tables_set_classification(const struct switch_config *settings, struct port_profile *profile)
{
	const enum config_trust *trust = settings->trust;

	memcpy(profile->dscp_to_priority, settings->dscp_to_priority,
	       sizeof(profile->dscp_to_priority));
	memcpy(profile->pcp_to_priority, settings->pcp_to_priority,
	       sizeof(profile->pcp_to_priority));
	profile->port_priority = settings->port_priority;
	for (unsigned i = 0; i < settings->trust_count; i++) {
		profile->trust_dscp |= trust[i] == CONFIG_TRUST_DSCP;
		profile->trust_pcp |= trust[i] == CONFIG_TRUST_PCP;
	}
	profile->pcp_first = settings->trust_count > 0 && trust[0] == CONFIG_TRUST_PCP;
}

void
tables_set_remark(const struct switch_config *settings, struct port_profile *profile)
{
	for (unsigned p = 0; p < PRIORITIES; p++) {
		int dscp = settings->remark.dscp[p], pcp = settings->remark.pcp[p];

		profile->remark.dscp[p] = dscp < 0 ? REMARK_LEAVE : (uint8_t)dscp;
		profile->remark.pcp[p] = pcp < 0 ? REMARK_LEAVE : (uint8_t)pcp;
		profile->remarks |= dscp >= 0 || pcp >= 0;
	}
}
