// SPDX-License-Identifier: BSD-3-Clause
// The nearest section wins, key by key: sections are decoded one over the other into the same
// struct, farthest first. Values that depend on others (a group's pool on whether it is lossless)
// stay AUTO until the last section is in; then they are resolved. The defaults and presets are
// parsed once, at load, so that merging costs no parsing. What has no fixed size (histograms, ports
// that differ) is merged in scratch memory and then kept in the configuration's arena, once for all
// nodes and changes that merge to the same: merging again and again takes no more memory.
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct yaml_node *
merge_section(const struct config *config, const char *name)
{
	const struct yaml_pair *pair = name ? yaml_tree_get(config->private->root, name) : NULL;

	return pair != NULL ? pair->value : NULL;
}

// The files of conf/presets, and for each preset and mode which of them are read over each other.
static const char *const preset_files[MERGE_PRESETS] = {
	"spectrum-x", "spectrum-x-lossy", "spectrum-x-single-pool",
	"sonic",      "infiniband",       "ultra-ethernet"};
enum { SPECTRUM_X, SPECTRUM_X_LOSSY, SPECTRUM_X_SINGLE_POOL, SONIC, INFINIBAND, ULTRA_ETHERNET };

static unsigned
preset_layers(enum config_preset preset, enum config_preset_mode mode)
{
	switch (preset) {
	case CONFIG_PRESET_SPECTRUM_X:
		return 1u << SPECTRUM_X | (mode == CONFIG_PRESET_MODE_LOSSY) << SPECTRUM_X_LOSSY |
		       (mode == CONFIG_PRESET_MODE_SINGLE_POOL) << SPECTRUM_X_SINGLE_POOL;
	case CONFIG_PRESET_LOSSY:
		return 1u << SPECTRUM_X | 1u << SPECTRUM_X_LOSSY;
	case CONFIG_PRESET_SONIC:
		return 1u << SONIC;
	case CONFIG_PRESET_INFINIBAND:
		return 1u << INFINIBAND;
	case CONFIG_PRESET_UEC:
	case CONFIG_PRESET_MRC:
		return 1u << SPECTRUM_X | 1u << SPECTRUM_X_LOSSY | 1u << ULTRA_ETHERNET;
	default:
		return 0;
	}
}

void
merge_prepare(struct config *config)
{
	struct config_private *private = config->private;
	struct diag diag = {0};
	struct decoder d = {.diag = &diag, .arena = &private->arena, .file = "default"};
	struct switch_config *defaults = &private->default_switch;

	for (unsigned i = 0; embedded_presets[i].name != NULL; i++)
		for (unsigned j = 0; j < MERGE_PRESETS; j++)
			if (strcmp(embedded_presets[i].name, preset_files[j]) == 0)
				yaml_tree_parse(&private->presets[j], &private->arena,
						embedded_presets[i].text,
						embedded_presets[i].length, preset_files[j], &diag);
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		defaults->groups[i].pool = CONFIG_POOL_AUTO;
		defaults->classes[i].pool = CONFIG_POOL_AUTO;
	}
	decode_defaults(&d, &schema_switch, defaults);
	decode_defaults(&d, &schema_host, &private->default_host);
	diag_free(&diag);
}

// An equal array that stays.
static void *
merge_keep(struct config_private *private, const void *items, size_t size)
{
	struct merge_kept *kept;

	for (kept = private->kept; kept != NULL; kept = kept->next)
		if (kept->size == size && memcmp(kept->items, items, size) == 0)
			return kept->items;
	kept = arena_alloc(&private->arena, sizeof(*kept));
	kept->items = arena_alloc(&private->arena, size);
	memcpy(kept->items, items, size);
	kept->size = size;
	kept->next = private->kept;
	private->kept = kept;
	return kept->items;
}

static int
port_compare(const void *left, const void *right)
{
	const struct config_port_qos *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

// Moves the arrays of settings into the configuration's memory.
static void
keep_settings(struct config_private *private, struct switch_config *s)
{
	const struct {
		const void **items;
		size_t size;
	} lists[] = {
		{(const void **)&s->histograms, s->histogram_count * sizeof(*s->histograms)},
		{(const void **)&s->learns, s->learn_count * sizeof(*s->learns)},
		{(const void **)&s->routing.pins, s->routing.pin_count * sizeof(*s->routing.pins)},
		{(const void **)&s->ports, s->port_count * sizeof(*s->ports)},
	};

	if (s->port_count > 0)
		qsort((void *)(uintptr_t)s->ports, s->port_count, sizeof(*s->ports), port_compare);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		*lists[i].items = lists[i].size > 0
					  ? merge_keep(private, *lists[i].items, lists[i].size)
					  : NULL;
}

// The value that the nearest section writes for a key that is one of a table's words.
static int
nearest_choice(const struct yaml_node *const sections[3], const char *key,
	       const struct schema_choice *choices, int value)
{
	for (int i = 0; i < 3; i++) {
		const struct yaml_pair *named = yaml_tree_get(sections[i], key);

		for (const struct schema_choice *c = choices; named && c->name != NULL; c++)
			if (named->value->kind == YAML_SCALAR &&
			    strcmp(named->value->text, c->name) == 0)
				value = c->value;
	}
	return value;
}

int
merge_switch(const struct config *config, const char *node_name, enum config_role role,
	     struct switch_config *out, struct config_marks *marks, struct diag *diag)
{
	struct config_private *private = config->private;
	bool single = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	const char *names[] = {"switch", single ? NULL : config_role_name(role),
			       single ? NULL : node_name};
	const struct yaml_node *sections[3];
	struct config_watchdog watchdog;
	struct arena scratch = {0};
	struct decoder d = {
		.file = config->file,
		.diag = diag,
		.arena = &scratch,
		.origin = CONFIG_ORIGIN_PRESET,
		.marks = marks,
	};
	unsigned layers, errors = diag->errors;

	for (int i = 0; i < 3; i++)
		sections[i] = merge_section(config, names[i]);
	layers = preset_layers(
		nearest_choice(sections, "preset", schema_presets, CONFIG_PRESET_NONE),
		nearest_choice(sections, "preset-mode", schema_preset_modes,
			       CONFIG_PRESET_MODE_LOSSLESS));
	*out = private->default_switch;
	// A preset's maps replace the default ones, whose entries would show through.
	if (layers != 0)
		out->dscp_listed = out->pcp_listed = out->group_listed = out->class_listed =
			(struct config_listed){0};
	for (unsigned i = 0; i < MERGE_PRESETS; i++)
		if (layers & 1u << i)
			decode_map(&d, &schema_switch, private->presets[i], out);
	watchdog = out->watchdog;
	out->watchdog.detect_ps = out->watchdog.restore_ps = 0;
	out->watchdog.robustness = 0;
	d.origin = CONFIG_ORIGIN_FILE;
	for (int i = 0; i < 3; i++) {
		if (sections[i] == NULL)
			continue;
		decode_enter(&d, names[i]);
		d.marks_skip = d.path_length + 1;
		decode_map(&d, single ? &schema_single_settings : &schema_switch, sections[i], out);
		decode_leave(&d, 0);
	}
	merge_resolve_defaults(out, &watchdog);
	keep_settings(private, out);
	arena_free(&scratch);
	return diag->errors > errors ? -EINVAL : 0;
}

int
config_switch_marked(const struct config *config, const char *node_name, enum config_role role,
		     struct switch_config *out, struct config_marks *marks)
{
	struct diag diag = {0};
	int result = merge_switch(config, node_name, role, out, marks, &diag);

	diag_free(&diag);
	return result;
}

int
config_switch(const struct config *config, const char *node_name, enum config_role role,
	      struct switch_config *out)
{
	return config_switch_marked(config, node_name, role, out, NULL);
}

bool
config_trims(const struct config *config)
{
	const struct yaml_node *root = config->private->root;

	for (unsigned i = 0; i < root->count; i++) {
		const struct yaml_pair *qos = yaml_tree_get(root->pairs[i].value, "qos");

		if (qos != NULL && yaml_tree_get(qos->value, "trim") != NULL)
			return true;
	}
	return false;
}

bool
config_llr(const struct config *config)
{
	const struct yaml_node *root = config->private->root;

	for (unsigned i = 0; i < root->count; i++) {
		const struct yaml_pair *qos = yaml_tree_get(root->pairs[i].value, "qos");

		if (qos != NULL && yaml_tree_get(qos->value, "llr") != NULL)
			return true;
	}
	return false;
}

bool
config_credits(const struct config *config)
{
	const struct yaml_node *root = config->private->root;

	for (unsigned i = 0; i < root->count; i++) {
		const struct yaml_pair *qos = yaml_tree_get(root->pairs[i].value, "qos"), *word;

		word = qos != NULL ? yaml_tree_get(qos->value, "flow-control") : NULL;
		if (word != NULL && word->value->kind == YAML_SCALAR &&
		    (strcmp(word->value->text, "credit") == 0 ||
		     strcmp(word->value->text, "cbfc") == 0))
			return true;
	}
	return false;
}

bool
config_learns(const struct config *config, const char *node_name)
{
	bool single = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;

	return yaml_tree_get(merge_section(config, single ? "switch" : node_name), "learn") != NULL;
}

int
config_host(const struct config *config, const char *name, struct host_config *out)
{
	const struct yaml_node *sections[] = {merge_section(config, "hosts"),
					      merge_section(config, name)};
	struct diag diag = {0};
	struct decoder d = {.file = config->file, .diag = &diag, .origin = CONFIG_ORIGIN_FILE};
	int result;

	*out = config->private->default_host;
	for (int i = 0; i < 2 && config->fabric.topology != CONFIG_TOPOLOGY_SINGLE; i++)
		if (sections[i] != NULL)
			decode_map(&d, &schema_host, sections[i], out);
	if (out->congestion == CONGESTION_AUTO)
		out->congestion = out->transport == NIC_TRANSPORT_ROCE ? CONGESTION_NONE
								       : CONGESTION_NSCC;
	result = diag.errors > 0 ? -EINVAL : 0;
	diag_free(&diag);
	return result;
}

void
merge_try_switch(const struct config *config, const struct yaml_node *node, const char *path,
		 const struct schema *schema, struct diag *diag)
{
	struct switch_config draft = config->private->default_switch;
	struct arena scratch = {0};
	struct decoder d = {.file = config->file,
			    .diag = diag,
			    .arena = &scratch,
			    .origin = CONFIG_ORIGIN_FILE};

	decode_enter(&d, path);
	decode_map(&d, schema, node, &draft);
	arena_free(&scratch);
}

static void
try_host(const struct config *config, const struct yaml_pair *pair, struct diag *diag)
{
	struct host_config host = config->private->default_host;
	struct decoder d = {.file = config->file, .diag = diag, .origin = CONFIG_ORIGIN_FILE};

	decode_enter(&d, pair->key);
	decode_map(&d, &schema_host, pair->value, &host);
}

// Whether a top-level key holds settings of all switches, of a role's, or of one.
static bool
is_switch_section(const struct config *config, const char *key)
{
	enum config_role role;

	if (strcmp(key, "switch") == 0)
		return true;
	for (role = CONFIG_ROLE_LEAF; role < CONFIG_ROLE_HOST; role++)
		if (strcmp(key, config_role_name(role)) == 0)
			return true;
	return config_node_role(config, key, &role) == 0 && role != CONFIG_ROLE_HOST;
}

void
merge_check_sections(struct config *config, struct diag *diag)
{
	const struct yaml_node *root = config->private->root;
	bool single = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	enum config_role role;

	for (unsigned i = 0; i < root->count; i++) {
		const struct yaml_pair *pair = &root->pairs[i];

		if (single && strcmp(pair->key, "switch") == 0) {
			merge_try_switch(config, pair->value, pair->key, &schema_single_settings,
					 diag);
		} else if (single) {
			continue;
		} else if (is_switch_section(config, pair->key)) {
			merge_try_switch(config, pair->value, pair->key, &schema_switch, diag);
			check_learn_section(config, pair, diag);
		} else if (strcmp(pair->key, "hosts") == 0 ||
			   config_node_role(config, pair->key, &role) == 0) {
			try_host(config, pair, diag);
		}
	}
}

// What a section alone does not show is reported here, in the same words.
static void
check_one_switch(const struct merge_checks *checks, const char *name, enum config_role role)
{
	struct config_marks marks = {0};
	struct switch_config settings;

	if (merge_switch(checks->config, name, role, &settings, &marks, checks->diag) == 0)
		check_switch(checks, name, &settings, &marks);
	config_marks_free(&marks);
}

static bool
has_supers(const struct config_fabric *fabric)
{
	struct config_counts counts;

	for (unsigned i = 0; i < fabric->node_count; i++)
		if (fabric->nodes[i].role == CONFIG_ROLE_SUPER_SPINE)
			return true;
	config_count_nodes(fabric, &counts);
	return counts.supers > 0;
}

void
merge_check_switches(const struct merge_checks *checks)
{
	const struct config *config = checks->config;
	const struct yaml_node *root = config->private->root;
	enum config_role role;

	if (config->fabric.topology == CONFIG_TOPOLOGY_SINGLE) {
		check_one_switch(checks, "", config->single.role);
		return;
	}
	check_one_switch(checks, "", CONFIG_ROLE_LEAF);
	check_one_switch(checks, "", CONFIG_ROLE_SPINE);
	if (has_supers(&config->fabric))
		check_one_switch(checks, "", CONFIG_ROLE_SUPER_SPINE);
	for (unsigned i = 0; i < root->count; i++)
		if (config_node_role(config, root->pairs[i].key, &role) == 0 &&
		    role != CONFIG_ROLE_HOST)
			check_one_switch(checks, root->pairs[i].key, role);
}

int
config_priority_dscp(const struct switch_config *settings, unsigned priority)
{
	for (int dscp = 0; dscp < CONFIG_DSCPS; dscp++)
		if (settings->dscp_listed.bits >> dscp & 1 &&
		    settings->dscp_to_priority[dscp] == priority)
			return dscp;
	for (int dscp = 0; dscp < CONFIG_DSCPS; dscp++)
		if (settings->dscp_to_priority[dscp] == priority)
			return dscp;
	return -ENOENT;
}

const char *
config_pool_name(enum config_pool pool)
{
	return schema_choice_name(schema_pool_names, pool);
}

const char *
config_routing_mode_name(enum group_mode mode)
{
	return schema_choice_name(schema_routing_modes, mode);
}

const char *
config_preset_name(enum config_preset preset)
{
	return preset == CONFIG_PRESET_NONE ? "none" : schema_choice_name(schema_presets, preset);
}

const char *
config_preset_mode_name(enum config_preset_mode mode)
{
	return schema_choice_name(schema_preset_modes, mode);
}

const char *
config_role_name(enum config_role role)
{
	return schema_choice_name(schema_roles, role);
}
