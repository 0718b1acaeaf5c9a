// SPDX-License-Identifier: BSD-3-Clause
// A fabric is up when somebody listens on its socket: a daemon that was killed leaves a file
// behind that means nothing.
#include "socket_path.h"

#include "control/base/program.h"
#include "control/config/scalar.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SUFFIX ".sock"
#define SYSTEM_DIRECTORY "/run/roost" // of root's fabrics
#define NAMES_SHOWN_MAX 256

static int
runtime_directory(char directory[static API_PATH_MAX], char *err, size_t err_size)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0) {
		snprintf(directory, API_PATH_MAX, SYSTEM_DIRECTORY);
		return 0;
	}
	if (xdg == NULL || xdg[0] != '/') {
		snprintf(err, err_size,
			 "XDG_RUNTIME_DIR is not set: there is no place for a fabric's socket");
		return -ENOENT;
	}
	if (snprintf(directory, API_PATH_MAX, "%s/roost", xdg) >= API_PATH_MAX) {
		snprintf(err, err_size, "%s: the path is too long for a socket", xdg);
		return -ENAMETOOLONG;
	}
	return 0;
}

static int
socket_path_in(const char *directory, const char *name, char path[static API_PATH_MAX], char *err,
	       size_t err_size)
{
	char why[SCALAR_WHY];

	if (scalar_name(name, why) != 0) {
		snprintf(err, err_size, "%s", why);
		return -EINVAL;
	}
	if (snprintf(path, API_PATH_MAX, "%s/%s" SUFFIX, directory, name) >= API_PATH_MAX) {
		snprintf(err, err_size, "%s: the path is too long for a socket", directory);
		return -ENAMETOOLONG;
	}
	return 0;
}

int
api_socket_path(const char *name, char path[static API_PATH_MAX], char *err, size_t err_size)
{
	char directory[API_PATH_MAX];
	int status = runtime_directory(directory, err, err_size);

	return status != 0 ? status : socket_path_in(directory, name, path, err, err_size);
}

// 0 when somebody listens there, or -errno.
static int
try_connect(const char *path)
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

// The name that a file of the directory stands for, or NULL.
static const char *
fabric_name(const struct dirent *entry, char name[static NAME_MAX + 1])
{
	size_t length = strlen(entry->d_name);

	if (length <= strlen(SUFFIX) ||
	    strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) != 0)
		return NULL;
	memcpy(name, entry->d_name, length - strlen(SUFFIX));
	name[length - strlen(SUFFIX)] = '\0';
	return name;
}

static int
has_fabric_name(const struct dirent *entry)
{
	char name[NAME_MAX + 1];

	return fabric_name(entry, name) != NULL;
}

static int
compare_names(const struct dirent **a, const struct dirent **b)
{
	char left[NAME_MAX + 1], right[NAME_MAX + 1];

	return strcmp(fabric_name(*a, left), fabric_name(*b, right));
}

// Counts the fabrics of a directory that are up. names: lists them in order, separated by blanks.
// path: of the last.
static int
list_up(const char *directory, unsigned int *count, char names[static NAMES_SHOWN_MAX],
	char path[static API_PATH_MAX], char *err, size_t err_size)
{
	struct dirent **entries;
	int found = scandir(directory, &entries, has_fabric_name, compare_names);

	*count = 0;
	names[0] = '\0';
	if (found < 0 && errno == ENOENT)
		return 0;
	if (found < 0) {
		snprintf(err, err_size, "%s: %s", directory, strerror(errno));
		return -errno;
	}
	for (int i = 0; i < found; i++) {
		char name[NAME_MAX + 1], one[API_PATH_MAX], ignored[SCALAR_WHY];
		size_t used = strlen(names);
		bool up = socket_path_in(directory, fabric_name(entries[i], name), one, ignored,
					 sizeof(ignored)) == 0 &&
			  try_connect(one) == 0;

		free(entries[i]);
		if (!up)
			continue;
		(*count)++;
		memcpy(path, one, sizeof(one));
		snprintf(names + used, NAMES_SHOWN_MAX - used, "%s%s", used != 0 ? " " : "", name);
	}
	free(entries);
	return 0;
}

static int
find_named(const char *directory, const char *name, char path[static API_PATH_MAX], char *err,
	   size_t err_size)
{
	char names[NAMES_SHOWN_MAX], other[API_PATH_MAX];
	unsigned int count;
	int status = socket_path_in(directory, name, path, err, err_size);

	if (status != 0)
		return status;
	status = try_connect(path);
	if (status == -EACCES)
		snprintf(err, err_size, "fabric %s belongs to somebody else: %s", name,
			 strerror(EACCES));
	if (status == 0 || status == -EACCES)
		return status;
	if (list_up(directory, &count, names, other, err, err_size) == 0)
		snprintf(err, err_size, "fabric %s is not up%s%s", name, count != 0 ? "; up: " : "",
			 names);
	return -ENOENT;
}

void
api_socket_list(void (*each)(void *context, const char *name), void *context)
{
	char directory[API_PATH_MAX], path[API_PATH_MAX], err[API_WHY_MAX];
	struct dirent *entry;
	DIR *open = NULL;

	if (runtime_directory(directory, err, sizeof(err)) == 0)
		open = opendir(directory);
	while (open != NULL && (entry = readdir(open)) != NULL) {
		char name[NAME_MAX + 1];

		if (fabric_name(entry, name) != NULL &&
		    socket_path_in(directory, name, path, err, sizeof(err)) == 0 &&
		    try_connect(path) == 0)
			each(context, name);
	}
	if (open != NULL)
		closedir(open);
}

int
api_socket_find_in(const char *directory, const char *name, char path[static API_PATH_MAX],
		   char *err, size_t err_size)
{
	char names[NAMES_SHOWN_MAX];
	unsigned int count;
	int status;

	if (name != NULL)
		return find_named(directory, name, path, err, err_size);
	status = list_up(directory, &count, names, path, err, err_size);
	if (status != 0 || count == 1)
		return status;
	if (count == 0) {
		snprintf(err, err_size, "no fabric is up: \"roost up FILE\" brings one up");
		return -ENOENT;
	}
	snprintf(err, err_size, "several fabrics are up (%s): pick one with -f NAME", names);
	return -EEXIST;
}

// Who has no fabric of that name of his own may be a reader of root's.
int
api_socket_find(const char *name, char path[static API_PATH_MAX], char *err, size_t err_size)
{
	const char *wanted = name != NULL && *name != '\0' ? name : NULL;
	char directory[API_PATH_MAX], their_err[API_WHY_MAX];
	int status = runtime_directory(directory, err, err_size);

	if (status == 0)
		status = api_socket_find_in(directory, wanted, path, err, err_size);
	if (status == -ENOENT && geteuid() != 0) {
		int theirs = api_socket_find_in(SYSTEM_DIRECTORY, wanted, path, their_err,
						sizeof(their_err));

		if (theirs == 0 || theirs == -EEXIST || theirs == -EACCES) {
			snprintf(err, err_size, "%s", their_err);
			return theirs;
		}
	}
	return status;
}

int
api_socket_exit_status(int rc)
{
	if (rc == 0)
		return EXIT_OK;
	return rc == -EINVAL || rc == -EEXIST ? EXIT_USAGE : EXIT_FAILED;
}
