// SPDX-License-Identifier: BSD-3-Clause
// A named namespace is a file in /var/run/netns with the namespace bind-mounted on it. The
// directory is a shared mount, so a name removed in one mount namespace is removed in all.
#include "netns.h"

#include "link.h"

#include "dataplane/device/interface.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define NETNS_DIRECTORY "/var/run/netns"
#define NETNS_SELF "/proc/thread-self/ns/net"
#define NETNS_PATH_MAX 280
#define NETNS_ETC "/etc/netns"
#define NETNS_PROC "/proc/" // of a process, or a descriptor

static int
netns_path(const char *name, char path[NETNS_PATH_MAX])
{
	if (strncmp(name, NETNS_PROC, strlen(NETNS_PROC)) == 0 && strlen(name) < NETNS_PATH_MAX) {
		snprintf(path, NETNS_PATH_MAX, "%s", name);
		return 0;
	}
	if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0 || strlen(name) > NAME_MAX)
		return -EINVAL;
	snprintf(path, NETNS_PATH_MAX, "%s/%s", NETNS_DIRECTORY, name);
	return 0;
}

int
netns_open(const char *name)
{
	char path[NETNS_PATH_MAX] = NETNS_SELF;
	int error = name != NULL ? netns_path(name, path) : 0;
	struct statfs fs;
	int fd;

	if (error != 0)
		return error;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	// A file whose mount is gone is a plain file.
	if (fstatfs(fd, &fs) != 0 || fs.f_type != NSFS_MAGIC) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

int
netns_run(int netns_fd, int (*fn)(void *arg), void *arg)
{
	int previous, result = interface_enter_netns(netns_fd, &previous);

	if (result != 0)
		return result;
	result = fn(arg);
	if (interface_leave_netns(previous) != 0)
		abort(); // going on in the wrong namespace would configure the wrong host
	return result;
}

// In the namespace.
static int
netns_read_cookie(void *arg)
{
	socklen_t bytes = sizeof(uint64_t);
	int error, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	error = getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, arg, &bytes) != 0 ? -errno : 0;
	close(fd);
	return error;
}

int
netns_identify(const char *name, struct netns_id *id)
{
	int fd = netns_open(name), error = 0;
	struct stat file;

	*id = (struct netns_id){0};
	if (fd < 0)
		return fd == -EINVAL ? -ENOENT : fd;
	if (fstat(fd, &file) != 0)
		error = -errno;
	else
		*id = (struct netns_id){.device = file.st_dev, .inode = file.st_ino};
	if (error == 0)
		(void)netns_run(fd, netns_read_cookie, &id->cookie);
	close(fd);
	return error;
}

bool
netns_same(const struct netns_id *a, const struct netns_id *b)
{
	return a->device == b->device && a->inode == b->inode && a->cookie == b->cookie;
}

bool
netns_is_same(int a, int b)
{
	struct stat one, other;

	return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

int
netns_has_moved(const char *name, const struct netns_id *id)
{
	char path[NETNS_PATH_MAX];
	struct stat file;

	if (netns_path(name, path) != 0 || stat(path, &file) != 0)
		return -ENOENT;
	return file.st_dev != id->device || file.st_ino != id->inode;
}

static int
netns_prepare_directory(void)
{
	if (mkdir(NETNS_DIRECTORY, 0755) != 0 && errno != EEXIST)
		return -errno;
	if (mount("", NETNS_DIRECTORY, "none", MS_SHARED | MS_REC, NULL) == 0)
		return 0;
	// Not a mount point yet.
	if (errno != EINVAL)
		return -errno;
	if (mount(NETNS_DIRECTORY, NETNS_DIRECTORY, "none", MS_BIND | MS_REC, NULL) != 0 ||
	    mount("", NETNS_DIRECTORY, "none", MS_SHARED | MS_REC, NULL) != 0)
		return -errno;
	return 0;
}

// In a fresh namespace: gives it the name whose path is `path`. From then on it has its mark.
static int
netns_bind_self(const char *path, const char *fabric)
{
	int error = link_set_up("lo");

	if (error == 0)
		error = link_set_fabric("lo", fabric);
	if (error == 0 && mount(NETNS_SELF, path, "none", MS_BIND, NULL) != 0)
		error = -errno;
	return error;
}

static int
netns_create_at(const char *path, const char *fabric)
{
	int previous = netns_open(NULL);
	int error;

	if (previous < 0)
		return previous;
	error = unshare(CLONE_NEWNET) != 0 ? -errno : netns_bind_self(path, fabric);
	if (interface_leave_netns(previous) != 0)
		abort(); // as in netns_run()
	return error;
}

int
netns_create(const char *name, const char *fabric, bool *created, struct diag *diag)
{
	char path[NETNS_PATH_MAX];
	int error = netns_path(name, path);
	int fd = -1;

	*created = false;
	if (error != 0)
		goto fail;
	fd = netns_open(name);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	error = netns_prepare_directory();
	if (error != 0)
		goto fail;
	// An interrupted removal leaves a plain file of that name.
	if (fd == -EINVAL)
		unlink(path);
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0) {
		error = -errno;
		goto fail;
	}
	close(fd);
	error = netns_create_at(path, fabric);
	if (error == 0) {
		*created = true;
		return 0;
	}
	umount2(path, MNT_DETACH);
	unlink(path);
fail:
	return diag_fail(diag, -error, "namespace %s: cannot be created: %s", name,
			 strerror(-error));
}

int
netns_delete(const char *name)
{
	char path[NETNS_PATH_MAX];
	int error = netns_path(name, path);

	if (error != 0)
		return error;
	umount2(path, MNT_DETACH);
	return unlink(path) != 0 ? -errno : 0;
}

// In the namespace.
static int
netns_read_mark(void *arg)
{
	return link_get("lo", arg);
}

int
netns_open_own(const char *name, const char *fabric)
{
	int error, fd = netns_open(name);
	struct link_info loopback;

	if (fd < 0)
		return fd;
	error = netns_run(fd, netns_read_mark, &loopback);
	if (error == 0 &&
	    (link_fabric(&loopback) == NULL || strcmp(link_fabric(&loopback), fabric) != 0))
		error = -EPERM;
	if (error == 0)
		return fd;
	close(fd);
	return error;
}

int
netns_delete_own(const char *name, const char *fabric)
{
	int fd = netns_open_own(name, fabric);

	if (fd < 0)
		return fd == -EINVAL ? netns_delete(name) : fd; // an interrupted removal
	close(fd);
	return netns_delete(name);
}

int
netns_enter_private(int *previous)
{
	int error;

	*previous = netns_open(NULL);
	if (*previous < 0)
		return *previous;
	error = unshare(CLONE_NEWNET) != 0 ? -errno : 0;
	if (error == 0)
		error = link_set_up("lo");
	if (error != 0) {
		close(*previous);
		*previous = -1;
	}
	return error;
}

// /sys shows the network namespace it was mounted in, so the command gets one of its own.
static int
netns_remount_sys(void)
{
	if (unshare(CLONE_NEWNS) != 0 || mount("", "/", "none", MS_SLAVE | MS_REC, NULL) != 0)
		return -errno;
	umount2("/sys", MNT_DETACH);
	if (mount("sysfs", "/sys", "sysfs", 0, NULL) != 0)
		return -errno;
	return 0;
}

// Mounts the files of /etc/netns/NAME over those of /etc, as iproute2 does. A file that cannot be
// mounted is left out.
static void
netns_bind_etc(const char *name)
{
	char from[NETNS_PATH_MAX], to[NETNS_PATH_MAX];
	struct dirent *entry;
	DIR *directory;

	if (strchr(name, '/') != NULL)
		return;
	snprintf(from, sizeof(from), NETNS_ETC "/%s", name);
	directory = opendir(from);
	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    snprintf(from, sizeof(from), NETNS_ETC "/%s/%s", name, entry->d_name) >=
			    (int)sizeof(from) ||
		    snprintf(to, sizeof(to), "/etc/%s", entry->d_name) >= (int)sizeof(to))
			continue;
		(void)mount(from, to, "none", MS_BIND, NULL);
	}
	if (directory != NULL)
		closedir(directory);
}

int
host_exec(const char *name, char *const argv[], struct diag *diag)
{
	int fd = netns_open(name);
	int error = fd;

	if (fd >= 0) {
		error = setns(fd, CLONE_NEWNET) != 0 ? -errno : 0;
		close(fd);
	}
	if (error == -ENOENT || error == -EINVAL)
		return diag_fail(diag, -error,
				 "namespace %s is gone: somebody has removed it since `roost up`",
				 name);
	if (error != 0)
		return diag_fail(diag, -error, "namespace %s: %s", name, strerror(-error));
	error = netns_remount_sys();
	if (error != 0)
		return diag_fail(diag, -error, "/sys of namespace %s: %s", name, strerror(-error));
	netns_bind_etc(name);
	execvp(argv[0], argv);
	return diag_fail(diag, errno, "%s: %s", argv[0], strerror(errno));
}
