// SPDX-License-Identifier: BSD-3-Clause
// A leaf where tunnels begin and end. Ports 0 and 1 lead to hosts of VRFs red (VNI 5001, VLAN 101,
// tenant 0) and blue (5002, 102, tenant 1), ports 2 and 3 to spines, in the VRF `default`. The
// subnet 10.0.0.0/24 (fd00::/64) is in both, behind port 0 in red and port 1 in blue. 10.7.0.0/16
// (fd00:0:0:7::/64) is behind the far leaf: of red in VXLAN, of blue behind a VLAN; 10.8.0.0/16 in
// red as well, in VXLAN that leaves the DSCP alone, and 10.6.0.0/16 by either spine, its queue
// pairs apart. At the far leaf, 10.7 is where 10.0 is here.
#pragma once

#include "../harness.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/lpm.h"
#include "dataplane/queueing/ecn.h"
#include "dataplane/base/roce_headers.h"

#include <stdlib.h>
#include <string.h>

#define LEAF_PORTS 4
#define UPLINK 2
#define VRF_RED 1
#define VRF_BLUE 2
#define VNI_RED 5001u
#define VNI_BLUE 5002u
#define VLAN_RED 101
#define VLAN_BLUE 102
#define GROUP_VXLAN (LEAF_PORTS + 2)
#define GROUP_VLAN (LEAF_PORTS + 3)
#define GROUP_PIPE (LEAF_PORTS + 4)
#define GROUP_BOTH (LEAF_PORTS + 5)
#define PIPE_DSCP 40 // + priority
#define BUILT_MAX 2048

static const uint8_t near4[4] = {172, 16, 0, 1}, far4[4] = {172, 16, 0, 2};
static const uint8_t near6[16] = {0xfd, [5] = 1, [13] = 1}, far6[16] = {0xfd, [5] = 1, [13] = 2};
// Where IP-in-IP ends, if it does.
static const struct ipip_address ipip4 = {4, {10, 1, 0, 32}},
				 ipip6 = {6, {0xfc, [3] = 1, [15] = 0x32}};
static const uint8_t near_mac[6] = {2, 2, 0, 0, 1, 0}, far_mac[6] = {2, 2, 0, 0, 2, 0};

// A leaf's tables: of the near one or the far one, with an underlay of IPv4 or IPv6.
struct leaf {
	unsigned int version;
	bool far;
	bool full;                      // the full pipeline
	const struct ipip_tables *ipip; // NULL: no IP-in-IP ends here
};

static inline void
set_routes(struct vrf *vrf, const struct lpm_prefix *ip4, uint32_t count, uint32_t local,
	   uint32_t remote, bool far)
{
	const struct lpm_prefix ip6[] = {
		{.addr = {0xfd}, .len = 64, .value = far ? remote : local},
		{.addr = {0xfd, [7] = 7}, .len = 64, .value = far ? local : remote},
	};

	lpm_destroy(vrf->ip4);
	lpm_destroy(vrf->ip6);
	assert_int_equal(lpm_build(&vrf->ip4, ip4, count, 32), 0);
	assert_int_equal(lpm_build(&vrf->ip6, ip6, 2, 128), 0);
}

static inline void
set_vrfs(struct tables *t, bool far)
{
	const uint8_t here = far ? 7 : 0, there = far ? 0 : 7;
	const struct lpm_prefix red[] = {
		{.addr = {10, here}, .len = 16, .value = 0},
		{.addr = {10, there}, .len = 16, .value = GROUP_VXLAN},
		{.addr = {10, 8}, .len = 16, .value = GROUP_PIPE},
		{.addr = {10, 6}, .len = 16, .value = GROUP_BOTH},
	};
	const struct lpm_prefix blue[] = {
		{.addr = {10, here}, .len = 16, .value = 1},
		{.addr = {10, there}, .len = 16, .value = GROUP_VLAN},
	};

	t->vrfs = realloc(t->vrfs, 3 * sizeof(*t->vrfs));
	assert_non_null(t->vrfs);
	memset(t->vrfs + 1, 0, 2 * sizeof(*t->vrfs));
	t->vrf_count = 3;
	t->vrfs[0].tenant = TENANT_NONE;
	t->vrfs[VRF_RED].tenant = 0;
	t->vrfs[VRF_BLUE].tenant = 1;
	set_routes(&t->vrfs[VRF_RED], red, 4, 0, GROUP_VXLAN, far);
	set_routes(&t->vrfs[VRF_BLUE], blue, 2, 1, GROUP_VLAN, far);
}

static inline void
set_groups(struct tables *t)
{
	t->groups = realloc(t->groups, (t->group_count + 4) * sizeof(*t->groups));
	assert_non_null(t->groups);
	for (uint32_t i = GROUP_VXLAN; i <= GROUP_BOTH; i++)
		t->groups[i] = (struct next_hop_group){
			.first = UPLINK,
			.port = UPLINK,
			.count = i == GROUP_BOTH ? 2 : 1,
			.mode = i == GROUP_BOTH ? GROUP_ECMP_QP : GROUP_ECMP,
			.encap = i == GROUP_BOTH ? 1 : i - GROUP_VXLAN + 1,
		};
	t->group_count += 4;
}

static inline void
add_vni(struct tunnel_tables *tunnels, uint32_t vni, uint16_t vrf)
{
	uint32_t i = vni * TUNNEL_HASH >> 8;

	while (tunnels->vnis[i & tunnels->vni_mask].vni != 0)
		i++;
	tunnels->vnis[i & tunnels->vni_mask] = (struct tunnel_vni){.vni = vni, .vrf = vrf};
}

static inline struct tunnel_tables *
make_tunnels(const struct leaf *leaf)
{
	struct tunnel_tables *t = calloc(1, sizeof(*t));
	const uint32_t bytes = leaf->version == 6 ? 16 : 4;
	const uint8_t *here = leaf->version == 6 ? near6 : near4,
		      *there = leaf->version == 6 ? far6 : far4;

	assert_non_null(t);
	t->version = (uint8_t)leaf->version;
	memcpy(t->local, leaf->far ? there : here, bytes);
	memcpy(t->mac, leaf->far ? far_mac : near_mac, 6);
	for (unsigned int i = 0; i < PRIORITIES; i++)
		t->priority_dscp[i] = (uint8_t)(PIPE_DSCP + i);
	t->vni_mask = 3;
	t->vnis = calloc(4, sizeof(*t->vnis));
	t->vids = malloc(TUNNEL_VIDS * sizeof(*t->vids));
	t->encap_count = 4;
	t->encaps = calloc(4, sizeof(*t->encaps));
	assert_true(t->vnis != NULL && t->vids != NULL && t->encaps != NULL);
	add_vni(t, VNI_RED, VRF_RED);
	add_vni(t, VNI_BLUE, VRF_BLUE);
	memset(t->vids, 0xff, TUNNEL_VIDS * sizeof(*t->vids));
	t->vids[VLAN_RED] = VRF_RED;
	t->vids[VLAN_BLUE] = VRF_BLUE;
	t->encaps[1] = (struct encap){.kind = ENCAP_VXLAN, .mtu = UINT16_MAX, .vni = VNI_RED};
	memcpy(t->encaps[1].remote, leaf->far ? here : there, bytes);
	memcpy(t->encaps[1].mac, leaf->far ? near_mac : far_mac, 6);
	t->encaps[2] = (struct encap){.kind = ENCAP_VLAN, .mtu = UINT16_MAX, .vid = VLAN_BLUE};
	t->encaps[3] = t->encaps[1];
	t->encaps[3].pipe = true;
	return t;
}

static inline struct tables *
leaf_tables(const struct leaf *leaf)
{
	struct tables *t = harness_tables(LEAF_PORTS);

	set_vrfs(t, leaf->far);
	set_groups(t);
	t->tunnels = make_tunnels(leaf);
	if (leaf->ipip != NULL) {
		t->ipip = malloc(sizeof(*t->ipip));
		assert_non_null(t->ipip);
		*t->ipip = *leaf->ipip;
	}
	t->epoch = 1;
	t->latency_wanted = leaf->full;
	t->tenant_count = 2;
	t->tenants = calloc(2, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	for (uint16_t i = 0; i < LEAF_PORTS; i++) {
		t->ports[i].vrf = i < UPLINK ? i + 1 : 0;
		t->ports[i].tenant = i < UPLINK ? i : TENANT_NONE;
		t->ports[i].inner = t->ports[i].underlay = i >= UPLINK;
	}
	return t;
}

static inline void
open_leaf(struct harness *h, const struct leaf *leaf)
{
	harness_open(h, leaf_tables(leaf));
	assert_int_equal(h->node->variant & NODE_FULL, leaf->full ? NODE_FULL : 0);
	assert_true(h->node->variant & NODE_TUNNELS);
}

// What memory that is used again may hold.
static __attribute__((noinline)) void
spoil_meta(struct packet_meta *meta)
{
	memset(meta, 0xa5, sizeof(*meta));
}

// A packet of bytes, as a replay has it.
static inline struct rte_mbuf *
packet_of(struct harness *h, const uint8_t *frame, uint32_t bytes)
{
	struct rte_mbuf *m = packet_alloc(h->pool);

	assert_non_null(m);
	spoil_meta(packet_meta(m));
	packet_init_frame(m, 0, (uint16_t)bytes);
	memcpy(packet_data(m), frame, bytes);
	return m;
}

static inline void
put_bytes(struct harness *h, unsigned int port, const uint8_t *frame, uint32_t bytes)
{
	harness_put(h, port, packet_of(h, frame, bytes), h->now + 1000);
	harness_run(h, h->now + PS_PER_US);
}

static inline void
put_frame(struct harness *h, unsigned int port, const struct frame *f)
{
	harness_put(h, port, harness_frame(h, f), h->now + 1000);
	harness_run(h, h->now + PS_PER_US);
}

// What left by a port, as bytes; its length, 0 for nothing.
static inline uint32_t
take_bytes(struct harness *h, unsigned int port, uint8_t *frame)
{
	struct rte_mbuf *m = harness_take(h, port, NULL);
	uint32_t bytes;

	if (m == NULL)
		return 0;
	bytes = packet_meta(m)->wire_bytes;
	assert_in_range(bytes, PACKET_FRAME_MIN, BUILT_MAX);
	memset(frame, 0, bytes);
	memcpy(frame, packet_data(m),
	       packet_meta(m)->data_len < bytes ? packet_meta(m)->data_len : bytes);
	packet_free(h->pool, m);
	return bytes;
}

// A tunnel as its other end writes it.
struct wrapped {
	unsigned int version;
	uint32_t vni;
	uint8_t tos;
	uint16_t sport;
	const uint8_t *from, *to;             // of `version`
	const uint8_t *inner_from, *inner_to; // MACs
};

// From the far leaf to the near one.
static inline struct wrapped
wrap_to_near(unsigned int version)
{
	return (struct wrapped){.version = version,
				.vni = VNI_RED,
				.sport = 50000,
				.from = version == 6 ? far6 : far4,
				.to = version == 6 ? near6 : near4,
				.inner_from = far_mac,
				.inner_to = near_mac};
}

static inline void
write16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

// Writes VXLAN around the IP packet at `ip`, addressed to the harness's port. Returns the frame's
// length.
static inline uint32_t
wrap(uint8_t *frame, const struct wrapped *w, const uint8_t *ip, uint32_t ip_bytes)
{
	const uint32_t header = w->version == 6 ? 40 : 20, udp_bytes = 8 + 8 + 14 + ip_bytes;
	uint8_t *outer = frame + 14, *udp = outer + header, *inner = udp + 16;

	memset(frame, 0, 14 + header + 30);
	memcpy(frame, harness_leaf_mac, 6);
	memcpy(frame + 6, harness_host_mac, 6);
	write16(frame + 12, w->version == 6 ? 0x86dd : 0x0800);
	if (w->version == 6) {
		outer[0] = (uint8_t)(0x60 | w->tos >> 4);
		outer[1] = (uint8_t)(w->tos << 4);
		write16(outer + 4, udp_bytes);
		outer[6] = 17;
		outer[7] = 64;
		memcpy(outer + 8, w->from, 16);
		memcpy(outer + 24, w->to, 16);
	} else {
		uint16_t sum;

		outer[0] = 0x45;
		outer[1] = w->tos;
		write16(outer + 2, header + udp_bytes);
		outer[6] = 0x40;
		outer[8] = 64;
		outer[9] = 17;
		memcpy(outer + 12, w->from, 4);
		memcpy(outer + 16, w->to, 4);
		sum = checksum_ipv4_header(outer, 20);
		memcpy(outer + 10, &sum, 2);
	}
	write16(udp, w->sport);
	write16(udp + 2, 4789);
	write16(udp + 4, udp_bytes);
	udp[8] = 0x08;
	write16(udp + 12, w->vni >> 8);
	write16(udp + 14, w->vni << 8);
	memcpy(inner, w->inner_to, 6);
	memcpy(inner + 6, w->inner_from, 6);
	write16(inner + 12, ip[0] >> 4 == 6 ? 0x86dd : 0x0800);
	memmove(inner + 14, ip, ip_bytes);
	return 14 + header + udp_bytes;
}

// The same around a frame of the harness's.
static inline uint32_t
wrap_frame(uint8_t *frame, const struct wrapped *w, const struct frame *f)
{
	uint8_t inside[BUILT_MAX];
	uint32_t bytes = harness_write_frame(inside, f);

	return wrap(frame, w, inside + 14, bytes - 14);
}

// Writes IP around the IP packet at `ip`, from 192.0.2.7 (2001:db8::7) to this address; `tos` as a
// tunnel's. Returns the frame's length.
static inline uint32_t
wrap_ip(uint8_t *frame, const struct ipip_address *to, uint8_t tos, const uint8_t *ip,
	uint32_t ip_bytes)
{
	const uint32_t header = to->version == 6 ? 40 : 20;
	const uint8_t protocol = ip[0] >> 4 == 6 ? 41 : 4;
	uint8_t *outer = frame + 14;

	memmove(outer + header, ip, ip_bytes);
	memset(frame, 0, 14 + header);
	memcpy(frame, harness_leaf_mac, 6);
	memcpy(frame + 6, harness_host_mac, 6);
	write16(frame + 12, to->version == 6 ? 0x86dd : 0x0800);
	if (to->version == 6) {
		outer[0] = (uint8_t)(0x60 | tos >> 4);
		outer[1] = (uint8_t)(tos << 4);
		write16(outer + 4, ip_bytes);
		outer[6] = protocol;
		outer[7] = 64;
		memcpy(outer + 8, (uint8_t[16]){0x20, 0x01, 0x0d, 0xb8, [15] = 7}, 16);
		memcpy(outer + 24, to->bytes, 16);
	} else {
		uint16_t sum;

		outer[0] = 0x45;
		outer[1] = tos;
		write16(outer + 2, header + ip_bytes);
		outer[8] = 64;
		outer[9] = protocol;
		memcpy(outer + 12, (uint8_t[4]){192, 0, 2, 7}, 4);
		memcpy(outer + 16, to->bytes, 4);
		sum = checksum_ipv4_header(outer, 20);
		memcpy(outer + 10, &sum, 2);
	}
	return 14 + header + ip_bytes;
}

static inline uint32_t
wrap_ip_frame(uint8_t *frame, const struct ipip_address *to, uint8_t tos, const struct frame *f)
{
	uint8_t inside[BUILT_MAX];
	uint32_t bytes = harness_write_frame(inside, f);

	return wrap_ip(frame, to, tos, inside + 14, bytes - 14);
}
