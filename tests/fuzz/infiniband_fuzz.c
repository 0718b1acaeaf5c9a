// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a packet at an InfiniBand leaf, and at a channel adapter's checks: nothing is read
// behind it, whatever its fate it is counted once, and what leaves is the packet that came but for
// its VL and FECN.
//
// Input: a byte of flags, one for the port, then the packet. Random bytes seldom are for this leaf;
// flags make them so.
#include "poison.h"
#include "require.h"
#include "tests/unit/dataplane/infiniband.h"

#include "dataplane/stages/lid.h"
#include "dataplane/stages/lrh.h"

#define PORTS 4u
#define PACKET_MAX 1500u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum flags {
	SOUND = 1 << 0,     // LVer, VL, SL and length as they must be
	TO_HOST = 1 << 1,   // a LID that has a port
	TO_GROUP = 1 << 2,  // one that has several
	HAS_BTH = 1 << 3,   // LNH
	PARTITION = 1 << 4, // the P_Key of port 0
};

static struct harness leaf;

static void
make_packet(uint8_t *packet, uint32_t bytes, uint8_t flags, uint8_t to)
{
	struct ib_lrh *lrh = (struct ib_lrh *)packet;

	if (bytes < IB_LRH_BYTES)
		return;
	if (flags & SOUND) {
		lrh->vl_version &= 0x70;
		lrh->sl_next &= 0x73;
		ib_lrh_set_bytes(lrh, bytes);
	}
	if (flags & (TO_HOST | TO_GROUP)) {
		lrh->dlid[0] = 0;
		lrh->dlid[1] = flags & TO_GROUP ? PORTS + 1 : 2 + to % (PORTS - 1);
	}
	if (flags & HAS_BTH)
		lrh->sl_next = (uint8_t)((lrh->sl_next & 0xf0) | IB_NEXT_BTH | (to & 1));
	if (flags & PARTITION && bytes >= 12) {
		packet[10] = 0x80;
		packet[11] = 5;
	}
}

// The first stages, and the ICRC, on memory that ends with the packet.
static void
look(const uint8_t *packet, uint32_t bytes)
{
	struct rte_mbuf *m = poison_packet(leaf.pool, packet, bytes);

	packet_meta(m)->wire_bytes = bytes;
	packet_meta(m)->flags = PACKET_INFINIBAND;
	if (stage_lrh(leaf.node, &leaf.node->ports[0], m, 0) == STAGE_NEXT) {
		(void)lane_in_partition(m, 5);
		(void)icrc_verify_infiniband(packet_data(m), bytes);
	}
	poison_end(m, bytes);
	packet_free(leaf.pool, m);
}

static struct rte_mbuf *
infiniband_packet(const uint8_t *packet, uint32_t bytes)
{
	struct rte_mbuf *m = packet_alloc(leaf.pool);

	require(m != NULL);
	packet_init_infiniband(m, 0, (uint16_t)bytes);
	memcpy(packet_data(m), packet, bytes);
	return m;
}

static void
check_left(const uint8_t *packet, uint32_t bytes, struct rte_mbuf *m)
{
	uint8_t *left = packet_data(m);

	require(packet_meta(m)->wire_bytes == bytes && packet_meta(m)->data_len == bytes);
	require(((left[0] ^ packet[0]) & 0x0f) == 0 && left[0] >> 4 == packet[1] >> 4);
	require(memcmp(left + 1, packet + 1, bytes - 1) == 0); // no queue is so long that it marks
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t packet[PACKET_MAX];
	unsigned int in, left = 0;
	uint64_t lost = 0, before = 0;
	struct rte_mbuf *m;
	uint32_t bytes;

	if (size < 2 || size - 2 > PACKET_MAX)
		return 0;
	if (leaf.node == NULL) {
		struct tables *t = ib_tables(PORTS, GROUP_SPRAY);

		t->ports[0].pkey = 5;
		harness_open(&leaf, t);
	}
	in = data[1] % PORTS;
	bytes = (uint32_t)size - 2;
	memcpy(packet, data + 2, bytes);
	make_packet(packet, bytes, data[0], data[1] >> 2);
	look(packet, bytes);
	for (unsigned int i = 0; i < DROP_COUNT; i++)
		before += leaf.node->ports[in].drops[i];
	harness_put(&leaf, in, infiniband_packet(packet, bytes), leaf.now + 1);
	harness_run(&leaf, leaf.now + 4 * PS_PER_US);
	for (unsigned int port = 0; port < PORTS; port++)
		while ((m = harness_take(&leaf, port, NULL)) != NULL) {
			check_left(packet, bytes, m);
			packet_free(leaf.pool, m);
			left++;
		}
	for (unsigned int i = 0; i < DROP_COUNT; i++)
		lost += leaf.node->ports[in].drops[i];
	require(left + lost - before == 1);
	harness_check(&leaf);
	return 0;
}
