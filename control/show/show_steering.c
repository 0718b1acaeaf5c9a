// SPDX-License-Identifier: BSD-3-Clause
// What the XDP program of a port that shares its interface with the kernel gave to whom.
#include "show_part.h"

#include <errno.h>
#include <string.h>

static const struct show_steering *
find_steering(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	for (unsigned int i = 0; i < s->steering_count; i++)
		if (strcmp(s->steerings[i].node, n->name) == 0 &&
		    strcmp(s->steerings[i].port, n->ports[port].name) == 0)
			return &s->steerings[i];
	return NULL;
}

static json_t *
classes_json(const struct show_steering *steering)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < steering->class_count; i++) {
		const struct show_steered *class = &steering->classes[i];

		if (json_object_set_new(out, class->name,
					json_pack("{s:s,s:I,s:I}", "to", class->to, "packets",
						  (json_int_t) class->packets, "bytes",
						  (json_int_t) class->bytes)) == 0)
			continue;
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *
steering_json(const struct show_steering *steering)
{
	return json_pack("{s:s,s:I,s:s,s:s,s:I,s:I,s:o}", "netdev", steering->netdev, "program",
			 (json_int_t)steering->program, "tag", steering->tag, "mode",
			 steering->generic ? "generic" : "driver", "addresses",
			 (json_int_t)steering->addresses, "addresses_left_out",
			 (json_int_t)steering->left_out, "classes", classes_json(steering));
}

// {"nodes": {NODE: {"ports": {PORT: {"netdev", "program", ..., "classes": {...}}}}}}, of ports that
// have such a program.
int
show_steering(const struct show_state *s, const struct show_question *q, json_t *to)
{
	json_t *nodes = show_child(to, "nodes");
	bool found = q->port == NULL;

	for (unsigned int i = 0; i < s->node_count; i++) {
		const struct report_node *n = &s->nodes[i];

		for (unsigned int k = 0; k < n->node->port_count; k++) {
			const struct show_steering *steering;

			if (!show_port_meant(n, k, q->port))
				continue;
			found = true;
			steering = find_steering(s, n, k);
			if (steering != NULL &&
			    json_object_set_new(show_child(show_child(nodes, n->name), "ports"),
						steering->port, steering_json(steering)) != 0)
				return -ENOMEM;
		}
	}
	return found ? 0 : -ENOENT;
}
