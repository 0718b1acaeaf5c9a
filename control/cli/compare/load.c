// SPDX-License-Identifier: BSD-3-Clause
// Whether files ask for the same work: what stands under `workload:`, item by item without regard
// to layout, and what comes of it.
#include "compare.h"

#include "control/config/merge.h"
#include "control/base/text_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void
write_node(const struct yaml_node *node, FILE *to)
{
	if (node->kind == YAML_SCALAR) {
		fputs(node->null ? "~" : node->text, to);
		return;
	}
	fputc(node->kind == YAML_MAP ? '{' : '[', to);
	for (unsigned int i = 0; i < node->count; i++) {
		if (i != 0)
			fputs(", ", to);
		if (node->kind == YAML_MAP)
			fprintf(to, "%s: ", node->pairs[i].key);
		write_node(node->kind == YAML_MAP ? node->pairs[i].value : node->items[i], to);
	}
	fputc(node->kind == YAML_MAP ? '}' : ']', to);
}

static char *
node_text(const struct yaml_node *node)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (to == NULL)
		return NULL;
	write_node(node, to);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

static int
take_items(struct compare_load *load, const struct yaml_node *root)
{
	const struct yaml_pair *pair = yaml_tree_get(root, "workload");
	const struct yaml_node *list = pair != NULL ? pair->value : NULL;

	if (list == NULL || list->kind != YAML_LIST)
		return 0;
	load->items = calloc(list->count + 1u, sizeof(*load->items));
	if (load->items == NULL)
		return -ENOMEM;
	for (; load->count < list->count; load->count++) {
		load->items[load->count] = node_text(list->items[load->count]);
		if (load->items[load->count] == NULL)
			return -ENOMEM;
	}
	return 0;
}

int
compare_load_items(struct compare_load *load, const struct config *config)
{
	return take_items(load, config->private->root);
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
		fprintf(to, "%s: warning: the workload has %u items, in %s it has %u\n", run->file,
			run->load.count, first->file, first->load.count);
}

void
compare_warn(const struct compare_run *first, const struct compare_run *run, FILE *to)
{
	char bytes[TEXT_VALUE_MAX], first_bytes[TEXT_VALUE_MAX];

	warn_items(first, run, to);
	if (run->load.flows == first->load.flows && run->load.bytes == first->load.bytes &&
	    run->load.streams == first->load.streams)
		return;
	fprintf(to, "%s: warning: the workload comes to %" PRIu32 " flows of %s", run->file,
		run->load.flows, text_bytes(bytes, run->load.bytes));
	if (run->load.streams != 0 || first->load.streams != 0)
		fprintf(to, " and %" PRIu32 " streams", run->load.streams);
	fprintf(to, ", in %s to %" PRIu32 " of %s", first->file, first->load.flows,
		text_bytes(first_bytes, first->load.bytes));
	if (run->load.streams != 0 || first->load.streams != 0)
		fprintf(to, " and %" PRIu32, first->load.streams);
	fputc('\n', to);
}
