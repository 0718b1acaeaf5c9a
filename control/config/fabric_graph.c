// SPDX-License-Identifier: BSD-3-Clause
// Switches get their roles by how far they are from hosts, and links their ports in the order in
// which they stand.
#include "fabric_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// How far each switch is from the nearest that has hosts.
static void
find_distances(struct fabric_graph *g)
{
	for (uint32_t n = 0; n < g->node_count; n++)
		g->nodes[n].distance = UINT32_MAX;
	for (uint32_t l = 0; l < g->link_count; l++) {
		const struct graph_link *link = &g->links[l];

		if (!g->nodes[link->a].is_switch)
			g->nodes[link->b].distance = 0;
		else if (!g->nodes[link->b].is_switch)
			g->nodes[link->a].distance = 0;
	}
	// Further than 1 is far enough to be a super.
	for (uint32_t l = 0; l < g->link_count; l++) {
		struct graph_node *a = &g->nodes[g->links[l].a], *b = &g->nodes[g->links[l].b];

		if (a->distance == 0 && b->is_switch && b->distance != 0)
			b->distance = 1;
		if (b->distance == 0 && a->is_switch && a->distance != 0)
			a->distance = 1;
	}
}

static enum config_role
role_of(const struct graph_node *node)
{
	if (!node->is_switch)
		return CONFIG_ROLE_HOST;
	return node->distance == 0   ? CONFIG_ROLE_LEAF
	       : node->distance == 1 ? CONFIG_ROLE_SPINE
				     : CONFIG_ROLE_SUPER;
}

static struct config_name
new_name(struct arena *arena, const char *text, struct diag_pos pos)
{
	return (struct config_name){.text = arena_text(arena, text, strlen(text)), .pos = pos};
}

static void
list_nodes(const struct fabric_graph *g, struct config_fabric *fabric, struct arena *arena,
	   struct diag_pos pos)
{
	char name[CONFIG_NAME_MAX];

	fabric->nodes = arena_alloc(arena, g->node_count * sizeof(*fabric->nodes));
	fabric->node_count = g->node_count;
	for (uint32_t n = 0; n < g->node_count; n++) {
		snprintf(name, sizeof(name), "%c%" PRIu32, g->nodes[n].is_switch ? 's' : 'h', n);
		fabric->nodes[n].name = new_name(arena, name, pos);
		fabric->nodes[n].role = role_of(&g->nodes[n]);
	}
}

static void
take_end(const struct fabric_graph *g, const struct config_fabric *fabric, struct arena *arena,
	 uint32_t id, struct config_endpoint *out)
{
	char name[CONFIG_NAME_MAX];

	out->node = fabric->nodes[id].name.text;
	out->port = ++g->nodes[id].ports;
	snprintf(name, sizeof(name), "%s.%s%u", out->node, g->nodes[id].is_switch ? "swp" : "eth",
		 out->port);
	out->name = new_name(arena, name, fabric->nodes[id].name.pos);
}

// Ports are counted anew: first of the links towards hosts, then of the others.
static void
list_links(const struct fabric_graph *g, struct config_fabric *fabric, struct arena *arena,
	   struct diag_pos pos)
{
	fabric->links = arena_alloc(arena, (g->link_count + 1u) * sizeof(*fabric->links));
	fabric->link_count = g->link_count;
	for (uint32_t n = 0; n < g->node_count; n++)
		g->nodes[n].ports = 0;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t l = 0; l < g->link_count; l++) {
			const struct graph_link *link = &g->links[l];
			bool host = !g->nodes[link->a].is_switch || !g->nodes[link->b].is_switch;
			struct config_explicit_link *to = &fabric->links[l];

			if (host != (pass == 0))
				continue;
			to->written = (struct config_link_written){
				.rate_set = true, .delay_set = true, .link = link->link};
			to->written.link.pos = pos;
			take_end(g, fabric, arena, link->a, &to->a);
			take_end(g, fabric, arena, link->b, &to->b);
		}
	}
}

void
fabric_graph_list(struct fabric_graph *g, struct config_fabric *fabric, struct arena *arena,
		  struct diag_pos pos)
{
	find_distances(g);
	list_nodes(g, fabric, arena, pos);
	list_links(g, fabric, arena, pos);
}
