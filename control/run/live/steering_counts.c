// SPDX-License-Identifier: BSD-3-Clause
#include "steering_counts.h"

#include "dataplane/device/xdp/steering.h"
#include "local_addresses.h"

#include <errno.h>
#include <stdlib.h>

// A port's entry and what it points to.
struct port_steered {
	struct show_steered classes[STEER_CLASSES];
	char tag[2 * STEERING_TAG_BYTES + 1];
};

struct steering_counts {
	struct show_steering *list;
	struct port_steered *ports;
	unsigned int count;
};

static int
take_port(struct steering_counts *s, const struct live_fabric *live, const struct device_port *d)
{
	const struct topo_node *node = &live->topology->nodes[d->node];
	const struct steering *steering = d->live.device->steering;
	const struct steering_program *program = steering_program(steering);
	struct port_steered *port = &s->ports[s->count];
	struct show_steering *out = &s->list[s->count++];
	struct steer_count counts[STEER_CLASSES];
	int error = steering_read(steering, counts);

	for (unsigned int i = 0; error == 0 && i < STEER_CLASSES; i++)
		port->classes[i] = (struct show_steered){
			.name = steering_class_name(i),
			.to = steering_class_reader(i),
			.packets = counts[i].packets,
			.bytes = counts[i].bytes,
		};
	for (unsigned int i = 0; i < STEERING_TAG_BYTES; i++)
		snprintf(port->tag + 2 * i, 3, "%02x", program->tag[i]);
	*out = (struct show_steering){
		.node = node->name,
		.port = node->ports[d->port].name,
		.netdev = d->netdev,
		.program = program->id,
		.tag = port->tag,
		.generic = program->generic,
		.classes = port->classes,
		.class_count = STEER_CLASSES,
	};
	local_addresses_count(live->local_addresses, &out->addresses, &out->left_out);
	return error;
}

int
steering_counts_take(struct steering_counts **out, const struct live_fabric *live)
{
	struct steering_counts *s = calloc(1, sizeof(*s));
	int error = 0;

	if (s == NULL)
		return -ENOMEM;
	s->list = calloc(live->device_count + 1, sizeof(*s->list));
	s->ports = calloc(live->device_count + 1, sizeof(*s->ports));
	if (s->list == NULL || s->ports == NULL)
		error = -ENOMEM;
	for (uint32_t i = 0; error == 0 && i < live->device_count; i++)
		if (live->devices[i].netdev != NULL)
			error = take_port(s, live, &live->devices[i]);
	if (error == 0)
		*out = s;
	else
		steering_counts_destroy(s);
	return error;
}

const struct show_steering *
steering_counts_list(const struct steering_counts *s, unsigned int *count)
{
	*count = s != NULL ? s->count : 0;
	return s != NULL ? s->list : NULL;
}

void
steering_counts_destroy(struct steering_counts *s)
{
	if (s == NULL)
		return;
	free(s->list);
	free(s->ports);
	free(s);
}
