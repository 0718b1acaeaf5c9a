// SPDX-License-Identifier: BSD-3-Clause
// Every answer about counters is counters.json with less in it: {"time_ns", "nodes": {NAME:
// {"ports": {NAME: ...}}}}, with what a port is (state, rate, MTU, ...) or whether it is paused
// beside what it counts where that is asked. A word is a line in the table below and a function in
// one of the show_*.c; how a question is asked and refused is here.
#include "show.h"

#include "show_part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word;
	show_fn *show;
	const char *of; // what a question may name
} shows[] = {
	{"fabric", show_fabric, "node"},
	{"interface", show_interface, "node or port"},
	{"qos", show_qos, "switch"},
	{"config", show_config, "switch"},
	{"pfc", show_pfc, "node or port"},
	{"queue", show_queue, "node or port"},
	{"pool", show_pool, "node"},
	{"tenant", show_tenant, "node"},
	{"network", show_network, "fabric"},
	{"watchdog", show_watchdog, "switch or port of one"},
	{"histogram", show_histogram, "node"},
	{"drops", show_drops, "node or port"},
	{"route", show_route, "switch"},
	{"neighbour", show_neighbour, "switch that learns"},
	{"adaptive", show_adaptive, "switch"},
	{"queue-pairs", show_queue_pairs, "NIC"},
	{"steering", show_steering, "switch or port of one"},
	{"log", show_log, "node or port"},
};

#define SHOW_COUNT (sizeof(shows) / sizeof(*shows))

int
show_set_text(json_t *to, const char *key, const char *text)
{
	return json_object_set_new(to, key, text != NULL ? json_string(text) : json_null());
}

int
show_set_mac(json_t *to, const uint8_t *mac)
{
	return json_object_set_new(to, "mac",
				   json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
						mac[2], mac[3], mac[4], mac[5]));
}

json_t *
show_child(json_t *of, const char *key)
{
	json_t *found = json_object_get(of, key);

	if (found == NULL && json_object_set_new(of, key, json_object()) == 0)
		found = json_object_get(of, key);
	return found;
}

bool
show_node_meant(const struct report_node *n, const char *filter)
{
	return filter != NULL ? strcmp(filter, n->name) == 0 : n->node->role != NODE_NIC;
}

bool
show_port_meant(const struct report_node *n, unsigned int port, const char *filter)
{
	size_t length = strlen(n->name);

	if (filter == NULL || strcmp(filter, n->name) == 0 ||
	    strcmp(filter, n->ports[port].name) == 0)
		return true;
	return strncmp(filter, n->name, length) == 0 && filter[length] == '.' &&
	       strcmp(filter + length + 1, n->ports[port].name) == 0;
}

const struct show_switch *
show_find_switch(const struct show_state *s, const struct report_node *n)
{
	for (unsigned int i = 0; i < s->switch_count; i++)
		if (strcmp(s->switches[i].node, n->name) == 0)
			return &s->switches[i];
	return NULL;
}

int
show_each_port(const struct show_state *s, const struct show_question *q, bool switches,
	       show_port_fn *make, json_t *to)
{
	json_t *nodes = show_child(to, "nodes");
	bool found = q->port == NULL;

	for (unsigned int i = 0; i < s->node_count; i++) {
		const struct report_node *n = &s->nodes[i];

		if (switches && n->node->role == NODE_NIC)
			continue;
		for (unsigned int k = 0; k < n->node->port_count; k++) {
			if (!show_port_meant(n, k, q->port))
				continue;
			found = true;
			if (json_object_set_new(show_child(show_child(nodes, n->name), "ports"),
						n->ports[k].name, make(s, n, k)) != 0)
				return -ENOMEM;
		}
	}
	return found ? 0 : -ENOENT;
}

const char *const *
show_words(size_t *count)
{
	static const char *words[SHOW_COUNT];

	for (size_t i = 0; i < SHOW_COUNT; i++)
		words[i] = shows[i].word;
	*count = SHOW_COUNT;
	return words;
}

static int
refuse_word(const char *what, char *why, size_t why_size)
{
	size_t count;
	const char *const *words = show_words(&count);
	const char *near = config_suggest(what, words, count);

	snprintf(why, why_size, "there is no show %.40s%s%s%s", what,
		 near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
		 near != NULL ? "\"?" : "");
	return -EINVAL;
}

static int
refuse_filter(const struct show_question *q, const char *of, char *why, size_t why_size)
{
	if (q->vrf != NULL)
		snprintf(why, why_size, "no %s%s%.40s in a VRF %.40s", q->what,
			 q->port != NULL ? " of " : "", q->port != NULL ? q->port : "", q->vrf);
	else
		snprintf(why, why_size, "%s: there is no %s %.80s", q->what,
			 q->view != NULL ? "switch or port of one" : of,
			 q->port != NULL ? q->port : "");
	return -EINVAL;
}

// Only an interface is looked at in more than one way.
static bool
view_exists(const struct show_question *q)
{
	return q->view == NULL ||
	       (strcmp(q->what, "interface") == 0 &&
		(strcmp(q->view, "roce-status") == 0 || strcmp(q->view, "roce-counters") == 0));
}

bool
show_wants_settings(const json_t *params)
{
	const char *what = json_string_value(json_object_get(params, "what"));

	return json_object_get(params, "view") != NULL ||
	       (what != NULL && (strcmp(what, "qos") == 0 || strcmp(what, "config") == 0));
}

static bool
is_about(const json_t *params, const char *word)
{
	const char *what = json_string_value(json_object_get(params, "what"));

	return what != NULL && strcmp(what, word) == 0;
}

bool
show_wants_queue_pairs(const json_t *params)
{
	return is_about(params, "queue-pairs");
}

bool
show_wants_steering(const json_t *params)
{
	return is_about(params, "steering");
}

int
show_answer(const struct show_state *s, const json_t *params, json_t **out, char *why,
	    size_t why_size)
{
	struct show_question q = {0};
	json_t *answer;
	json_error_t error;
	size_t i = 0;
	int status;

	*out = NULL;
	if (json_unpack_ex((json_t *)(uintptr_t)params, &error, JSON_STRICT, "{s:s,s?:s,s?:s,s?:s}",
			   "what", &q.what, "port", &q.port, "vrf", &q.vrf, "view", &q.view) != 0) {
		snprintf(why, why_size,
			 "show wants \"what\", and may have \"port\", \"vrf\" and \"view\": %s",
			 error.text);
		return -EINVAL;
	}
	while (i < SHOW_COUNT && strcmp(shows[i].word, q.what) != 0)
		i++;
	if (i == SHOW_COUNT)
		return refuse_word(q.what, why, why_size);
	if (!view_exists(&q)) {
		snprintf(why, why_size, "%s: there is no view %.40s", q.what, q.view);
		return -EINVAL;
	}
	answer = json_pack("{s:I}", "time_ns", (json_int_t)(s->now / PS_PER_NS));
	status = answer != NULL ? shows[i].show(s, &q, answer) : -ENOMEM;
	if (status == 0) {
		*out = answer;
		return 0;
	}
	json_decref(answer);
	if (status == -ENOENT)
		return refuse_filter(&q, shows[i].of, why, why_size);
	return status;
}
