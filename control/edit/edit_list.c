// SPDX-License-Identifier: BSD-3-Clause
#include "edit_list.h"

#include "control/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int
edit_list_add(struct edit_list *list, enum config_edit_kind kind, const char *key,
	      const char *value)
{
	struct config_edit edit = {.kind = kind};

	if (list->count == list->capacity) {
		unsigned wanted = list->capacity != 0 ? 2 * list->capacity : 8;
		void *grown = arena_alloc(&list->arena, wanted * sizeof(*list->edits));

		if (grown == NULL)
			return -ENOMEM;
		if (list->count != 0)
			memcpy(grown, list->edits, list->count * sizeof(*list->edits));
		list->edits = grown;
		list->capacity = wanted;
	}
	edit.key = arena_text(&list->arena, key, strlen(key));
	if (value != NULL)
		edit.value = arena_text(&list->arena, value, strlen(value));
	if (edit.key == NULL || (value != NULL && edit.value == NULL))
		return -ENOMEM;
	list->edits[list->count++] = edit;
	return 0;
}

int
edit_list_append(struct edit_list *list, const struct edit_list *other)
{
	unsigned before = list->count;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < other->count; i++)
		rc = edit_list_add(list, other->edits[i].kind, other->edits[i].key,
				   other->edits[i].value);
	if (rc != 0)
		list->count = before;
	return rc;
}

int
edit_list_add_differences(struct edit_list *list, const struct config_differences *found)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < found->count; i++) {
		const struct config_difference *d = &found->items[i];

		if (d->to == NULL || d->replaced)
			rc = edit_list_add(list, CONFIG_EDIT_UNSET, d->key, NULL);
		if (rc == 0 && d->to != NULL)
			rc = edit_list_add(list, CONFIG_EDIT_SET, d->key, d->to);
	}
	return rc;
}

void
edit_list_free(struct edit_list *list)
{
	arena_free(&list->arena);
	*list = (struct edit_list){0};
}

char *
edit_list_describe(const struct edit_list *list, char *out, size_t size)
{
	static const char *const verbs[] = {
		[CONFIG_EDIT_SET] = "set",
		[CONFIG_EDIT_UNSET] = "unset",
		[CONFIG_EDIT_ADD] = "add",
		[CONFIG_EDIT_REMOVE] = "remove",
	};
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < list->count && used < size; i++) {
		const struct config_edit *edit = &list->edits[i];

		used += (size_t)snprintf(out + used, size - used, "%s%s %s%s%s", i == 0 ? "" : "; ",
					 verbs[edit->kind], edit->key,
					 edit->value != NULL ? " " : "",
					 edit->value != NULL ? edit->value : "");
	}
	if (used >= size && size > 4)
		memcpy(out + utf8_end(out, size - 4), "...", 4);
	return out;
}
