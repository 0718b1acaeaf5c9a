// SPDX-License-Identifier: BSD-3-Clause
// The settings of one port: those of its switch, with what `qos.ports` has of it in their place.
#include "config.h"

#define MEMBER(bit, port_member, switch_member)                            \
	{                                                                  \
		bit, offsetof(struct config_port_qos, port_member),        \
			offsetof(struct switch_config, switch_member),     \
			sizeof(((struct switch_config *)0)->switch_member) \
	}
#define SAME(bit, member) MEMBER(bit, member, member)

// Where a port's settings stand, and those of the switch that they replace.
static const struct member {
	enum config_port_qos_set set;
	size_t from, to, size;
} members[] = {
	SAME(CONFIG_PORT_QOS_TRUST, trust_count),
	SAME(CONFIG_PORT_QOS_TRUST, trust),
	SAME(CONFIG_PORT_QOS_PRIORITY, port_priority),
	SAME(CONFIG_PORT_QOS_DSCP, dscp_to_priority),
	SAME(CONFIG_PORT_QOS_PCP, pcp_to_priority),
	SAME(CONFIG_PORT_QOS_REMARK, remark),
	MEMBER(CONFIG_PORT_QOS_MAX_RATE, max_rate_bps, port_max_rate_bps),
	SAME(CONFIG_PORT_QOS_CLASSES, classes),
	SAME(CONFIG_PORT_QOS_PFC, pfc_priorities),
	SAME(CONFIG_PORT_QOS_GROUPS, groups),
	SAME(CONFIG_PORT_QOS_WATCHDOG, watchdog),
};
#define MEMBERS (sizeof(members) / sizeof(members[0]))

const struct config_port_qos *
config_find_port(const struct switch_config *settings, unsigned number)
{
	for (unsigned i = 0; i < settings->port_count; i++)
		if (settings->ports[i].number == number)
			return &settings->ports[i];
	return NULL;
}

const struct switch_config *
config_port_settings(const struct switch_config *settings, const struct config_port_qos *port,
		     struct switch_config *own)
{
	if (port == NULL)
		return settings;
	*own = *settings;
	for (size_t i = 0; i < MEMBERS; i++)
		if (port->set & members[i].set)
			memcpy((char *)own + members[i].to, (const char *)port + members[i].from,
			       members[i].size);
	return own;
}

bool
config_same_port(const struct config_port_qos *a, const struct config_port_qos *b)
{
	unsigned set = a != NULL ? a->set : 0;

	if (set != (b != NULL ? b->set : 0))
		return false;
	for (size_t i = 0; i < MEMBERS; i++)
		if (set & members[i].set &&
		    memcmp((const char *)a + members[i].from, (const char *)b + members[i].from,
			   members[i].size) != 0)
			return false;
	return true;
}
