// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a frame that its queue refuses: what trimming makes of it is no longer than it says,
// sound where the frame was, and charged as what it is; what it does not trim stays as it was.
//
// Input: a byte for the size to trim to, one of flags, then the frame, whose memory ends where it
// does.
#include "require.h"
#include "tests/unit/dataplane/harness.h"

#include "dataplane/base/checksum.h"
#include "dataplane/roce/payload.h"
#include "dataplane/stages/admit.h"
#include "dataplane/stages/classify.h"
#include "dataplane/stages/parse.h"
#include "dataplane/stages/remark.h"
#include "dataplane/stages/rewrite.h"
#include "dataplane/node/ports.h"
#include "dataplane/base/headers.h"

#include <stdlib.h>
#include <string.h>

#define FRAME_MAX 2000u
#define TRIMMED_TC 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Random bytes seldom are an IP packet; these make them one.
enum flags {
	MAKE_IP4 = 1 << 0,
	MAKE_IP6 = 1 << 1,
	MAKE_UDP = 1 << 2,    // in an IP packet as long as the frame
	MAKE_UNSENT = 1 << 3, // the frame is longer than what is there
	REMARK = 1 << 4,
};

static struct harness harness;
static struct tables *tables;

static void
open_once(void)
{
	if (tables != NULL)
		return;
	tables = harness_tables(2);
	tables->trims = true;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		struct threshold *t = &harness_profile(tables)->tc[i].threshold;

		harness_profile(tables)->pg[i].lossless = false;
		if (i != TRIMMED_TC)
			*t = (struct threshold){.pool = POOL_EGRESS_LOSSY,
						.down = 63}; // takes nothing
	}
	memset(&harness_profile(tables)->remark, 9, sizeof(harness_profile(tables)->remark));
	harness_open(&harness, tables);
	node_set_tx_off(harness.node, &harness.node->ports[1], 0xff, 0); // nothing passes uncharged
}

static struct rte_mbuf *
exact(const uint8_t *frame, uint32_t present)
{
	struct rte_mbuf *m = malloc(sizeof(*m) + PACKET_META_BYTES + present);

	require(m != NULL);
	memset(packet_meta(m), 0, PACKET_META_BYTES);
	packet_init_frame(m, 0, (uint16_t)present);
	memcpy(packet_data(m), frame, present);
	return m;
}

static void
make_ip(uint8_t *frame, uint32_t present, uint32_t wire, uint8_t flags)
{
	uint8_t *ip = frame + 14;
	bool ip6 = flags & MAKE_IP6;
	uint32_t length = wire - 14;
	uint16_t checksum;

	if (present < 14 + 60 || !(flags & (MAKE_IP4 | MAKE_IP6)))
		return;
	frame[6] &= 0xfe;
	memcpy(frame + 12, ip6 ? "\x86\xdd" : "\x08\x00", 2);
	if (ip6)
		ip[0] = 0x60 | (ip[0] & 0xf);
	else if (ip[0] >> 4 != 4 || (ip[0] & 0xf) < 5)
		ip[0] = 0x45;
	if (flags & MAKE_UDP) {
		ip[ip6 ? 4 : 2] = (uint8_t)((length - (ip6 ? 40 : 0)) >> 8);
		ip[ip6 ? 5 : 3] = (uint8_t)(length - (ip6 ? 40 : 0));
		ip[ip6 ? 6 : 9] = 17;
		ip[6] &= ip6 ? 0xff : 0xc0; // no fragment
		ip[7] = ip6 ? ip[7] : 0;
	}
	if (!ip6) {
		checksum = checksum_ipv4_header(ip, (ip[0] & 0xfu) * 4);
		memcpy(ip + 10, &checksum, 2);
	}
}

// Where the IP packet ends, as its header says.
static uint32_t
ip_end(struct rte_mbuf *m)
{
	return packet_meta(m)->l3_off + admit_ip_bytes(m);
}

static void
check_trimmed(struct rte_mbuf *m, uint32_t size)
{
	struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;
	uint8_t whole[FRAME_MAX];

	require(meta->wire_bytes == size && meta->data_len <= size && meta->cells == size);
	require(meta->tc == TRIMMED_TC && ip_end(m) == size);
	if (meta->flags & PACKET_IPV6)
		require((uint8_t)((ip[0] & 0xf) << 2 | ip[1] >> 6) == tables->trim.dscp);
	else
		require(ip[1] >> 2 == tables->trim.dscp &&
			parse_ip4_checksum_holds(ip, (ip[0] & 0xfu) * 4));
	require((meta->flags & PACKET_IPV6 ? ip[1] >> 4 & 3 : ip[1] & 3) == meta->ecn);
	require(harness.node->ports[1].queues[TRIMMED_TC].usage.own == size);
	payload_copy(m, whole, size);
	require(memcmp(whole, packet_data(m), meta->data_len) == 0);
}

static void
check_refused(struct rte_mbuf *m, const uint8_t *frame, uint32_t present, uint32_t wire)
{
	require(packet_meta(m)->wire_bytes == wire && packet_meta(m)->data_len == present);
	require(memcmp(packet_data(m), frame, present) == 0);
	require(harness.node->ports[1].queues[TRIMMED_TC].usage.own == 0);
}

// Whether the frame gets as far as the buffer, for port 1; control_frames and route have nothing to
// do with it.
static bool
reaches_buffer(struct rte_mbuf *m)
{
	struct node *n = harness.node;

	if (stage_parse(n, &n->ports[0], m, 0) != STAGE_NEXT ||
	    header_reserved_address(packet_data(m)))
		return false;
	packet_meta(m)->out_port = 1;
	packet_meta(m)->group = 1;
	stage_classify(n, &n->ports[0], m, 0, NODE_FULL);
	return true;
}

// What was admitted is sound still when it leaves, and gives back what it held.
static void
leave(struct rte_mbuf *m, bool remarks)
{
	struct node *n = harness.node;
	struct charge charge;
	const uint8_t *ip = packet_data(m) + packet_meta(m)->l3_off;

	harness_profile(tables)->remarks = remarks;
	stage_rewrite(n, &n->ports[0], m, 0, NODE_FULL);
	stage_remark(n, &n->ports[0], m, 0);
	if (!(packet_meta(m)->flags & PACKET_IPV6))
		require(parse_ip4_checksum_holds(ip, (ip[0] & 0xfu) * 4));
	charge = charge_of(m);
	charge_release(n, &charge, 0);
	require(n->buffer.pools[POOL_INGRESS_LOSSY].used == 0);
	require(n->buffer.pools[POOL_EGRESS_LOSSY].used == 0);
}

static void
pass(struct rte_mbuf *m, uint8_t flags)
{
	const uint32_t present = packet_meta(m)->data_len, wire = packet_meta(m)->wire_bytes;
	uint8_t before[FRAME_MAX];

	memcpy(before, packet_data(m), present);
	if (!reaches_buffer(m))
		return;
	if (stage_admit(harness.node, &harness.node->ports[0], m, 0, NODE_FULL) != STAGE_NEXT) {
		check_refused(m, before, present, wire);
		return;
	}
	if (packet_meta(m)->flags & PACKET_TRIMMED)
		check_trimmed(m, tables->trim.size);
	leave(m, flags & REMARK);
}

// Makes the packet that the flags ask for of the bytes behind them.
static struct rte_mbuf *
make_packet(const uint8_t *data, uint32_t size, uint8_t flags, uint32_t unsent)
{
	uint32_t present = size, wire = size;
	uint8_t frame[FRAME_MAX];
	struct rte_mbuf *m;

	if (flags & MAKE_UNSENT) {
		wire += unsent;
		present = present < 160 ? present : 160; // a NIC writes headers only
	}
	if (wire < PACKET_FRAME_MIN)
		wire = PACKET_FRAME_MIN;
	memcpy(frame, data, present);
	make_ip(frame, present, wire, flags);
	m = exact(frame, present);
	packet_meta(m)->wire_bytes = wire;
	packet_meta(m)->flags = flags & MAKE_UNSENT ? PACKET_NO_PAYLOAD : 0;
	packet_meta(m)->tenant = TENANT_NONE;
	return m;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rte_mbuf *m;

	if (size < 2 || size - 2 > FRAME_MAX)
		return 0;
	open_once();
	tables->trim = (struct trim_profile){
		.size = (uint16_t)(TRIM_BYTES_MIN +
				   data[0] * 4u % (TRIM_BYTES_MAX - TRIM_BYTES_MIN + 4)),
		.dscp = data[0] & 63,
		.tc = TRIMMED_TC,
		.eligible = 0xff,
	};
	m = make_packet(data + 2, (uint32_t)size - 2, data[1], data[0] * 16u);
	pass(m, data[1]);
	free(m);
	return 0;
}
