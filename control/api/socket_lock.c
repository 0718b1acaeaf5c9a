// SPDX-License-Identifier: BSD-3-Clause
// The lock is a record lock on a file beside the socket. Only the owner can open the file, so
// nobody else can hold it, and the kernel names the process that does. A lock that is given back
// takes its file along, so that nothing stays behind; a process that finds it has locked a file
// that is no longer there tries again. A killed holder leaves the file, which the next one uses.
#include "server_internal.h"

#include "control/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_POLL_MS 5

int
socket_directory_open(const char *path)
{
	char copy[API_PATH_MAX];
	const char *directory;
	int fd;

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return -ENAMETOOLONG;
	directory = dirname(copy);
	if (mkdir(directory, 0700) != 0 && errno != EEXIST)
		return -errno;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

// Another user who may write to the directory could replace the lock or the socket.
static int
check_directory(int directory, const char *path, struct diag *diag)
{
	struct stat is;

	if (fstat(directory, &is) != 0)
		return diag_fail(diag, errno, "%s: %s", path, strerror(errno));
	if (is.st_uid == geteuid() && (is.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return 0;
	return diag_fail(
		diag, EPERM,
		"%s: others may write the directory of this socket: make it yours, and run "
		"`chmod go-w` on it",
		path);
}

// Tries once. Returns 0; -EAGAIN if somebody holds it, *holder then being its process; or another
// -errno.
static int
try_lock(struct api_lock *lock, pid_t *holder)
{
	struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat opened, named;
	int rc = 0;

	lock->fd = openat(lock->directory, lock->name,
			  O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (lock->fd < 0)
		return -errno;
	if (fstat(lock->fd, &opened) != 0)
		rc = -errno;
	else if (!S_ISREG(opened.st_mode) || opened.st_uid != geteuid())
		rc = -EPERM;
	else if (fcntl(lock->fd, F_SETLK, &range) != 0)
		rc = errno == EACCES || errno == EAGAIN ? -EAGAIN : -errno;
	else if (fstatat(lock->directory, lock->name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
		 named.st_ino != opened.st_ino)
		rc = -EAGAIN;
	if (rc == -EAGAIN && fcntl(lock->fd, F_GETLK, &range) == 0 && range.l_type != F_UNLCK)
		*holder = range.l_pid;
	if (rc != 0)
		close(lock->fd);
	return rc;
}

static int
wait_for_lock(struct api_lock *lock, const char *path, int wait_ms, struct diag *diag)
{
	const struct timespec moment = {.tv_nsec = LOCK_POLL_MS * 1000000};
	const int64_t until_ms = clock_ms() + wait_ms;
	pid_t holder = 0;
	int rc;

	while ((rc = try_lock(lock, &holder)) == -EAGAIN && clock_ms() < until_ms)
		nanosleep(&moment, NULL);
	if (rc == -EAGAIN)
		return diag_fail(
			diag, EBUSY,
			"%s: process %d is bringing this fabric up or cleaning up after it; "
			"try again, or end that process if it hangs",
			path, (int)holder);
	if (rc != 0)
		return diag_fail(diag, -rc, "%s: its lock, %s beside it: %s", path, lock->name,
				 strerror(-rc));
	return 0;
}

int
api_lock(struct api_lock *lock, const char *path, int wait_ms, struct diag *diag)
{
	const char *name = strrchr(path, '/');
	int rc = socket_directory_open(path);

	*lock = (struct api_lock){.directory = rc, .fd = -1};
	if (rc < 0)
		return diag_fail(diag, -rc, "%s: %s", path, strerror(-rc));
	name = name != NULL ? name + 1 : path;
	snprintf(lock->name, sizeof(lock->name), "%.*s.lock", (int)strcspn(name, "."), name);
	rc = check_directory(lock->directory, path, diag);
	if (rc == 0)
		rc = wait_for_lock(lock, path, wait_ms, diag);
	if (rc != 0)
		close(lock->directory);
	return rc;
}

void
api_unlock(struct api_lock *lock)
{
	unlinkat(lock->directory, lock->name, 0);
	close(lock->fd);
	close(lock->directory);
}
