// SPDX-License-Identifier: BSD-3-Clause
// The nearest section wins, key by key: sections are decoded one over the other into the same
// struct, farthest first. Values that depend on others (a group's pool on whether it is lossless)
// stay AUTO until the last section is in; then they are settled. The defaults and presets are
// decoded once, at load, so that merging costs no parsing.
#include "merge.h"

#include "presets.h"

#include <errno.h>
#include <string.h>

const struct yaml_node *
merge_section(const struct config *config, const char *name)
{
	const struct yaml_pair *pair = name ? yaml_tree_get(config->private->root, name) : NULL;

	return pair != NULL ? pair->value : NULL;
}

int
merge_prepare(struct config *config)
{
	struct config_private *private = config->private;
	struct config_diag diag = {0};
	struct decoder d = {.diag = &diag, .arena = &private->arena, .file = "default"};
	struct switch_draft *draft = &private->default_switch;
	int result = 0;

	for (unsigned i = 0; i < preset_text_count; i++) {
		const struct schema_choice *choice = schema_presets;

		while (choice->name != NULL && strcmp(choice->name, preset_texts[i].name) != 0)
			choice++;
		if (choice->name != NULL)
			result |= yaml_tree_parse(&private->presets[choice->value], &private->arena,
						  preset_texts[i].text, preset_texts[i].length,
						  choice->name, &diag);
	}
	draft->dscp.value = draft->pcp.value = draft->group.value = draft->class.value = -1;
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		draft->settings.groups[i].pool = CONFIG_POOL_AUTO;
		draft->settings.classes[i].pool = CONFIG_POOL_AUTO;
	}
	decode_defaults(&d, &schema_switch, draft);
	decode_defaults(&d, &schema_host, &private->default_host);
	config_diag_free(&diag);
	return result == -ENOMEM || d.out_of_memory ? -ENOMEM : 0;
}

static void
settle_map(uint8_t *map, unsigned count, unsigned divisor, const struct schema_fallback *fallback)
{
	for (unsigned i = 0; i < count; i++)
		if (!(fallback->listed & UINT64_C(1) << i))
			map[i] = fallback->value >= 0 ? (unsigned)fallback->value : i / divisor;
}

static void
settle_group(struct config_group *group)
{
	if (group->pool == CONFIG_POOL_AUTO)
		group->pool = group->lossless ? CONFIG_POOL_INGRESS_LOSSLESS
					      : CONFIG_POOL_INGRESS_LOSSY;
	if (group->limit.kind == CONFIG_LIMIT_AUTO)
		group->limit = (struct config_limit){.kind = CONFIG_LIMIT_ALPHA,
						     .shift = group->lossless ? 0 : 3};
}

static void
settle_class(struct config_class *class, bool lossless)
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

static void
settle(struct switch_draft *draft)
{
	struct switch_config *settings = &draft->settings;

	settings->dscp_listed = draft->dscp.listed;
	settle_map(settings->dscp_to_priority, CONFIG_DSCPS, 8, &draft->dscp);
	settle_map(settings->pcp_to_priority, CONFIG_PRIORITIES, 1, &draft->pcp);
	settle_map(settings->priority_to_group, CONFIG_PRIORITIES, 1, &draft->group);
	settle_map(settings->priority_to_class, CONFIG_PRIORITIES, 1, &draft->class);
	for (int i = 0; i < CONFIG_PRIORITIES; i++)
		settle_group(&settings->groups[i]);
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		bool lossless = false;

		for (int p = 0; p < CONFIG_PRIORITIES; p++)
			lossless |= settings->priority_to_class[p] == i &&
				    settings->groups[settings->priority_to_group[p]].lossless;
		settle_class(&settings->classes[i], lossless);
	}
}

int
config_switch_marked(const struct config *config, const char *node_name, enum config_role role,
		     struct switch_config *out, struct config_mark *marks)
{
	const struct config_private *private = config->private;
	bool single = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	const struct yaml_node *sections[] = {
		merge_section(config, "switch"),
		single ? NULL : merge_section(config, config_role_name(role)),
		single ? NULL : merge_section(config, node_name),
	};
	struct switch_draft draft = private->default_switch;
	struct config_diag diag = {0};
	struct decoder d = {
		.file = config->file,
		.diag = &diag,
		.origin = CONFIG_ORIGIN_PRESET,
		.marks = marks,
		.marks_base = (const char *)&draft.settings,
	};
	enum config_preset preset = CONFIG_PRESET_NONE;
	int result;

	if (marks != NULL)
		memset(marks, 0, sizeof(struct switch_config) * sizeof(*marks));
	for (int i = 0; i < 3; i++) {
		const struct yaml_pair *named = yaml_tree_get(sections[i], "preset");

		for (const struct schema_choice *c = schema_presets; named && c->name != NULL; c++)
			if (named->value->kind == YAML_SCALAR &&
			    strcmp(named->value->text, c->name) == 0)
				preset = c->value;
	}
	// A preset's maps stand in the place of the default ones, whose entries would show through.
	if (private->presets[preset] != NULL)
		draft.dscp = draft.pcp = draft.group = draft.class =
			(struct schema_fallback){.value = -1};
	if (private->presets[preset] != NULL)
		decode_map(&d, &schema_switch, private->presets[preset], &draft);
	d.origin = CONFIG_ORIGIN_FILE;
	for (int i = 0; i < 3; i++)
		if (sections[i] != NULL)
			decode_map(&d, single ? &schema_single_settings : &schema_switch,
				   sections[i], &draft);
	settle(&draft);
	*out = draft.settings;
	result = diag.errors > 0 ? -EINVAL : 0;
	config_diag_free(&diag);
	return result;
}

int
config_switch(const struct config *config, const char *node_name, enum config_role role,
	      struct switch_config *out)
{
	return config_switch_marked(config, node_name, role, out, NULL);
}

int
config_host(const struct config *config, const char *name, struct host_config *out)
{
	const struct yaml_node *sections[] = {merge_section(config, "hosts"),
					      merge_section(config, name)};
	struct config_diag diag = {0};
	struct decoder d = {.file = config->file, .diag = &diag, .origin = CONFIG_ORIGIN_FILE};
	int result;

	*out = config->private->default_host;
	for (int i = 0; i < 2 && config->fabric.topology != CONFIG_TOPOLOGY_SINGLE; i++)
		if (sections[i] != NULL)
			decode_map(&d, &schema_host, sections[i], out);
	result = diag.errors > 0 ? -EINVAL : 0;
	config_diag_free(&diag);
	return result;
}

void
merge_try_switch(const struct config *config, const struct yaml_node *node, const char *path,
		 const struct schema *schema, struct config_diag *diag)
{
	struct switch_draft draft = config->private->default_switch;
	struct decoder d = {.file = config->file, .diag = diag, .origin = CONFIG_ORIGIN_FILE};

	decode_enter(&d, path);
	decode_map(&d, schema, node, &draft);
}

static void
try_host(const struct config *config, const struct yaml_pair *pair, struct config_diag *diag)
{
	struct host_config host = config->private->default_host;
	struct decoder d = {.file = config->file, .diag = diag, .origin = CONFIG_ORIGIN_FILE};

	decode_enter(&d, pair->key);
	decode_map(&d, &schema_host, pair->value, &host);
}

// Whether a top-level key holds switch settings, and of which role; a role's own section counts.
static bool
is_switch_section(const struct config *config, const char *key, enum config_role *role)
{
	*role = CONFIG_ROLE_LEAF;
	if (strcmp(key, "switch") == 0 || strcmp(key, "leaf") == 0)
		return true;
	*role = CONFIG_ROLE_SPINE;
	if (strcmp(key, "spine") == 0)
		return true;
	return config_node_role(config, key, role) == 0 && *role != CONFIG_ROLE_HOST;
}

void
merge_check_sections(struct config *config, struct config_diag *diag)
{
	const struct yaml_node *root = config->private->root;
	bool single = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	enum config_role role;

	for (unsigned i = 0; i < root->count; i++) {
		const struct yaml_pair *pair = &root->pairs[i];

		if (single && strcmp(pair->key, "switch") == 0)
			merge_try_switch(config, pair->value, pair->key, &schema_single_settings,
					 diag);
		else if (single)
			continue;
		else if (is_switch_section(config, pair->key, &role))
			merge_try_switch(config, pair->value, pair->key, &schema_switch, diag);
		else if (strcmp(pair->key, "hosts") == 0 ||
			 config_node_role(config, pair->key, &role) == 0)
			try_host(config, pair, diag);
	}
}

static void
check_one_switch(const struct config *config, const char *name, enum config_role role,
		 struct config_mark *marks, struct config_diag *diag)
{
	struct switch_config settings;

	if (config_switch_marked(config, name, role, &settings, marks) == 0)
		check_switch(config, &settings, marks, diag);
}

void
merge_check_switches(const struct config *config, struct config_diag *diag)
{
	struct config_mark marks[sizeof(struct switch_config)];
	const struct yaml_node *root = config->private->root;
	enum config_role role;

	if (config->fabric.topology == CONFIG_TOPOLOGY_SINGLE) {
		check_one_switch(config, "", config->single.role, marks, diag);
		return;
	}
	check_one_switch(config, "", CONFIG_ROLE_LEAF, marks, diag);
	check_one_switch(config, "", CONFIG_ROLE_SPINE, marks, diag);
	for (unsigned i = 0; i < root->count; i++)
		if (config_node_role(config, root->pairs[i].key, &role) == 0 &&
		    role != CONFIG_ROLE_HOST)
			check_one_switch(config, root->pairs[i].key, role, marks, diag);
}

int
config_priority_dscp(const struct switch_config *settings, unsigned priority)
{
	for (int dscp = 0; dscp < CONFIG_DSCPS; dscp++)
		if (settings->dscp_listed & UINT64_C(1) << dscp &&
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
config_routing_mode_name(enum config_routing_mode mode)
{
	return schema_choice_name(schema_routing_modes, mode);
}

const char *
config_preset_name(enum config_preset preset)
{
	return preset == CONFIG_PRESET_NONE ? "none" : schema_choice_name(schema_presets, preset);
}

const char *
config_role_name(enum config_role role)
{
	return schema_choice_name(schema_roles, role);
}
