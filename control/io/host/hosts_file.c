// SPDX-License-Identifier: BSD-3-Clause
// A file that exists is written in place: a command that runs has it mounted. Its first line, which
// says whose it is, is never gone: a process that is killed on the way leaves a file that has too
// much behind it, or one that is empty, as it is made. An empty one counts as any fabric's.
#include "hosts_file.h"

#include "control/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	if (length <= 0)
		return length == 0;
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

static int
write_over(int fd, const char *text)
{
	size_t length = strlen(text), done = 0;

	while (done < length) {
		ssize_t bytes = pwrite(fd, text + done, length - done, (off_t)done);

		if (bytes < 0 && errno != EINTR)
			return -errno;
		done += bytes > 0 ? (size_t)bytes : 0;
	}
	return ftruncate(fd, (off_t)length) == 0 ? 0 : -errno;
}

int
hosts_file_write(const char *netns, const char *fabric, const char *text)
{
	char path[PATH_MAX], *whole;
	int fd, error = path_of(netns, "", path);

	if (error != 0)
		return error;
	if ((mkdir(DIRECTORY, 0755) != 0 && errno != EEXIST) ||
	    (mkdir(path, 0755) != 0 && errno != EEXIST))
		return -errno;
	(void)path_of(netns, "/hosts", path);
	fd = open_file(path);
	if (fd < 0)
		return fd;
	whole = memory_format(FIRST_LINE "%s; `roost down` removes it\n%s", fabric, text);
	error = write_over(fd, whole);
	free(whole);
	close(fd);
	return error;
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
