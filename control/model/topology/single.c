// SPDX-License-Identifier: BSD-3-Clause
// One switch: its ports are in the file, and nothing the file knows of is behind them.
#include "topology_internal.h"

#include <errno.h>
#include <string.h>

int
builder_single(struct topology *t, struct diag *diag)
{
	static const uint8_t lone_mac[6] = {0x02, 0, 0, 0, 0, 0x01};
	const struct config *config = t->config;
	const struct config_single *s = &config->single;
	uint32_t node = builder_add_node(t, config->fabric.name.text, s->role, 0, 1);

	if (s->port_count == 0 || s->port_count > PORTS_MAX)
		return diag_error(diag, config->file, config->fabric.topology_pos, "switch.ports",
				  "%u ports; a switch has 1 to %d", s->port_count, PORTS_MAX);
	for (unsigned i = 0; i < s->port_count; i++) {
		const struct config_port *from = &s->ports[i];
		struct topo_port *port;

		if (builder_has_port(&t->nodes[node], from->number))
			return diag_error(diag, config->file, from->name.pos, "switch.ports",
					  "swp%u appears twice", from->number);
		port = builder_add_port(t, node, from->number);
		port->rate_bps = from->link.rate_bps;
		port->delay_ps = from->link.delay_ps;
		port->cable_mm = from->link.cable_mm;
		port->mtu = from->link.mtu != 0 ? from->link.mtu : config->fabric.mtu;
		port->dev = from->dev.text;
		port->netdev = from->netdev.text;
		memcpy(port->mac,
		       from->mac.set ? from->mac.bytes
		       : s->mac.set  ? s->mac.bytes
				     : lone_mac,
		       6);
	}
	return 0;
}
