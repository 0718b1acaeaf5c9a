// SPDX-License-Identifier: BSD-3-Clause
// Captures over the API. What packets carry is the business of the fabric's owner, so a client that
// may only read gets none.
#include "answer.h"

#include "capture_stream.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct port_list {
	struct topo_ref *items;
	uint32_t count;
};

static int
add_port(const struct live_fabric *live, struct port_list *list, struct topo_ref port,
	 struct diag *diag)
{
	char name[TOPOLOGY_NAME_MAX];

	topology_port_name(live->topology, port.node, port.port, name);
	for (uint32_t i = 0; i < list->count; i++)
		if (list->items[i].node == port.node && list->items[i].port == port.port)
			return diag_fail(diag, EINVAL, "%s is named twice", name);
	if (list->count == CAPTURE_PORTS_MAX)
		return diag_fail(diag, EINVAL,
				 "more than %d ports; name fewer ports, or capture in several runs",
				 CAPTURE_PORTS_MAX);
	if (live_check_here(live, port.node, diag) != 0)
		return -EINVAL;
	if (live->fabric->nodes[port.node] == NULL) {
		const struct topo_port *end = &live->topology->nodes[port.node].ports[port.port];
		char leaf[TOPOLOGY_NAME_MAX];

		return diag_fail(
			diag, EINVAL,
			"%s: the host is attached with `nic: off`, so the fabric has no NIC for "
			"it; "
			"capture %s instead",
			name,
			topology_port_name(live->topology, end->peer_node, end->peer_port, leaf));
	}
	list->items = memory_grow(list->items, list->count, sizeof(*list->items), "ports");
	list->items[list->count++] = port;
	return 0;
}

// The first end of a link that has a port in the fabric: each packet of the link passes there once.
static struct topo_ref
first_end(const struct live_fabric *live, uint32_t index)
{
	const struct topo_link *link = &live->topology->links[index];
	const struct topo_end *end = live->fabric->nodes[link->a.node] != NULL ? &link->a
									       : &link->b;

	return (struct topo_ref){.node = end->node, .port = end->port};
}

// Reports a name that is no port, node or link.
static int
report_missing(const struct topology *t, const char *text, struct diag *diag)
{
	const struct config_name name = {.text = (char *)(uintptr_t)text};
	struct topo_ref port;
	uint32_t node, link;

	if (topology_find_link(t, text, &link) == -EEXIST)
		return topology_resolve_link(t, &name, NULL, &link, diag);
	return strchr(text, '.') != NULL || topology_is_single(t)
		       ? topology_resolve_port(t, &name, NULL, &port, diag)
		       : topology_resolve_node(t, &name, NULL, &node, diag);
}

// A port, all ports of a node, or one end of a link.
static int
add_named(const struct live_fabric *live, struct port_list *list, const char *name,
	  struct diag *diag)
{
	const struct topology *t = live->topology;
	struct topo_ref port;
	uint32_t node, link;
	int rc = 0;

	if (topology_find_port(t, name, &port) == 0)
		return add_port(live, list, port, diag);
	node = topology_find_node(t, name);
	if (node == TOPOLOGY_NONE && topology_find_link(t, name, &link) == 0)
		return add_port(live, list, first_end(live, link), diag);
	if (node == TOPOLOGY_NONE)
		return report_missing(t, name, diag);
	for (uint16_t p = 0; rc == 0 && p < t->nodes[node].port_count; p++)
		rc = add_port(live, list, (struct topo_ref){.node = node, .port = p}, diag);
	return rc;
}

static int
read_ports(const struct live_fabric *live, const json_t *names, struct port_list *list,
	   struct diag *diag)
{
	json_t *name;
	size_t i;

	json_array_foreach(names, i, name)
	{
		int rc = add_named(live, list, json_string_value(name), diag);

		if (rc != 0)
			return rc;
	}
	return 0;
}

const char *const *
capture_directions(size_t *count)
{
	static const char *const words[] = {"both", "rx", "tx"};

	*count = 3;
	return words;
}

static int
read_direction(const char *word, unsigned int *which, struct diag *diag)
{
	if (word == NULL || strcmp(word, "both") == 0)
		*which = CAPTURE_WHICH_RX | CAPTURE_WHICH_TX;
	else if (strcmp(word, "rx") == 0)
		*which = CAPTURE_WHICH_RX;
	else if (strcmp(word, "tx") == 0)
		*which = CAPTURE_WHICH_TX;
	else
		return diag_fail(diag, EINVAL, "\"direction\" must be rx, tx or both");
	return 0;
}

// A number from 0 to `most`.
static int
read_count(const json_t *params, const char *name, int64_t most, uint64_t *out, struct diag *diag)
{
	json_int_t value = json_integer_value(json_object_get(params, name));

	if (value < 0 || value > most)
		return diag_fail(diag, EINVAL, "\"%s\" is not a number from 0 to %lld", name,
				 (long long)most);
	*out = (uint64_t)value;
	return 0;
}

static int
read_request(const struct live_fabric *live, const json_t *params, struct capture_request *request,
	     struct port_list *ports, struct diag *diag)
{
	const bool drops = json_is_true(json_object_get(params, "drops"));
	const json_t *direction = json_object_get(params, "direction");
	const char *filter = json_string_value(json_object_get(params, "filter"));
	uint64_t snap = 0;
	int rc = read_ports(live, json_object_get(params, "ports"), ports, diag);

	if (rc == 0 && ports->count == 0 && !drops)
		rc = diag_fail(diag, EINVAL,
			       "\"ports\" must name a port, unless \"drops\" is true");
	if (rc == 0 && drops && direction != NULL)
		rc = diag_fail(diag, EINVAL, "\"drops\" takes no \"direction\"");
	if (rc == 0)
		rc = read_direction(json_string_value(direction), &request->which, diag);
	if (rc == 0)
		rc = read_count(params, "snap", PACKET_FRAME_MAX, &snap, diag);
	if (rc == 0)
		rc = read_count(params, "count", INT64_MAX, &request->packets_most, diag);
	if (rc == 0 && filter != NULL && topology_is_infiniband(live->topology))
		rc = diag_fail(
			diag, EINVAL,
			"filter: tcpdump's filters are for Ethernet frames; capture all packets "
			"of a port instead");
	if (rc == 0 && filter != NULL)
		rc = filter_read(&request->filter, filter, diag);
	if (drops)
		request->which = CAPTURE_WHICH_DROPS;
	request->snaplen = (uint32_t)snap;
	request->raw = json_is_true(json_object_get(params, "raw"));
	request->ports = ports->items;
	request->count = ports->count;
	return rc;
}

int
answer_capture(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	struct capture_request request = {0};
	struct port_list ports = {0};
	char name[TOPOLOGY_NAME_MAX];
	int rc = read_request(a->live, params, &request, &ports, diag);

	if (rc == 0)
		rc = capture_streams_begin(a->capture_streams, &request, diag);
	if (rc != 0)
		filter_destroy(request.filter);
	if (rc == 0)
		*result = json_pack("{s:[]}", "ports");
	for (uint32_t i = 0; rc == 0 && i < ports.count; i++)
		json_array_append_new(
			json_object_get(*result, "ports"),
			json_string(topology_port_name(a->live->topology, ports.items[i].node,
						       ports.items[i].port, name)));
	free(ports.items);
	return rc;
}

int
answer_capture_end(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;

	(void)params;
	if (capture_streams_end(a->capture_streams) != 0)
		return diag_fail(diag, ENOENT, "this connection has no capture");
	*result = json_object();
	return 0;
}
