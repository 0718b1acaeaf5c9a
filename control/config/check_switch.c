// SPDX-License-Identifier: BSD-3-Clause
// One switch's merged settings against each other. A contradiction that the file wrote is an error
// at its place; one that comes from a default or preset showing through is a warning.
#include "merge.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide_uint;

struct config_mark
check_mark(const struct switch_check *check, const char *format, ...)
{
	char key[64];
	va_list args;

	va_start(args, format);
	vsnprintf(key, sizeof(key), format, args);
	va_end(args);
	return config_marks_find(check->marks, key);
}

static bool
written(struct config_mark mark)
{
	return mark.origin == CONFIG_ORIGIN_FILE;
}

struct diag_pos
check_later(struct diag_pos a, struct diag_pos b)
{
	return diag_pos_compare(a, b) > 0 ? a : b;
}

static void
size_text(const struct config_amount *amount, char out[static 32])
{
	if (amount->kind == CONFIG_AMOUNT_PERCENT)
		snprintf(out, 32, "%g%%", amount->value / (CONFIG_PPM / 100.0));
	else
		snprintf(out, 32, "%lluB", (unsigned long long)amount->value);
}

// What the pools of one side have between them at the most: groups' own headroom is not known yet.
static uint64_t
pools_bytes(const struct switch_config *settings)
{
	return settings->headroom_pool_bytes < settings->buffer_bytes
		       ? settings->buffer_bytes - settings->headroom_pool_bytes
		       : 0;
}

// A pool's part of that, in millionths of a byte, so that percentages stay exact.
static wide_uint
pool_part(const struct switch_config *settings, const struct config_amount *pool)
{
	return (wide_uint)pool->value *
	       (pool->kind == CONFIG_AMOUNT_PERCENT ? pools_bytes(settings) : CONFIG_PPM);
}

static struct config_mark
pool_mark(const struct switch_check *check, enum config_pool pool)
{
	return check_mark(check, "buffer.pools.%s.size", config_pool_name(pool));
}

// The two pools of one side share the buffer: neither, nor both, may be more than there is. In a
// file that writes one of them the other may be meant to stay as it is; a change must hold at once.
static void
check_side(const struct switch_check *check, enum config_pool first, enum config_pool second)
{
	const struct switch_config *settings = check->settings;
	const struct config_amount *a = &settings->pools[first], *b = &settings->pools[second];
	struct config_mark mark_a = pool_mark(check, first), mark_b = pool_mark(check, second);
	wide_uint whole = (wide_uint)pools_bytes(settings) * CONFIG_PPM;
	wide_uint part_a = pool_part(settings, a), part_b = pool_part(settings, b);
	bool refused = check->all->buffer_changes || (written(mark_a) && written(mark_b));
	char text_a[32], text_b[32], less[80] = "";

	if (a->kind == CONFIG_AMOUNT_UNLIMITED || b->kind == CONFIG_AMOUNT_UNLIMITED ||
	    part_a + part_b <= whole || part_a > whole || part_b > whole)
		return;
	size_text(a, text_a);
	size_text(b, text_b);
	if (settings->headroom_pool_bytes > 0)
		snprintf(less, sizeof(less), " less the headroom pool (%llu bytes)",
			 (unsigned long long)pools_bytes(settings));
	(refused ? diag_error : diag_warning)(
		check->diag, check->file, check_later(mark_b.pos, mark_a.pos), "buffer.pools",
		"%s %s%s and %s %s%s are over 100%% of the buffer%s together",
		config_pool_name(first), text_a, written(mark_a) ? "" : " (not written)",
		config_pool_name(second), text_b, written(mark_b) ? "" : " (not written)", less);
}

static void
check_buffer(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	struct diag_pos size = check_mark(check, "buffer.size").pos;

	if (settings->cell_bytes > settings->buffer_bytes)
		diag_error(check->diag, check->file, size, "buffer.size",
			   "is less than one cell (%u bytes)", settings->cell_bytes);
	if (settings->buffer_bytes / settings->cell_bytes > INT32_MAX)
		diag_error(check->diag, check->file, size, "buffer.size",
			   "is more than %d cells of %u bytes", INT32_MAX, settings->cell_bytes);
	if (settings->headroom_pool_bytes >= settings->buffer_bytes) {
		diag_error(check->diag, check->file,
			   check_later(size, check_mark(check, "buffer.headroom-pool.size").pos),
			   "buffer.headroom-pool.size",
			   "%llu bytes leave nothing of the buffer (%llu bytes) to the pools",
			   (unsigned long long)settings->headroom_pool_bytes,
			   (unsigned long long)settings->buffer_bytes);
		return;
	}
	for (int i = 0; i < CONFIG_POOLS; i++) {
		const struct config_amount *pool = &settings->pools[i];
		char key[64];

		snprintf(key, sizeof(key), "buffer.pools.%s.size", config_pool_name(i));
		if (pool->kind == CONFIG_AMOUNT_BYTES && pool->value > pools_bytes(settings))
			diag_error(check->diag, check->file,
				   check_later(pool_mark(check, i).pos, size), key,
				   "is more than the buffer%s (%llu bytes)",
				   settings->headroom_pool_bytes > 0 ? " less the headroom pool"
								     : "",
				   (unsigned long long)pools_bytes(settings));
	}
	check_side(check, CONFIG_POOL_INGRESS_LOSSLESS, CONFIG_POOL_INGRESS_LOSSY);
	check_side(check, CONFIG_POOL_EGRESS_LOSSLESS, CONFIG_POOL_EGRESS_LOSSY);
}

static void
check_preset(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;

	if (settings->preset_mode != CONFIG_PRESET_MODE_LOSSLESS &&
	    settings->preset != CONFIG_PRESET_SPECTRUM_X)
		diag_error(check->diag, check->file,
			   check_later(check_mark(check, "preset-mode").pos,
				       check_mark(check, "preset").pos),
			   "preset-mode", "%s is a mode of spectrum-x only: the preset is %s",
			   config_preset_mode_name(settings->preset_mode),
			   config_preset_name(settings->preset));
}

// A pool of nothing, as modes lossy and lossless-single-pool have, takes nothing. (Groups are
// check_lossless.c's.)
static void
check_pools_used(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;

	for (int p = 0; p < CONFIG_PRIORITIES; p++) {
		int tc = settings->priority_to_class[p];
		const struct config_class *class = &settings->classes[tc];
		const struct config_amount *size = &settings->pools[class->pool];
		struct config_error_origin cause = {0};

		if (class->reserved_bytes > 0 || size->kind == CONFIG_AMOUNT_UNLIMITED ||
		    size->value != 0)
			continue;
		config_blame(&cause, check->marks, "qos.tc.%d.pool", tc);
		config_blame(&cause, check->marks, "qos.priority-to-tc.%d", p);
		config_blame(&cause, check->marks, "buffer.pools.%s.size",
			     config_pool_name(class->pool));
		diag_warning(check->diag, check->file, cause.mark.pos, cause.key,
			     "all of priority %d drops: its class %d is in %s, whose size is 0", p,
			     tc, config_pool_name(class->pool));
	}
}

static void
check_ecn(const struct switch_check *check)
{
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		const struct config_ecn *ecn = &check->settings->classes[i].ecn;
		struct diag_pos min = check_mark(check, "qos.tc.%d.ecn.min", i).pos;
		struct diag_pos max = check_mark(check, "qos.tc.%d.ecn.max", i).pos;
		char key[32];

		snprintf(key, sizeof(key), "qos.tc.%d.ecn", i);
		if (ecn->on && ecn->min_bytes > ecn->max_bytes)
			diag_error(check->diag, check->file, check_later(min, max), key,
				   "min (%llu bytes) is above max (%llu bytes)",
				   (unsigned long long)ecn->min_bytes,
				   (unsigned long long)ecn->max_bytes);
	}
}

static void
check_ipip(const struct switch_check *check)
{
	const struct config_ipip *ipip = &check->settings->ipip;

	if (ipip->on && ipip->address_count == 0)
		diag_error(check->diag, check->file, check_mark(check, "ipip").pos, "ipip",
			   "needs `address`: the addresses to which tunnels are sent");
}

void
check_switch(const struct merge_checks *checks, const char *name,
	     const struct switch_config *settings, const struct config_marks *marks)
{
	struct switch_check check = {checks,       settings, marks, checks->config->file,
				     checks->diag, name};

	check_preset(&check);
	check_buffer(&check);
	if (!config_has_credits(settings->flow_control)) { // which replace pools and groups
		check_pools_used(&check);
		check_lossless(&check);
	}
	check_ecn(&check);
	check_qos(&check);
	check_credit(&check);
	check_ipip(&check);
	check_learns(checks->config, settings, checks->diag);
	if (checks->idle != NULL)
		check_idle(&check);
	check_infiniband_switch(&check);
}
