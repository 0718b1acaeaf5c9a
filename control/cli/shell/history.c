// SPDX-License-Identifier: BSD-3-Clause
// The history is a text file, a line each, to which every session appends: two at once lose nothing
// of each other. When it has become long, what is too old is left out in a new file that takes its
// place.
#include "shell.h"
#include "split.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REWRITE_LINES (2 * SHELL_HISTORY_MAX)

// "$XDG_STATE_HOME/roost/NAME", or under ~/.local/state. The caller's to free; NULL: no home.
static char *
state_path(const char *name)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int length = -1;

	if (state != NULL && state[0] == '/')
		length = asprintf(&path, "%s/roost/%s", state, name);
	else if (home != NULL && home[0] == '/')
		length = asprintf(&path, "%s/.local/state/roost/%s", home, name);
	return length < 0 ? NULL : path;
}

// Makes the directories that lead to a file, for their owner alone.
static int
make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		int made;

		*slash = '\0';
		made = mkdir(path, 0700);
		*slash = '/';
		if (made != 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

// The newest of a file's lines, in a new file that takes its place.
static void
rewrite(const char *path, FILE *from, long lines)
{
	char *fresh = NULL, *line = NULL;
	size_t room = 0;
	FILE *to = NULL;
	int fd;

	if (asprintf(&fresh, "%s.new", path) < 0)
		return;
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
	char *path = state_path("history"), *line = NULL;
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
}

int
shell_history_append(const char *line)
{
	char *path = state_path("history"), *text = NULL;
	int length = asprintf(&text, "%s\n", line), fd = -1, status = 0;

	if (path == NULL || length < 0)
		status = path == NULL ? -ENOENT : -ENOMEM;
	if (status == 0)
		status = make_parents(path);
	if (status == 0) {
		fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
		// One write: lines of two sessions do not mix.
		if (fd < 0 || write(fd, text, (size_t)length) != length)
			status = -errno;
	}
	if (fd >= 0)
		close(fd);
	if (length >= 0)
		free(text);
	free(path);
	return status;
}
