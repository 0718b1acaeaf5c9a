// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a configuration: loading ends with a clear answer, and what loads can be merged.
// Bytes after a NUL are a key, after another NUL its new value, to be set on what was loaded. The
// same bytes are rewritten as a file of an earlier version: the result needs no further rewriting.
#include "require.h"

#include "control/config/config.h"
#include "control/edit/edit.h"
#include "control/edit/rewrite.h"

#include <stdlib.h>
#include <string.h>

#define NAME "fuzz.yaml"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Every message is one line that begins with the file's name, and there is one for each error kept.
static void
require_messages(struct diag *diag, int result)
{
	unsigned errors = 0;

	for (unsigned i = 0; i < diag->count; i++) {
		require(strncmp(diag->messages[i].text, NAME, strlen(NAME)) == 0 ||
			strncmp(diag->messages[i].text, "default", strlen("default")) == 0);
		require(strchr(diag->messages[i].text, '\n') == NULL);
		errors += !diag->messages[i].warning;
	}
	require((result == 0) == (diag->errors == 0));
	require(errors == (diag->errors < DIAG_KEPT_MAX ? diag->errors : DIAG_KEPT_MAX));
	diag_free(diag);
}

static void
require_qos(const struct switch_config *s)
{
	const struct config_watchdog *w = &s->watchdog;

	require(w->poll_ps > 0 && w->poll_ps <= w->detect_ps && w->poll_ps <= w->restore_ps);
	require(w->detect_ps <= 60 * UINT64_C(1000000000000));
	require(s->trim.size_bytes >= 256 && s->trim.size_bytes <= 1024);
	require(s->trim.size_bytes % 4 == 0 && s->trim.tc < CONFIG_PRIORITIES);
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		require(s->remark.dscp[i] >= -1 && s->remark.dscp[i] < CONFIG_DSCPS);
		require(s->remark.pcp[i] >= -1 && s->remark.pcp[i] < CONFIG_PRIORITIES);
		require(!s->classes[i].red || s->classes[i].ecn.on);
	}
	for (unsigned i = 0; i < s->histogram_count; i++) {
		const struct config_histogram *h = &s->histograms[i];

		require(h->port_number >= 1 && h->port_number <= 256);
		require(h->index < CONFIG_PRIORITIES && h->bins >= 3 && h->bins <= 64);
		require(h->size / (h->bins - 2) > 0);
		require((h->sample_ps > 0) == (h->kind != CONFIG_HISTOGRAM_LATENCY));
	}
	for (unsigned i = 0; i < s->port_count; i++) {
		require(s->ports[i].number >= 1 && s->ports[i].number <= 256);
		require(i == 0 || s->ports[i].number > s->ports[i - 1].number);
		for (int dscp = 0; dscp < CONFIG_DSCPS; dscp++)
			require(s->ports[i].dscp_to_priority[dscp] < CONFIG_PRIORITIES);
	}
}

// Merged settings keep what config.h promises.
static void
require_settings(const struct config *config, const char *node, enum config_role role)
{
	struct switch_config s;

	require(config_switch(config, node, role, &s) == 0);
	require(s.cell_bytes > 0 && s.buffer_bytes >= s.cell_bytes);
	require(s.trust_count <= 2 && s.routing.grade_count <= CONFIG_GRADES_MAX);
	for (int i = 0; i < CONFIG_DSCPS; i++)
		require(s.dscp_to_priority[i] < CONFIG_PRIORITIES);
	for (int i = 0; i < CONFIG_PRIORITIES; i++) {
		require(s.pcp_to_priority[i] < CONFIG_PRIORITIES);
		require(s.priority_to_group[i] < CONFIG_PRIORITIES);
		require(s.priority_to_class[i] < CONFIG_PRIORITIES);
		require(s.groups[i].pool < CONFIG_POOLS && s.classes[i].pool < CONFIG_POOLS);
		require(s.groups[i].limit.kind != CONFIG_LIMIT_AUTO);
		require(s.classes[i].limit.kind != CONFIG_LIMIT_AUTO);
		require(!s.classes[i].ecn.on ||
			s.classes[i].ecn.min_bytes <= s.classes[i].ecn.max_bytes);
	}
	require_qos(&s);
}

static void
require_all_settings(const struct config *config)
{
	struct host_config h;

	require_settings(config, "leaf1", CONFIG_ROLE_LEAF);
	require_settings(config, "spine1", CONFIG_ROLE_SPINE);
	require(config_host(config, "h1", &h) == 0);
	require(h.path_mtu == 0 || (h.path_mtu >= 256 && h.path_mtu <= 4096));
}

static void
rewrite(const char *text, size_t length)
{
	struct diag diag = {0};
	struct rewrite once, again;
	int result = rewrite_text(&once, text, length, NAME, &diag);

	require_messages(&diag, result);
	if (result == 0 && once.text != NULL) {
		require(rewrite_text(&again, once.text, once.length, NAME, &diag) == 0);
		require(again.renamed == 0 && (again.text == NULL || !once.marked));
		rewrite_free(&again);
	}
	rewrite_free(&once);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	size_t length = end != NULL ? (size_t)(end - data) : size;
	char *rest = calloc(1, size - length + 2);
	const char *key = rest, *value;
	struct diag diag = {0};
	struct config *config = NULL;
	int result;

	require(rest != NULL);
	if (end != NULL)
		memcpy(rest, end + 1, size - length - 1);
	value = key + strlen(key) + 1;
	rewrite((const char *)data, length);
	result = config_load_text(&config, (const char *)data, length, NAME, &diag);
	require((config != NULL) == (result == 0));
	require_messages(&diag, result);
	if (config != NULL) {
		const struct config_edit edit = {
			.key = key,
			.value = end != NULL && key[0] != '\0' ? value : "",
		};

		require_all_settings(config);
		result = config_edit_attaches(&edit) ? config_edit_attach(config, &edit, 1, &diag)
						     : config_edit(config, &edit, 1, &diag);
		require_messages(&diag, result);
		require_all_settings(config);
		if (result == 0)
			config_edit_keep(config);
	}
	config_free(config);
	free(rest);
	return 0;
}
