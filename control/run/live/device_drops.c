// SPDX-License-Identifier: BSD-3-Clause
#include "device_drops.h"

#include <errno.h>

static json_t *
device_json(const struct device_port *d)
{
	struct device_stats s = {0};

	(void)device_stats(d->live.device, &s); // a device that cannot be asked has nothing to tell
	return json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "spec", d->spec, "rx_missed",
		(json_int_t)s.rx_missed, "rx_errors", (json_int_t)s.rx_errors, "rx_no_mbuf",
		(json_int_t)s.rx_no_mbuf, "rx_chained", (json_int_t)s.rx_chained, "tx_oversized",
		(json_int_t)__atomic_load_n(&d->live.oversized, __ATOMIC_RELAXED), "tx_unsendable",
		(json_int_t)__atomic_load_n(&d->live.unsendable, __ATOMIC_RELAXED));
}

int
device_drops_add(const struct live_fabric *live, json_t *answer)
{
	json_t *nodes = json_object_get(answer, "nodes");
	int rc = 0;

	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		const struct topo_node *n = &live->topology->nodes[d->node];
		json_t *ports = json_object_get(json_object_get(nodes, n->name), "ports");
		json_t *port = json_object_get(ports, n->ports[d->port].name);

		if (port != NULL && json_object_set_new(port, "device", device_json(d)) != 0)
			rc = -ENOMEM;
	}
	return rc;
}
