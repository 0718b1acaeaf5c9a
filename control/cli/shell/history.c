// SPDX-License-Identifier: BSD-3-Clause
// The history is a text file, one command a line, to which every session appends, so that sessions
// do not overwrite each other's lines. When it has become long, a new file with the newest lines
// replaces it.
#include "shell.h"

#include "control/base/file.h"
#include "control/base/memory.h"
#include "split.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REWRITE_LINES (2 * SHELL_HISTORY_MAX)

// For free(); NULL: no home.
static char *
history_path(const char *directory)
{
	return directory != NULL ? memory_format("%s/history", directory) : NULL;
}

// Replaces a file by one with its newest lines.
static void
rewrite(const char *path, FILE *from, long lines)
{
	char *fresh = memory_format("%s.new", path), *line = NULL;
	size_t room = 0;
	FILE *to = NULL;
	int fd;

	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		to = fdopen(fd, "w");
	rewind(from);
	for (; to != NULL && getline(&line, &room, from) > 0; lines--)
		if (lines <= SHELL_HISTORY_MAX)
			fputs(line, to);
	if (to != NULL && fclose(to) == 0)
		rename(fresh, path);
	free(line);
	free(fresh);
}

void
shell_history_load(History *past)
{
	char *directory = file_state_directory(), *path = history_path(directory), *line = NULL;
	FILE *file = path != NULL ? fopen(path, "re") : NULL;
	size_t room = 0;
	long lines = 0;
	ssize_t length;

	while (file != NULL && (length = getline(&line, &room, file)) > 0) {
		HistEvent event;

		lines++;
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (line[0] != '\0' && length <= SHELL_LINE_MAX)
			history(past, &event, H_ENTER, line);
	}
	if (lines > REWRITE_LINES)
		rewrite(path, file, lines);
	if (file != NULL)
		fclose(file);
	free(line);
	free(path);
	free(directory);
}

int
shell_history_append(const char *line)
{
	char *directory = file_state_directory(), *path = history_path(directory);
	char *text = memory_format("%s\n", line);
	int status = -ENOENT, fd = -1;
	size_t length = strlen(text);

	if (path != NULL)
		status = file_make_directories(directory, 0700, 0700);
	if (status == 0) {
		fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
		// One write: lines of two sessions do not mix.
		if (fd < 0 || write(fd, text, length) != (ssize_t)length)
			status = -errno;
	}
	if (fd >= 0)
		close(fd);
	free(text);
	free(path);
	free(directory);
	return status;
}
