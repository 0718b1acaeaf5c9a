// SPDX-License-Identifier: BSD-3-Clause
// The switch ends of veths go with the process, whatever ends it (devices.c); hugepages are
// unlinked as soon as they are mapped (eal.c). What stays is named here.
#include "state.h"

#include "control/api/api.h"
#include "control/io/host/netns.h"
#include "dataplane/device/eal.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
state_path(const char *socket_path, char path[static PATH_MAX])
{
	size_t length = strlen(socket_path);

	if (length > 5 && strcmp(socket_path + length - 5, ".sock") == 0)
		length -= 5;
	snprintf(path, PATH_MAX, "%.*s.state", (int)length, socket_path);
}

static bool
is_missing(const char *netns)
{
	int fd = netns_open(netns);

	if (fd >= 0)
		close(fd);
	return fd < 0;
}

int
state_write(const struct live_fabric *live, const char *socket_path, char *err, size_t err_size)
{
	char path[PATH_MAX], made[PATH_MAX + 4];
	json_t *state = json_pack("{s:s, s:i, s:[]}", "name", live->config->fabric.name.text, "pid",
				  (int)getpid(), "namespaces");
	json_t *namespaces = json_object_get(state, "namespaces");
	int rc = -ENOMEM;

	state_path(socket_path, path);
	snprintf(made, sizeof(made), "%s.new", path);
	for (uint32_t i = 0; namespaces != NULL && i < live->device_count; i++)
		if (live->devices[i].netns != NULL && is_missing(live->devices[i].netns))
			json_array_append_new(namespaces, json_string(live->devices[i].netns));
	if (namespaces == NULL)
		goto out;
	rc = json_dump_file(state, made, JSON_INDENT(1)) == 0 && rename(made, path) == 0 ? 0
											 : -errno;
	if (rc != 0)
		snprintf(err, err_size, "%s: %s", path, strerror(-rc));
out:
	json_decref(state);
	return rc;
}

void
state_remove(const char *socket_path)
{
	char path[PATH_MAX];

	state_path(socket_path, path);
	unlink(path);
}

bool
state_clean(const char *socket_path)
{
	char path[PATH_MAX];
	json_t *state, *name;
	size_t i;

	state_path(socket_path, path);
	state = json_load_file(path, 0, NULL);
	if (state == NULL)
		return false;
	json_array_foreach(json_object_get(state, "namespaces"), i, name) if (json_is_string(name))
		netns_delete(json_string_value(name));
	if (json_is_string(json_object_get(state, "name")))
		eal_clean_killed(json_string_value(json_object_get(state, "name")));
	json_decref(state);
	unlink(path);
	unlink(socket_path);
	return true;
}
