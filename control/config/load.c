// SPDX-License-Identifier: BSD-3-Clause
// From a file to a checked struct config. Errors of different kinds are gathered in one go as far
// as they make sense: a file that is no YAML yields only that; one whose keys are wrong yields all
// of those, and only when every key is right are the values checked against each other.
#include "config.h"

#include "control/base/file.h"
#include "control/base/memory.h"
#include "format.h"
#include "lft_file.h"
#include "merge.h"
#include "replace.h"
#include "yaml_emit.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A top-level key that the schema does not know may be a node's section. Where the topology is not
// understood, whatever ends in a digit might be a node.
static void
check_top_level(const struct config *config, const struct schema *schema, struct diag *diag)
{
	const struct yaml_node *root = config->private->root;
	const struct config_fabric *fabric = &config->fabric;
	bool single = fabric->topology == CONFIG_TOPOLOGY_SINGLE;
	bool nodes_known = single || fabric->leaves > 0 || fabric->k > 0 || fabric->node_count > 0;
	const char *candidates[32];
	unsigned count = 0;
	enum config_role role;
	char hint[80];

	for (unsigned i = 0; i < schema->count && count < 32; i++)
		candidates[count++] = schema->keys[i].name;
	for (unsigned i = 0; i < root->count; i++) {
		const struct yaml_pair *pair = &root->pairs[i];
		bool known = !single && config_node_role(config, pair->key, &role) == 0;

		known |= !nodes_known && isdigit((unsigned char)pair->key[strlen(pair->key) - 1]);
		if (known || schema_find(schema, pair->key) != NULL)
			continue;
		decode_hint(hint, pair->key, candidates, count);
		diag_error(diag, config->file, pair->key_pos, pair->key,
			   single ? "unknown key%s" : "unknown key, and no node's name%s", hint);
	}
}

// The parts of a fabric's file that merging leaves alone.
static void
decode_file(struct config *config, struct decoder *d)
{
	const struct yaml_node *root = config->private->root;
	const struct yaml_pair *fabric = yaml_tree_get(root, "fabric");
	const struct yaml_pair *single = yaml_tree_get(root, "switch");
	const struct yaml_pair *stop = yaml_tree_get(root, "stop");
	const struct yaml_pair *part = fabric != NULL ? fabric : single;
	const struct schema *inner = fabric != NULL ? &schema_fabric : &schema_single;
	const struct schema *outer = fabric != NULL ? &schema_fabric_file : &schema_switch_file;
	size_t path;

	if (part == NULL) {
		decode_error(d, root->pos,
			     "needs \"fabric:\" (a fabric) or \"switch:\" with ports (one switch)");
		return;
	}
	if (fabric == NULL)
		config->fabric.topology = CONFIG_TOPOLOGY_SINGLE;
	decode_defaults(d, inner, config);
	decode_defaults(d, outer, config);
	path = decode_enter(d, part->key);
	decode_map(d, inner, part->value, config);
	decode_leave(d, path);
	if (stop != NULL)
		config->stop.pos = stop->value->pos;
	decode_map(d, outer, root, config);
	check_top_level(config, outer, d->diag);
	merge_check_sections(config, d->diag);
}

static void
check_events(struct config *config, struct idle_keys *idle, struct diag *diag)
{
	struct diag own = {0};

	check_sets(config, idle, config->restored ? &own : diag);
	diag_soften(&own, NULL, diag);
	diag_free(&own);
}

// Where a configuration comes from.
struct source {
	const char *text;
	size_t length;
	const char *name, *beside;
	bool restored;
	const struct config_replacement *replacements;
	unsigned count;
};

static int
load_tree(struct config *config, const struct source *source, struct diag *diag)
{
	struct config_private *private = config->private;
	struct decoder d = {
		.file = config->file,
		.beside = config->beside,
		.diag = diag,
		.arena = &private->arena,
		.fabric = &config->fabric,
		.origin = CONFIG_ORIGIN_FILE,
	};
	unsigned errors = diag->errors;
	struct format_changes changes;
	struct idle_keys idle = {0};
	int result = yaml_tree_parse(&private->root, &private->arena, source->text, source->length,
				     config->file, diag);
	if (private->root == NULL)
		return result;
	if (private->root->kind != YAML_MAP) {
		decode_error(&d, private->root->pos,
			     "is no configuration: it must begin with keys such as \"fabric:\"");
		return -EINVAL;
	}
	if (format_upgrade(private->root, &private->arena, config->file, &changes, diag) != 0)
		return -EINVAL;
	format_warn(&changes, config->file, config->restored, diag);
	format_mark(private->root, &private->arena);
	for (unsigned i = 0; i < source->count; i++)
		(void)replace_value(private->root, &private->arena, &source->replacements[i],
				    config->file, diag);
	if (diag->errors > errors)
		return -EINVAL;
	merge_prepare(config);
	decode_file(config, &d);
	if (diag->errors > errors)
		return -EINVAL;
	// It is read now, so that a fabric that runs does not depend on it.
	if (config->subnet.lfts.path.text != NULL &&
	    lft_file_load(&config->subnet.lfts, d.arena, d.file, d.beside, diag) != 0)
		return -EINVAL;
	check_fabric(config, diag);
	merge_check_switches(&(struct merge_checks){config, diag, false, &idle});
	if (diag->errors == errors)
		check_events(config, &idle, diag);
	idle_report(&idle, config->file, diag);
	return diag->errors > errors ? -EINVAL : 0;
}

static int
load_text(struct config **out, const struct source *source, struct diag *diag)
{
	struct config *config = memory_new(sizeof(*config), "configuration");
	int result;

	config->private = memory_new(sizeof(*config->private), "configuration");
	config->file = memory_text(source->name);
	config->beside = memory_text(source->beside);
	config->restored = source->restored;
	result = load_tree(config, source, diag);
	if (result < 0) {
		config_free(config);
		config = NULL;
	}
	*out = config;
	return result;
}

int
config_load_text(struct config **out, const char *text, size_t length, const char *name,
		 struct diag *diag)
{
	return load_text(out, &(struct source){text, length, name, name, .restored = false}, diag);
}

int
config_load_revision(struct config **out, const char *text, size_t length, const char *name,
		     const char *beside, struct diag *diag)
{
	return load_text(out, &(struct source){text, length, name, beside, .restored = true}, diag);
}

int
config_emit(const struct config *config, char **text, size_t *length)
{
	return yaml_emit(config->private->root, text, length);
}

int
config_load_replaced(struct config **out, const char *path,
		     const struct config_replacement *replacements, unsigned count,
		     struct diag *diag)
{
	struct diag_pos none = {0};
	size_t length = 0;
	char *text = NULL;
	int result;

	*out = NULL;
	result = file_read(path, YAML_TREE_BYTES_MAX, &text, &length);
	if (result == -EISDIR)
		diag_error(diag, path, none, NULL,
			   "is a directory: name a configuration file; `roost plot` draws the "
			   "directories of runs");
	else if (result < 0)
		diag_error(diag, path, none, NULL, "cannot be read: %s", strerror(-result));
	if (result < 0)
		return -EINVAL;
	result = load_text(out,
			   &(struct source){.text = text,
					    .length = length,
					    .name = path,
					    .beside = path,
					    .replacements = replacements,
					    .count = count},
			   diag);
	free(text);
	return result;
}

int
config_load(struct config **out, const char *path, struct diag *diag)
{
	return config_load_replaced(out, path, NULL, 0, diag);
}

void
config_free(struct config *config)
{
	if (config == NULL)
		return;
	versions_free(config);
	arena_free(&config->private->arena);
	free(config->private);
	free(config->file);
	free(config->beside);
	free(config);
}
