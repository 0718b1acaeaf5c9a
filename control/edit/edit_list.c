// SPDX-License-Identifier: BSD-3-Clause
#include "edit.h"

#include "control/base/text.h"

#include <stdio.h>
#include <string.h>

static char *
copy_text(struct edit_list *list, const char *text)
{
	return text != NULL ? arena_text(&list->arena, text, strlen(text)) : NULL;
}

void
edit_list_add(struct edit_list *list, enum config_edit_kind kind, const char *key,
	      const char *value)
{
	list->edits = arena_grow(&list->arena, list->edits, list->count, sizeof(*list->edits));
	list->edits[list->count++] = (struct config_edit){
		.kind = kind, .key = copy_text(list, key), .value = copy_text(list, value)};
}

void
edit_list_append(struct edit_list *list, const struct edit_list *other)
{
	for (unsigned i = 0; i < other->count; i++)
		edit_list_add(list, other->edits[i].kind, other->edits[i].key,
			      other->edits[i].value);
}

void
edit_list_add_differences(struct edit_list *list, const struct config_differences *found)
{
	for (unsigned i = 0; i < found->count; i++) {
		const struct config_difference *d = &found->items[i];

		if (d->to == NULL || d->replaced)
			edit_list_add(list, CONFIG_EDIT_UNSET, d->key, NULL);
		if (d->to != NULL)
			edit_list_add(list, CONFIG_EDIT_SET, d->key, d->to);
	}
}

void
edit_list_free(struct edit_list *list)
{
	arena_free(&list->arena);
	*list = (struct edit_list){0};
}

const char *const edit_kinds[EDIT_KINDS] = {
	[CONFIG_EDIT_SET] = "set",
	[CONFIG_EDIT_UNSET] = "unset",
	[CONFIG_EDIT_ADD] = "add",
	[CONFIG_EDIT_REMOVE] = "remove",
};

char *
edit_list_describe(const struct edit_list *list, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < list->count && used < size; i++) {
		const struct config_edit *edit = &list->edits[i];

		used += (size_t)snprintf(out + used, size - used, "%s%s %s%s%s", i == 0 ? "" : "; ",
					 edit_kinds[edit->kind], edit->key,
					 edit->value != NULL ? " " : "",
					 edit->value != NULL ? edit->value : "");
	}
	if (used >= size && size > 4)
		memcpy(out + utf8_end(out, size - 4), "...", 4);
	return out;
}
