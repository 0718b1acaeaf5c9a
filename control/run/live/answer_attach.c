// SPDX-License-Identifier: BSD-3-Clause
// Hosts that are attached and detached while the fabric runs.
#include "answer.h"

#include "control/base/memory.h"
#include "instance.h"

#include <stdlib.h>

// What a killed fabric would leave changes: the file says what is then to be removed.
static int
record(const struct answer *a, struct diag *diag)
{
	char path[API_PATH_MAX];
	int rc = api_socket_path(a->live->config->fabric.name.text, path, diag);

	return rc == 0 ? instance_record(a->live, path, diag) : rc;
}

// After something has gone: what the file says too much does no harm.
static void
record_less(const struct answer *a)
{
	struct diag ignored = {0};

	(void)record(a, &ignored);
	diag_free(&ignored);
}

int
answer_attach_host(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const json_t *list = json_object_get(params, "settings");
	const char *host = json_string_value(json_object_get(params, "host"));
	unsigned count = (unsigned)json_array_size(list);
	const char **settings = memory_array(count, sizeof(*settings), "settings");
	const struct live_attach_words words = {host, settings, count};
	const struct config_attach *attach;
	int rc;

	for (unsigned i = 0; i < count; i++)
		settings[i] = json_string_value(json_array_get(list, i));
	rc = live_attach_plan(a->live, &words, &attach, diag);
	free(settings);
	if (rc != 0)
		return rc;
	rc = record(a, diag);
	if (rc != 0)
		live_attach_cancel(a->live, attach);
	else
		rc = live_attach(a->live, attach, diag);
	if (rc != 0) {
		record_less(a);
		return rc;
	}
	*result = json_object();
	return 0;
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
	record_less(a);
	*result = json_pack("{s:o}", "processes", processes);
	return 0;
}
