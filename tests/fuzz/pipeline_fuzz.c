// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a frame at a leaf of the plain pipeline: nothing is read behind it, whatever its
// fate it is counted once, and what leaves is the frame that came but for its MACs, TTL and ECN,
// and sound.
//
// Input: a byte of flags, one for the port, then the frame. Random bytes seldom are for this leaf;
// flags make them so.
#include "poison.h"
#include "require.h"
#include "tests/unit/dataplane/harness.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/headers.h"
#include "dataplane/stages/parse.h"

#define PORTS 4u
#define FRAME_MAX 1500u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	TO_LEAF = 1 << 0, // its MAC
	MAKE_IP4 = 1 << 1,
	MAKE_IP6 = 1 << 2,
	MAKE_SUM = 1 << 3,
	TO_HOST = 1 << 4, // an address that is routed
	TAG = 1 << 5,
	ADAPTIVE = 1 << 6,
};

static struct harness leaf;

static void
make_ip(uint8_t *ip, uint32_t bytes, uint8_t flags, uint8_t to)
{
	if (flags & MAKE_IP6 && bytes >= 40) {
		ip[0] = 0x60 | (ip[0] & 0xf);
		header_put16(ip + 4, (uint16_t)(bytes - 40));
		if (flags & TO_HOST) {
			memset(ip + 24, 0, 16);
			ip[24] = 0xfd;
			ip[31] = to % PORTS;
			ip[39] = 2;
		}
	} else if (bytes >= 20) {
		if (ip[0] >> 4 != 4 || (ip[0] & 0xf) < 5 || (ip[0] & 0xfu) * 4 > bytes)
			ip[0] = 0x45;
		header_put16(ip + 2, (uint16_t)bytes);
		if (flags & TO_HOST)
			memcpy(ip + 16, (uint8_t[]){10, flags & ADAPTIVE ? 2 : 0, to % PORTS, 2},
			       4);
		if (flags & MAKE_SUM) {
			uint16_t sum = checksum_ipv4_header(ip, (ip[0] & 0xfu) * 4);

			memcpy(ip + 10, &sum, 2);
		}
	}
}

// The frame that the input asks for; its length.
static uint32_t
make_frame(uint8_t *frame, const uint8_t *data, uint32_t bytes, uint8_t flags, uint8_t to)
{
	const uint32_t l3 = flags & TAG ? 18 : 14;

	memcpy(frame, data, bytes);
	if (bytes < l3)
		return bytes;
	if (flags & TO_LEAF)
		memcpy(frame, harness_leaf_mac, 6);
	if (flags & TAG)
		memcpy(frame + 12, "\x81\x00", 2);
	if (flags & (MAKE_IP4 | MAKE_IP6)) {
		memcpy(frame + l3 - 2, flags & MAKE_IP6 ? "\x86\xdd" : "\x08\x00", 2);
		make_ip(frame + l3, bytes - l3, flags, to);
	}
	return bytes;
}

// The first stages, on memory that ends with the frame.
static void
look(const uint8_t *frame, uint32_t bytes)
{
	struct rte_mbuf *m = poison_packet(leaf.pool, frame, bytes);

	(void)stage_parse(leaf.node, &leaf.node->ports[0], m, 0);
	poison_end(m, bytes);
	packet_free(leaf.pool, m);
}

static void
check_left(const uint8_t *frame, uint32_t bytes, struct rte_mbuf *m, unsigned int port)
{
	const uint32_t wire = bytes < PACKET_FRAME_MIN ? PACKET_FRAME_MIN : bytes;
	const uint32_t l3 = header_get16(frame + 12) == 0x8100 ? 18 : 14;
	const bool ip6 = frame[l3] >> 4 == 6;
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *left = packet_data(m) + (meta->wire_bytes == wire ? l3 : 14);
	uint32_t same = ip6 ? 8 : 12;

	// A tag ends at the leaf.
	require(meta->wire_bytes == wire || meta->wire_bytes + 4 == wire ||
		meta->wire_bytes == PACKET_FRAME_MIN);
	require(left[ip6 ? 7 : 8] + 1 == frame[l3 + (ip6 ? 7 : 8)]);
	require(ip6 || parse_ip4_checksum_holds(left, (left[0] & 0xfu) * 4));
	require(bytes - l3 < same ||
		memcmp(left + same, frame + l3 + same, bytes - l3 - same) == 0);
	require(!header_reserved_address(packet_data(m)) && port < PORTS);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t frame[FRAME_MAX];
	unsigned int in, left = 0;
	struct rte_mbuf *m;
	uint64_t lost = 0, before = 0;
	uint32_t bytes;

	if (size < 3 || size - 2 > FRAME_MAX)
		return 0;
	if (leaf.node == NULL)
		harness_open(&leaf, harness_tables(PORTS));
	in = data[1] % PORTS;
	bytes = make_frame(frame, data + 2, (uint32_t)size - 2, data[0], data[1] >> 2);
	look(frame, bytes);
	for (unsigned int i = 0; i < DROP_COUNT; i++)
		before += leaf.node->ports[in].drops[i];
	before += leaf.node->ports[in].control_rx;
	harness_put(&leaf, in, plain_packet(leaf.pool, frame, bytes), leaf.now + 1);
	harness_run(&leaf, leaf.now + 4 * PS_PER_US);
	for (unsigned int port = 0; port < PORTS; port++)
		while ((m = harness_take(&leaf, port, NULL)) != NULL) {
			check_left(frame, bytes, m, port);
			packet_free(leaf.pool, m);
			left++;
		}
	for (unsigned int i = 0; i < DROP_COUNT; i++)
		lost += leaf.node->ports[in].drops[i];
	lost += leaf.node->ports[in].control_rx;
	require(left + lost - before == 1);
	harness_check(&leaf);
	// Pauses that the input brought are over.
	if (leaf.node->ports[in].control_rx != 0)
		harness_run(&leaf, leaf.now + PS_PER_MS);
	return 0;
}
