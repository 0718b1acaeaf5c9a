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
	char why[80];
	bool used;
};

static struct idle_key *
find_or_add(struct idle_keys *idle, struct diag_pos pos, const char *key, const char *why)
{
	struct idle_key *added;

	for (unsigned i = 0; i < idle->count; i++)
		if (idle->keys[i].pos.line == pos.line && idle->keys[i].pos.column == pos.column &&
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

static void
check_group(const struct switch_check *check, int pg)
{
	const struct config_group *group = &check->settings->groups[pg];
	static const char *const keys[] = {"headroom", "xon", "xon-offset"};
	char key[48], why[80];

	snprintf(why, sizeof(why), "has no effect: group %d is not lossless", pg);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(key, sizeof(key), "qos.pg.%d.%s", pg, keys[i]);
		note(check, group->lossless, key, why);
	}
	snprintf(key, sizeof(key), "qos.pg.%d.lossless", pg);
	snprintf(why, sizeof(why), "no priority is in group %d%s", pg,
		 keeps_headroom(check->settings, group) ? ", and headroom is kept for it" : "");
	note(check, !group->lossless || has_priority(check->settings->priority_to_group, pg), key,
	     why);
}

void
check_idle(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	char key[48], why[80];

	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		const struct config_class *class = &settings->classes[i];

		check_group(check, i);
		snprintf(key, sizeof(key), "qos.tc.%d.weight", i);
		snprintf(why, sizeof(why), "has no effect: the scheduler of class %d is strict", i);
		note(check, class->scheduler == CONFIG_SCHEDULER_DWRR, key, why);
	}
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
