// SPDX-License-Identifier: BSD-3-Clause
// Links as they are now, and what of that an event or a user has changed.
#include "collect.h"

#include "control/config/error_rate.h"
#include "control/config/scalar.h"

static void
add_value(json_t *to, const char *key, enum scalar_kind kind, uint64_t value)
{
	char text[CONFIG_TEXT];

	json_object_set_new(to, key, json_string(config_number_text(kind, value, text)));
}

// By the keys of an event, with values as a file has them.
static json_t *
changed_json(const struct link_values *c)
{
	json_t *out = json_object();

	if (c->changes & CONFIG_LINK_STATE)
		json_object_set_new(out, "state", json_string("down"));
	if (c->changes & CONFIG_LINK_RATE)
		add_value(out, "rate", SCALAR_RATE, c->rate_bps);
	if (c->changes & CONFIG_LINK_DELAY)
		add_value(out, "delay", SCALAR_DURATION, c->delay_ps);
	if (c->changes & CONFIG_LINK_LOSS)
		add_value(out, "loss", SCALAR_PERCENT, c->loss_ppm);
	if (c->changes & CONFIG_LINK_CORRUPT)
		add_value(out, "corrupt", SCALAR_PERCENT, c->corrupt_ppm);
	if (c->changes & CONFIG_LINK_CORRUPT_PAYLOAD)
		add_value(out, "corrupt-payload", SCALAR_PERCENT, c->corrupt_payload_ppm);
	if (c->changes & CONFIG_LINK_BIT_ERRORS) {
		char text[CONFIG_TEXT];

		json_object_set_new(out, "bit-error-rate",
				    json_string(error_rate_text(c->bit_error_rate, text)));
	}
	if (c->changes & CONFIG_LINK_DROP)
		json_object_set_new(out, "drop",
				    json_sprintf("ip-id-low-byte %u", c->ip_id_low_byte));
	return out;
}

// The part at the other end of a link.
static const char *
far_part(const struct live_fabric *live, const struct topo_link *link)
{
	const uint32_t far = live_is_here(live, link->a.node) ? link->b.node : link->a.node;

	return topology_part_of(live->topology, far)->name.text;
}

json_t *
collect_link(const struct live_fabric *live, uint32_t index)
{
	const struct topology *t = live->topology;
	const struct topo_link *link = &t->links[index];
	const struct link_values c = fabric_link_values(live->fabric, index);
	const struct map_link_state now = {
		.rate_bps = c.changes & CONFIG_LINK_RATE ? c.rate_bps : link->rate_bps,
		.delay_ps = c.changes & CONFIG_LINK_DELAY ? c.delay_ps : link->delay_ps,
		.down = live->fabric->link_down[index],
	};
	json_t *out = map_link(t, index, &now);

	if (c.changes != 0)
		json_object_set_new(out, "changed", changed_json(&c));
	if (live_is_here(live, link->a.node) != live_is_here(live, link->b.node))
		json_object_set_new(out, "part", json_string(far_part(live, link)));
	return out;
}

json_t *
collect_port_link(const struct live_fabric *live, uint32_t node, uint16_t port)
{
	const struct port *p = &live->fabric->nodes[node]->ports[port];
	char name[TOPOLOGY_NAME_MAX];
	json_t *out;

	topology_port_name(live->topology, node, port, name);
	out = json_pack("{s:s,s:s,s:I,s:s}", "link", name, "a", name, "rate_bps",
			(json_int_t)live->topology->nodes[node].ports[port].rate_bps, "state",
			p->up ? "up" : "down");
	if (p->link_off)
		json_object_set_new(out, "changed", json_pack("{s:s}", "state", "down"));
	return out;
}

// The ports of a switch that have no link and that a user has taken down.
static void
add_ports_down(json_t *out, const struct live_fabric *live, uint32_t index)
{
	const struct topo_node *node = &live->topology->nodes[index];
	const struct node *n = live->fabric->nodes[index];

	for (uint16_t i = 0; n != NULL && i < node->port_count; i++)
		if (node->ports[i].link == TOPOLOGY_NONE && n->ports[i].link_off)
			json_object_set_new(show_child(out, node->name), node->ports[i].name,
					    collect_port_link(live, index, i));
}

json_t *
collect_links(const struct live_fabric *live)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < live->topology->link_count; i++) {
		const struct topo_link *link = &live->topology->links[i];

		if (live_is_here(live, link->a.node) || live_is_here(live, link->b.node))
			json_array_append_new(out, collect_link(live, i));
	}
	return out;
}

json_t *
collect_changed_links(const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	json_t *out = json_object();

	for (uint32_t i = 0; i < t->link_count; i++) {
		const struct topo_end *ends[] = {&t->links[i].a, &t->links[i].b};
		json_t *link;

		if (fabric_link_values(live->fabric, i).changes == 0)
			continue;
		link = collect_link(live, i);
		for (int end = 0; end < 2; end++) {
			const struct topo_node *node = &t->nodes[ends[end]->node];

			json_object_set(show_child(out, node->name),
					node->ports[ends[end]->port].name, link);
		}
		json_decref(link);
	}
	for (uint32_t i = 0; i < t->first_host; i++)
		add_ports_down(out, live, i);
	return out;
}
