// SPDX-License-Identifier: BSD-3-Clause
#include "collect.h"

#include "device_drops.h"

#include "dataplane/device/xdp/steering.h"

#include <string.h>

static json_t *
classes_json(const struct steer_count *counts)
{
	json_t *out = json_object();

	for (unsigned int i = 0; i < STEER_CLASSES; i++)
		json_object_set_new(out, steering_class_name(i),
				    json_pack("{s:s,s:I,s:I}", "to", steering_class_reader(i),
					      "packets", (json_int_t)counts[i].packets, "bytes",
					      (json_int_t)counts[i].bytes));
	return out;
}

static int
steering_json(json_t **out, const struct live_fabric *live, const struct device_port *d)
{
	const struct steering *steering = d->live.device->steering;
	const struct steering_program *program = steering_program(steering);
	char tag[2 * STEERING_TAG_BYTES + 1];
	struct steer_count counts[STEER_CLASSES];
	size_t addresses, left_out;
	int rc = steering_read(steering, counts);

	if (rc != 0)
		return rc;
	for (unsigned int i = 0; i < STEERING_TAG_BYTES; i++)
		snprintf(tag + 2 * i, 3, "%02x", program->tag[i]);
	local_addresses_count(live->local_addresses, &addresses, &left_out);
	*out = json_pack("{s:s,s:I,s:s,s:s,s:I,s:I,s:o}", "netdev", d->netdev, "program",
			 (json_int_t)program->id, "tag", tag, "mode",
			 program->generic ? "generic" : "driver", "addresses",
			 (json_int_t)addresses, "addresses_left_out", (json_int_t)left_out,
			 "classes", classes_json(counts));
	return 0;
}

int
collect_steering(struct show_state *s, const struct live_fabric *live)
{
	s->steering = json_object();
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		const struct topo_node *node = &live->topology->nodes[d->node];
		json_t *port;
		int rc;

		if (d->netdev == NULL || d->live.device == NULL)
			continue;
		rc = steering_json(&port, live, d);
		if (rc != 0)
			return rc;
		json_object_set_new(show_child(s->steering, node->name), node->ports[d->port].name,
				    port);
	}
	return 0;
}

struct lost_by_devices {
	const struct topology *topology;
	json_t *out;
};

static void
add_lost(const struct device_drops_port *lost, void *arg)
{
	const struct lost_by_devices *l = arg;
	const struct topo_node *node = &l->topology->nodes[lost->node];

	for (unsigned int r = 0; r < DEVICE_DROP_COUNT; r++) {
		json_t *port;

		if (lost->now.of[r] == 0)
			continue;
		port = show_child(show_child(show_child(l->out, "nodes"), node->name),
				  node->ports[lost->port].name);
		json_object_set_new(port, device_drop_name(r),
				    json_integer((json_int_t)lost->now.of[r]));
		json_object_set_new(show_child(l->out, "advice"), device_drop_name(r),
				    json_string(device_drop_advice(r)));
	}
}

json_t *
collect_lost_by_devices(const struct live_fabric *live)
{
	struct lost_by_devices lost = {live->topology, json_pack("{s:{}}", "advice")};

	device_drops_each(live, add_lost, &lost);
	return lost.out;
}

json_t *
collect_what_is_attached(const struct device_port *d)
{
	if (d->attach != NULL)
		return map_attached_text(d->attach);
	if (d->netdev != NULL)
		return json_sprintf("netdev %s", d->netdev);
	if (d->far != NULL)
		return json_sprintf("part %s", d->far->name.text);
	return json_string("a device");
}

// What the datagrams of a device have come to; NULL where it has none.
static json_t *
carrier_json(const struct device_port *d)
{
	struct device *device = d->live.device;
	struct device_stats s;

	if (device == NULL || device->udp == NULL || device_stats(device, &s) != 0)
		return NULL;
	return json_pack("{s:s*, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "part",
			 d->far != NULL ? d->far->name.text : NULL, "sent",
			 (json_int_t)s.tx_packets, "received", (json_int_t)s.rx_packets, "lost",
			 (json_int_t)s.carrier_lost, "late", (json_int_t)s.carrier_late,
			 "duplicates", (json_int_t)s.carrier_duplicates, "round_trip_ns",
			 (json_int_t)s.round_trip_ns, "round_trip_min_ns",
			 (json_int_t)s.round_trip_min_ns, "delay_variation_ns",
			 (json_int_t)s.delay_variation_ns, "delay_variation_max_ns",
			 (json_int_t)s.delay_variation_max_ns);
}

json_t *
collect_carriers(const struct live_fabric *live)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < live->device_count; i++) {
		json_t *carrier = carrier_json(&live->devices[i]);

		if (carrier == NULL)
			continue;
		json_object_set_new(carrier, "interface", json_string(live->devices[i].name));
		json_array_append_new(out, carrier);
	}
	if (json_array_size(out) != 0)
		return out;
	json_decref(out);
	return NULL;
}

static json_t *
attached_json(const struct live_fabric *live, const struct device_port *d)
{
	char host[TOPOLOGY_NAME_MAX] = "-", device[DEVICE_SPEC_MAX];

	if (d->host != TOPOLOGY_NONE)
		topology_port_name(live->topology, live->topology->first_host + d->host,
				   d->host_port, host);
	snprintf(device, sizeof(device), "%.*s", (int)strcspn(d->spec, ","), d->spec);
	return json_pack("{s:s, s:o, s:s, s:I, s:s, s:o*}", "host", host, "attached",
			 collect_what_is_attached(d), "device", device, "mtu", (json_int_t)d->mtu,
			 "state", d->up ? "up" : "down", "carrier", carrier_json(d));
}

void
collect_attached(struct show_state *s, const struct live_fabric *live)
{
	s->devices = json_object();
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		const struct topo_node *node = &live->topology->nodes[d->node];

		if (!d->detached)
			json_object_set_new(show_child(s->devices, node->name),
					    node->ports[d->port].name, attached_json(live, d));
	}
}

static json_t *
device_json(const struct device_port *d)
{
	struct device_stats s = {0};

	if (d->live.device != NULL)
		(void)device_stats(d->live.device, &s); // zero if it cannot report them
	return json_pack("{s:s, s:o*, s:I, s:I, s:I, s:I, s:I, s:I}", "spec", d->spec, "carrier",
			 carrier_json(d), "rx_missed", (json_int_t)s.rx_missed, "rx_errors",
			 (json_int_t)s.rx_errors, "rx_no_mbuf", (json_int_t)s.rx_no_mbuf,
			 "rx_chained", (json_int_t)s.rx_chained, "tx_oversized",
			 (json_int_t)__atomic_load_n(&d->live.oversized, __ATOMIC_RELAXED),
			 "tx_unsendable",
			 (json_int_t)__atomic_load_n(&d->live.unsendable, __ATOMIC_RELAXED));
}

void
collect_device_drops(const struct live_fabric *live, json_t *answer)
{
	json_t *nodes = json_object_get(answer, "nodes");

	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		const struct report_node *n;
		json_t *ports, *port;

		if (d->detached)
			continue;
		n = &live->fabric->names[d->live.node->index];
		ports = json_object_get(json_object_get(nodes, n->name), "ports");
		port = json_object_get(ports, n->ports[d->live.port->index].name);
		if (port != NULL)
			json_object_set_new(port, "device", device_json(d));
	}
}
