// SPDX-License-Identifier: BSD-3-Clause
// Who got the frames of ports that share their interface with the kernel: what the XDP program of
// each counted, by class.
#include "show_view.h"

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
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct show_steering *steering = find_steering(s, n, port);
	json_t *classes;

	if (steering == NULL)
		return NULL;
	classes = json_object();
	for (unsigned int i = 0; i < steering->class_count; i++) {
		const struct show_steered *class = &steering->classes[i];

		json_object_set_new(classes, class->name,
				    json_pack("{s:s,s:I,s:I}", "to", class->to, "packets",
					      (json_int_t) class->packets, "bytes",
					      (json_int_t) class->bytes));
	}
	return json_pack("{s:s,s:I,s:s,s:s,s:I,s:I,s:o}", "netdev", steering->netdev, "program",
			 (json_int_t)steering->program, "tag", steering->tag, "mode",
			 steering->generic ? "generic" : "driver", "addresses",
			 (json_int_t)steering->addresses, "addresses_left_out",
			 (json_int_t)steering->left_out, "classes", classes);
}

static bool
is_empty(const struct show_row *row)
{
	return show_number(row->value, "packets") == 0;
}

static const struct show_column columns[] = {
	{"interface", "12", SHOW_NAME},
	{"netdev", "@2/netdev", SHOW_TEXT},
	{"class", "3", SHOW_NAME},
	{"to", .format = SHOW_TEXT},
	{"packets", .format = SHOW_COUNT},
	{"bytes", .format = SHOW_BYTES},
	{0},
};

static const struct show_table tables[] = {
	{"nodes/*/ports/*/classes/*", .columns = columns, .skip = is_empty,
	 .empty = "no frame has come by a port with the kernel beside it (netdev:)"},
	{0},
};

const struct show_view show_steering = {
	.name = "steering",
	.arguments = "[PORT]",
	.help = "frames given to the kernel or the switch, on ports with a netdev",
	.of = "switch or port of one",
	.needs = SHOW_NEEDS_STEERING,
	.port = port_json,
	.tables = tables,
};
