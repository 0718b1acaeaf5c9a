// SPDX-License-Identifier: BSD-3-Clause
// How a port classifies packets and what it writes into them, with the settings that `qos.ports`
// has for one port alone. A NIC follows the leaf's port behind it, so that both ends of the link
// agree.
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
	for (unsigned i = 0; i < draft->settings->port_count; i++)
		if (draft->settings->ports[i].number == number)
			return &draft->settings->ports[i];
	return NULL;
}

static unsigned
override_set(const struct config_port_qos *override)
{
	return override != NULL ? override->set : 0;
}

bool
tables_same_override(const struct config_port_qos *a, const struct config_port_qos *b)
{
	unsigned set = override_set(a);

	if (set != override_set(b))
		return false;
	if (set & CONFIG_PORT_QOS_TRUST &&
	    (a->trust_count != b->trust_count ||
	     memcmp(a->trust, b->trust, a->trust_count * sizeof(a->trust[0])) != 0))
		return false;
	if (set & CONFIG_PORT_QOS_PRIORITY && a->port_priority != b->port_priority)
		return false;
	if (set & CONFIG_PORT_QOS_DSCP &&
	    memcmp(a->dscp_to_priority, b->dscp_to_priority, sizeof(a->dscp_to_priority)) != 0)
		return false;
	if (set & CONFIG_PORT_QOS_PCP &&
	    memcmp(a->pcp_to_priority, b->pcp_to_priority, sizeof(a->pcp_to_priority)) != 0)
		return false;
	if (set & CONFIG_PORT_QOS_REMARK && memcmp(&a->remark, &b->remark, sizeof(a->remark)) != 0)
		return false;
	return !(set & CONFIG_PORT_QOS_MAX_RATE) || a->max_rate_bps == b->max_rate_bps;
}

void
tables_set_classification(const struct switch_config *settings,
			  const struct config_port_qos *override, struct port_profile *profile)
{
	unsigned set = override_set(override);
	bool trust_here = set & CONFIG_PORT_QOS_TRUST;
	const enum config_trust *trust = trust_here ? override->trust : settings->trust;
	unsigned count = trust_here ? override->trust_count : settings->trust_count;

	memcpy(profile->dscp_to_priority,
	       set & CONFIG_PORT_QOS_DSCP ? override->dscp_to_priority : settings->dscp_to_priority,
	       sizeof(profile->dscp_to_priority));
	memcpy(profile->pcp_to_priority,
	       set & CONFIG_PORT_QOS_PCP ? override->pcp_to_priority : settings->pcp_to_priority,
	       sizeof(profile->pcp_to_priority));
	profile->port_priority = set & CONFIG_PORT_QOS_PRIORITY ? override->port_priority
								: settings->port_priority;
	for (unsigned i = 0; i < count; i++) {
		profile->trust_dscp |= trust[i] == CONFIG_TRUST_DSCP;
		profile->trust_pcp |= trust[i] == CONFIG_TRUST_PCP;
	}
	profile->pcp_first = count > 0 && trust[0] == CONFIG_TRUST_PCP;
}

void
tables_set_remark(const struct switch_config *settings, const struct config_port_qos *override,
		  struct port_profile *profile)
{
	const struct config_remark *remark = override_set(override) & CONFIG_PORT_QOS_REMARK
						     ? &override->remark
						     : &settings->remark;

	for (unsigned p = 0; p < PRIORITIES; p++) {
		int dscp = remark->dscp[p], pcp = remark->pcp[p];

		profile->remark.dscp[p] = dscp < 0 ? REMARK_LEAVE : (uint8_t)dscp;
		profile->remark.pcp[p] = pcp < 0 ? REMARK_LEAVE : (uint8_t)pcp;
		profile->remarks |= dscp >= 0 || pcp >= 0;
	}
}

uint64_t
tables_port_max_rate(const struct switch_config *settings, const struct config_port_qos *override)
{
	return override_set(override) & CONFIG_PORT_QOS_MAX_RATE ? override->max_rate_bps
								 : settings->port_max_rate_bps;
}
