// SPDX-License-Identifier: BSD-3-Clause
// What differs between the files: whether the workloads are the same, item by item whatever their
// layout, and every other key.
#include "compare.h"

#include "control/base/arena.h"
#include "control/base/memory.h"
#include "control/base/text_table.h"
#include "control/config/yaml_emit.h"
#include "control/edit/edit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
compare_load_items(struct compare_load *load, const struct config *config)
{
	const struct yaml_pair *pair = yaml_tree_get(config_tree(config), "workload");
	const struct yaml_node *list = pair != NULL ? pair->value : NULL;

	if (list == NULL || list->kind != YAML_LIST)
		return;
	load->items = memory_array(list->count, sizeof(*load->items), "workload items");
	for (; load->count < list->count; load->count++)
		load->items[load->count] = yaml_emit_value(list->items[load->count]);
}

void
compare_load_free(struct compare_load *load)
{
	for (unsigned int i = 0; i < load->count; i++)
		free(load->items[i]);
	free(load->items);
}

static void
warn_items(const struct compare_run *first, const struct compare_run *run, FILE *to)
{
	unsigned int least = run->load.count < first->load.count ? run->load.count
								 : first->load.count;

	for (unsigned int i = 0; i < least; i++)
		if (strcmp(run->load.items[i], first->load.items[i]) != 0)
			fprintf(to, "%s: warning: workload item %u is %s, in %s it is %s\n",
				run->file, i + 1, run->load.items[i], first->file,
				first->load.items[i]);
	if (run->load.count != first->load.count)
		fprintf(to, "%s: warning: the workload has %u item%s, in %s it has %u\n", run->file,
			run->load.count, run->load.count == 1 ? "" : "s", first->file,
			first->load.count);
}

void
compare_warn(const struct compare_run *first, const struct compare_run *run, FILE *to)
{
	char bytes[TEXT_VALUE_MAX], first_bytes[TEXT_VALUE_MAX];

	warn_items(first, run, to);
	if (run->load.flows == first->load.flows && run->load.bytes == first->load.bytes &&
	    run->load.streams == first->load.streams)
		return;
	fprintf(to, "%s: warning: the workload comes to %" PRIu32 " flow%s (%s in total)",
		run->file, run->load.flows, run->load.flows == 1 ? "" : "s",
		text_bytes(bytes, run->load.bytes));
	if (run->load.streams != 0 || first->load.streams != 0)
		fprintf(to, " and %" PRIu32 " stream%s", run->load.streams,
			run->load.streams == 1 ? "" : "s");
	fprintf(to, ", in %s to %" PRIu32 " (%s)", first->file, first->load.flows,
		text_bytes(first_bytes, first->load.bytes));
	if (run->load.streams != 0 || first->load.streams != 0)
		fprintf(to, " and %" PRIu32, first->load.streams);
	fputc('\n', to);
}

// ---- other keys ---------------------------------------------------------------------------------

static bool
is_under(const char *key, const char *section)
{
	size_t length = strlen(section);

	return strncmp(key, section, length) == 0 && (key[length] == '\0' || key[length] == '.');
}

static struct compare_difference *
find_difference(struct comparison *c, const char *key)
{
	struct compare_difference *one;

	for (unsigned int i = 0; i < c->difference_count; i++)
		if (strcmp(c->differences[i].key, key) == 0)
			return &c->differences[i];
	c->differences = memory_grow(c->differences, c->difference_count, sizeof(*one),
				     "differences of files");
	one = &c->differences[c->difference_count++];
	*one = (struct compare_difference){.key = memory_text(key)};
	return one;
}

static void
set_value(char **value, const char *text)
{
	free(*value);
	*value = memory_text(text);
}

static int
add_differences(struct comparison *c, unsigned int run, const struct config *first,
		const struct config *config)
{
	struct config_differences found = {0};
	struct arena arena = {0};
	int rc = config_diff(&found, &arena, config_tree(first), config_tree(config));

	for (unsigned int i = 0; rc == 0 && i < found.count; i++) {
		const struct config_difference *item = &found.items[i];
		struct compare_difference *one;

		if (is_under(item->key, "workload") || is_under(item->key, "fabric.name"))
			continue;
		one = find_difference(c, item->key);
		set_value(&one->values[0], item->from);
		set_value(&one->values[run], item->to);
		one->differs[run] = true;
	}
	arena_free(&arena);
	return rc;
}

// A file that agrees with the first one about a key has its value.
static void
fill_agreed(struct comparison *c)
{
	for (unsigned int d = 0; d < c->difference_count; d++)
		for (unsigned int i = 1; i < c->count; i++)
			if (!c->differences[d].differs[i])
				set_value(&c->differences[d].values[i],
					  c->differences[d].values[0]);
}

int
compare_find_differences(struct comparison *c, struct diag *diag)
{
	struct config *configs[COMPARE_FILES_MAX] = {NULL};
	int rc = 0;

	for (unsigned int i = 0; rc == 0 && i < c->count; i++) {
		rc = config_load(&configs[i], c->runs[i].file, diag);
		if (rc == 0 && i != 0)
			rc = add_differences(c, i, configs[0], configs[i]);
	}
	fill_agreed(c);
	for (unsigned int i = 0; i < c->count; i++)
		config_free(configs[i]);
	return rc;
}

void
compare_free_differences(struct comparison *c)
{
	for (unsigned int d = 0; d < c->difference_count; d++) {
		for (unsigned int i = 0; i < c->count; i++)
			free(c->differences[d].values[i]);
		free(c->differences[d].key);
	}
	free(c->differences);
}
