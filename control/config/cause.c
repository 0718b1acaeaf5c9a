// SPDX-License-Identifier: BSD-3-Clause
// A contradiction has several sides, and the one to mend is mostly the one written last. So a
// message stands where the latest of them stands in the file, under that one's key. What was set
// since the file was read has no place in it and is later than all of it; a default or preset is
// never to blame where the file has a part in it.
#include "config.h"

static bool
later(const struct config_mark *a, const struct config_mark *b)
{
	if (a->origin != CONFIG_ORIGIN_FILE || b->origin != CONFIG_ORIGIN_FILE)
		return a->origin == CONFIG_ORIGIN_FILE && b->origin != CONFIG_ORIGIN_FILE;
	if (a->pos.line == 0 || b->pos.line == 0)
		return a->pos.line == 0 && b->pos.line != 0;
	if (a->pos.line != b->pos.line)
		return a->pos.line > b->pos.line;
	return a->pos.column > b->pos.column;
}

void
config_blame(struct config_cause *cause, const struct config_mark *marks, size_t offset,
	     const char *format, ...)
{
	struct config_mark mark = marks != NULL ? marks[offset] : (struct config_mark){0};
	va_list args;

	if (cause->key[0] != '\0' && !later(&mark, &cause->mark))
		return;
	cause->mark = mark;
	va_start(args, format);
	vsnprintf(cause->key, sizeof(cause->key), format, args);
	va_end(args);
}
