// SPDX-License-Identifier: BSD-3-Clause
// Files that a configuration consists of or names.
#include "file.h"

#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *
file_beside(const char *config_file, const char *name)
{
	const char *slash = strrchr(config_file, '/');
	size_t folder = slash != NULL ? (size_t)(slash - config_file) + 1 : 0;
	char *path;

	if (name[0] == '/' || folder == 0)
		return memory_text(name);
	path = memory_format("%.*s%s", (int)folder, config_file, name);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return memory_text(name);
}

int
file_read(const char *path, size_t max, char **out, size_t *out_length)
{
	FILE *file = fopen(path, "re");
	size_t length = 0, room = 65536, got;
	char *text = NULL;
	int result = 0;

	if (file == NULL)
		return -errno;
	do {
		text = memory_resize(text, room, 1, "bytes");
		got = fread(text + length, 1, room - length, file);
		length += got;
		if (length == room)
			room *= 2;
	} while (got > 0 && length <= max);
	if (ferror(file))
		result = errno != 0 ? -errno : -EIO;
	fclose(file);
	if (result < 0) {
		free(text);
		return result;
	}
	*out = text;
	*out_length = length;
	return 0;
}
