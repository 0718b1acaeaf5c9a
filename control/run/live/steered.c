// SPDX-License-Identifier: BSD-3-Clause
#include "steered.h"

#include "dataplane/device/xdp/steering.h"
#include "locals.h"

#include <errno.h>
#include <stdlib.h>

// A port's entry and what it points to.
struct port_steered {
	struct show_steered classes[STEER_CLASSES];
	char tag[2 * STEERING_TAG_BYTES + 1];
};

struct steered {
	struct show_steering *list;
	struct port_steered *ports;
	unsigned int count;
};

static int
take_port(struct steered *s, const struct lab *lab, const struct lab_device *d)
{
	const struct topo_node *node = &lab->topology->nodes[d->node];
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
	locals_count(lab->locals, &out->addresses, &out->left_out);
	return error;
}

int
steered_take(struct steered **out, const struct lab *lab)
{
	struct steered *s = calloc(1, sizeof(*s));
	int error = 0;

	if (s == NULL)
		return -ENOMEM;
	s->list = calloc(lab->device_count + 1, sizeof(*s->list));
	s->ports = calloc(lab->device_count + 1, sizeof(*s->ports));
	if (s->list == NULL || s->ports == NULL)
		error = -ENOMEM;
	for (uint32_t i = 0; error == 0 && i < lab->device_count; i++)
		if (lab->devices[i].netdev != NULL)
			error = take_port(s, lab, &lab->devices[i]);
	if (error == 0)
		*out = s;
	else
		steered_destroy(s);
	return error;
}

const struct show_steering *
steered_list(const struct steered *s, unsigned int *count)
{
	*count = s != NULL ? s->count : 0;
	return s != NULL ? s->list : NULL;
}

void
steered_destroy(struct steered *s)
{
	if (s == NULL)
		return;
	free(s->list);
	free(s->ports);
	free(s);
}
