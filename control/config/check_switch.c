// SPDX-License-Identifier: BSD-3-Clause
// One switch's merged settings against each other. A contradiction that the file wrote is an error
// at its place; one that comes from a default or preset showing through is a warning.
#include "merge.h"

#include <string.h>

struct switch_check {
	const struct config *config;
	const struct switch_config *settings;
	const struct config_mark *marks;
	struct config_diag *diag;
};

static struct config_mark
mark_of(const struct switch_check *check, const void *member)
{
	return check->marks[(const char *)member - (const char *)check->settings];
}

static bool
written(struct config_mark mark)
{
	return mark.origin == CONFIG_ORIGIN_FILE;
}

static bool
after(struct config_pos a, struct config_pos b)
{
	return a.line != b.line ? a.line > b.line : a.column > b.column;
}

static void
size_text(const struct config_amount *amount, char out[static 32])
{
	if (amount->kind == CONFIG_AMOUNT_PERCENT)
		snprintf(out, 32, "%g%%", amount->value / (CONFIG_PPM / 100.0));
	else
		snprintf(out, 32, "%lluB", (unsigned long long)amount->value);
}

// The two pools of one side share the buffer: neither, nor both, may be more than there is.
static void
check_side(const struct switch_check *check, enum config_pool first, enum config_pool second)
{
	const struct config_amount *a = &check->settings->pools[first];
	const struct config_amount *b = &check->settings->pools[second];
	struct config_mark mark_a = mark_of(check, a), mark_b = mark_of(check, b);
	struct config_pos pos = after(mark_b.pos, mark_a.pos) ? mark_b.pos : mark_a.pos;
	uint64_t whole = a->kind == CONFIG_AMOUNT_PERCENT ? CONFIG_PPM
							  : check->settings->buffer_bytes;
	const char *file = check->config->file;
	char text_a[32], text_b[32];

	if (a->kind != b->kind || a->kind == CONFIG_AMOUNT_UNLIMITED ||
	    a->value + b->value <= whole || a->value > whole || b->value > whole)
		return;
	size_text(a, text_a);
	size_text(b, text_b);
	(written(mark_a) && written(mark_b) ? config_error : config_warning)(
		check->diag, file, pos, "buffer.pools",
		"%s %s%s and %s %s%s are over 100%% of the buffer together",
		config_pool_name(first), text_a, written(mark_a) ? "" : " (not written)",
		config_pool_name(second), text_b, written(mark_b) ? "" : " (not written)");
}

static void
check_buffer(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;

	if (settings->cell_bytes > settings->buffer_bytes)
		config_error(check->diag, check->config->file,
			     mark_of(check, &settings->buffer_bytes).pos, "buffer.size",
			     "is less than one cell (%u bytes)", settings->cell_bytes);
	if (settings->buffer_bytes / settings->cell_bytes > INT32_MAX)
		config_error(check->diag, check->config->file,
			     mark_of(check, &settings->buffer_bytes).pos, "buffer.size",
			     "is more than %d cells of %u bytes", INT32_MAX, settings->cell_bytes);
	for (int i = 0; i < CONFIG_POOLS; i++) {
		const struct config_amount *pool = &settings->pools[i];
		char key[64];

		snprintf(key, sizeof(key), "buffer.pools.%s.size", config_pool_name(i));
		if (pool->kind == CONFIG_AMOUNT_BYTES && pool->value > settings->buffer_bytes)
			config_error(check->diag, check->config->file, mark_of(check, pool).pos,
				     key, "is more than the buffer (%llu bytes)",
				     (unsigned long long)settings->buffer_bytes);
	}
	check_side(check, CONFIG_POOL_INGRESS_LOSSLESS, CONFIG_POOL_INGRESS_LOSSY);
	check_side(check, CONFIG_POOL_EGRESS_LOSSLESS, CONFIG_POOL_EGRESS_LOSSY);
}

static void
check_ecn(const struct switch_check *check)
{
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		const struct config_ecn *ecn = &check->settings->classes[i].ecn;
		struct config_pos min = mark_of(check, &ecn->min_bytes).pos;
		struct config_pos max = mark_of(check, &ecn->max_bytes).pos;
		char key[32];

		snprintf(key, sizeof(key), "qos.tc.%d.ecn", i);
		if (ecn->on && ecn->min_bytes > ecn->max_bytes)
			config_error(check->diag, check->config->file, after(min, max) ? min : max,
				     key, "min (%llu bytes) is above max (%llu bytes)",
				     (unsigned long long)ecn->min_bytes,
				     (unsigned long long)ecn->max_bytes);
	}
}

// Lossless from end to end: its group pauses, PFC is on for it, and egress has no limit of its own.
static void
check_lossless(const struct switch_check *check)
{
	const struct switch_config *settings = check->settings;
	bool pfc = settings->flow_control == CONFIG_FLOW_CONTROL_PFC;

	for (int p = 0; p < CONFIG_PRIORITIES; p++) {
		int group = settings->priority_to_group[p], class = settings->priority_to_class[p];
		bool lossless = settings->groups[group].lossless;
		bool paused = pfc && settings->pfc_priorities & 1u << p;
		struct config_pos pos = mark_of(check, &settings->groups[group].lossless).pos;

		if (lossless && !paused)
			config_warning(
				check->diag, check->config->file, pos, "qos.pfc.priorities",
				"priority %d is in lossless group %d, but PFC is off for it: it "
				"drops when headroom is full",
				p, group);
		if (lossless && settings->classes[class].pool == CONFIG_POOL_EGRESS_LOSSY)
			config_warning(
				check->diag, check->config->file, pos, "qos.priority-to-tc",
				"priority %d is in lossless group %d, but its class %d is in "
				"egress-lossy: it may drop there",
				p, group, class);
		if (!lossless && paused)
			config_warning(
				check->diag, check->config->file,
				mark_of(check, &settings->pfc_priorities).pos, "qos.pfc.priorities",
				"group %d of priority %d is not lossless: no PFC is sent for it",
				group, p);
	}
}

void
check_switch(const struct config *config, const struct switch_config *settings,
	     const struct config_mark *marks, struct config_diag *diag)
{
	struct switch_check check = {config, settings, marks, diag};

	check_buffer(&check);
	check_ecn(&check);
	check_lossless(&check);
}
