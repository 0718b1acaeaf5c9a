// SPDX-License-Identifier: BSD-3-Clause
// A tenant that is made by naming its hosts needs a way across the fabric. What it gets is written
// into the configuration like anything else, so that it stays what it is when others come and go.
// One that is set as a whole without a word of its way keeps that which it had.
#include "edit_list.h"
#include "control/config/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VNI 10001
#define LAST_VNI 16777215
#define FIRST_VLAN 101
#define LAST_VLAN 4094

enum way { WAY_PLAIN, WAY_VXLAN, WAY_VLAN, WAYS };

struct assignment {
	struct edit_list *list;
	const struct yaml_node *tenants; // of what runs; NULL: none
	unsigned ways[WAYS];             // of the other tenants, how many
	unsigned given;                  // edits that the caller made
};

static bool
is_rest(const char *name)
{
	return strcmp(name, "rest") == 0;
}

// The keys that say a tenant's way.
static const char *const way_keys[] = {"encap", "vni", "vlan"};

// Whether a key says a tenant's way by this value; `encap: auto` leaves it to the others.
static bool
says_way(const char *key, const char *value)
{
	return strcmp(key, "vni") == 0 || strcmp(key, "vlan") == 0 ||
	       (strcmp(key, "encap") == 0 && strcmp(value, "auto") != 0);
}

static enum way
way_of(const struct yaml_node *tenant)
{
	const struct yaml_pair *encap = yaml_tree_get(tenant, "encap");
	const char *word = encap != NULL && encap->value->kind == YAML_SCALAR ? encap->value->text
									      : "auto";

	if (strcmp(word, "vxlan") == 0)
		return WAY_VXLAN;
	if (strcmp(word, "vlan") == 0)
		return WAY_VLAN;
	if (strcmp(word, "plain") == 0)
		return WAY_PLAIN;
	return yaml_tree_get(tenant, "vni") != NULL    ? WAY_VXLAN
	       : yaml_tree_get(tenant, "vlan") != NULL ? WAY_VLAN
						       : WAY_PLAIN;
}

// The tenant that an edit is about, "tenants.NAME" or "tenants.NAME.KEY", in name. Returns the key,
// "" for the whole tenant, or NULL when the edit is about something else.
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

// What an edit writes of a tenant, if it is this tenant's key, or any that says its way (key NULL):
// its value, in text, or NULL.
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
		return (key != NULL ? strcmp(of, key) == 0 : says_way(of, edit->value))
			       ? edit->value
			       : NULL;
	if (yaml_tree_parse(&node, &arena, edit->value, strlen(edit->value), "", &diag) == 0)
		for (unsigned i = 0; found == NULL && i < 3; i++) {
			const struct yaml_pair *pair = yaml_tree_get(node, way_keys[i]);

			if (pair == NULL || pair->value->kind != YAML_SCALAR ||
			    (key != NULL ? strcmp(key, way_keys[i]) != 0
					 : !says_way(way_keys[i], pair->value->text)))
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
	NEED_KEEP, // it is there, and set as a whole without a word of its way
};

// Whether the edits leave this tenant to be given a way.
static enum need
find_need(const struct assignment *a, const char *name)
{
	char other[CONFIG_NAME_MAX + 1], text[16];
	bool there = yaml_tree_get(a->tenants, name) != NULL;
	enum need need = NEED_NONE;
	bool said = false;

	for (unsigned i = 0; !is_rest(name) && i < a->list->count; i++) {
		const struct config_edit *edit = &a->list->edits[i];
		const char *key = tenant_of(edit, other);

		if (key == NULL || strcmp(other, name) != 0)
			continue;
		if (key[0] == '\0' && edit->kind == CONFIG_EDIT_UNSET) {
			there = said = false;
			need = NEED_NONE;
			continue;
		}
		said |= written(edit, key, NULL, text) != NULL;
		if (!there && edit->kind != CONFIG_EDIT_UNSET)
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

// Writes again what a tenant that is set as a whole had.
static int
keep_way(struct assignment *a, const char *tenant)
{
	const struct yaml_node *node = yaml_tree_get(a->tenants, tenant)->value;
	char path[CONFIG_NAME_MAX + 32];
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < 3; i++) {
		const struct yaml_pair *pair = yaml_tree_get(node, way_keys[i]);

		snprintf(path, sizeof(path), "tenants.%s.%s", tenant, way_keys[i]);
		if (pair != NULL && pair->value->kind == YAML_SCALAR)
			rc = edit_list_add(a->list, CONFIG_EDIT_SET, path, pair->value->text);
	}
	return rc;
}

static int
add_free(struct assignment *a, const char *tenant, const char *key, unsigned first, unsigned last)
{
	char path[CONFIG_NAME_MAX + 32], value[16];

	snprintf(path, sizeof(path), "tenants.%s.%s", tenant, key);
	for (unsigned number = first; number <= last; number++) {
		snprintf(value, sizeof(value), "%u", number);
		if (!is_taken(a, key, value))
			return edit_list_add(a->list, CONFIG_EDIT_SET, path, value);
	}
	return 0; // the check of tenants says what is missing
}

static int
give_way(struct assignment *a, const char *tenant)
{
	char path[CONFIG_NAME_MAX + 32];

	snprintf(path, sizeof(path), "tenants.%s.encap", tenant);
	if (a->ways[WAY_VLAN] != 0 && a->ways[WAY_VXLAN] == 0)
		return add_free(a, tenant, "vlan", FIRST_VLAN, LAST_VLAN);
	if (a->ways[WAY_PLAIN] != 0 && a->ways[WAY_VXLAN] == 0)
		return edit_list_add(a->list, CONFIG_EDIT_SET, path, "plain");
	return add_free(a, tenant, "vni", FIRST_VNI, LAST_VNI);
}

int
edit_list_assign_encap(struct edit_list *list, const struct config *running)
{
	const struct yaml_pair *pair = yaml_tree_get(running->private->root, "tenants");
	struct assignment a = {.list = list, .given = list->count};
	int rc = 0;

	if (running->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		return 0;
	a.tenants = pair != NULL && pair->value->kind == YAML_MAP ? pair->value : NULL;
	for (unsigned i = 0; a.tenants != NULL && i < a.tenants->count; i++)
		if (!is_rest(a.tenants->pairs[i].key))
			a.ways[way_of(a.tenants->pairs[i].value)]++;
	for (unsigned i = 0; rc == 0 && i < a.given; i++) {
		char name[CONFIG_NAME_MAX + 1];

		enum need need;

		if (tenant_of(&list->edits[i], name) == NULL)
			continue;
		// Once given a way, it needs none at its next edit.
		need = find_need(&a, name);
		if (need == NEED_NEW)
			rc = give_way(&a, name);
		else if (need == NEED_KEEP)
			rc = keep_way(&a, name);
	}
	return rc;
}
