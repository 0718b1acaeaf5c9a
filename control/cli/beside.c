// SPDX-License-Identifier: BSD-3-Clause
// Programs that come with roost: below the build directory, or below the prefix.
#include "cli.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

int
cli_find_beside(const char *const *places, unsigned count, char path[static PATH_MAX])
{
	char self[PATH_MAX] = "";
	const char *folder;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -errno;
	folder = dirname(self);
	for (unsigned i = 0; i < count; i++)
		if (snprintf(path, PATH_MAX, "%s/%s", folder, places[i]) < PATH_MAX &&
		    access(path, R_OK) == 0)
			return 0;
	return -ENOENT;
}
