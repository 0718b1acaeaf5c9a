// SPDX-License-Identifier: BSD-3-Clause
// A tenant that is created by naming its hosts needs an encapsulation. The keys that it gets are part
// of the configuration, so that they do not change when other tenants come and go. An existing tenant
// whose full map is set without such a key keeps the keys that it has.
#include "edit_list.h"
#include "control/config/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VNI 10001
#define LAST_VNI 16777215
#define FIRST_VLAN 101
#define LAST_VLAN 4094

enum encap { ENCAP_PLAIN, ENCAP_VXLAN, ENCAP_VLAN, ENCAPS };

struct assignment {
	struct edit_list *list;
	const struct yaml_node *tenants; // of the running configuration; NULL: none
	unsigned counts[ENCAPS];         // how many of them have each
};

static bool
is_rest(const char *name)
{
	return strcmp(name, "rest") == 0;
}

#define ENCAP_KEYS 3
static const char *const encap_keys[ENCAP_KEYS] = {"encap", "vni", "vlan"};

// Whether a key with this value decides a tenant's encapsulation; `encap: auto` leaves it to the
// other keys.
static bool
decides_encap(const char *key, const char *value)
{
	return strcmp(key, "vni") == 0 || strcmp(key, "vlan") == 0 ||
	       (strcmp(key, "encap") == 0 && strcmp(value, "auto") != 0);
}

static enum encap
encap_of(const struct yaml_node *tenant)
{
	const struct yaml_pair *encap = yaml_tree_get(tenant, "encap");
	const char *word = encap != NULL && encap->value->kind == YAML_SCALAR ? encap->value->text
									      : "auto";

	if (strcmp(word, "vxlan") == 0)
		return ENCAP_VXLAN;
	if (strcmp(word, "vlan") == 0)
		return ENCAP_VLAN;
	if (strcmp(word, "plain") == 0)
		return ENCAP_PLAIN;
	return yaml_tree_get(tenant, "vni") != NULL    ? ENCAP_VXLAN
	       : yaml_tree_get(tenant, "vlan") != NULL ? ENCAP_VLAN
						       : ENCAP_PLAIN;
}

// The tenant that an edit is about, "tenants.NAME" or "tenants.NAME.KEY", in name. Returns the key,
// "" for the full tenant, or NULL when the edit is about something else.
static const char *
tenant_of(const struct config_edit *edit, char name[static CONFIG_NAME_MAX + 1])
{
	const char *from = edit->key + strlen("tenants.");
	size_t length;

	if (strncmp(edit->key, "tenants.", strlen("tenants.")) != 0)
		return NULL;
	length = strcspn(from, ".");
	if (length == 0 || length > CONFIG_NAME_MAX)
		return NULL;
	memcpy(name, from, length);
	name[length] = '\0';
	return from[length] == '.' ? from + length + 1 : "";
}

// The value that an edit of a tenant writes to this key, or to any that decides its encapsulation
// (key NULL); or NULL. text: room for it.
static const char *
written(const struct config_edit *edit, const char *of, const char *key, char text[static 16])
{
	struct arena arena = {0};
	struct diag diag = {0};
	struct yaml_node *node;
	const char *found = NULL;

	if (edit->kind != CONFIG_EDIT_SET || edit->value == NULL)
		return NULL;
	if (of[0] != '\0')
		return (key != NULL ? strcmp(of, key) == 0 : decides_encap(of, edit->value))
			       ? edit->value
			       : NULL;
	if (yaml_tree_parse(&node, &arena, edit->value, strlen(edit->value), "", &diag) == 0)
		for (unsigned i = 0; found == NULL && i < ENCAP_KEYS; i++) {
			const struct yaml_pair *pair = yaml_tree_get(node, encap_keys[i]);

			if (pair == NULL || pair->value->kind != YAML_SCALAR ||
			    (key != NULL ? strcmp(key, encap_keys[i]) != 0
					 : !decides_encap(encap_keys[i], pair->value->text)))
				continue;
			snprintf(text, 16, "%s", pair->value->text);
			found = text;
		}
	diag_free(&diag);
	arena_free(&arena);
	return found;
}

enum need {
	NEED_NONE,
	NEED_NEW,  // it is new
	NEED_KEEP, // it exists, and its full map is set without a key that decides
};

// Whether the edits leave this tenant without an encapsulation.
static enum need
find_need(const struct assignment *a, const char *name)
{
	char other[CONFIG_NAME_MAX + 1], text[16];
	bool exists = yaml_tree_get(a->tenants, name) != NULL;
	enum need need = NEED_NONE;
	bool said = false;

	for (unsigned i = 0; !is_rest(name) && i < a->list->count; i++) {
		const struct config_edit *edit = &a->list->edits[i];
		const char *key = tenant_of(edit, other);

		if (key == NULL || strcmp(other, name) != 0)
			continue;
		if (key[0] == '\0' && edit->kind == CONFIG_EDIT_UNSET) {
			exists = said = false;
			need = NEED_NONE;
			continue;
		}
		said |= written(edit, key, NULL, text) != NULL;
		if (!exists && edit->kind != CONFIG_EDIT_UNSET)
			need = NEED_NEW;
		else if (key[0] == '\0')
			need = NEED_KEEP;
	}
	return said ? NEED_NONE : need;
}

static bool
is_taken(const struct assignment *a, const char *key, const char *value)
{
	for (unsigned i = 0;
	     a->tenants != NULL && a->tenants->kind == YAML_MAP && i < a->tenants->count; i++) {
		const struct yaml_pair *pair = yaml_tree_get(a->tenants->pairs[i].value, key);

		if (pair != NULL && pair->value->kind == YAML_SCALAR &&
		    strcmp(pair->value->text, value) == 0)
			return true;
	}
	for (unsigned i = 0; i < a->list->count; i++) {
		const struct config_edit *edit = &a->list->edits[i];
		char name[CONFIG_NAME_MAX + 1], text[16];
		const char *of = tenant_of(edit, name);
		const char *has = of != NULL ? written(edit, of, key, text) : NULL;

		if (has != NULL && strcmp(has, value) == 0)
			return true;
	}
	return false;
}

// Repeats the keys that an existing tenant has, after its full map was set.
static void
keep_encap(struct assignment *a, const char *tenant)
{
	const struct yaml_node *node = yaml_tree_get(a->tenants, tenant)->value;
	char path[CONFIG_NAME_MAX + 32];

	for (unsigned i = 0; i < ENCAP_KEYS; i++) {
		const struct yaml_pair *pair = yaml_tree_get(node, encap_keys[i]);

		snprintf(path, sizeof(path), "tenants.%s.%s", tenant, encap_keys[i]);
		if (pair != NULL && pair->value->kind == YAML_SCALAR)
			edit_list_add(a->list, CONFIG_EDIT_SET, path, pair->value->text);
	}
}

// Without a free number nothing is added: the check of tenants reports what is missing.
static void
add_free(struct assignment *a, const char *tenant, const char *key, unsigned first, unsigned last)
{
	char path[CONFIG_NAME_MAX + 32], value[16];

	snprintf(path, sizeof(path), "tenants.%s.%s", tenant, key);
	for (unsigned number = first; number <= last; number++) {
		snprintf(value, sizeof(value), "%u", number);
		if (!is_taken(a, key, value)) {
			edit_list_add(a->list, CONFIG_EDIT_SET, path, value);
			return;
		}
	}
}

static void
add_encap(struct assignment *a, const char *tenant)
{
	char path[CONFIG_NAME_MAX + 32];

	snprintf(path, sizeof(path), "tenants.%s.encap", tenant);
	if (a->counts[ENCAP_VLAN] != 0 && a->counts[ENCAP_VXLAN] == 0)
		add_free(a, tenant, "vlan", FIRST_VLAN, LAST_VLAN);
	else if (a->counts[ENCAP_PLAIN] != 0 && a->counts[ENCAP_VXLAN] == 0)
		edit_list_add(a->list, CONFIG_EDIT_SET, path, "plain");
	else
		add_free(a, tenant, "vni", FIRST_VNI, LAST_VNI);
}

void
edit_list_assign_encap(struct edit_list *list, const struct config *running)
{
	const struct yaml_pair *pair = yaml_tree_get(running->private->root, "tenants");
	struct assignment a = {.list = list};
	unsigned given = list->count;

	if (running->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		return;
	a.tenants = pair != NULL && pair->value->kind == YAML_MAP ? pair->value : NULL;
	for (unsigned i = 0; a.tenants != NULL && i < a.tenants->count; i++)
		if (!is_rest(a.tenants->pairs[i].key))
			a.counts[encap_of(a.tenants->pairs[i].value)]++;
	for (unsigned i = 0; i < given; i++) {
		char name[CONFIG_NAME_MAX + 1];
		enum need need;

		if (tenant_of(&list->edits[i], name) == NULL)
			continue;
		// A tenant that was given one here needs none at its next edit.
		need = find_need(&a, name);
		if (need == NEED_NEW)
			add_encap(&a, name);
		else if (need == NEED_KEEP)
			keep_encap(&a, name);
	}
}
