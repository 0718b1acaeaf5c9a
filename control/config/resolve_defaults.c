// SPDX-License-Identifier: BSD-3-Clause
// What a merged section leaves open, because it depends on other values: unlisted entries of maps,
// a group's pool and limit by whether it is lossless, a class's by what maps to it, the watchdog's
// times by its poll.
#include "merge.h"

static void
resolve_map(uint8_t *map, unsigned count, unsigned divisor, const struct config_listed *listed)
{
	for (unsigned i = 0; i < count; i++)
		if (!(listed->bits >> i & 1))
			map[i] = listed->set ? listed->value : i / divisor;
}

static void
resolve_group(struct config_group *group, bool single_pool)
{
	if (group->pool == CONFIG_POOL_AUTO)
		group->pool = group->lossless || single_pool ? CONFIG_POOL_INGRESS_LOSSLESS
							     : CONFIG_POOL_INGRESS_LOSSY;
	if (group->limit.kind == CONFIG_LIMIT_AUTO)
		group->limit = (struct config_limit){.kind = CONFIG_LIMIT_ALPHA,
						     .shift = group->lossless ? 0 : 3};
}

static void
resolve_class(struct config_class *class, bool lossless)
{
	if (class->pool == CONFIG_POOL_AUTO)
		class->pool = lossless ? CONFIG_POOL_EGRESS_LOSSLESS : CONFIG_POOL_EGRESS_LOSSY;
	if (class->limit.kind != CONFIG_LIMIT_AUTO)
		return;
	if (class->pool == CONFIG_POOL_EGRESS_LOSSLESS)
		class->limit = (struct config_limit){.kind = CONFIG_LIMIT_UNLIMITED};
	else
		class->limit = (struct config_limit){.kind = CONFIG_LIMIT_ALPHA, .shift = 3};
}

// A time that no section of the file wrote (0) is the preset's or default's, and at least a poll:
// who changes the poll alone contradicts nothing.
static void
resolve_watchdog(struct config_watchdog *watchdog, const struct config_watchdog *preset)
{
	uint64_t poll = watchdog->poll_ps;

	if (watchdog->restore_ps == 0)
		watchdog->restore_ps = preset->restore_ps > poll ? preset->restore_ps : poll;
	if (watchdog->detect_ps == 0 && watchdog->robustness == 0) {
		watchdog->detect_ps = preset->detect_ps > poll ? preset->detect_ps : poll;
		watchdog->robustness = preset->robustness;
	}
	if (watchdog->robustness > 0)
		watchdog->detect_ps = watchdog->robustness * poll;
}

void
merge_resolve_defaults(struct switch_config *settings, const struct config_watchdog *preset)
{
	struct config_port_qos *ports = (struct config_port_qos *)(uintptr_t)settings->ports;

	resolve_map(settings->dscp_to_priority, CONFIG_DSCPS, 8, &settings->dscp_listed);
	resolve_map(settings->pcp_to_priority, CONFIG_PRIORITIES, 1, &settings->pcp_listed);
	resolve_map(settings->priority_to_group, CONFIG_PRIORITIES, 1, &settings->group_listed);
	resolve_map(settings->priority_to_class, CONFIG_PRIORITIES, 1, &settings->class_listed);
	for (int i = 0; i < CONFIG_PRIORITIES; i++)
		resolve_group(&settings->groups[i],
			      settings->preset_mode == CONFIG_PRESET_MODE_SINGLE_POOL);
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		bool lossless = false;

		for (int p = 0; p < CONFIG_PRIORITIES; p++)
			lossless |= settings->priority_to_class[p] == i &&
				    settings->groups[settings->priority_to_group[p]].lossless;
		resolve_class(&settings->classes[i], lossless);
	}
	settings->pcp_listed = settings->group_listed = settings->class_listed =
		(struct config_listed){0};
	for (unsigned i = 0; i < settings->port_count; i++) {
		struct config_port_qos *port = &ports[i];

		resolve_map(port->dscp_to_priority, CONFIG_DSCPS, 8, &port->dscp_listed);
		resolve_map(port->pcp_to_priority, CONFIG_PRIORITIES, 1, &port->pcp_listed);
		port->dscp_listed = port->pcp_listed = (struct config_listed){0};
	}
	resolve_watchdog(&settings->watchdog, preset);
}
