// SPDX-License-Identifier: BSD-3-Clause
#include "directory.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
directory_make(const char *path, char *err, size_t err_size)
{
	struct stat st;

	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	snprintf(err, err_size, "%s: %s", path, strerror(errno == EEXIST ? ENOTDIR : errno));
	return errno == EEXIST ? -ENOTDIR : -errno;
}

int
directory_check_file(const char *path, const char *name, char *err, size_t err_size)
{
	char file[PATH_MAX];
	struct stat is;
	int rc = 0;

	if (snprintf(file, sizeof(file), "%s/%s", path, name) >= (int)sizeof(file)) {
		snprintf(err, err_size, "%s/%s: %s", path, name, strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	if (stat(file, &is) == 0)
		rc = S_ISDIR(is.st_mode) ? -EISDIR : access(file, W_OK) != 0 ? -errno : 0;
	else if (errno != ENOENT || access(path, W_OK | X_OK) != 0)
		rc = -errno;
	if (rc != 0)
		snprintf(err, err_size, "%s: %s", file, strerror(-rc));
	return rc;
}
