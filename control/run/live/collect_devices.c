// SPDX-License-Identifier: BSD-3-Clause
#include "collect.h"

#include "dataplane/device/xdp/steering.h"

static struct show_steered *
classes_of(struct arena *arena, const struct steer_count *counts)
{
	struct show_steered *classes = arena_alloc(arena, STEER_CLASSES * sizeof(*classes));

	for (unsigned int i = 0; i < STEER_CLASSES; i++)
		classes[i] = (struct show_steered){
			.name = steering_class_name(i),
			.to = steering_class_reader(i),
			.packets = counts[i].packets,
			.bytes = counts[i].bytes,
		};
	return classes;
}

static int
steering_of(struct show_steering *out, struct arena *arena, const struct live_fabric *live,
	    const struct device_port *d)
{
	const struct topo_node *node = &live->topology->nodes[d->node];
	const struct steering *steering = d->live.device->steering;
	const struct steering_program *program = steering_program(steering);
	char *tag = arena_alloc(arena, 2 * STEERING_TAG_BYTES + 1);
	struct steer_count counts[STEER_CLASSES];
	int rc = steering_read(steering, counts);

	if (rc != 0)
		return rc;
	for (unsigned int i = 0; i < STEERING_TAG_BYTES; i++)
		snprintf(tag + 2 * i, 3, "%02x", program->tag[i]);
	*out = (struct show_steering){
		.node = node->name,
		.port = node->ports[d->port].name,
		.netdev = d->netdev,
		.program = program->id,
		.tag = tag,
		.generic = program->generic,
		.classes = classes_of(arena, counts),
		.class_count = STEER_CLASSES,
	};
	local_addresses_count(live->local_addresses, &out->addresses, &out->left_out);
	return 0;
}

int
collect_steering(struct show_state *s, struct arena *arena, const struct live_fabric *live)
{
	struct show_steering *list = arena_alloc(arena, live->device_count * sizeof(*list));
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < live->device_count; i++)
		if (live->devices[i].netdev != NULL)
			rc = steering_of(&list[s->steering_count++], arena, live,
					 &live->devices[i]);
	s->steerings = list;
	return rc;
}

static json_t *
device_json(const struct device_port *d)
{
	struct device_stats s = {0};

	(void)device_stats(d->live.device, &s); // zero if the device cannot report them
	return json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "spec", d->spec, "rx_missed",
		(json_int_t)s.rx_missed, "rx_errors", (json_int_t)s.rx_errors, "rx_no_mbuf",
		(json_int_t)s.rx_no_mbuf, "rx_chained", (json_int_t)s.rx_chained, "tx_oversized",
		(json_int_t)__atomic_load_n(&d->live.oversized, __ATOMIC_RELAXED), "tx_unsendable",
		(json_int_t)__atomic_load_n(&d->live.unsendable, __ATOMIC_RELAXED));
}

void
collect_device_drops(const struct live_fabric *live, json_t *answer)
{
	json_t *nodes = json_object_get(answer, "nodes");

	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		const struct topo_node *n = &live->topology->nodes[d->node];
		json_t *ports = json_object_get(json_object_get(nodes, n->name), "ports");
		json_t *port = json_object_get(ports, n->ports[d->port].name);

		if (port != NULL)
			json_object_set_new(port, "device", device_json(d));
	}
}
