// SPDX-License-Identifier: BSD-3-Clause
// A file that exists is written in place: a command that runs has it mounted.
#include "hosts_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY "/etc/netns"
#define FIRST_LINE "# of the Roost fabric "

static int
path_of(const char *netns, const char *file, char path[static PATH_MAX])
{
	if (netns[0] == '\0' || netns[0] == '.' || strchr(netns, '/') != NULL ||
	    strlen(netns) > NAME_MAX)
		return -EINVAL;
	snprintf(path, PATH_MAX, DIRECTORY "/%s%s", netns, file);
	return 0;
}

// Whether a fabric wrote it; fabric: which, or NULL for any.
static bool
is_ours(int fd, const char *fabric)
{
	char text[256] = "", own[256];

	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		return false;
	snprintf(own, sizeof(own), FIRST_LINE "%s%s", fabric != NULL ? fabric : "",
		 fabric != NULL ? ";" : "");
	return strncmp(text, own, strlen(own)) == 0;
}

static int
open_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd >= 0 || errno != EEXIST)
		return fd >= 0 ? fd : -errno;
	fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && is_ours(fd, NULL))
		return fd;
	if (fd >= 0)
		close(fd);
	return -EEXIST;
}

int
hosts_file_write(const char *netns, const char *fabric, const char *text)
{
	char path[PATH_MAX];
	int fd, error = path_of(netns, "", path);
	FILE *file;

	if (error != 0)
		return error;
	if ((mkdir(DIRECTORY, 0755) != 0 && errno != EEXIST) ||
	    (mkdir(path, 0755) != 0 && errno != EEXIST))
		return -errno;
	(void)path_of(netns, "/hosts", path);
	fd = open_file(path);
	if (fd < 0)
		return fd;
	file = ftruncate(fd, 0) == 0 ? fdopen(fd, "w") : NULL;
	if (file == NULL) {
		error = -errno;
		close(fd);
		return error;
	}
	fprintf(file, FIRST_LINE "%s; `roost down` removes it\n%s", fabric, text);
	return fclose(file) == 0 ? 0 : -errno;
}

void
hosts_file_remove(const char *netns, const char *fabric)
{
	char path[PATH_MAX];
	int fd;

	if (path_of(netns, "/hosts", path) != 0)
		return;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && is_ours(fd, fabric))
		unlink(path);
	if (fd >= 0)
		close(fd);
	(void)path_of(netns, "", path);
	rmdir(path);
	rmdir(DIRECTORY);
}
