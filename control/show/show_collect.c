// SPDX-License-Identifier: BSD-3-Clause
// What views collect with: the nodes and ports that a question means, and members of an answer.
#include "show_view.h"

#include <string.h>

json_t *
show_child(json_t *of, const char *key)
{
	json_t *found = json_object_get(of, key);

	if (found != NULL)
		return found;
	json_object_set_new(of, key, json_object());
	return json_object_get(of, key);
}

json_t *
show_node(json_t *to, const char *node)
{
	return show_child(show_child(to, "nodes"), node);
}

void
show_set_text(json_t *to, const char *key, const char *text)
{
	json_object_set_new(to, key, text != NULL ? json_string(text) : json_null());
}

void
show_set_mac(json_t *to, const uint8_t *mac)
{
	json_object_set_new(to, "mac",
			    json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
					 mac[3], mac[4], mac[5]));
}

json_t *
show_bit_list(unsigned int bits)
{
	json_t *out = json_array();

	for (; bits != 0; bits &= bits - 1)
		json_array_append_new(out, json_integer(__builtin_ctz(bits)));
	return out;
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
		if (strcmp(s->switches[i].place->name, n->name) == 0)
			return &s->switches[i];
	return NULL;
}

const struct switch_config *
show_port_settings(const struct show_switch *w, int port, struct switch_config *own)
{
	if (port < 0)
		return &w->settings;
	return config_port_settings(
		&w->settings, config_find_port(&w->settings, w->place->ports[port].number), own);
}

bool
show_add_vrfs(json_t *of, const struct show_question *q, json_t *to)
{
	bool found = q->port == NULL && q->vrf == NULL;
	const char *node, *kind, *vrf;
	json_t *kinds, *vrfs, *one;

	show_child(to, "nodes");
	json_object_foreach(of, node, kinds) json_object_foreach(kinds, kind, vrfs)
		json_object_foreach(vrfs, vrf, one)
	{
		if ((q->port != NULL && strcmp(q->port, node) != 0) ||
		    (q->vrf != NULL && strcmp(q->vrf, vrf) != 0))
			continue;
		found = true;
		json_object_set(show_child(show_node(to, node), kind), vrf, one);
	}
	return found;
}

bool
show_each_node(const struct show_view *view, const struct show_state *s,
	       const struct show_question *q, json_t *to)
{
	json_t *nodes = show_child(to, "nodes");
	bool found = q->port == NULL;

	for (unsigned int i = 0; i < s->node_count; i++) {
		const struct report_node *n = &s->nodes[i];
		json_t *one;

		if (q->port != NULL ? strcmp(q->port, n->name) != 0 : n->node->role == NODE_NIC)
			continue;
		one = view->node != NULL ? view->node(s, n)
					 : counters_node(n, view->node_counters, s->now);
		if (one == NULL)
			continue;
		found = true;
		json_object_set_new(nodes, n->name, one);
	}
	return found;
}

bool
show_each_port(const struct show_view *view, const struct show_state *s,
	       const struct show_question *q, json_t *to)
{
	json_t *nodes = show_child(to, "nodes");
	bool found = q->port == NULL;

	for (unsigned int i = 0; i < s->node_count; i++) {
		const struct report_node *n = &s->nodes[i];

		for (unsigned int k = 0; k < n->node->port_count; k++) {
			json_t *one;

			if ((view->switches && n->node->role == NODE_NIC) ||
			    !show_port_meant(n, k, q->port))
				continue;
			found = true;
			one = view->port != NULL ? view->port(s, n, k)
						 : counters_port(n, k, view->port_counters, s->now);
			if (one != NULL)
				json_object_set_new(show_child(show_child(nodes, n->name), "ports"),
						    n->ports[k].name, one);
		}
	}
	return found;
}

bool
show_collect(const struct show_view *view, const struct show_state *s,
	     const struct show_question *q, json_t *to)
{
	if (view->collect != NULL)
		return view->collect(s, q, to);
	return view->node != NULL || view->node_counters != 0 ? show_each_node(view, s, q, to)
							      : show_each_port(view, s, q, to);
}
