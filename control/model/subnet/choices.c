// SPDX-License-Identifier: BSD-3-Clause
// The ports among which a switch may choose. They keep to the engine's rule, as its tables do: ways
// of up-down and fat-tree that mix with other shortest ones could wait for each other in a cycle,
// or lead back. Of tables from outside nobody knows the rule, so each LID has its port and no more.
#include "tree.h"

#include "control/base/memory.h"

#include <stdlib.h>

struct subnet_choices {
	const struct subnet *subnet;
	const struct topology *topology;
	const bool *link_down;
	bool climbs; // by `tree`
	uint32_t aimed;
	struct subnet_tree tree;
};

void
subnet_choices_create(struct subnet_choices **out, const struct subnet *s, const struct topology *t,
		      const bool *link_down)
{
	struct subnet_choices *c = memory_new(sizeof(*c), "ports to choose among");

	c->subnet = s;
	c->topology = t;
	c->link_down = link_down;
	c->climbs = !s->from_outside && t->config->subnet.engine != CONFIG_SUBNET_MIN_HOP;
	c->aimed = TOPOLOGY_NONE;
	if (c->climbs)
		subnet_tree_create(&c->tree, s, t, link_down);
	*out = c;
}

void
subnet_choices_destroy(struct subnet_choices *c)
{
	if (c == NULL)
		return;
	if (c->climbs)
		subnet_tree_free(&c->tree);
	free(c);
}

uint32_t
subnet_choices_list(struct subnet_choices *c, uint32_t node, uint32_t lid,
		    uint16_t ports[static PORTS_MAX])
{
	const uint32_t last = subnet_last_switch(c->subnet, c->topology, lid);

	if (c->subnet->from_outside || last == TOPOLOGY_NONE)
		return 0;
	if (!c->climbs)
		return subnet_shortest(c->subnet, c->topology, c->link_down, node, lid, ports);
	if (last != c->aimed)
		subnet_tree_aim(&c->tree, last);
	c->aimed = last;
	return subnet_tree_choices(&c->tree, c->subnet, node, lid, ports);
}
