// SPDX-License-Identifier: BSD-3-Clause
// One leaf with its wires, on tables made by hand, and time set by hand: what the dataplane's tests
// stand on. Frames are put on the wires in, the leaf is run window by window, and what left is
// taken from the wires out.
#pragma once

#include "dataplane/base/node.h"
#include "dataplane/base/tables.h"
#include "pipelines/pipelines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define HARNESS_PORTS_MAX 32
#define HARNESS_DELAY PS_PER_US // of every wire

// The MAC address of each of the leaf's ports, and that of each host.
extern const uint8_t harness_leaf_mac[6], harness_host_mac[6];

struct harness {
	struct node *node;
	struct packet_pool *pool;
	struct tables *tables; // in force; freed by harness_close()
	struct wire *in[HARNESS_PORTS_MAX];
	struct wire *out[HARNESS_PORTS_MAX];
	ps_t now;    // everything before this has happened
	ps_t window; // of harness_run()
};

// Tables of a leaf with `ports` equal ports: 100 Gb/s with 8 + 4 + 12 bytes around a frame, cells
// of a byte, pools of 1,000,000 cells, priority = DSCP / 8 = priority group = traffic class. Group
// 3 is lossless (alpha 1, headroom 100,000, XON at 0), the others lossy (alpha 8); queue 6 is
// strict, the others DWRR of 1500 bytes a turn; queue 3 may take all of an endless pool.
// 10.0.N.0/24 and fd00:0:0:N::/64 lead out of port N, 10.1.0.0/16 to the ECMP group of all ports
// from the second on, 10.2.0.0/16 to the same group, adaptive. The caller changes what its test is
// about.
struct tables *harness_tables(uint16_t ports);

// The profile that the ports share.
struct port_profile *harness_profile(struct tables *t);

// Gives a port a profile of its own, a copy of the shared one; at most one port at a time.
struct port_profile *harness_own_profile(struct tables *t, unsigned int port);

void harness_set_rate(struct port_profile *profile, uint64_t bits_per_s);

// A leaf on these tables at time 0, in windows of the wires' delay.
void harness_open(struct harness *h, struct tables *t);

// Frees all, and fails when a packet has gone astray.
void harness_close(struct harness *h);

// Puts other tables in force now, between two windows, and frees those before.
void harness_adopt(struct harness *h, struct tables *t);

// Runs until everything before `until` has happened. Returns when the next thing may.
ps_t harness_run(struct harness *h, ps_t until);

// Puts a packet on the wire into `port`: its last bit arrives at `at`.
void harness_put(struct harness *h, unsigned int port, struct rte_mbuf *m, ps_t at);

// Takes the first packet that left by `port`, or NULL; *left: when its last bit had left (may be
// NULL).
struct rte_mbuf *harness_take(struct harness *h, unsigned int port, ps_t *left);

// The same packets, counted and freed.
unsigned int harness_drain(struct harness *h, unsigned int port);

// What a test frame says; what is 0 takes the value in brackets.
struct frame {
	unsigned int to; // port whose subnet it is for
	uint32_t bytes;  // without FCS [300]
	uint8_t dscp;
	uint8_t ecn;
	uint8_t ttl;       // [64]
	uint16_t sport;    // [49152]
	uint16_t dport;    // [9]; 4791: with a BTH
	uint8_t opcode;    // of the BTH
	uint16_t vlan_pcp; // 0: untagged, else 8 + PCP
	uint16_t id;       // IPv4 identification
	uint8_t second;    // second byte of an IPv4 destination: 1 ECMP group, 2 adaptive group
	bool ip6;
};

// A UDP packet from 10.9.0.1 (fd00:9::1) for host 2 of the subnet of `to`.
struct rte_mbuf *harness_frame(struct harness *h, const struct frame *f);

// Writes the same frame to `data`, which has room for it; returns its length.
uint32_t harness_write_frame(uint8_t *data, const struct frame *f);

// A PFC frame.
struct rte_mbuf *harness_pfc(struct harness *h, uint8_t vector, const uint16_t quanta[PRIORITIES]);

// The enable vector and the quanta of a frame; fails when it is not a PFC frame of 60 bytes from
// `port`.
uint8_t harness_read_pfc(struct harness *h, unsigned int port, struct rte_mbuf *m,
			 uint16_t quanta[PRIORITIES]);

// How long a frame takes at 100 Gb/s, gap included and not.
static inline ps_t
harness_slot(uint32_t bytes)
{
	return (bytes + 24) * UINT64_C(80);
}

static inline ps_t
harness_frame_time(uint32_t bytes)
{
	return (bytes + 12) * UINT64_C(80);
}

uint64_t harness_drops(const struct harness *h, unsigned int port, enum drop_reason reason);

// What must always hold: received = sent + dropped + queued, and a pool's use is that of its users.
// Built with a sanitizer, also all that node_check.h knows of.
void harness_check(const struct harness *h);
