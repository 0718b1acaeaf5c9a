// SPDX-License-Identifier: BSD-3-Clause
// InfiniBand packets and forwarding tables for tests of a switch that are made by hand.
#pragma once

#include "harness.h"

#include "dataplane/base/ib_headers.h"
#include "dataplane/roce/icrc.h"

#include <stdlib.h>
#include <string.h>

// What a packet says; what is 0 takes the value in brackets.
struct ib_packet {
	uint8_t vl, version, sl;
	uint8_t next;   // LNH [BTH]; IB_NEXT_GRH: with a GRH of zeros
	bool raw;       // LNH is `next` even if that is 0
	uint16_t dlid;  // [2]
	uint32_t bytes; // from the LRH to the ICRC [64]
	int32_t words;  // what the length field has beside the truth
	uint16_t pkey;  // [0xffff]
	uint8_t opcode; // of the BTH
};

// Writes a packet to `data`, with its ICRC where it has a BTH. Returns its length without VCRC.
static inline uint32_t
ib_write(uint8_t *data, const struct ib_packet *p)
{
	const uint8_t next = p->raw || p->next != 0 ? p->next : IB_NEXT_BTH;
	const uint32_t bytes = p->bytes != 0 ? p->bytes : 64;
	const uint16_t dlid = p->dlid != 0 ? p->dlid : 2, pkey = p->pkey != 0 ? p->pkey : 0xffff;
	uint8_t packet[2048] = {0};
	struct ib_lrh *lrh = (struct ib_lrh *)packet;
	uint8_t *bth = packet + (next == IB_NEXT_GRH ? IB_LRH_BYTES + IB_GRH_BYTES : IB_LRH_BYTES);
	uint32_t icrc;

	*lrh = (struct ib_lrh){
		.vl_version = (uint8_t)(p->vl << 4 | p->version),
		.sl_next = (uint8_t)(p->sl << 4 | next),
		.dlid = {dlid >> 8, dlid & 0xff},
		.slid = {0, 1},
	};
	ib_lrh_set_bytes(lrh, bytes + (uint32_t)(p->words * 4));
	bth[0] = p->opcode;
	bth[2] = pkey >> 8;
	bth[3] = pkey & 0xff;
	bth[7] = 17;
	if (icrc_compute_infiniband(packet, bytes, bytes, &icrc) == 0)
		icrc_store(packet + bytes - ROCE_ICRC_BYTES, icrc);
	memcpy(data, packet, bytes);
	return bytes;
}

static inline struct rte_mbuf *
ib_make(struct harness *h, const struct ib_packet *p)
{
	struct rte_mbuf *m = packet_alloc(h->pool);

	assert_non_null(m);
	packet_init_infiniband(m, 0, 0);
	packet_init_infiniband(m, 0, (uint16_t)ib_write(packet_data(m), p));
	return m;
}

// Tables of an InfiniBand leaf: LID 1 is its own, LID N (2 and up) is behind port N - 1, and the
// last LID, `ports` + 1, behind port 1 or, where the switch may choose, any from there on.
static inline struct tables *
ib_tables(uint16_t ports, enum group_mode mode)
{
	struct tables *t = harness_tables(ports);

	t->eligible_udp_dport = 0;
	free(t->groups);
	free(t->next_hops);
	t->groups = calloc(ports + 1u, sizeof(*t->groups));
	t->next_hops = calloc(ports + 1u, sizeof(*t->next_hops));
	t->lids = calloc(ports + 2u, sizeof(*t->lids));
	assert_non_null(t->groups);
	assert_non_null(t->next_hops);
	assert_non_null(t->lids);
	t->lid_count = ports + 2u;
	t->lids[0] = LID_NOWHERE;
	t->lids[1] = LID_OWN;
	t->group_count = t->next_hop_count = ports;
	for (uint16_t i = 0; i < ports; i++) {
		t->vl_to_pg[i % PRIORITIES] = i % PRIORITIES;
		t->next_hops[i] = (struct next_hop){.port = i};
		t->groups[i] = (struct next_hop_group){
			.first = i, .count = 1, .mode = (uint8_t)mode, .port = i};
		if (i >= 1)
			t->lids[i + 1] = i;
	}
	for (unsigned int i = 0; i < PRIORITIES; i++)
		t->vl_to_pg[i] = (uint8_t)i;
	t->groups[0] = (struct next_hop_group){
		.first = 1, .count = ports - 1u, .mode = (uint8_t)mode, .port = 1};
	t->lids[ports + 1] = 0;
	return t;
}
