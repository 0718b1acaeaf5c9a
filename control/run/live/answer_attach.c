// SPDX-License-Identifier: BSD-3-Clause
// Hosts that are attached and detached while the fabric runs.
#include "answer.h"

#include "control/base/memory.h"
#include "instance.h"

#include <stdlib.h>

// What a killed fabric leaves has changed. The file says what is to be removed, so a failure to
// write it changes nothing now.
static void
record(const struct answer *a)
{
	struct diag ignored = {0};
	char path[API_PATH_MAX];

	if (api_socket_path(a->live->config->fabric.name.text, path, &ignored) == 0)
		(void)instance_record(a->live, path, &ignored);
	diag_free(&ignored);
}

int
answer_attach_host(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const json_t *list = json_object_get(params, "settings");
	const char *host = json_string_value(json_object_get(params, "host"));
	unsigned count = (unsigned)json_array_size(list);
	const char **words = memory_array(count, sizeof(*words), "settings");
	int rc;

	for (unsigned i = 0; i < count; i++)
		words[i] = json_string_value(json_array_get(list, i));
	rc = live_attach(a->live, host, words, count, diag);
	free(words);
	if (rc != 0)
		return rc;
	record(a);
	*result = json_object();
	return rc;
}

int
answer_detach_host(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const char *host = json_string_value(json_object_get(params, "host"));
	json_t *processes = host_processes_list(a->live, host);
	int rc = live_detach(a->live, host, diag);

	if (rc != 0) {
		json_decref(processes);
		return rc;
	}
	record(a);
	*result = json_pack("{s:o}", "processes", processes);
	return 0;
}
