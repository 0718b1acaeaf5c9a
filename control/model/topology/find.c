// SPDX-License-Identifier: BSD-3-Clause
// Names of nodes, ports, queues, links, VRFs and tenants, looked up. A node's name may contain "-",
// so a link's name is tried at each of its dashes.
#include "addresses.h"
#include "topology_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
compare_names(const void *a, const void *b)
{
	const struct topo_node *const *one = a, *const *other = b;

	return strcmp((*one)->name, (*other)->name);
}

void
builder_index_names(struct topology *t)
{
	const struct topo_node **sorted = memory_array(t->node_count, sizeof(*sorted), "names");
	uint32_t *by_name = memory_array(t->node_count, sizeof(*by_name), "names");

	for (uint32_t i = 0; i < t->node_count; i++)
		sorted[i] = &t->nodes[i];
	qsort(sorted, t->node_count, sizeof(*sorted), compare_names);
	for (uint32_t i = 0; i < t->node_count; i++)
		by_name[i] = (uint32_t)(sorted[i] - t->nodes);
	free(sorted);
	free(t->by_name);
	t->by_name = by_name;
}

static uint32_t
find_node(const struct topology *t, const char *name, size_t length)
{
	uint32_t low = 0, high = t->node_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const char *candidate = t->nodes[t->by_name[middle]].name;
		int order = strncmp(name, candidate, length);

		if (order == 0 && candidate[length] != '\0')
			order = -1;
		if (order == 0)
			return t->by_name[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return TOPOLOGY_NONE;
}

uint32_t
topology_find_node(const struct topology *t, const char *name)
{
	return find_node(t, name, strlen(name));
}

int
topology_port_named(const struct topo_node *node, const char *name, size_t length)
{
	for (uint16_t p = 0; p < node->port_count; p++)
		if (strncmp(node->ports[p].name, name, length) == 0 &&
		    node->ports[p].name[length] == '\0')
			return p;
	return -1;
}

static int
find_port(const struct topology *t, const char *name, size_t length, struct topo_ref *out)
{
	const char *dot = memchr(name, '.', length);
	const char *port = dot != NULL ? dot + 1 : name;
	int index;

	if (dot == NULL && !topology_is_single(t))
		return -ENOENT;
	out->node = dot != NULL ? find_node(t, name, (size_t)(dot - name)) : 0;
	if (out->node == TOPOLOGY_NONE)
		return -ENOENT;
	index = topology_port_named(&t->nodes[out->node], port, length - (size_t)(port - name));
	if (index < 0)
		return -ENOENT;
	out->port = (uint16_t)index;
	out->queue = 0;
	return 0;
}

int
topology_find_port(const struct topology *t, const char *name, struct topo_ref *out)
{
	return find_port(t, name, strlen(name), out);
}

int
topology_find_queue(const struct topology *t, const char *name, struct topo_ref *out)
{
	const char *dot = strrchr(name, '.');

	if (dot == NULL || dot[1] < '0' || dot[1] >= '0' + PRIORITIES || dot[2] != '\0' ||
	    find_port(t, name, (size_t)(dot - name), out) != 0)
		return -ENOENT;
	out->queue = (uint8_t)(dot[1] - '0');
	return 0;
}

// One end as written, a node or one of its ports: port -1 when any port will do.
struct link_end {
	uint32_t node;
	int port;
};

static bool
find_end(const struct topology *t, const char *name, size_t length, struct link_end *out)
{
	struct topo_ref ref;

	out->port = -1;
	out->node = find_node(t, name, length);
	if (out->node != TOPOLOGY_NONE)
		return true;
	if (find_port(t, name, length, &ref) != 0)
		return false;
	out->node = ref.node;
	out->port = ref.port;
	return true;
}

static bool
end_fits(const struct link_end *end, const struct topo_end *of)
{
	return end->node == of->node && (end->port < 0 || end->port == of->port);
}

int
topology_find_link(const struct topology *t, const char *name, uint32_t *out)
{
	uint32_t found = TOPOLOGY_NONE;

	for (const char *dash = strchr(name, '-'); dash != NULL; dash = strchr(dash + 1, '-')) {
		struct link_end a, b;

		if (!find_end(t, name, (size_t)(dash - name), &a) ||
		    !find_end(t, dash + 1, strlen(dash + 1), &b))
			continue;
		for (uint16_t p = 0; p < t->nodes[a.node].port_count; p++) {
			uint32_t l = t->nodes[a.node].ports[p].link;
			const struct topo_link *link;

			if (l == TOPOLOGY_NONE)
				continue;
			link = &t->links[l];
			if (!(end_fits(&a, &link->a) && end_fits(&b, &link->b)) &&
			    !(end_fits(&a, &link->b) && end_fits(&b, &link->a)))
				continue;
			if (found != TOPOLOGY_NONE && found != l)
				return -EEXIST;
			found = l;
		}
	}
	*out = found;
	return found == TOPOLOGY_NONE ? -ENOENT : 0;
}

int
topology_find_vrf(const struct topology *t, const char *name)
{
	for (uint16_t i = 0; i < t->vrf_count; i++)
		if (name[0] != '\0' && strcmp(t->vrfs[i].name, name) == 0)
			return i;
	return -1;
}

int
topology_find_tenant(const struct topology *t, const char *name)
{
	for (uint16_t i = 0; i < t->tenant_count; i++)
		if (t->tenants[i].name != NULL && strcmp(t->tenants[i].name, name) == 0)
			return i;
	return -1;
}

int
topology_find_place(const struct topology *t, const struct place *place, struct topo_ref *out)
{
	uint32_t node = topology_is_single(t) ? TOPOLOGY_NONE : topology_find_switch(t, place);
	int port = node != TOPOLOGY_NONE ? topology_port_index(&t->nodes[node], place->port) : -1;

	if (port < 0)
		return -ENOENT;
	*out = (struct topo_ref){.node = node, .port = (uint16_t)port};
	return 0;
}

struct place
topology_switch_place(const struct topology *t, uint32_t node)
{
	const struct topo_node *n = &t->nodes[node];

	return (struct place){
		.tier = (uint16_t)n->role, // in the order of enum config_role
		.plane = n->plane,
		.pod = n->pod,
		.number = n->pod_number,
	};
}

uint32_t
topology_find_switch(const struct topology *t, const struct place *place)
{
	for (uint32_t n = 0; n < t->first_host; n++) {
		const struct place at = topology_switch_place(t, n);

		if (at.tier == place->tier && at.plane == place->plane && at.pod == place->pod &&
		    at.number == place->number)
			return n;
	}
	return TOPOLOGY_NONE;
}

// How many links join the same two nodes.
static unsigned
links_between(const struct topology *t, const struct topo_link *link)
{
	const struct topo_node *a = &t->nodes[link->a.node];
	unsigned count = 0;

	for (uint16_t p = 0; p < a->port_count; p++)
		count += a->ports[p].peer_node == link->b.node;
	return count;
}

const char *
topology_link_name(const struct topology *t, uint32_t l, char text[static TOPOLOGY_NAME_MAX])
{
	const struct topo_link *link = &t->links[l];
	const struct topo_node *a = &t->nodes[link->a.node], *b = &t->nodes[link->b.node];

	if (links_between(t, link) > 1)
		snprintf(text, TOPOLOGY_NAME_MAX, "%s.%s-%s.%s", a->name,
			 a->ports[link->a.port].name, b->name, b->ports[link->b.port].name);
	else
		snprintf(text, TOPOLOGY_NAME_MAX, "%s-%s", a->name, b->name);
	return text;
}

const char *
topology_port_name(const struct topology *t, uint32_t node, uint16_t port,
		   char text[static TOPOLOGY_NAME_MAX])
{
	const struct topo_node *n = &t->nodes[node];

	if (topology_is_single(t))
		snprintf(text, TOPOLOGY_NAME_MAX, "%s", n->ports[port].name);
	else
		snprintf(text, TOPOLOGY_NAME_MAX, "%s.%s", n->name, n->ports[port].name);
	return text;
}
