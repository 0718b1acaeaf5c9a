// SPDX-License-Identifier: BSD-3-Clause
// What tunnels put around a packet, byte by byte, and that it comes out as it went in.
#include "tunnels.h"

#include "dataplane/base/random.h"

static const bool both[2] = {false, true};
static const unsigned int versions[2] = {4, 6};

// What scapy 2.5 builds: Ether/IP/UDP/VXLAN/Ether/IP/UDP, 64 bytes inside; the entropy is not known
// to it.
static const char golden4[] =
	"0200000009020200000000010800456a0064000040004011e1fbac100001ac100002c00012b500500000080000"
	"00001389000202000002000202000001000800456a0032123400003f114e0b0a0900010a070702c0000009001e"
	"000000000000000000000000000000000000000000000000";
static const char golden6[] =
	"02000000090202000000000186dd66a0000000501140fd000000000100000000000000010000fd000000000100"
	"000000000000020000c00012b5005000000800000000138900020200000200020200000100"
	"0800456a0032123400003f114e0b0a0900010a070702c0000009001e"
	"000000000000000000000000000000000000000000000000";

static uint32_t
from_hex(const char *hex, uint8_t *out)
{
	uint32_t bytes = (uint32_t)strlen(hex) / 2;

	for (uint32_t i = 0; i < bytes; i++)
		out[i] = (uint8_t)strtoul((char[3]){hex[2 * i], hex[2 * i + 1]}, NULL, 16);
	return bytes;
}

static void
test_golden(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct leaf leaf = {.version = versions[i / 2], .full = both[i % 2]};
		uint8_t expected[BUILT_MAX], frame[BUILT_MAX];
		uint32_t bytes = from_hex(leaf.version == 6 ? golden6 : golden4, expected);
		uint32_t udp = leaf.version == 6 ? 54 : 34;
		struct harness h;

		open_leaf(&h, &leaf);
		put_frame(&h, 0,
			  &(struct frame){.second = 7,
					  .to = 7,
					  .bytes = 64,
					  .dscp = 26,
					  .ecn = ECN_ECT0,
					  .id = 0x1234});
		assert_int_equal(take_bytes(&h, UPLINK, frame), bytes);
		assert_in_range(frame[udp] << 8 | frame[udp + 1], 49152, 65535);
		memcpy(expected + udp, frame + udp, 2);
		assert_memory_equal(frame, expected, bytes);
		assert_int_equal(h.node->ports[UPLINK].tx_bytes, bytes);
		assert_int_equal(h.node->ports[UPLINK].queues[3].bytes, bytes);
		assert_int_equal(h.node->buffer.tenants[0].bytes, 64);
		harness_check(&h);
		harness_close(&h);
	}
}

// A tunnel is opened in the VRF that its VNI says: the same subnet is behind another port of each.
static void
test_open(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const struct leaf leaf = {.version = versions[i / 4], .full = both[i / 2 % 2]};
		const bool blue = i % 2, ip6 = i / 2 % 2;
		const struct frame f = {.bytes = 200, .ttl = 9, .dscp = 26, .ip6 = ip6};
		struct wrapped w = wrap_to_near(leaf.version);
		uint8_t frame[BUILT_MAX], inside[BUILT_MAX], left[BUILT_MAX];
		struct harness h;
		uint32_t bytes;

		w.vni = blue ? VNI_BLUE : VNI_RED;
		w.tos = 26 << 2;
		bytes = wrap_frame(frame, &w, &f);
		harness_write_frame(inside, &f);
		memcpy(inside, harness_host_mac, 6);
		memcpy(inside + 6, harness_leaf_mac, 6);
		inside[14 + (ip6 ? 7 : 8)] = 8; // TTL
		if (!ip6) {
			uint16_t sum = checksum_ipv4_header(inside + 14, 20);

			memcpy(inside + 24, &sum, 2);
		}
		open_leaf(&h, &leaf);
		put_bytes(&h, UPLINK, frame, bytes);
		assert_int_equal(take_bytes(&h, blue, left), 200);
		assert_memory_equal(left, inside, 200);
		assert_int_equal(h.node->buffer.tenants[blue].bytes, bytes); // as it came in
		assert_int_equal(h.node->buffer.tenants[!blue].packets, 0);
		harness_check(&h);
		harness_close(&h);
	}
}

static struct frame
any_frame(struct random *random)
{
	static const uint8_t ecns[4] = {ECN_NOT_ECT, ECN_ECT0, ECN_ECT1, ECN_CE};
	const bool ip6 = random_below(random, 2);

	return (struct frame){
		.second = 7,
		.to = 7,
		.bytes = 100 + random_below(random, 900),
		.dscp = (uint8_t)random_below(random, 64),
		.ecn = ecns[random_below(random, 4)],
		.ttl = (uint8_t)(3 + random_below(random, 250)),
		.sport = (uint16_t)(1 + random_below(random, 65535)),
		.dport = random_below(random, 2) ? ROCE_UDP_PORT : 7,
		.opcode = (uint8_t)random_below(random, 256),
		.vlan_pcp = random_below(random, 3) == 0 ? 8 + (uint16_t)random_below(random, 8)
							 : 0,
		.ip6 = ip6,
	};
}

// From one leaf to the other: the same IP packet, its TTL two less, whatever it is and wherever in
// its room it stands; a host's tag stays behind.
static void
expect_through(struct harness *near, struct harness *far, const struct frame *f, uint32_t off)
{
	uint8_t sent[BUILT_MAX], frame[BUILT_MAX];
	const uint32_t l3 = f->vlan_pcp != 0 ? 18 : 14, bytes = harness_write_frame(sent, f),
		       ip_bytes = bytes - l3;
	const uint32_t outer_bytes = near->tables->tunnels->version == 6 ? 84 : 64;
	struct rte_mbuf *m = packet_of(near, sent, bytes);

	packet_meta(m)->data_off = (uint16_t)off;
	memcpy(packet_data(m), sent, bytes);
	harness_put(near, 0, m, near->now + 1000);
	harness_run(near, near->now + PS_PER_US);
	assert_int_equal(take_bytes(near, UPLINK, frame), outer_bytes + ip_bytes);
	memcpy(frame, harness_leaf_mac, 6);
	memcpy(frame + 6, harness_host_mac, 6);
	put_bytes(far, UPLINK + 1, frame, outer_bytes + ip_bytes);
	assert_int_equal(take_bytes(far, 0, frame), 14 + ip_bytes);
	sent[l3 + (f->ip6 ? 7 : 8)] -= 2;
	if (!f->ip6) {
		uint16_t sum = checksum_ipv4_header(sent + l3, 20);

		memcpy(sent + l3 + 10, &sum, 2);
	}
	assert_memory_equal(frame + 14, sent + l3, ip_bytes);
}

static void
test_there_and_back(void **state)
{
	struct random random = random_stream(1, 2);

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const struct leaf near = {.version = versions[i & 1], .full = i & 2},
				  far = {.version = versions[i & 1], .far = true, .full = i & 4};
		struct harness a, b;

		open_leaf(&a, &near);
		open_leaf(&b, &far);
		for (unsigned int k = 0; k < 500; k++) {
			const struct frame f = any_frame(&random);

			expect_through(&a, &b, &f, random_below(&random, 150));
		}
		harness_check(&a);
		harness_check(&b);
		harness_close(&a);
		harness_close(&b);
	}
}

// Padding, and whatever else stands behind the IP packet, stays behind.
static void
test_padding(void **state)
{
	const struct leaf leaf = {.version = 4};
	uint8_t frame[BUILT_MAX], left[BUILT_MAX];
	struct wrapped w = wrap_to_near(4);
	struct harness h;
	uint32_t bytes;

	(void)state;
	open_leaf(&h, &leaf);
	harness_write_frame(frame, &(struct frame){.second = 7, .bytes = 44});
	memset(frame + 44, 0xee, 56);
	put_bytes(&h, 0, frame, 100);
	assert_int_equal(take_bytes(&h, UPLINK, left), 44 + 50);
	assert_memory_equal(left + 50 + 14 + 20, frame + 14 + 20, 10);

	bytes = wrap_frame(frame, &w, &(struct frame){.bytes = 44});
	memset(frame + bytes, 0xee, 20);
	put_bytes(&h, UPLINK, frame, bytes + 20);
	assert_int_equal(take_bytes(&h, 0, left), 60);
	assert_memory_equal(left + 44, (uint8_t[16]){0}, 16);
	harness_check(&h);
	harness_close(&h);
}

// The way out must carry the outer IP packet, its room be enough for it.
static void
test_mtu(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct leaf leaf = {.version = versions[i / 2], .full = both[i % 2]};
		const uint32_t most = 1000 - (leaf.version == 6 ? 70 : 50) + 14;
		uint8_t frame[BUILT_MAX] = {0};
		struct harness h;

		open_leaf(&h, &leaf);
		harness_profile(h.tables)->mtu = 1000;
		put_frame(&h, 0, &(struct frame){.second = 7, .bytes = most});
		put_frame(&h, 0, &(struct frame){.second = 7, .bytes = most + 1});
		assert_int_equal(harness_drops(&h, 0, DROP_MTU_EXCEEDED), 1);
		assert_int_equal(take_bytes(&h, UPLINK, frame), 1014);
		assert_int_equal(take_bytes(&h, UPLINK, frame), 0);
		// Of what comes out it is the inside that counts.
		harness_profile(h.tables)->mtu = 300;
		for (uint32_t more = 0; more < 2; more++) {
			struct wrapped w = wrap_to_near(leaf.version);
			uint32_t bytes =
				wrap_frame(frame, &w, &(struct frame){.bytes = 314 + more});

			put_bytes(&h, UPLINK, frame, bytes);
		}
		assert_int_equal(harness_drops(&h, UPLINK, DROP_MTU_EXCEEDED), 1);
		assert_int_equal(take_bytes(&h, 0, frame), 314);
		// 2048 bytes of room, and all of them taken.
		harness_profile(h.tables)->mtu = 9000;
		harness_write_frame(frame, &(struct frame){.second = 7, .bytes = 2000});
		put_bytes(&h, 0, frame, 2000);
		assert_int_equal(harness_drops(&h, 0, DROP_NO_MBUF), 1);
		harness_check(&h);
		harness_close(&h);
	}
}

static uint16_t
port_of(struct harness *h, const struct frame *f, uint8_t qp)
{
	struct rte_mbuf *m = harness_frame(h, f);
	uint8_t frame[BUILT_MAX];

	if (f->dport == ROCE_UDP_PORT)
		packet_data(m)[14 + 20 + 8 + 7] = qp;
	harness_put(h, 0, m, h->now + 1000);
	harness_run(h, h->now + PS_PER_US);
	if (take_bytes(h, UPLINK, frame) == 0)
		assert_int_not_equal(take_bytes(h, UPLINK + 1, frame), 0);
	return (uint16_t)(frame[34] << 8 | frame[35]);
}

// The source port is one for a flow, and many for many; of queue pairs where the group tells them
// apart.
static void
test_entropy(void **state)
{
	const struct leaf leaf = {.version = 4};
	uint32_t spread[16] = {0};
	struct frame f = {.second = 7, .dport = ROCE_UDP_PORT};
	struct harness h;
	uint16_t port;

	(void)state;
	open_leaf(&h, &leaf);
	port = port_of(&h, &f, 1);
	f.dscp = 9;
	f.ecn = ECN_CE;
	f.bytes = 400;
	assert_int_equal(port_of(&h, &f, 2), port);
	f.second = 6;
	assert_int_equal(port_of(&h, &f, 1), port_of(&h, &f, 1));
	assert_int_not_equal(port_of(&h, &f, 1), port_of(&h, &f, 2));
	f.second = 7;
	for (uint16_t i = 0; i < 3200; i++) {
		f.sport = (uint16_t)(1000 + i);
		port = port_of(&h, &f, 1);
		assert_true(port >= 49152);
		spread[(port - 49152) / 1024]++;
	}
	for (unsigned int i = 0; i < 16; i++) // 200 each, to 5 sigma
		assert_in_range(spread[i], 200 - 70, 200 + 70);
	harness_check(&h);
	harness_close(&h);
}

// What comes in by a host's port is admitted under this snapshot; what another switch admitted
// keeps what that says.
static void
test_epoch(void **state)
{
	const struct leaf leaf = {.version = 4};
	struct wrapped w = wrap_to_near(4);
	uint8_t frame[BUILT_MAX];
	struct harness h;
	struct rte_mbuf *m;
	uint32_t bytes = wrap_frame(frame, &w, &(struct frame){.bytes = 100});

	(void)state;
	open_leaf(&h, &leaf);
	h.tables->epoch = 77;
	put_frame(&h, 0, &(struct frame){.second = 7});
	m = harness_take(&h, UPLINK, NULL);
	assert_int_equal(packet_meta(m)->epoch, 77);
	packet_free(h.pool, m);
	m = packet_of(&h, frame, bytes);
	packet_meta(m)->epoch = 76;
	harness_put(&h, UPLINK, m, h.now + 1000);
	harness_run(&h, h.now + PS_PER_US);
	m = harness_take(&h, 0, NULL);
	assert_int_equal(packet_meta(m)->epoch, 76);
	packet_free(h.pool, m);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),  cmocka_unit_test(test_open),
		cmocka_unit_test(test_padding), cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_mtu),     cmocka_unit_test(test_entropy),
		cmocka_unit_test(test_epoch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
