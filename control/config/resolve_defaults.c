// SPDX-License-Identifier: BSD-3-Clause
// What a merged section leaves open, because it depends on other values: unlisted entries of maps,
// a group's pool and limit by whether it is lossless, a class's by what maps to it, the watchdog's
// times by its poll.
#include "merge.h"
#include "schema_keys_internal.h"

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

// Copies the keys that `from`, of one port, has of its own.
static void
copy_written(const struct schema *schema, void *to, const void *from)
{
	uint32_t written = schema->written(from);

	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];

		if (written >> i & 1)
			memcpy((char *)to + key->offset, (const char *)from + key->offset,
			       key->size);
	}
}

// General: before it was resolved, for what depends on whether the group is lossless follows the
// port's own.
static void
complete_port_group(struct config_group *own, const struct config_group *general, bool single_pool)
{
	struct config_group merged = *general;

	copy_written(&schema_port_group, &merged, own);
	merged.set = own->set;
	*own = merged;
	resolve_group(own, single_pool);
}

// Whether a group is lossless at any port.
static bool
is_lossless_somewhere(const struct switch_config *settings, unsigned group)
{
	for (unsigned i = 0; i < settings->port_count; i++)
		if (settings->ports[i].groups[group].lossless)
			return true;
	return settings->groups[group].lossless;
}

static void
complete_port_class(struct config_class *own, const struct config_class *general)
{
	struct config_class merged = *general;

	copy_written(&schema_port_class, &merged, own);
	merged.set = own->set;
	*own = merged;
}

// A detect of its own, as a time or in polls, takes the place of either. General: resolved.
static void
complete_port_watchdog(struct config_port_qos *port, const struct config_watchdog *general)
{
	struct config_watchdog *own = &port->watchdog;
	struct config_watchdog merged = *general;

	copy_written(&schema_port_watchdog, &merged, own);
	if (port->set & CONFIG_PORT_QOS_WATCHDOG)
		merged.on = own->on;
	merged.set = own->set;
	if (own->detect_ps != 0 || own->robustness != 0)
		merged.robustness = own->robustness;
	if (merged.robustness > 0)
		merged.detect_ps = merged.robustness * merged.poll_ps;
	*own = merged;
}

// What a port's settings leave open is as its switch has it.
static void
resolve_port(struct config_port_qos *port, const struct switch_config *settings)
{
	resolve_map(port->dscp_to_priority, CONFIG_DSCPS, 8, &port->dscp_listed);
	resolve_map(port->pcp_to_priority, CONFIG_PRIORITIES, 1, &port->pcp_listed);
	port->dscp_listed = port->pcp_listed = (struct config_listed){0};
	for (int i = 0; i < CONFIG_PRIORITIES; i++)
		complete_port_class(&port->classes[i], &settings->classes[i]);
	complete_port_watchdog(port, &settings->watchdog);
}

// What the tunnel's map of groups does not list is as for other packets.
static void
resolve_ipip(struct switch_config *settings)
{
	struct config_ipip *ipip = &settings->ipip;

	resolve_map(ipip->dscp_to_priority, CONFIG_DSCPS, 8, &ipip->dscp_listed);
	for (int p = 0; p < CONFIG_PRIORITIES; p++)
		if (!(ipip->group_listed.bits >> p & 1))
			ipip->priority_to_group[p] = ipip->group_listed.set
							     ? ipip->group_listed.value
							     : settings->priority_to_group[p];
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
	bool single_pool = settings->preset_mode == CONFIG_PRESET_MODE_SINGLE_POOL ||
			   settings->preset == CONFIG_PRESET_SONIC;

	resolve_map(settings->dscp_to_priority, CONFIG_DSCPS, 8, &settings->dscp_listed);
	resolve_map(settings->pcp_to_priority, CONFIG_PRIORITIES, 1, &settings->pcp_listed);
	resolve_map(settings->priority_to_group, CONFIG_PRIORITIES, 1, &settings->group_listed);
	resolve_map(settings->priority_to_class, CONFIG_PRIORITIES, 1, &settings->class_listed);
	resolve_ipip(settings);
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		struct config_group *group = &settings->groups[i];

		for (unsigned k = 0; k < settings->port_count; k++)
			complete_port_group(&ports[k].groups[i], group, single_pool);
		resolve_group(group, single_pool);
	}
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		bool lossless = false;

		for (int p = 0; p < CONFIG_PRIORITIES; p++)
			lossless |= settings->priority_to_class[p] == i &&
				    is_lossless_somewhere(settings, settings->priority_to_group[p]);
		resolve_class(&settings->classes[i], lossless);
	}
	settings->pcp_listed = settings->group_listed = settings->class_listed =
		(struct config_listed){0};
	resolve_watchdog(&settings->watchdog, preset);
	for (unsigned i = 0; i < settings->port_count; i++)
		resolve_port(&ports[i], settings);
}
