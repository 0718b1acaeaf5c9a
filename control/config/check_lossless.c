// SPDX-License-Identifier: BSD-3-Clause
// What keeps packets from being dropped must go together: lossless groups, PFC, and the pools of
// the classes behind them; for all ports, and for a port that has settings of its own. Ports with
// the same problem get one warning, which names the first of them.
#include "merge.h"

// The settings of all ports (port NULL) or of one, as far as these checks need them; for packets
// out of IP-in-IP, or for all others.
struct view {
	const struct config_port_qos *port;
	bool ipip;
	const uint8_t *group_of; // by priority
	const struct config_group *groups;
	uint8_t pfc_priorities;
};

static struct view
view_of(const struct switch_config *settings, const struct config_port_qos *port, bool ipip)
{
	unsigned set = port != NULL ? port->set : 0;

	return (struct view){
		.port = port,
		.ipip = ipip,
		.group_of = ipip ? settings->ipip.priority_to_group : settings->priority_to_group,
		.groups = set & CONFIG_PORT_QOS_GROUPS ? port->groups : settings->groups,
		.pfc_priorities = set & CONFIG_PORT_QOS_PFC ? port->pfc_priorities
							    : settings->pfc_priorities,
	};
}

// In the order of the warnings about a priority.
enum problem {
	PROBLEM_EMPTY_POOL,
	PROBLEM_LOSSY_GROUP,
	PROBLEM_NOT_LISTED,
	PROBLEM_NO_FLOW_CONTROL,
	PROBLEM_LOSSY_CLASS,
	PROBLEMS,
};

static bool
has_problem(const struct switch_config *settings, const struct view *view, int p,
	    enum problem problem)
{
	const struct config_group *group = &view->groups[view->group_of[p]];
	const struct config_amount *pool = &settings->pools[group->pool];
	bool listed = view->pfc_priorities & 1u << p;
	bool pfc = settings->flow_control == CONFIG_FLOW_CONTROL_PFC ||
		   settings->flow_control == CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC;

	switch (problem) {
	case PROBLEM_EMPTY_POOL: // as modes lossy and lossless-single-pool have one
		return group->reserved_bytes == 0 && pool->kind != CONFIG_AMOUNT_UNLIMITED &&
		       pool->value == 0;
	case PROBLEM_LOSSY_GROUP: // 802.3x pauses the whole link, whatever pfc.priorities says
		return pfc && listed && !group->lossless;
	case PROBLEM_NOT_LISTED:
		return pfc && !listed && group->lossless;
	case PROBLEM_NO_FLOW_CONTROL:
		return settings->flow_control == CONFIG_FLOW_CONTROL_NONE && group->lossless;
	default: // what is lossless at ingress has no limit of its own at egress
		return group->lossless && settings->classes[settings->priority_to_class[p]].pool ==
						  CONFIG_POOL_EGRESS_LOSSY;
	}
}

// Blames what can cause the problem, of all ports and of the one.
static void
blame(const struct switch_check *check, const struct view *view, int p, enum problem problem,
      struct config_error_origin *cause)
{
	const struct switch_config *settings = check->settings;
	int pg = view->group_of[p], tc = settings->priority_to_class[p];
	unsigned port = view->port != NULL ? view->port->number : 0;

	if (problem == PROBLEM_LOSSY_CLASS) {
		config_blame(cause, check->marks, "qos.priority-to-tc.%d", p);
		config_blame(cause, check->marks, "qos.tc.%d.pool", tc);
	} else if (problem == PROBLEM_EMPTY_POOL) {
		config_blame(cause, check->marks, "qos.pg.%d.pool", pg);
	} else {
		config_blame(cause, check->marks,
			     problem == PROBLEM_NO_FLOW_CONTROL ? "qos.flow-control"
								: "qos.pfc.priorities");
	}
	config_blame(cause, check->marks, "qos.pg.%d.lossless", pg);
	config_blame(cause, check->marks,
		     view->ipip ? "ipip.priority-to-pg.%d" : "qos.priority-to-pg.%d", p);
	if (port != 0)
		config_blame(cause, check->marks, "qos.ports.swp%u.pg.%d.lossless", port, pg);
	if (port != 0 && problem == PROBLEM_EMPTY_POOL)
		config_blame(cause, check->marks, "qos.ports.swp%u.pg.%d.pool", port, pg);
	else if (port != 0 && problem != PROBLEM_LOSSY_CLASS)
		config_blame(cause, check->marks, "qos.ports.swp%u.pfc.priorities", port);
	if (problem == PROBLEM_EMPTY_POOL)
		config_blame(cause, check->marks, "buffer.pools.%s.size",
			     config_pool_name(view->groups[pg].pool));
}

// where: "at swp2, " or nothing.
static void
warn(const struct switch_check *check, const struct view *view, int p, enum problem problem,
     const char *where)
{
	int pg = view->group_of[p], tc = check->settings->priority_to_class[p];
	struct config_error_origin cause = {0};
	char text[160];

	blame(check, view, p, problem, &cause);
	if (problem == PROBLEM_EMPTY_POOL)
		snprintf(text, sizeof(text),
			 "all of priority %d drops: its group %d is in %s, whose size is 0", p, pg,
			 config_pool_name(view->groups[pg].pool));
	else if (problem == PROBLEM_LOSSY_GROUP)
		snprintf(text, sizeof(text),
			 "group %d of priority %d is not lossless: no PFC is sent for it", pg, p);
	else if (problem == PROBLEM_LOSSY_CLASS)
		snprintf(text, sizeof(text),
			 "priority %d is in lossless group %d, but its class %d is in "
			 "egress-lossy: it may drop there",
			 p, pg, tc);
	else
		snprintf(text, sizeof(text),
			 "priority %d is in lossless group %d, but %s: it drops when headroom is "
			 "full",
			 p, pg,
			 problem == PROBLEM_NO_FLOW_CONTROL ? "flow-control is none"
							    : "pfc.priorities does not list it");
	diag_warning(check->diag, check->file, cause.mark.pos, cause.key, "%s%s%s", where,
		     view->ipip ? "out of IP-in-IP, " : "", text);
}

// The ports that have a problem which the others have not.
static void
check_ports(const struct switch_check *check, bool ipip, int p, enum problem problem)
{
	const struct switch_config *settings = check->settings;
	struct view first = {0};
	unsigned count = 0;
	char where[64];

	for (unsigned i = 0; i < settings->port_count; i++) {
		struct view view = view_of(settings, &settings->ports[i], ipip);

		if (has_problem(settings, &view, p, problem) && count++ == 0)
			first = view;
	}
	if (count == 0)
		return;
	snprintf(where, sizeof(where), "at swp%u, ", first.port->number);
	if (count > 1)
		snprintf(where, sizeof(where), "at swp%u and %u other port%s, ", first.port->number,
			 count - 1, count == 2 ? "" : "s");
	warn(check, &first, p, problem, where);
}

static void
check_priority(const struct switch_check *check, bool ipip, int p)
{
	struct view all = view_of(check->settings, NULL, ipip);

	for (enum problem one = 0; one < PROBLEMS; one++)
		if (has_problem(check->settings, &all, p, one))
			warn(check, &all, p, one, "");
		else
			check_ports(check, ipip, p, one);
}

void
check_lossless(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;

	for (int p = 0; p < CONFIG_PRIORITIES; p++) {
		check_priority(check, false, p);
		if (settings->ipip.on &&
		    settings->ipip.priority_to_group[p] != settings->priority_to_group[p])
			check_priority(check, true, p);
	}
}
