// SPDX-License-Identifier: BSD-3-Clause
// An old socket is examined, removed and replaced by the new one under the lock of socket_lock.c,
// so that servers that start at the same time see what the others have done.
#include "server_internal.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>
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

int
api_socket_remove_stale(const char *path)
{
	struct stat file, now;

	if (lstat(path, &file) != 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(file.st_mode) || listener_probe(path) != -ECONNREFUSED)
		return -EADDRINUSE;
	if (lstat(path, &now) != 0 || now.st_dev != file.st_dev || now.st_ino != file.st_ino)
		return -EADDRINUSE;
	return unlink(path) == 0 ? 0 : -errno;
}

// The mode of a socket's file is that of its descriptor when it is bound.
static int
listener_bind(struct listener *l, int backlog)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat file;
	int status;

	memcpy(address.sun_path, l->path, sizeof(address.sun_path));
	status = api_socket_remove_stale(l->path);
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
	int status = socket_directory_open(path);

	*l = (struct listener){.fd = -1};
	if (status >= 0) {
		close(status);
		memcpy(l->path, path, strlen(path) + 1);
		status = listener_bind(l, backlog);
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
