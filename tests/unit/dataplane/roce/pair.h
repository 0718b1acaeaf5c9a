// SPDX-License-Identifier: BSD-3-Clause
// Two NICs, A and B, joined in either direction by a chain of store-and-forward relays (1 to 3), on
// links of 100G and 1 us with Ethernet's framing. Time is set by hand, window by window. A hook at
// the first relay of a direction sees every packet and may mark it, drop it, or let others overtake
// it.
#pragma once

#include "dataplane/roce/frame.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/roce/icrc.h"
#include "dataplane/roce/nic.h"
#include "pipelines/pipelines.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAIR_DELAY (1 * PS_PER_US)
#define PAIR_RELAYS_MAX 3
#define PAIR_BYTE UINT64_C(80) // ps, of 100G

enum { A, B };

// What a hook says of a packet. PAIR_HOLD + n: n others go first.
enum pair_verdict { PAIR_PASS, PAIR_DROP, PAIR_HOLD };

typedef unsigned int pair_hook(void *context, struct rte_mbuf *m, ps_t at);

struct relay {
	struct wire *in, *out;
	ps_t free;
	pair_hook *hook;
	void *context;
	struct rte_mbuf *held;
	unsigned int held_for;
};

struct pair {
	struct packet_pool *packets;
	struct port_profile profile;
	struct port_tables ports[2];
	struct tables tables[2];
	struct nic_config config[2];
	struct node *nodes[2];
	struct nic *nics[2];
	struct wire *wires[2][PAIR_RELAYS_MAX + 1]; // by the side that sends
	struct relay relays[2][PAIR_RELAYS_MAX];
	unsigned int relay_count;
	ps_t now;
	ps_t window;
};

// Puts the pair's settings in place; a test changes some, then calls pair_start().
static inline void
pair_init(struct pair *w, unsigned int relays)
{
	*w = (struct pair){.relay_count = relays, .window = PAIR_DELAY};
	w->profile = (struct port_profile){
		.byte_time = time_byte_time(UINT64_C(100000000000)),
		.preamble = 8,
		.fcs = 4,
		.gap = 12,
		.mtu = 9000,
		.obeyed = 0xff,
		.quantum_time = time_byte_time(UINT64_C(100000000000)) * 64,
	};
	for (unsigned int i = 0; i < PRIORITIES; i++)
		w->profile.tc[i].quantum = 1600;
	for (unsigned int side = A; side <= B; side++) {
		struct nic_config *c = &w->config[side];
		struct tables *t = &w->tables[side];

		*c = (struct nic_config){
			.port_count = 1,
			.ports[0] = {.mac = {2, 0, 0, 0, 0, (uint8_t)(1 + side)},
				     .gateway_mac = {2, 0, 0, 0, 0, (uint8_t)(2 - side)},
				     .ip4 = {10, 0, 0, (uint8_t)(1 + side)},
				     .ip6 = {0xfd, [15] = (uint8_t)(1 + side)}},
			.placement = NIC_PLACEMENT_IN_ORDER,
			.ack_every = 1,
			.rto = PS_PER_MS,
			.reorder_window = 1024,
			.reorder_timeout = 100 * PS_PER_US,
			.cnp_interval = 50 * PS_PER_US,
			.cnp_dscp = 48,
			.cnp_priority = 6,
			.cnp_tc = 6,
			.header_bytes = FRAME_SIZE_REAL,
			.ack_bytes = FRAME_SIZE_REAL,
		};
		w->ports[side] =
			(struct port_tables){.profile = &w->profile, .tenant = TENANT_NONE};
		memcpy(w->ports[side].mac, c->ports[0].mac, 6);
		*t = (struct tables){
			.cell = 1, .cell_magic = UINT64_C(1) << 32, .ports = &w->ports[side]};
		for (unsigned int i = 0; i < PRIORITIES; i++) {
			t->priority_to_tc[i] = (uint8_t)i;
			t->tc_priorities[i] = (uint8_t)(1u << i);
		}
		t->port_count = 1;
	}
}

static inline void
pair_start(struct pair *w)
{
	assert_int_equal(packet_pool_create(&w->packets, 256), 0);
	for (unsigned int side = A; side <= B; side++) {
		assert_int_equal(node_create(&w->nodes[side], NODE_NIC, 1, side, 1, w->packets), 0);
		w->nodes[side]->ops = w->config[side].ports[0].lid != 0 ? &pipeline_adapter
									: &pipeline_nic;
		node_set_tables(w->nodes[side], &w->tables[side]);
		assert_int_equal(nic_create(&w->nics[side], w->nodes[side], &w->config[side]), 0);
		for (unsigned int i = 0; i <= w->relay_count; i++)
			assert_int_equal(wire_create(&w->wires[side][i], PAIR_DELAY, false, 0), 0);
		for (unsigned int i = 0; i < w->relay_count; i++) {
			w->relays[side][i].in = w->wires[side][i];
			w->relays[side][i].out = w->wires[side][i + 1];
		}
		w->nodes[side]->ports[0].out = w->wires[side][0];
	}
	w->nodes[A]->ports[0].in = w->wires[B][w->relay_count];
	w->nodes[B]->ports[0].in = w->wires[A][w->relay_count];
}

static inline void
pair_stop(struct pair *w)
{
	for (unsigned int side = A; side <= B; side++) {
		for (unsigned int i = 0; i <= w->relay_count; i++) {
			while (wire_next(w->wires[side][i]) != PS_NEVER)
				packet_free(w->packets, wire_take(w->wires[side][i]));
			wire_destroy(w->wires[side][i]);
		}
		for (unsigned int i = 0; i < w->relay_count; i++)
			if (w->relays[side][i].held != NULL)
				packet_free(w->packets, w->relays[side][i].held);
		nic_destroy(w->nics[side]);
		node_destroy(w->nodes[side]);
	}
	packet_pool_destroy(w->packets);
}

static inline void
relay_send(struct relay *r, struct rte_mbuf *m, ps_t at)
{
	ps_t start = at > r->free ? at : r->free;
	uint32_t frame = packet_meta(m)->wire_bytes + 8 + 4;

	r->free = start + (frame + 12) * PAIR_BYTE;
	assert_int_equal(wire_put(r->out, m, start + frame * PAIR_BYTE + r->out->delay), 0);
}

static inline void
relay_take(struct pair *w, struct relay *r, struct rte_mbuf *m, ps_t at)
{
	unsigned int verdict = r->hook == NULL ? PAIR_PASS : r->hook(r->context, m, at);

	if (verdict == PAIR_DROP) {
		packet_free(w->packets, m);
	} else if (verdict >= PAIR_HOLD) {
		assert_null(r->held);
		r->held = m;
		r->held_for = verdict - PAIR_HOLD;
	} else {
		relay_send(r, m, at);
		if (r->held != NULL && --r->held_for == 0) {
			m = r->held;
			r->held = NULL;
			relay_send(r, m, at);
		}
	}
}

// One window, no further than `until`.
static inline void
pair_step(struct pair *w, ps_t until)
{
	ps_t end = time_min(w->now + w->window, until), at;

	for (unsigned int side = A; side <= B; side++)
		w->nodes[side]->ops->advance(w->nodes[side], w->now, end);
	for (unsigned int side = A; side <= B; side++)
		for (unsigned int i = 0; i < w->relay_count; i++) {
			struct relay *r = &w->relays[side][i];

			while ((at = wire_next(r->in)) < end)
				relay_take(w, r, wire_take(r->in), at);
		}
	w->now = end;
}

// Runs until `until`, or until no flow is open when that is earlier.
static inline void
pair_run(struct pair *w, ps_t until)
{
	while (w->now < until && nic_open_flows(w->nics[A]) + nic_open_flows(w->nics[B]) != 0)
		pair_step(w, until);
}

// Runs on to `until`, whether flows are open or not.
static inline void
pair_pass(struct pair *w, ps_t until)
{
	while (w->now < until)
		pair_step(w, until);
}

// One end of a flow from A to B, IPv4, priority 3.
static inline struct nic_endpoint
pair_endpoint(const struct pair *w, unsigned int side, uint32_t qpn, uint32_t peer_qpn)
{
	struct nic_endpoint e = {
		.qpn = qpn,
		.peer_qpn = peer_qpn,
		.udp_sport = 0xc123,
		.ip_version = 4,
		.dscp = 26,
		.priority = 3,
		.tc = 3,
	};

	memcpy(e.peer_ip, w->config[!side].ports[0].ip4, 4);
	return e;
}

// Adds a flow from A to B as it stands in `flow` but for its endpoint, whose first PSN counts;
// returns A's queue pair number, which is B's too. Of a READ A responds and B reads.
static inline uint32_t
pair_add_flow(struct pair *w, struct nic_flow flow)
{
	uint32_t qpn = nic_next_qpn(w->nics[A]);
	struct nic_endpoint receiver = pair_endpoint(w, B, qpn, qpn);
	uint32_t first_psn = flow.endpoint.first_psn;

	assert_int_equal(nic_next_qpn(w->nics[B]), qpn);
	flow.endpoint = pair_endpoint(w, A, qpn, qpn);
	flow.endpoint.first_psn = receiver.first_psn = first_psn;
	flow.repeat = flow.repeat == 0 ? 1 : flow.repeat;
	flow.program = NIC_NONE;
	assert_int_equal(nic_add_sender(w->nics[A], &flow), 0);
	flow.endpoint = receiver;
	if (flow.op == NIC_OP_READ)
		assert_int_equal(nic_add_reader(w->nics[B], &flow), 0);
	else
		assert_int_equal(nic_add_receiver(w->nics[B], &receiver, NIC_NONE), 0);
	return qpn;
}

static inline struct nic_flow_result
pair_result(const struct pair *w, uint32_t qpn)
{
	struct nic_flow_result result;

	assert_int_equal(nic_flow_result(w->nics[A], qpn, &result), 0);
	return result;
}

static inline struct nic_receiver_result
pair_received(const struct pair *w, uint32_t qpn)
{
	struct nic_receiver_result result;

	assert_int_equal(nic_receiver_result(w->nics[B], qpn, &result), 0);
	return result;
}

// The BTH of an untagged RoCEv2 packet.
static inline const struct roce_bth *
packet_bth(struct rte_mbuf *m)
{
	return (const struct roce_bth *)(packet_data(m) + (packet_data(m)[12] == 0x08 ? 42 : 62));
}

// What hooks do to an untagged IPv4 packet: it gets CE,
static inline void
pair_mark(struct rte_mbuf *m)
{
	checksum_ipv4_set_byte(packet_data(m) + 14, 1, packet_data(m)[15] | 3);
}

// or is trimmed to so many bytes.
static inline void
pair_trim(struct rte_mbuf *m, uint32_t bytes)
{
	packet_meta(m)->wire_bytes = bytes;
	checksum_ipv4_set_byte(packet_data(m) + 14, 2, (uint8_t)((bytes - 14) >> 8));
	checksum_ipv4_set_byte(packet_data(m) + 14, 3, (uint8_t)(bytes - 14));
}

// A hook that writes down the packets that pass, and does to the n-th what its script says.
struct journal_entry {
	ps_t at;
	uint32_t psn;
	uint32_t wire_bytes;
	uint8_t opcode;
	uint8_t syndrome; // of an ACK
	uint32_t msn;
	bool ack_req;
};

#define JOURNAL_MAX 4096

struct journal {
	struct journal_entry entries[JOURNAL_MAX];
	unsigned int count;
	unsigned int script[JOURNAL_MAX]; // enum pair_verdict of the n-th packet
	uint64_t ce[JOURNAL_MAX / 64];    // bit n: marks the n-th
};

static inline unsigned int
journal_hook(void *context, struct rte_mbuf *m, ps_t at)
{
	struct journal *j = context;
	const struct roce_bth *bth = packet_bth(m);
	const struct roce_aeth *aeth = (const struct roce_aeth *)(bth + 1);

	if (j->count == JOURNAL_MAX)
		return PAIR_PASS;
	j->entries[j->count] = (struct journal_entry){
		.at = at,
		.psn = roce_bth_psn(bth),
		.wire_bytes = packet_meta(m)->wire_bytes,
		.opcode = bth->opcode,
		.ack_req = roce_bth_ack_req(bth),
		.syndrome = aeth->syndrome,
		.msn = roce_aeth_msn(aeth),
	};
	if (j->ce[j->count / 64] >> j->count % 64 & 1)
		pair_mark(m);
	return j->script[j->count++];
}

static inline struct journal *
pair_journal(struct pair *w, unsigned int from)
{
	struct journal *j = calloc(1, sizeof(*j));

	assert_non_null(j);
	w->relays[from][0].hook = journal_hook;
	w->relays[from][0].context = j;
	return j;
}
