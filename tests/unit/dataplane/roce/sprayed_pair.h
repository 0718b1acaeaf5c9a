// SPDX-License-Identifier: BSD-3-Clause
// What tests of transports share that acknowledge packets singly: what a hook does to a packet,
// that a message is complete, and a frame made by hand.
#pragma once

#include "pair.h"

#include "dataplane/base/uet_headers.h"

#define FIRST_PSN 0xfffff0u // the message goes beyond 24 bits

enum deed { PASS, DROP, TRIM, MARK };

static inline void
sprayed_trim(struct rte_mbuf *m)
{
	uint8_t *ip = packet_data(m) + 14;

	packet_meta(m)->wire_bytes = 256;
	checksum_ipv4_set_byte(ip, 2, 0);
	checksum_ipv4_set_byte(ip, 3, 256 - 14);
}

// The verdict of a hook that does this to the packet.
static inline unsigned int
sprayed_do(struct rte_mbuf *m, enum deed deed)
{
	if (deed == TRIM)
		sprayed_trim(m);
	if (deed == MARK)
		checksum_ipv4_set_byte(packet_data(m) + 14, 1, packet_data(m)[15] | 3);
	return deed == DROP ? PAIR_DROP : PAIR_PASS;
}

static inline void
sprayed_expect_complete(struct pair *w, uint32_t qpn, uint64_t packets)
{
	pair_run(w, 50 * PS_PER_MS);
	assert_int_equal(pair_result(w, qpn).repetitions, 1);
	assert_int_equal(pair_received(w, qpn).packets - pair_received(w, qpn).duplicates, packets);
	// What is left is on the wires and changes nothing.
	pair_pass(w, w->now + PS_PER_MS);
	assert_int_equal(pair_result(w, qpn).repetitions, 1);
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
