// SPDX-License-Identifier: BSD-3-Clause
#include "live_names.h"

#include "control/api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 500
#define PORT_TEXT 96

enum { ANSWER_FABRIC, ANSWER_NETWORKS, ANSWER_HISTORY, ANSWER_HOSTS };

// The answer of the fabric to one query, kept; an empty object if it does not answer.
static json_t *
query(struct names *names, int which)
{
	static const struct {
		const char *method, *what;
	} questions[] = {
		[ANSWER_FABRIC] = {"show", "fabric"},
		[ANSWER_NETWORKS] = {"show", "network"},
		[ANSWER_HISTORY] = {"history", NULL},
		[ANSWER_HOSTS] = {"hosts", NULL},
	};
	const char *fabric = api_socket_name(names->fabric);
	char path[API_PATH_MAX];
	struct api_call call = {path, questions[which].method, .timeout_ms = PATIENCE_MS};
	struct diag ignored = {0};
	json_t *params;

	if (names->answers[which] != NULL)
		return names->answers[which];
	call.params = params = json_pack("{s:s*}", "what", questions[which].what);
	if (api_socket_find(fabric, path, &ignored) != 0 ||
	    api_call(&call, &names->answers[which], &ignored) != 0)
		names->answers[which] = json_object();
	diag_free(&ignored);
	json_decref(params);
	return names->answers[which];
}

static bool
is_switch(const json_t *node)
{
	const char *role = json_string_value(json_object_get(node, "role"));

	return role != NULL && strcmp(role, "nic") != 0;
}

static void
add(json_t *set, const char *name)
{
	if (json_object_get(set, name) == NULL)
		json_object_set_new(set, name, json_null());
}

// Hosts without a simulated NIC appear only in links.
static void
add_linked_hosts(json_t *set, const json_t *answer)
{
	json_t *nodes = json_object_get(answer, "nodes"), *link;
	size_t i;

	json_array_foreach(json_object_get(answer, "links"), i, link)
	{
		static const char *const ends[] = {"a", "b"};

		for (int end = 0; end < 2; end++) {
			const char *port = json_string_value(json_object_get(link, ends[end]));
			char name[PORT_TEXT];

			if (port == NULL || strlen(port) >= sizeof(name))
				continue;
			snprintf(name, sizeof(name), "%s", port);
			name[strcspn(name, ".")] = '\0';
			if (!is_switch(json_object_get(nodes, name)))
				add(set, name);
		}
	}
}

static void
add_nodes(json_t *set, const json_t *answer, enum names_kind kind)
{
	const char *name;
	json_t *node;

	json_object_foreach(json_object_get(answer, "nodes"), name, node)
	{
		json_int_t ports = json_integer_value(json_object_get(node, "ports"));
		char port[PORT_TEXT];

		if (kind == NAMES_HOST ? !is_switch(node) : kind == NAMES_SWITCH && is_switch(node))
			add(set, name);
		for (json_int_t i = 1; kind == NAMES_PORT && is_switch(node) && i <= ports; i++) {
			snprintf(port, sizeof(port), "%.64s.swp%d", name, (int)i);
			add(set, port);
		}
	}
	if (kind == NAMES_HOST)
		add_linked_hosts(set, answer);
}

static void
add_links(json_t *set, const json_t *answer)
{
	json_t *link;
	size_t i;

	json_array_foreach(json_object_get(answer, "links"), i, link)
	{
		const char *name = json_string_value(json_object_get(link, "link"));

		if (name != NULL)
			add(set, name);
	}
}

static void
add_revisions(json_t *set, const json_t *answer)
{
	json_t *revision;
	size_t i;

	json_array_foreach(json_object_get(answer, "revisions"), i, revision)
	{
		char number[24];

		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
			 json_integer_value(json_object_get(revision, "revision")));
		add(set, number);
	}
}

// The tenants of the networks, or the hosts of one.
static void
add_networks(json_t *set, const json_t *answer, const char *tenant)
{
	json_t *network, *host;
	size_t i, j;

	json_array_foreach(json_object_get(answer, "networks"), i, network)
	{
		const char *name = json_string_value(json_object_get(network, "tenant"));

		if (name == NULL)
			continue;
		if (tenant == NULL)
			add(set, name);
		else if (strcmp(name, tenant) == 0)
			json_array_foreach(json_object_get(network, "hosts"), j,
					   host) if (json_is_string(host))
				add(set, json_string_value(host));
	}
}

static void
add_reachable(json_t *set, const json_t *answer)
{
	const char *name;
	json_t *host;

	json_object_foreach((json_t *)(uintptr_t)answer, name, host)
	{
		if (json_is_string(json_object_get(host, "netns")))
			add(set, name);
	}
}

static void
add_fabric(void *context, const char *name)
{
	add(context, name);
}

json_t *
names_get(struct names *names, enum names_kind kind)
{
	json_t *set = names->known[kind];

	if (set != NULL)
		return set;
	set = names->known[kind] = json_object();
	if (kind == NAMES_FABRIC)
		api_socket_list(add_fabric, set);
	else if (kind == NAMES_TENANT)
		add_networks(set, query(names, ANSWER_NETWORKS), NULL);
	else if (kind == NAMES_MEMBER && names->tenant != NULL)
		add_networks(set, query(names, ANSWER_NETWORKS), names->tenant);
	else if (kind == NAMES_REVISION)
		add_revisions(set, query(names, ANSWER_HISTORY));
	else if (kind == NAMES_REACHABLE)
		add_reachable(set, query(names, ANSWER_HOSTS));
	else if (kind == NAMES_LINK)
		add_links(set, query(names, ANSWER_FABRIC));
	else if (kind == NAMES_SWITCH || kind == NAMES_HOST || kind == NAMES_PORT)
		add_nodes(set, query(names, ANSWER_FABRIC), kind);
	return set;
}

void
names_free(struct names *names)
{
	for (unsigned i = 0; i < NAMES_KINDS; i++)
		json_decref(names->known[i]);
	for (unsigned i = 0; i < sizeof(names->answers) / sizeof(names->answers[0]); i++)
		json_decref(names->answers[i]);
	*names = (struct names){.fabric = names->fabric};
}
