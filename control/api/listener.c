// SPDX-License-Identifier: BSD-3-Clause
// The directory is locked while an old socket is examined and until the new one listens, so that
// servers that start at the same time see what the others have done. The lock is that of the
// directory itself: no file is left behind, and only users who may enter it can hold it.
#include "server_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int
listener_probe(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int status = 0;

	if (fd < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	// EAGAIN: it listens, but has many waiting.
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0 && errno != EAGAIN)
		status = -errno;
	close(fd);
	return status;
}

// Removes a socket that nobody listens on. Returns 0, or -EADDRINUSE if a process does or the file
// is not a socket.
static int
remove_stale(const char *path)
{
	struct stat file;

	if (lstat(path, &file) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(file.st_mode) || listener_probe(path) != -ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(path) == 0 ? 0 : -errno;
}

// Opens and locks the directory of the socket, made if it is missing. Returns its descriptor or
// -errno.
static int
lock_directory(const char *path)
{
	char copy[API_PATH_MAX];
	const char *directory;
	int fd;

	snprintf(copy, sizeof(copy), "%s", path);
	directory = dirname(copy);
	if (mkdir(directory, 0700) != 0 && errno != EEXIST)
		return -errno;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX) != 0) {
		int status = -errno;

		close(fd);
		return status;
	}
	return fd;
}

// The mode of a socket's file is that of its descriptor when it is bound.
static int
listener_bind(struct listener *l, int backlog)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat file;
	int status;

	memcpy(address.sun_path, l->path, sizeof(address.sun_path));
	status = remove_stale(l->path);
	if (status != 0)
		return status;
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return -errno;
	if (fchmod(l->fd, 0600) != 0 ||
	    bind(l->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return -errno;
	if (listen(l->fd, backlog) != 0 || lstat(l->path, &file) != 0) {
		status = -errno;
		unlink(l->path);
		return status;
	}
	l->device = file.st_dev;
	l->inode = file.st_ino;
	return 0;
}

int
listener_open(struct listener *l, const char *path, int backlog, struct diag *diag)
{
	int status = -ENAMETOOLONG, lock;

	*l = (struct listener){.fd = -1};
	if (strlen(path) < sizeof(l->path)) {
		memcpy(l->path, path, strlen(path) + 1);
		status = lock = lock_directory(path);
		if (lock >= 0) {
			status = listener_bind(l, backlog);
			close(lock);
		}
	}
	if (status == 0)
		return 0;
	if (l->fd >= 0)
		close(l->fd);
	return diag_fail(diag, -status, "%s: %s", path,
			 status == -EADDRINUSE ? "somebody serves this socket already"
					       : strerror(-status));
}

void
listener_close(struct listener *l)
{
	struct stat file;

	if (lstat(l->path, &file) == 0 && file.st_dev == l->device && file.st_ino == l->inode)
		unlink(l->path);
	close(l->fd);
}

// The group may enter and list the directory: the files in it have modes of their own.
int
listener_open_to(struct listener *l, gid_t group)
{
	char copy[sizeof(l->path)];

	snprintf(copy, sizeof(copy), "%s", l->path);
	if (chown(l->path, (uid_t)-1, group) != 0 || chmod(l->path, 0660) != 0 ||
	    chmod(dirname(copy), 0755) != 0)
		return -errno;
	return 0;
}
