// SPDX-License-Identifier: BSD-3-Clause
// Files that a configuration consists of or names.
#include "file.h"

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
	size_t size = folder + strlen(name) + 1;
	char *path;

	if (name[0] == '/' || folder == 0)
		return strdup(name);
	path = malloc(size);
	if (path == NULL)
		return NULL;
	snprintf(path, size, "%.*s%s", (int)folder, config_file, name);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return strdup(name);
}

int
file_read(const char *path, size_t max, char **out, size_t *out_length)
{
	FILE *file = fopen(path, "re");
	size_t length = 0, room = 65536, got;
	char *text = NULL, *grown;
	int result = 0;

	if (file == NULL)
		return -errno;
	do {
		grown = realloc(text, room);
		if (grown == NULL) {
			result = -ENOMEM;
			break;
		}
		text = grown;
		got = fread(text + length, 1, room - length, file);
		length += got;
		if (length == room)
			room *= 2;
	} while (got > 0 && length <= max);
	if (result == 0 && ferror(file))
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
