// SPDX-License-Identifier: BSD-3-Clause
// The switch ends of veths go with the process, however it ends (devices.c); hugepages are unlinked
// as soon as they are mapped (eal.c). So the file has only the namespaces.
#include "instance.h"

#include "control/api/api.h"
#include "control/io/host/netns.h"
#include "dataplane/device/eal.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DYING_MS 5000
#define DYING_POLL_MS 20

int
instance_call(const char *path, const char *method, int timeout_ms, json_t **result,
	      struct diag *diag)
{
	const struct api_call call = {path, method, .timeout_ms = timeout_ms};
	const struct timespec moment = {.tv_nsec = DYING_POLL_MS * 1000000};

	// The socket of a process that was just killed listens until all of its threads are gone.
	for (int waited = 0;; waited += DYING_POLL_MS) {
		struct diag errors = {0};
		int rc = api_call(&call, result, &errors);

		if ((rc != -ECONNRESET && rc != -EPIPE) || waited == DYING_MS) {
			if (rc != 0)
				diag_fail(diag, -rc, "%s", diag_first_error(&errors));
			diag_free(&errors);
			return rc == -ECONNREFUSED ? -ENOENT : rc;
		}
		diag_free(&errors);
		nanosleep(&moment, NULL);
	}
}

// "/run/roost/demo.state" of "/run/roost/demo.sock".
static void
record_path(const char *socket_path, char path[static PATH_MAX])
{
	const char *suffix = strrchr(socket_path, '.');

	snprintf(path, PATH_MAX, "%.*s.state", (int)(suffix - socket_path), socket_path);
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
instance_record(const struct live_fabric *live, const char *socket_path, struct diag *diag)
{
	char path[PATH_MAX], made[PATH_MAX + 4];
	json_t *namespaces = json_array(), *record;
	int rc = 0;

	record_path(socket_path, path);
	snprintf(made, sizeof(made), "%s.new", path);
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].netns != NULL && is_missing(live->devices[i].netns))
			json_array_append_new(namespaces, json_string(live->devices[i].netns));
	record = json_pack("{s:s, s:i, s:o}", "name", live->config->fabric.name.text, "pid",
			   (int)getpid(), "namespaces", namespaces);
	errno = EIO; // jansson does not always set it
	if (json_dump_file(record, made, JSON_INDENT(1)) != 0 || rename(made, path) != 0)
		rc = diag_fail(diag, errno, "%s: %s", path, strerror(errno));
	json_decref(record);
	return rc;
}

void
instance_forget(const char *socket_path)
{
	char path[PATH_MAX];

	record_path(socket_path, path);
	unlink(path);
}

bool
instance_clean(const char *socket_path)
{
	char path[PATH_MAX];
	json_t *record, *netns;
	const char *name;
	size_t i;

	record_path(socket_path, path);
	record = json_load_file(path, 0, NULL);
	if (record == NULL)
		return false;
	json_array_foreach(json_object_get(record, "namespaces"), i, netns)
	{
		if (json_is_string(netns))
			netns_delete(json_string_value(netns));
	}
	name = json_string_value(json_object_get(record, "name"));
	if (name != NULL)
		eal_clean_killed(name);
	json_decref(record);
	unlink(path);
	unlink(socket_path);
	return true;
}
