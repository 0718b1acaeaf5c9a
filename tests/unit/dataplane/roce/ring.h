// SPDX-License-Identifier: BSD-3-Clause
// Up to RING_MAX NICs of up to two ports, wired port to port without a switch: a network in which
// everything arrives when it was sent + its time on the wire. 100G, 1 us.
#pragma once

#include "dataplane/roce/frame.h"
#include "dataplane/roce/nic.h"
#include "pipelines/pipelines.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define RING_MAX 4
#define RING_PORTS 2
#define RING_DELAY (1 * PS_PER_US)
#define RING_BYTE UINT64_C(80) // ps, of 100G

struct ring {
	struct packet_pool *packets;
	struct port_profile profile;
	struct port_tables ports[RING_PORTS];
	struct tables tables;
	struct nic_config config[RING_MAX];
	struct node *nodes[RING_MAX];
	struct nic *nics[RING_MAX];
	struct wire *wires[2 * RING_MAX];
	unsigned int count;
	unsigned int wire_count;
	ps_t now;
};

static inline void
ring_init(struct ring *w, unsigned int count)
{
	*w = (struct ring){.count = count};
	w->profile = (struct port_profile){
		.byte_time = time_byte_time(UINT64_C(100000000000)),
		.preamble = 8,
		.fcs = 4,
		.gap = 12,
		.mtu = 9000,
	};
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		w->profile.tc[i].quantum = 1600;
		w->tables.priority_to_tc[i] = (uint8_t)i;
		w->tables.tc_priorities[i] = (uint8_t)(1u << i);
	}
	w->tables.cell = 1;
	w->tables.cell_magic = UINT64_C(1) << 32;
	w->tables.ports = w->ports;
	w->tables.port_count = RING_PORTS;
	for (unsigned int p = 0; p < RING_PORTS; p++)
		w->ports[p] = (struct port_tables){
			.profile = &w->profile, .tenant = TENANT_NONE, .mac = {2, 0, 0, 0, 0, 1}};
	for (unsigned int i = 0; i < count; i++) {
		struct nic_config *c = &w->config[i];

		*c = (struct nic_config){
			.ack_every = 1,
			.rto = PS_PER_MS,
			.reorder_window = 64,
			.reorder_timeout = 10 * PS_PER_US,
			.cnp_interval = PS_PER_US,
			.header_bytes = FRAME_SIZE_REAL,
			.ack_bytes = FRAME_SIZE_REAL,
			.port_count = RING_PORTS,
		};
		for (unsigned int p = 0; p < RING_PORTS; p++)
			c->ports[p] = (struct nic_port_config){
				.mac = {2, 0, 0, 0, 0,
					2}, // not the ports' own, which would be a loop
				.gateway_mac = {2, 0, 0, 0, 0, 1},
				.ip4 = {10, 0, (uint8_t)i, (uint8_t)(1 + p)},
			};
	}
}

static inline void
ring_start(struct ring *w)
{
	assert_int_equal(packet_pool_create(&w->packets, 1024), 0);
	for (unsigned int i = 0; i < w->count; i++) {
		assert_int_equal(node_create(&w->nodes[i], NODE_NIC, w->config[i].port_count, i, 1,
					     w->packets),
				 0);
		w->nodes[i]->ops = &pipeline_nic;
		node_set_tables(w->nodes[i], &w->tables);
		assert_int_equal(nic_create(&w->nics[i], w->nodes[i], &w->config[i]), 0);
	}
}

// Joins port p of NIC a to port q of NIC b, both ways.
static inline void
ring_join(struct ring *w, unsigned int a, unsigned int p, unsigned int b, unsigned int q)
{
	struct wire **wires = &w->wires[w->wire_count];

	assert_int_equal(wire_create(&wires[0], RING_DELAY, false, 0), 0);
	assert_int_equal(wire_create(&wires[1], RING_DELAY, false, 0), 0);
	w->nodes[a]->ports[p].out = w->nodes[b]->ports[q].in = wires[0];
	w->nodes[b]->ports[q].out = w->nodes[a]->ports[p].in = wires[1];
	w->wire_count += 2;
}

static inline void
ring_stop(struct ring *w)
{
	for (unsigned int i = 0; i < w->wire_count; i++) {
		while (wire_next(w->wires[i]) != PS_NEVER)
			packet_free(w->packets, wire_take(w->wires[i]));
		wire_destroy(w->wires[i]);
	}
	for (unsigned int i = 0; i < w->count; i++) {
		nic_destroy(w->nics[i]);
		node_destroy(w->nodes[i]);
	}
	packet_pool_destroy(w->packets);
}

static inline uint32_t
ring_open(const struct ring *w)
{
	uint32_t open = 0;

	for (unsigned int i = 0; i < w->count; i++)
		open += nic_open_flows(w->nics[i]);
	return open;
}

// Runs until `until`, or until nothing is open when that is earlier.
static inline void
ring_run(struct ring *w, ps_t until)
{
	while (w->now < until && ring_open(w) != 0) {
		ps_t end = time_min(w->now + RING_DELAY, until);

		for (unsigned int i = 0; i < w->count; i++)
			w->nodes[i]->ops->advance(w->nodes[i], w->now, end);
		w->now = end;
	}
}

// One end of a queue pair between port p of NIC a and port q of NIC b, as a has it; both ends have
// the next number of both.
static inline struct nic_endpoint
ring_endpoint(const struct ring *w, unsigned int p, unsigned int b, unsigned int q, uint32_t qpn,
	      uint32_t peer_qpn)
{
	struct nic_endpoint e = {
		.qpn = qpn,
		.peer_qpn = peer_qpn,
		.udp_sport = 0xc123,
		.ip_version = 4,
		.dscp = 26,
		.priority = 3,
		.tc = 3,
		.port = (uint8_t)p,
	};

	memcpy(e.peer_ip, w->config[b].ports[q].ip4, 4);
	return e;
}

// Adds a flow from port p of NIC a to port q of NIC b, whose messages count for `inbox` there.
// Returns a's queue pair number.
static inline uint32_t
ring_add(struct ring *w, unsigned int a, unsigned int p, unsigned int b, unsigned int q,
	 struct nic_flow flow, uint32_t inbox)
{
	uint32_t from = nic_next_qpn(w->nics[a]), to = nic_next_qpn(w->nics[b]);
	struct nic_endpoint receiver = ring_endpoint(w, q, a, p, to, from);

	flow.endpoint = ring_endpoint(w, p, b, q, from, to);
	assert_int_equal(nic_add_sender(w->nics[a], &flow), 0);
	assert_int_equal(nic_add_receiver(w->nics[b], &receiver, inbox), 0);
	return from;
}
