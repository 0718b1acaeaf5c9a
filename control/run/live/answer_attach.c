// SPDX-License-Identifier: BSD-3-Clause
// Hosts that are attached and detached while the fabric runs: edits of `attach:`.
#include "answer.h"

#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/config/yaml_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A host of another part is attached where that runs.
static int
check_here(const struct answer *a, const char *host, struct diag *diag)
{
	const struct config_attach attach = {.host.text = (char *)(uintptr_t)host};
	const struct topology *t = a->live->topology;
	struct topo_attached at;

	return topology_find_attached(t, &attach, &at)
		       ? live_check_here(a->live, t->first_host + at.host, diag)
		       : 0;
}

static bool
is_attached(const struct answer *a, const char *host)
{
	return yaml_tree_get(config_attach_section(a->live->config), host) != NULL;
}

// "attach h3 netns=lab-h3 mtu=1400"
static char *
describe(const char *host, const char *const *settings, unsigned count)
{
	char *text = NULL;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);

	fprintf(to, "attach %s", host);
	for (unsigned i = 0; i < count; i++)
		fprintf(to, " %s", settings[i]);
	fclose(to);
	if (size >= STORE_WHAT_MAX) {
		size = utf8_end(text, STORE_WHAT_MAX - 4);
		strcpy(text + size, "...");
	}
	return text;
}

static int
apply(struct answer *a, enum config_edit_kind kind, const char *host, const char *value,
      const char *what, json_t **result, struct diag *diag)
{
	struct edit_list list = {0};
	const struct changes_request request = {.edits = &list, .author.what = what};
	char *key = memory_format("attach.%s", host);
	int rc;

	edit_list_add(&list, kind, key, value);
	rc = answer_apply_edits(a, &request, result, diag);
	edit_list_free(&list);
	free(key);
	return rc;
}

int
answer_attach_host(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const json_t *list = json_object_get(params, "settings");
	const char *host = json_string_value(json_object_get(params, "host"));
	unsigned count = (unsigned)json_array_size(list);
	const char **settings;
	char *value, *what;
	int rc = check_here(a, host, diag);

	if (rc != 0)
		return rc;
	if (is_attached(a, host))
		return diag_fail(diag, EEXIST,
				 "%.80s is already attached: run `roost detach %.80s` first", host,
				 host);
	settings = memory_array(count, sizeof(*settings), "settings");
	for (unsigned i = 0; i < count; i++)
		settings[i] = json_string_value(json_array_get(list, i));
	rc = config_read_attach(settings, count, &value, diag);
	what = describe(host, settings, count);
	if (rc == 0)
		rc = apply(a, CONFIG_EDIT_SET, host, value, what, result, diag);
	free(settings);
	free(value);
	free(what);
	return rc;
}

int
answer_detach_host(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const char *host = json_string_value(json_object_get(params, "host"));
	json_t *processes;
	char *what;
	int rc = check_here(a, host, diag);

	if (rc != 0)
		return rc;
	if (!is_attached(a, host))
		return diag_fail(diag, ENOENT, "%.80s is not attached", host);
	processes = host_processes_list(a->live, host);
	what = memory_format("detach %s", host);
	rc = apply(a, CONFIG_EDIT_UNSET, host, NULL, what, result, diag);
	free(what);
	if (rc == 0)
		json_object_set(*result, "processes", processes);
	json_decref(processes);
	return rc;
}
