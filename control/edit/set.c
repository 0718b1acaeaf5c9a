// SPDX-License-Identifier: BSD-3-Clause
// Editing keys after loading. Edits that belong together make one new version of the tree
// (versions.c): each is put where its key would be in the file, and then the sections that they
// touch are decoded, merged and checked again. If one of them does not decode, or contradicts the
// rest, all of them are taken back: an edit is atomic.
#include "set_internal.h"

#include "control/config/decode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the edits of one version touch.
struct set_batch {
	bool switches, tenants;
	bool buffer; // of a switch
};

static int __attribute__((format(printf, 2, 3)))
refuse_key(const struct set_request *request, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	diag_error(request->diag, request->config->file, request->edit->pos, request->edit->key,
		   "%s", text);
	return -EINVAL;
}

// Reports a switch number that the topology does not have: "leaf9", "p1-leaf9".
static bool
refuse_number(const struct set_request *request, const char *name)
{
	struct config_counts counts;
	const struct {
		const char *word;
		const uint32_t *count;
	} kinds[] = {
		{"leaf", &counts.leaves}, {"spine", &counts.spines}, {"super", &counts.supers}};
	const char *word = name, *first = "", *last = "";
	char plane[16];

	config_count_nodes(&request->config->fabric, &counts);
	if (counts.planes > 1) {
		snprintf(plane, sizeof(plane), "p%u-", counts.planes);
		word = name[0] == 'p' && strchr(name, '-') != NULL ? strchr(name, '-') + 1 : name;
		first = "p1-";
		last = plane;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].word);
		uint32_t count = *kinds[i].count;

		if (count == 0 || strncmp(word, kinds[i].word, length) != 0 ||
		    word[length] == '\0' || word[length + strspn(word + length, "0123456789")])
			continue;
		if (count == 1 && counts.planes == 1)
			refuse_key(request, "there is no %.40s: there is %s1 only", name,
				   kinds[i].word);
		else
			refuse_key(request, "there is no %.40s: there are %s%s1 to %s%s%u", name,
				   first, kinds[i].word, last, kinds[i].word, count);
		return true;
	}
	return false;
}

// Suggests a section, or a switch that the file names.
static const char *
section_hint(const struct config *config, const char *word, const char *const *sections,
	     size_t count, char hint[static 80])
{
	const char *near[64];
	size_t listed = 0;

	for (unsigned i = 0; i < config->fabric.node_count && listed < 64 - count; i++)
		if (config->fabric.nodes[i].role != CONFIG_ROLE_HOST)
			near[listed++] = config->fabric.nodes[i].name.text;
	for (size_t i = 0; i < count; i++)
		near[listed++] = sections[i];
	return decode_hint(hint, word, near, listed);
}

// Only sections that can change while the fabric runs.
static int
check_section(struct set_request *request)
{
	static const char *const sections[] = {"switch", "leaf", "spine", "super-spine", "tenants"};
	const size_t count = sizeof(sections) / sizeof(sections[0]);
	const struct config *config = request->config;
	bool single = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	char hint[80];
	const char *section = request->tokens[0];
	enum config_role role;
	bool known;

	request->tenants = !single && strcmp(section, "tenants") == 0;
	if (request->tenants || strcmp(section, "switch") == 0)
		return 0;
	if (!single && (strcmp(section, "leaf") == 0 || strcmp(section, "spine") == 0 ||
			strcmp(section, "super-spine") == 0))
		return 0;
	if (!single && strcmp(section, "attach") == 0)
		return refuse_key(request,
				  "events cannot attach or detach hosts: use `roost attach` "
				  "and `roost detach`");
	known = !single && config_node_role(config, section, &role) == 0;
	if (known && role != CONFIG_ROLE_HOST)
		return 0;
	for (unsigned i = 0; i < schema_fabric_file.count; i++)
		known |= strcmp(schema_fabric_file.keys[i].name, section) == 0;
	if (known && strcmp(section, "record") == 0)
		return refuse_key(request, "cannot change while the fabric runs: `roost record` "
					   "and `roost capture` record more");
	if (known)
		return refuse_key(request, "cannot change while the fabric runs: only %s can",
				  single ? "`switch`" : "switches, tenants and `attach`");
	if (!single && refuse_number(request, section))
		return -EINVAL;
	return refuse_key(request, "\"%.40s\" is %s%s", section,
			  single ? "not a section" : "neither a section nor a switch",
			  section_hint(config, section, sections, single ? 1 : count, hint));
}

// Splits "leaf1.qos.tc.3" into words. Returns 0, or -EINVAL with the error in diag.
static int
split_key(struct set_request *request)
{
	unsigned least = request->edit->kind == CONFIG_EDIT_UNSET ? 1 : 2;
	const char *word = request->edit->key;
	bool valid = true;

	for (const char *end; valid && word != NULL; word = *end != '\0' ? end + 1 : NULL) {
		end = strchrnul(word, '.');
		valid = end != word && request->count < SET_TOKENS_MAX;
		if (valid)
			request->tokens[request->count++] =
				versions_text(request->config, word, (size_t)(end - word));
	}
	if (valid) {
		int rc = check_section(request);

		if (rc < 0 || request->count >= least)
			return rc;
	}
	diag_error(request->diag, request->config->file, request->edit->pos, NULL,
		   "\"%.80s\" is not a key such as switch.qos.tc.3.ecn.min", request->edit->key);
	return -EINVAL;
}

// Decodes the value by itself, so that its errors are reported under its own key.
static int
try_alone(const struct set_request *request, struct yaml_node *value)
{
	unsigned errors = request->diag->errors;
	struct yaml_node *alone = set_chain(request, 1, value);
	struct decoder d = {.file = request->config->file, .diag = request->diag};

	if (request->tenants && request->count == 2) {
		// Before edits of the tenant's keys replace it with a map.
		for (unsigned i = 0; i < request->count; i++)
			decode_enter(&d, request->tokens[i]);
		decode_is_map(&d, value);
	}
	if (!request->tenants)
		merge_try_switch(request->config, alone, request->tokens[0], &schema_switch,
				 request->diag);
	return request->diag->errors > errors ? -EINVAL : 0;
}

// The edit's value as items of a list of words.
static int
read_items(struct set_request *request, struct yaml_node *value, struct yaml_node *out)
{
	if (!request->tenants)
		return refuse_key(request, "only lists of tenants can be changed item by item: "
					   "set the full list");
	*out = *value;
	if (value->kind == YAML_SCALAR) {
		*out = (struct yaml_node){.kind = YAML_LIST, .count = 1};
		out->items = arena_alloc(versions_arena(request->config), sizeof(*out->items));
		out->items[0] = value;
	}
	for (unsigned i = 0; out->kind == YAML_LIST && i < out->count; i++)
		if (out->items[i]->kind != YAML_SCALAR || out->items[i]->null)
			out->kind = YAML_MAP;
	if (out->kind != YAML_LIST)
		return refuse_key(request, "expected names, such as h5 or [h5, h6]");
	return set_expand_hosts(request, out);
}

static int
edit_one(struct config *config, const struct config_edit *edit, struct set_batch *batch,
	 struct diag *diag)
{
	struct config_edit placed = *edit;
	struct set_request request = {.config = config, .diag = diag, .edit = &placed};
	struct yaml_node *value, items;
	int error;

	if (placed.value_pos.line == 0)
		placed.value_pos = placed.pos;
	error = split_key(&request);
	if (error != 0)
		return error;
	batch->tenants |= request.tenants;
	batch->switches |= !request.tenants;
	batch->buffer |= !request.tenants &&
			 (request.count == 1 || strcmp(request.tokens[1], "buffer") == 0);
	if (placed.kind == CONFIG_EDIT_UNSET)
		return set_remove(&request);
	value = set_value(&request);
	if (value == NULL)
		return -EINVAL;
	if (placed.kind == CONFIG_EDIT_SET) {
		error = try_alone(&request, value);
		return error != 0 ? error : set_insert(&request, value);
	}
	error = read_items(&request, value, &items);
	if (error != 0)
		return error;
	return placed.kind == CONFIG_EDIT_ADD ? set_add_items(&request, &items)
					      : set_remove_items(&request, &items);
}

static bool
has_host(const struct config_tenant *tenant, const char *name)
{
	for (unsigned i = 0; i < tenant->hosts.count; i++)
		if (strcmp(tenant->hosts.items[i].text, name) == 0)
			return true;
	return false;
}

// Reports hosts of the edit that another tenant has.
static void
check_owners(const struct config *config, const struct config_edit *edit, struct diag *diag)
{
	const struct config_tenant *to = NULL;
	char key[CONFIG_NAME_MAX + 32];

	for (unsigned i = 0; i < config->tenant_count; i++) {
		snprintf(key, sizeof(key), "tenants.%s.hosts", config->tenants[i].name.text);
		if (strcmp(key, edit->key) == 0)
			to = &config->tenants[i];
	}
	for (unsigned h = 0; to != NULL && h < to->hosts.count; h++)
		for (unsigned i = 0; i < config->tenant_count; i++) {
			const struct config_tenant *other = &config->tenants[i];
			const char *name = to->hosts.items[h].text;

			if (other != to && has_host(other, name))
				diag_error(diag, config->file, edit->pos, edit->key,
					   "%.64s is in tenant %s: unset it there first", name,
					   other->name.text);
		}
}

// Copies messages to `to`, without warnings about other lines, which were reported earlier.
static void
add_news(const char *file, const struct config_edit *edits, unsigned count, const struct diag *from,
	 struct diag *to)
{
	for (unsigned i = 0; i < from->count; i++) {
		const struct diag_message *m = &from->messages[i];
		bool news = !m->warning || m->pos.line == 0;

		for (unsigned k = 0; k < count; k++)
			news |= m->pos.line == edits[k].value_pos.line ||
				m->pos.line == edits[k].pos.line;
		if (news)
			(m->warning ? diag_warning : diag_error)(to, file, m->pos, NULL, "%s",
								 m->words);
	}
}

// Decodes the tenants of the version into its own memory and checks them.
static int
decode_tenants(struct config *config, const struct config_edit *edits, unsigned count,
	       struct diag *diag)
{
	const struct yaml_pair *pair = yaml_tree_get(config->private->root, "tenants");
	const struct schema_key *key = schema_fabric_file.keys;
	struct diag all = {0};
	struct decoder d = {
		.file = config->file,
		.diag = &all,
		.arena = versions_tenants_arena(config),
		.fabric = &config->fabric,
		.origin = CONFIG_ORIGIN_FILE,
	};
	unsigned errors = diag->errors;

	config->tenants = NULL;
	config->tenant_count = 0;
	while (strcmp(key->name, "tenants") != 0)
		key++;
	decode_enter(&d, key->name);
	if (pair != NULL)
		decode_value(&d, key, pair->value, config);
	decode_leave(&d, 0);
	for (unsigned i = 0; all.errors == 0 && i < count; i++)
		if (edits[i].kind == CONFIG_EDIT_SET || edits[i].kind == CONFIG_EDIT_ADD)
			check_owners(config, &edits[i], &all);
	if (all.errors == 0)
		check_fabric(config, &all);
	add_news(config->file, edits, count, &all, diag);
	diag_free(&all);
	return diag->errors > errors ? -EINVAL : 0;
}

static int
edit_all(struct config *config, const struct config_edit *edits, unsigned count,
	 struct idle_keys *idle, struct diag *diag)
{
	struct set_batch batch = {0};
	unsigned errors = diag->errors;
	int error = 0, rc;

	versions_start(config);
	for (unsigned i = 0; i < count; i++) {
		rc = edit_one(config, &edits[i], &batch, diag);
		error = rc != 0 ? rc : error;
	}
	if (error == 0 && batch.tenants)
		error = decode_tenants(config, edits, count, diag);
	if (error == 0 && batch.switches)
		merge_check_switches(&(struct merge_checks){config, diag, batch.buffer, idle});
	if (error == 0 && diag->errors > errors)
		error = -EINVAL;
	if (error != 0)
		versions_drop(config);
	return error;
}

int
config_edit(struct config *config, const struct config_edit *edits, unsigned count,
	    struct diag *diag)
{
	return edit_all(config, edits, count, NULL, diag);
}

struct config_edit
config_event_edit(const struct config_event *event)
{
	bool unset = event->kind == CONFIG_EVENT_UNSET;

	return (struct config_edit){
		.kind = unset ? CONFIG_EDIT_UNSET : CONFIG_EDIT_SET,
		.key = event->key.text,
		.value = event->to.text,
		.pos = event->key.pos,
		.value_pos = unset ? event->key.pos : event->to.pos,
	};
}

bool
config_event_edits(const struct config_event *event)
{
	return event->kind == CONFIG_EVENT_SET || event->kind == CONFIG_EVENT_UNSET;
}

void
check_sets(struct config *config, struct idle_keys *idle, struct diag *diag)
{
	unsigned count, made = 0;
	struct config_step *steps = config_list_steps(config, &count);

	for (unsigned i = 0; i < count; i++) {
		struct config_edit edit = config_event_edit(steps[i].event);

		if (config_event_edits(steps[i].event))
			made += edit_all(config, &edit, 1, idle, diag) == 0;
	}
	while (made-- > 0)
		config_set_undo(config);
	free(steps);
}
