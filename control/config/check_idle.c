// SPDX-License-Identifier: BSD-3-Clause
// Keys of the file that change nothing because another key overrides them, which is mostly a
// mistake. Many switches read a section, and `set` events change settings, so there is a warning
// only for a key that has no effect on any switch at any of these times. Values of presets and
// defaults get none.
#include "merge.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct idle_key {
	struct diag_pos pos;
	char key[48];
	char why[160];
	bool used;
};

static struct idle_key *
find_or_add(struct idle_keys *idle, struct diag_pos pos, const char *key, const char *why)
{
	struct idle_key *added;

	for (unsigned i = 0; i < idle->count; i++)
		if (diag_pos_compare(idle->keys[i].pos, pos) == 0 &&
		    strcmp(idle->keys[i].key, key) == 0)
			return &idle->keys[i];
	idle->keys = memory_grow(idle->keys, idle->count, sizeof(*idle->keys), "keys");
	added = &idle->keys[idle->count++];
	*added = (struct idle_key){.pos = pos};
	snprintf(added->key, sizeof(added->key), "%s", key);
	snprintf(added->why, sizeof(added->why), "%s", why);
	return added;
}

// One key of one switch: whether it has an effect, and why it has none.
static void
note(const struct switch_check *check, bool used, const char *key, const char *why)
{
	struct config_mark mark = check_mark(check, "%s", key);

	if (mark.origin == CONFIG_ORIGIN_FILE)
		find_or_add(check->all->idle, mark.pos, key, why)->used |= used;
}

static bool
has_priority(const uint8_t map[static CONFIG_PRIORITIES], int number)
{
	for (int p = 0; p < CONFIG_PRIORITIES; p++)
		if (map[p] == number)
			return true;
	return false;
}

// Headroom of its own, which the pools have not.
static bool
keeps_headroom(const struct switch_config *settings, const struct config_group *group)
{
	return settings->headroom_pool_bytes == 0 &&
	       (group->headroom.kind == CONFIG_AMOUNT_AUTO || group->headroom.value > 0);
}

// The keys of a group under `prefix`, of all ports or of one (`where`: " at swp2"). lossless:
// whether it is where they count.
static void
check_group_keys(const struct switch_check *check, const struct config_group *group, int pg,
		 bool lossless, const char *prefix, const char *where)
{
	const struct switch_config *settings = check->settings;
	static const char *const keys[] = {"headroom", "xon", "xon-offset"};
	const bool tunnelled = settings->ipip.on &&
			       has_priority(settings->ipip.priority_to_group, pg);
	char key[48], why[160];

	snprintf(why, sizeof(why), "has no effect: group %d is not lossless%s", pg, where);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(key, sizeof(key), "%s.%s", prefix, keys[i]);
		note(check, lossless, key, why);
	}
	snprintf(key, sizeof(key), "%s.lossless", prefix);
	if (tunnelled)
		snprintf(
			why, sizeof(why),
			"group %d never sends a pause: ipip.priority-to-pg alone gives it packets, "
			"and no priority of qos.priority-to-pg is in it",
			pg);
	else
		snprintf(why, sizeof(why), "no priority is in group %d%s", pg,
			 keeps_headroom(settings, group) ? ", and headroom is kept for it" : "");
	note(check, !group->lossless || has_priority(settings->priority_to_group, pg), key, why);
}

static void
check_group(const struct switch_check *check, int pg)
{
	const struct switch_config *settings = check->settings;
	bool lossless = settings->groups[pg].lossless;
	char prefix[32], where[16];

	for (unsigned i = 0; i < settings->port_count; i++) {
		const struct config_port_qos *port = &settings->ports[i];
		const struct config_group *own = &port->groups[pg];

		lossless |= own->lossless;
		snprintf(prefix, sizeof(prefix), "qos.ports.swp%u.pg.%d", port->number, pg);
		snprintf(where, sizeof(where), " at swp%u", port->number);
		check_group_keys(check, own, pg, own->lossless, prefix, where);
	}
	snprintf(prefix, sizeof(prefix), "qos.pg.%d", pg);
	check_group_keys(check, &settings->groups[pg], pg, lossless, prefix, "");
}

// The weight of a class, everywhere and at ports that have one of their own.
static void
check_weight(const struct switch_check *check, int tc)
{
	const struct switch_config *settings = check->settings;
	bool used = settings->classes[tc].scheduler == CONFIG_SCHEDULER_DWRR;
	char key[48], why[80];

	for (unsigned i = 0; i < settings->port_count; i++) {
		const struct config_port_qos *port = &settings->ports[i];
		bool weighted = port->classes[tc].scheduler == CONFIG_SCHEDULER_DWRR;

		used |= weighted;
		snprintf(key, sizeof(key), "qos.ports.swp%u.tc.%d.weight", port->number, tc);
		snprintf(why, sizeof(why),
			 "has no effect: the scheduler of class %d is strict at swp%u", tc,
			 port->number);
		note(check, weighted, key, why);
	}
	snprintf(key, sizeof(key), "qos.tc.%d.weight", tc);
	snprintf(why, sizeof(why), "has no effect: the scheduler of class %d is strict", tc);
	note(check, used, key, why);
}

// Ports have priorities of their own for PFC, and for nothing else.
static void
check_port_pfc(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	bool pause = settings->flow_control == CONFIG_FLOW_CONTROL_PAUSE;
	bool none = settings->flow_control == CONFIG_FLOW_CONTROL_NONE;
	bool credits = config_has_credits(settings->flow_control);
	char key[48];

	for (unsigned i = 0; i < settings->port_count; i++) {
		snprintf(key, sizeof(key), "qos.ports.swp%u.pfc.priorities",
			 settings->ports[i].number);
		note(check, !pause && !none && !credits, key,
		     none      ? "has no effect: flow-control is none"
		     : credits ? "has no effect: flow-control is by credits"
			       : "has no effect: flow-control is pause");
	}
}

// Credits, and what they take the place of.
static void
check_credits(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	static const char *const of_credits[] = {"buffer",          "update",
						 "resend",          "arbitration.high",
						 "arbitration.low", "arbitration.limit"},
				 *const of_cbfc[] = {"spacing", "sync"};
	bool credits = config_has_credits(settings->flow_control);
	bool cbfc = settings->flow_control == CONFIG_FLOW_CONTROL_CBFC;
	char key[48];

	for (size_t i = 0; i < sizeof(of_credits) / sizeof(of_credits[0]); i++) {
		snprintf(key, sizeof(key), "qos.credit.%s", of_credits[i]);
		note(check, credits, key, "has no effect: flow-control is not by credits");
	}
	for (size_t i = 0; i < sizeof(of_cbfc) / sizeof(of_cbfc[0]); i++) {
		snprintf(key, sizeof(key), "qos.credit.%s", of_cbfc[i]);
		note(check, cbfc, key, "has no effect: flow-control is not cbfc");
	}
	note(check, !credits, "qos.pfc.priorities", "has no effect: flow-control is by credits");
	for (int i = 0; i < CONFIG_POOLS; i++) {
		snprintf(key, sizeof(key), "buffer.pools.%s.size", config_pool_name(i));
		note(check, !credits, key,
		     "has no effect: flow-control is by credits, and lanes have receive buffers");
	}
}

static void
check_llr(const struct switch_check *check)
{
	static const char *const keys[] = {"replay-buffer", "spacing", "replay-max", "timer",
					   "init-action"};
	char key[48];

	note(check, !check->settings->llr.on || !check->settings->cut_through, "forwarding",
	     "has no effect: qos.llr.state is on, and link-level retry takes frames as a whole");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(key, sizeof(key), "qos.llr.%s", keys[i]);
		note(check, check->settings->llr.on, key, "has no effect: qos.llr.state is off");
	}
}

void
check_idle(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	char key[48];

	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		check_group(check, i);
		check_weight(check, i);
	}
	check_port_pfc(check);
	check_credits(check);
	check_llr(check);
	note(check, config_cuts_through(settings), "cut-through-header",
	     "has no effect: forwarding is store-and-forward");
	for (int i = 0; i < CONFIG_POOLS; i++) {
		snprintf(key, sizeof(key), "buffer.pools.%s.port-alpha", config_pool_name(i));
		note(check,
		     settings->port_alpha[i].kind == CONFIG_AMOUNT_NONE ||
			     settings->pools[i].kind != CONFIG_AMOUNT_UNLIMITED,
		     key, "has no effect: the pool is unlimited");
	}
}

void
idle_report(struct idle_keys *idle, const char *file, struct diag *diag)
{
	for (unsigned i = 0; i < idle->count; i++)
		if (!idle->keys[i].used)
			diag_warning(diag, file, idle->keys[i].pos, idle->keys[i].key, "%s",
				     idle->keys[i].why);
	free(idle->keys);
	*idle = (struct idle_keys){0};
}
