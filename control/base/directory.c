// SPDX-License-Identifier: BSD-3-Clause
#include "directory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
