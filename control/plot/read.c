// SPDX-License-Identifier: BSD-3-Clause
#include "plot.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static int
refuse(struct plot_input *in, const char *path, const char *why)
{
	snprintf(in->err, PLOT_ERR_BYTES, "%.400s: %.100s", path, why);
	return -EINVAL;
}

static int
check_parts(struct plot_input *in, const char *path)
{
	if (!json_is_array(json_object_get(in->result, "flows")))
		return refuse(in, path, "has no list of flows: is it of `roost sim -o`?");
	if (!json_is_array(json_object_get(in->result, "links")))
		return refuse(in, path, "has no list of links: is it of `roost sim -o`?");
	return 0;
}

int
plot_read_result(struct plot_input *in)
{
	char path[PATH_MAX];
	json_error_t error;
	struct stat st;

	snprintf(path, sizeof(path), "%s/result.json", in->dir);
	if (stat(path, &st) != 0)
		return refuse(in, path,
			      errno == ENOENT ? "No such file: `roost sim FILE -o DIR` writes it"
					      : strerror(errno));
	if (!S_ISREG(st.st_mode))
		return refuse(in, path, "is no regular file");
	in->result = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (in->result == NULL) {
		snprintf(in->err, PLOT_ERR_BYTES, "%.300s:%d:%d: %.160s", path, error.line,
			 error.column, error.text);
		return -EINVAL;
	}
	return check_parts(in, path);
}
