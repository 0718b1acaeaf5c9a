// SPDX-License-Identifier: BSD-3-Clause
// A tenant that is created by naming its hosts needs an encapsulation. The keys that it gets are
// part of the configuration, so that they do not change when other tenants come and go. An existing
// tenant whose full map is set without such a key keeps the keys that it has.
#include "edit.h"

#include "control/config/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VNI 10001
#define LAST_VNI 16777215
#define FIRST_VLAN 101
#define LAST_VLAN 4094

enum encap { ENCAP_PLAIN, ENCAP_VXLAN, ENCAP_VLAN, ENCAPS };

// A key of a tenant that an edit sets, unsets, or changes.
struct change {
	const char *tenant;
	const char *key;   // "": all keys of the tenant, which are replaced or removed
	const char *value; // NULL: unset
};

struct assignment {
	struct edit_list *list;
	struct arena arena;
	const struct yaml_node *tenants; // of the running configuration; NULL: none
	unsigned counts[ENCAPS];         // how many of them have each
	struct change *changes;          // of the list, in its order
	unsigned change_count;
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

static void
add_change(struct assignment *a, const char *tenant, const char *key, const char *value)
{
	a->changes = arena_grow(&a->arena, a->changes, a->change_count, sizeof(*a->changes));
	a->changes[a->change_count++] = (struct change){tenant, key, value};
}

// Adds what an edit of "tenants.NAME" or "tenants.NAME.KEY" changes. The keys of a map follow it,
// as far as they decide the encapsulation.
static void
read_edit(struct assignment *a, const struct config_edit *edit)
{
	const char *name = edit->key + strlen("tenants."), *end = strchrnul(name, '.'), *tenant;
	struct diag diag = {0};
	struct yaml_node *map;

	if (end == name || end - name > CONFIG_NAME_MAX)
		return;
	tenant = arena_text(&a->arena, name, (size_t)(end - name));
	add_change(a, tenant, end + (*end == '.'), edit->value);
	if (*end == '.' || edit->kind != CONFIG_EDIT_SET)
		return;
	if (yaml_tree_parse(&map, &a->arena, edit->value, strlen(edit->value), "", &diag) == 0)
		for (unsigned i = 0; i < ENCAP_KEYS; i++) {
			const struct yaml_pair *pair = yaml_tree_get(map, encap_keys[i]);

			if (pair != NULL && pair->value->kind == YAML_SCALAR)
				add_change(a, tenant, encap_keys[i], pair->value->text);
		}
	diag_free(&diag);
}

enum need {
	NEED_NONE,
	NEED_NEW,  // it is new
	NEED_KEEP, // it exists, and its full map is set without a key that decides
};

// Whether the edits leave this tenant without an encapsulation.
static enum need
find_need(const struct assignment *a, const char *tenant)
{
	bool exists = yaml_tree_get(a->tenants, tenant) != NULL, decided = false;
	enum need need = NEED_NONE;

	for (unsigned i = 0; i < a->change_count; i++) {
		const struct change *c = &a->changes[i];

		if (strcmp(c->tenant, tenant) != 0)
			continue;
		if (c->key[0] == '\0' && c->value == NULL) {
			exists = decided = false;
			need = NEED_NONE;
			continue;
		}
		decided |= c->value != NULL && decides_encap(c->key, c->value);
		if (!exists && c->value != NULL)
			need = NEED_NEW;
		else if (c->key[0] == '\0')
			need = NEED_KEEP;
	}
	return decided ? NEED_NONE : need;
}

static bool
is_taken(const struct assignment *a, const char *key, const char *value)
{
	for (unsigned i = 0; a->tenants != NULL && i < a->tenants->count; i++) {
		const struct yaml_pair *pair = yaml_tree_get(a->tenants->pairs[i].value, key);

		if (pair != NULL && pair->value->kind == YAML_SCALAR &&
		    strcmp(pair->value->text, value) == 0)
			return true;
	}
	for (unsigned i = 0; i < a->change_count; i++)
		if (a->changes[i].value != NULL && strcmp(a->changes[i].key, key) == 0 &&
		    strcmp(a->changes[i].value, value) == 0)
			return true;
	return false;
}

// Sets a key by a further edit.
static void
set_key(struct assignment *a, const char *tenant, const char *key, const char *value)
{
	const struct config_edit *edit;
	char path[CONFIG_NAME_MAX + 32];

	snprintf(path, sizeof(path), "tenants.%s.%s", tenant, key);
	edit_list_add(a->list, CONFIG_EDIT_SET, path, value);
	edit = &a->list->edits[a->list->count - 1];
	add_change(a, tenant, key, edit->value);
}

// Repeats the keys that an existing tenant has, after its full map was set.
static void
keep_encap(struct assignment *a, const char *tenant)
{
	const struct yaml_node *node = yaml_tree_get(a->tenants, tenant)->value;

	for (unsigned i = 0; i < ENCAP_KEYS; i++) {
		const struct yaml_pair *pair = yaml_tree_get(node, encap_keys[i]);

		if (pair != NULL && pair->value->kind == YAML_SCALAR)
			set_key(a, tenant, encap_keys[i], pair->value->text);
	}
}

// Without a free number nothing is added: the check of tenants reports what is missing.
static void
add_free(struct assignment *a, const char *tenant, const char *key, unsigned first, unsigned last)
{
	char value[16];

	for (unsigned number = first; number <= last; number++) {
		snprintf(value, sizeof(value), "%u", number);
		if (!is_taken(a, key, value)) {
			set_key(a, tenant, key, value);
			return;
		}
	}
}

static void
add_encap(struct assignment *a, const char *tenant)
{
	if (a->counts[ENCAP_VLAN] != 0 && a->counts[ENCAP_VXLAN] == 0)
		add_free(a, tenant, "vlan", FIRST_VLAN, LAST_VLAN);
	else if (a->counts[ENCAP_PLAIN] != 0 && a->counts[ENCAP_VXLAN] == 0)
		set_key(a, tenant, "encap", "plain");
	else
		add_free(a, tenant, "vni", FIRST_VNI, LAST_VNI);
}

void
edit_list_assign_encap(struct edit_list *list, const struct config *running)
{
	const struct yaml_pair *pair = yaml_tree_get(running->private->root, "tenants");
	struct assignment a = {.list = list};
	unsigned given;

	if (running->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		return;
	a.tenants = pair != NULL && pair->value->kind == YAML_MAP ? pair->value : NULL;
	for (unsigned i = 0; a.tenants != NULL && i < a.tenants->count; i++)
		if (!is_rest(a.tenants->pairs[i].key))
			a.counts[encap_of(a.tenants->pairs[i].value)]++;
	for (unsigned i = 0; i < list->count; i++)
		if (strncmp(list->edits[i].key, "tenants.", strlen("tenants.")) == 0)
			read_edit(&a, &list->edits[i]);
	given = a.change_count;
	for (unsigned i = 0; i < given; i++) {
		const char *tenant = a.changes[i].tenant;
		enum need need = is_rest(tenant) ? NEED_NONE : find_need(&a, tenant);

		// A tenant that was given one here needs none at its next change.
		if (need == NEED_NEW)
			add_encap(&a, tenant);
		else if (need == NEED_KEEP)
			keep_encap(&a, tenant);
	}
	arena_free(&a.arena);
}
