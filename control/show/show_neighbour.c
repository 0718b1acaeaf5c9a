// SPDX-License-Identifier: BSD-3-Clause
// The neighbours that switches know, and the sources they learn from.
#include "show_part.h"

#include <errno.h>
#include <string.h>

static bool
is_meant(const struct show_question *q, const char *node, const char *vrf)
{
	return (q->port == NULL || strcmp(q->port, node) == 0) &&
	       (q->vrf == NULL || strcmp(q->vrf, vrf) == 0);
}

static json_t *
neighbour_json(const struct show_neighbour *n)
{
	json_t *out = json_pack("{s:s,s:s,s:s,s:b}", "address", n->address, "interface",
				n->interface, "state", n->state, "usable", n->usable);

	if (out == NULL || (n->usable ? show_set_mac(out, n->mac)
				      : json_object_set_new(out, "mac", json_null())) != 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *
learning_json(const struct show_learning *l)
{
	return json_pack("{s:s?,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:b}", "netns", l->netns, "source",
			 l->source, "prefixes", (json_int_t)l->prefixes, "messages",
			 (json_int_t)l->messages, "dumps", (json_int_t)l->dumps, "overruns",
			 (json_int_t)l->overruns, "refused", (json_int_t)l->refused, "asked",
			 (json_int_t)l->asked, "published", (json_int_t)l->published,
			 "fpm_connected", l->fpm_connected);
}

// The list of a VRF's neighbours, made when it is missing.
static json_t *
list_of(json_t *nodes, const struct show_neighbour *n)
{
	json_t *vrfs = show_child(show_child(nodes, n->node), "neighbours");
	json_t *list = json_object_get(vrfs, n->vrf);

	if (list == NULL && json_object_set_new(vrfs, n->vrf, json_array()) == 0)
		list = json_object_get(vrfs, n->vrf);
	return list;
}

// {"nodes": {NODE: {"neighbours": {VRF: [{"address", "interface", "state", "usable", "mac"}]},
// "learning": {VRF: {"netns", "source", "prefixes", ...}}}}}.
int
show_neighbour(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *nodes = show_child(to, "nodes");
	bool found = q->port == NULL && q->vrf == NULL;

	for (unsigned int i = 0; i < s->learning_count; i++) {
		const struct show_learning *l = &s->learnings[i];

		if (!is_meant(q, l->node, l->vrf))
			continue;
		found = true;
		if (json_object_set_new(show_child(show_child(nodes, l->node), "learning"), l->vrf,
					learning_json(l)) != 0)
			return -ENOMEM;
	}
	for (unsigned int i = 0; i < s->neighbour_count; i++) {
		const struct show_neighbour *n = &s->neighbours[i];

		if (is_meant(q, n->node, n->vrf) &&
		    json_array_append_new(list_of(nodes, n), neighbour_json(n)) != 0)
			return -ENOMEM;
	}
	return found ? 0 : -ENOENT;
}
