// SPDX-License-Identifier: BSD-3-Clause
// What of a packet a choice of path goes by: the hash of its flow, and whether it is eligible to be
// sprayed.
#pragma once

#include "stage.h"
#include "dataplane/base/headers.h"
#include "dataplane/base/roce_headers.h"

static inline uint64_t
spray_load64(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

// A hash of addresses, protocol and ports, and of a RoCEv2 packet's destination QP if asked for,
// under the switch's seed. Of a tunnel that of the outer header, whose source port differs by what
// is inside.
static inline uint32_t
spray_hash(struct rte_mbuf *m, uint32_t seed, bool with_qp)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m);
	const uint8_t *ip = data + meta->l3_off;
	uint64_t word = (uint64_t)seed << 32 | meta->ip_proto;

	if (meta->flags & PACKET_IPV6) {
		word = random_mix(word ^ spray_load64(ip + 8));
		word = random_mix(word ^ spray_load64(ip + 16));
		word = random_mix(word ^ spray_load64(ip + 24));
		word = random_mix(word ^ spray_load64(ip + 32));
	} else {
		word = random_mix(word ^ spray_load64(ip + 12));
	}
	if ((meta->ip_proto == HEADER_PROTOCOL_UDP || meta->ip_proto == HEADER_PROTOCOL_TCP) &&
	    meta->l4_off + 4u <= meta->data_len) {
		uint32_t ports;

		memcpy(&ports, data + meta->l4_off, sizeof(ports));
		word = random_mix(word ^ ports);
	}
	if (with_qp && (meta->flags & (PACKET_ROCE | PACKET_TUNNEL)) == PACKET_ROCE) {
		const struct roce_bth *bth =
			(const struct roce_bth *)(data + meta->l4_off + HEADER_UDP_BYTES);

		word = random_mix(word ^ roce_bth_dest_qp(bth));
	}
	return (uint32_t)(word >> 32);
}

// Where UDP stands of what a packet is judged by: inside a tunnel, if it is in one. `tunnels`: it
// may be. 0: there is none.
static __rte_always_inline uint32_t
spray_udp(const struct packet_meta *meta, bool tunnels)
{
	if (tunnels && meta->flags & PACKET_TUNNEL)
		return meta->inner_l4_off;
	return meta->ip_proto == HEADER_PROTOCOL_UDP && meta->l4_off + 4u <= meta->data_len
		       ? meta->l4_off
		       : 0;
}

// Cold: DSCP, priority, and bits that a NIC sets in the BTH.
static __attribute__((noinline)) bool
spray_eligible_narrow(const struct eligible_profile *profile, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	const struct roce_bth *bth;

	if (!(profile->dscps >> meta->dscp & 1) || !(profile->priorities >> meta->priority & 1))
		return false;
	if (profile->bth_reserved == 0)
		return true;
	if (!(meta->flags & PACKET_ROCE))
		return false;
	bth = (const struct roce_bth *)(packet_data(m) + spray_udp(meta, true) + HEADER_UDP_BYTES);
	return (bth->congestion & profile->bth_reserved) == profile->bth_reserved;
}

// By default RoCEv2 packets other than acknowledgements and CNPs, in a tunnel or not.
static inline bool
spray_eligible(const struct tables *t, struct rte_mbuf *m, bool tunnels)
{
	const struct packet_meta *meta = packet_meta(m);

	if (t->eligible_udp_dport != 0) {
		const uint32_t udp = spray_udp(meta, tunnels);

		if (udp == 0 || header_get16(packet_data(m) + udp + 2) != t->eligible_udp_dport)
			return false;
	}
	if (t->eligible_data_only && meta->flags & PACKET_ROCE && !roce_op_is_data(meta->opcode))
		return false;
	return likely(!t->eligible_narrow) || spray_eligible_narrow(&t->eligible_profile, m);
}
