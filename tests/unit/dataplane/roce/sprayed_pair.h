// SPDX-License-Identifier: BSD-3-Clause
// What tests of transports share that acknowledge packets singly: two NICs, what a hook notes of a
// packet and does to it, that a message is complete, and a frame made by hand.
#pragma once

#include "pair.h"

#include "dataplane/base/uet_headers.h"

#define FIRST_PSN 0xfffff0u // the message goes beyond 24 bits
#define RECORD_MAX 8192u

enum deed { PASS, DROP, TRIM, MARK };

// A packet as a hook saw it.
struct entry {
	ps_t at;
	uint8_t type; // of the PDS header, or the BTH's opcode
	uint8_t flags;
	uint32_t psn;
	uint16_t value; // of entropy
	uint32_t wire_bytes;
	uint8_t header[40]; // the PDS header, or what is behind the BTH
};

// What a hook saw, and does to the n-th packet, or to all of a path.
struct record {
	unsigned int count;
	uint8_t deeds[RECORD_MAX]; // enum deed
	uint32_t dead;             // a bit per entropy value: its packets are lost
	struct entry entries[RECORD_MAX];
};

struct world {
	struct pair w;
	pair_hook *hook;
	struct record forth, back; // what the hook has from A, and from B
	uint32_t qpn;
	uint32_t window, repeat; // of the flow
};

// The next entry, of a packet to that UDP port; `sport` has entropy value 0. What is behind UDP is
// the hook's.
static inline struct entry *
record_note(struct record *r, struct rte_mbuf *m, ps_t at, uint16_t port, uint16_t sport)
{
	const uint8_t *udp = packet_data(m) + 34;
	struct entry *e = &r->entries[r->count];

	assert_true(r->count < RECORD_MAX);
	assert_int_equal(roce_get16(udp + 2), port);
	r->count++;
	e->at = at;
	e->value = (uint16_t)(roce_get16(udp) - sport);
	e->wire_bytes = packet_meta(m)->wire_bytes;
	return e;
}

// The verdict of a hook on the packet that it has just noted.
static inline unsigned int
record_judge(const struct record *r, struct rte_mbuf *m)
{
	const enum deed deed = r->deeds[r->count - 1];

	if (r->dead >> r->entries[r->count - 1].value & 1)
		return PAIR_DROP;
	if (deed == TRIM)
		pair_trim(m, 256);
	if (deed == MARK)
		pair_mark(m);
	return deed == DROP ? PAIR_DROP : PAIR_PASS;
}

static inline unsigned int
count_type(const struct record *r, unsigned int type)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < r->count; i++)
		count += r->entries[i].type == type;
	return count;
}

static inline void
sprayed_prepare(struct world *x, enum nic_transport transport, uint16_t paths, pair_hook *hook)
{
	memset(x, 0, sizeof(*x));
	x->hook = hook;
	pair_init(&x->w, 1);
	for (unsigned int side = A; side <= B; side++) {
		x->w.config[side].transport = transport;
		x->w.config[side].sprayed = (struct sprayed_config){.paths = paths, .ack_every = 4};
		x->w.config[side].rto = 100 * PS_PER_US;
	}
}

static inline void
start(struct world *x, uint64_t bytes)
{
	pair_start(&x->w);
	x->w.relays[A][0].hook = x->w.relays[B][0].hook = x->hook;
	x->w.relays[A][0].context = &x->forth;
	x->w.relays[B][0].context = &x->back;
	x->qpn = pair_add_flow(&x->w, (struct nic_flow){.path_mtu = 1000,
							.bytes = bytes,
							.repeat = x->repeat,
							.window = x->window,
							.endpoint.first_psn = FIRST_PSN});
}

static inline void
expect_complete(struct world *x, uint64_t packets)
{
	struct pair *w = &x->w;

	pair_run(w, 50 * PS_PER_MS);
	assert_int_equal(pair_result(w, x->qpn).repetitions, 1);
	assert_int_equal(pair_received(w, x->qpn).packets - pair_received(w, x->qpn).duplicates,
			 packets);
	// What is left is on the wires and changes nothing.
	pair_pass(w, w->now + PS_PER_MS);
	assert_int_equal(pair_result(w, x->qpn).repetitions, 1);
}

// A frame for `side` from the other one: `bytes` behind UDP, of which `there` are here.
static inline struct rte_mbuf *
sprayed_frame(const struct pair *w, unsigned int side, uint16_t port, const uint8_t *behind,
	      uint32_t bytes, uint32_t there)
{
	uint8_t *frame, ip[20] = {0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17};
	struct rte_mbuf *m = packet_alloc(w->packets);
	uint16_t sum;

	packet_init_frame(m, 0, (uint16_t)(42 + there));
	frame = packet_data(m);
	memset(frame, 0, 42);
	memcpy(frame, w->config[side].ports[0].mac, 6);
	memcpy(frame + 6, w->config[!side].ports[0].mac, 6);
	frame[12] = 8;
	roce_put16(ip + 2, 28 + there);
	memcpy(ip + 12, w->config[!side].ports[0].ip4, 4);
	memcpy(ip + 16, w->config[side].ports[0].ip4, 4);
	sum = checksum_ipv4_header(ip, 20);
	memcpy(ip + 10, &sum, 2);
	memcpy(frame + 14, ip, 20);
	roce_put16(frame + 34, 0xc000);
	roce_put16(frame + 36, port);
	roce_put16(frame + 38, 8 + bytes);
	memcpy(frame + 42, behind, there);
	return m;
}
