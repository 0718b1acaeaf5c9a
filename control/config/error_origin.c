// SPDX-License-Identifier: BSD-3-Clause
// Where values came from. If several values contradict each other, the user should mostly change
// the one written last, so a message has the position and the key of that one. A value that was set
// after the file was read has no position and is later than all of the file. A default or preset is
// never blamed if the file contributes to the contradiction.
#include "config.h"

#include "control/base/memory.h"

#include <stdlib.h>

#define KEY_MAX 80

struct config_mark_entry {
	char key[KEY_MAX];
	struct config_mark mark;
};

// The index of the key, or of the first entry behind where it would be.
static unsigned
find(const struct config_marks *marks, const char *key, bool *found)
{
	unsigned first = 0, behind = marks->count;

	*found = false;
	while (first < behind) {
		unsigned middle = (first + behind) / 2;
		int order = strcmp(marks->entries[middle].key, key);

		if (order == 0) {
			*found = true;
			return middle;
		}
		if (order < 0)
			first = middle + 1;
		else
			behind = middle;
	}
	return first;
}

struct config_mark
config_marks_find(const struct config_marks *marks, const char *key)
{
	bool found;
	unsigned i = find(marks, key, &found);

	return found ? marks->entries[i].mark : (struct config_mark){0};
}

void
config_marks_set(struct config_marks *marks, const char *key, struct config_mark mark)
{
	bool found;
	unsigned i = find(marks, key, &found);

	if (found) {
		marks->entries[i].mark = mark;
		return;
	}
	if (strlen(key) >= KEY_MAX)
		return;
	marks->entries = memory_grow(marks->entries, marks->count, sizeof(*marks->entries),
				     "origins of settings");
	memmove(&marks->entries[i + 1], &marks->entries[i],
		(marks->count - i) * sizeof(*marks->entries));
	marks->entries[i] = (struct config_mark_entry){.mark = mark};
	strcpy(marks->entries[i].key, key);
	marks->count++;
}

void
config_marks_free(struct config_marks *marks)
{
	free(marks->entries);
	*marks = (struct config_marks){0};
}

static bool
later(const struct config_mark *a, const struct config_mark *b)
{
	if (a->origin != CONFIG_ORIGIN_FILE || b->origin != CONFIG_ORIGIN_FILE)
		return a->origin == CONFIG_ORIGIN_FILE && b->origin != CONFIG_ORIGIN_FILE;
	if (a->pos.line == 0 || b->pos.line == 0)
		return a->pos.line == 0 && b->pos.line != 0;
	return diag_pos_compare(a->pos, b->pos) > 0;
}

// "qos.priority-to-pg.0" as the file has it: "qos.priority-to-pg.default".
static void
name_instead(char *key, size_t size, const char *instead)
{
	char *last = strrchr(key, '.') + (instead[0] != '\0');

	snprintf(last, size - (size_t)(last - key), "%s", instead);
}

void
config_blame(struct config_error_origin *origin, const struct config_marks *marks,
	     const char *format, ...)
{
	struct config_mark mark = {0};
	char key[sizeof(origin->key)];
	va_list args;

	va_start(args, format);
	vsnprintf(key, sizeof(key), format, args);
	va_end(args);
	if (marks != NULL)
		mark = config_marks_find(marks, key);
	if (mark.instead != NULL && mark.origin == CONFIG_ORIGIN_FILE)
		name_instead(key, sizeof(key), mark.instead);
	if (origin->key[0] != '\0' && !later(&mark, &origin->mark))
		return;
	origin->mark = mark;
	memcpy(origin->key, key, sizeof(key));
}
