// SPDX-License-Identifier: BSD-3-Clause
// The agents of what a fabric says of itself: every switch with ports up to its last one, and every
// host with its NICs.
#include "subnet_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PORTS_MAX 254 // of a switch: 255 in a table means none
#define NODES_MAX (MAD_LID_MAX)

static const char *
text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

// Splits "leaf1.swp3" at its last dot. Returns the number of the port, or 0; *length is that of the
// node's name.
static unsigned
split(const char *name, size_t *length)
{
	const char *dot = strrchr(name, '.');
	char *end;
	unsigned long number;

	if (dot == NULL || (strncmp(dot, ".swp", 4) != 0 && strncmp(dot, ".eth", 4) != 0))
		return 0;
	*length = (size_t)(dot - name);
	number = strtoul(dot + 4, &end, 10);
	return *end == '\0' && end != dot + 4 && number <= PORTS_MAX ? (unsigned)number : 0;
}

static uint32_t
find_node(const struct agents *agents, const char *name, size_t length)
{
	for (uint32_t n = 0; n < agents->count; n++)
		if (strncmp(agents->nodes[n].name, name, length) == 0 &&
		    agents->nodes[n].name[length] == '\0')
			return n;
	return AGENT_NONE;
}

int
subnet_find_port(const struct agents *agents, const char *name, struct agent_place *out)
{
	size_t length;
	const unsigned number = split(name, &length);

	if (number == 0)
		return -ENOENT;
	out->node = find_node(agents, name, length);
	out->port = (uint8_t)number;
	return out->node != AGENT_NONE && number <= agents->nodes[out->node].port_count ? 0
											: -ENOENT;
}

const char *
subnet_port_name(const struct agents *agents, struct agent_place at,
		 char text[static SUBNET_PORT_NAME_MAX])
{
	const struct agent *node = &agents->nodes[at.node];

	snprintf(text, SUBNET_PORT_NAME_MAX, "%s.%s%u", node->name,
		 node->kind == AGENT_SWITCH ? "swp" : "eth", at.port);
	return text;
}

// ---- nodes --------------------------------------------------------------------------------------

// How many ports each node needs, by its name.
static void
note_port(json_t *counts, const char *name)
{
	size_t length = 0;
	const unsigned number = split(name, &length);
	char node[AGENT_NAME_MAX + 1];

	if (number == 0 || length > AGENT_NAME_MAX)
		return;
	memcpy(node, name, length);
	node[length] = '\0';
	if (json_integer_value(json_object_get(counts, node)) < number)
		json_object_set_new(counts, node, json_integer(number));
}

static json_t *
count_ports(const json_t *description)
{
	json_t *counts = json_object();
	const json_t *link;
	size_t i;

	json_array_foreach(json_object_get(description, "links"), i, link)
	{
		note_port(counts, text_of(link, "a"));
		note_port(counts, text_of(link, "b"));
	}
	return counts;
}

static int
add_nodes(struct agents *agents, const json_t *description, struct diag *diag)
{
	const json_t *nodes = json_object_get(description, "nodes"), *node;
	json_t *counts = count_ports(description);
	size_t i;

	json_array_foreach(nodes, i, node)
	{
		const char *name = text_of(node, "name");
		const bool host = strcmp(text_of(node, "role"), "host") == 0;

		agents_add(agents, name, host ? AGENT_HOST : AGENT_SWITCH,
			   (uint8_t)json_integer_value(json_object_get(counts, name)));
	}
	json_decref(counts);
	if (agents->count == 0 || agents->count > NODES_MAX)
		return diag_fail(diag, EINVAL,
				 "a subnet has 1 to %d switches and hosts; this one "
				 "has %u",
				 NODES_MAX, agents->count);
	return 0;
}

// ---- links --------------------------------------------------------------------------------------

static int
add_link(struct agents *agents, const json_t *link, struct diag *diag)
{
	const json_int_t rate = json_integer_value(json_object_get(link, "rate_bps"));
	struct agent_place a, b;

	if (subnet_find_port(agents, text_of(link, "a"), &a) != 0 ||
	    subnet_find_port(agents, text_of(link, "b"), &b) != 0)
		return diag_fail(diag, EINVAL,
				 "link %.80s: a switch of an InfiniBand subnet has "
				 "ports 1 to %d",
				 text_of(link, "link"), PORTS_MAX);
	agents_connect(agents, a, b, (uint64_t)(rate > 0 ? rate : 0));
	if (strcmp(text_of(link, "state"), "down") == 0)
		agents_link_changed(agents, a, false);
	return 0;
}

// ---- LIDs and partitions ------------------------------------------------------------------------

static uint16_t
lid_of(const json_t *object)
{
	const json_int_t lid = json_integer_value(json_object_get(object, "lid"));

	return lid > 0 && lid <= MAD_LID_MAX ? (uint16_t)lid : 0;
}

// Nodes are in the order of the description.
static void
set_addresses(struct agents *agents, const json_t *description)
{
	const json_t *node, *nic;
	char name[2 * AGENT_NAME_MAX];
	struct agent_place at;
	size_t i;

	json_array_foreach(json_object_get(description, "nodes"), i, node)
	{
		if (agents->nodes[i].kind == AGENT_SWITCH)
			agents_set_lid(agents, (struct agent_place){(uint32_t)i, 0}, lid_of(node));
	}
	json_array_foreach(json_object_get(description, "hosts"), i, nic)
	{
		snprintf(name, sizeof(name), "%s.%s", text_of(nic, "host"), text_of(nic, "nic"));
		if (subnet_find_port(agents, name, &at) != 0)
			continue;
		agents_set_lid(agents, at, lid_of(nic));
		if (json_is_integer(json_object_get(nic, "pkey")))
			agents_set_partition(
				agents, at,
				(uint16_t)json_integer_value(json_object_get(nic, "pkey")));
	}
}

int
subnet_describe(struct agents *agents, const json_t *description, struct diag *diag)
{
	const json_t *links = json_object_get(description, "links"), *link;
	size_t i;
	int rc = 0;

	if (json_array_size(json_object_get(description, "nodes")) > NODES_MAX)
		return diag_fail(diag, EINVAL, "a subnet has at most %d switches and hosts",
				 NODES_MAX);
	rc = add_nodes(agents, description, diag);
	json_array_foreach(links, i, link)
	{
		if (rc == 0)
			rc = add_link(agents, link, diag);
	}
	if (rc == 0) {
		subnet_describe_lanes(agents, NULL, json_object_get(description, "nodes"));
		set_addresses(agents, description);
	}
	return rc;
}
