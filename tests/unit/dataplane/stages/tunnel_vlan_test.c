// SPDX-License-Identifier: BSD-3-Clause
// VRFs by 802.1Q tags: put on, taken off, changed; and tags of hosts.
#include "tunnels.h"
#include "dataplane/node/ports.h"

// Blue goes by VLAN 102 to the far leaf; what it carries of the frame is the IP packet.
static void
test_push(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const struct leaf leaf = {.version = 4, .full = i & 1};
		const bool tagged = i & 2, ip6 = i & 4;
		const struct frame f = {.second = 7,
					.to = 7,
					.dscp = 26,
					.bytes = 200,
					.vlan_pcp = tagged ? 8 + 5 : 0,
					.ip6 = ip6};
		const uint32_t l3 = tagged ? 18 : 14;
		uint8_t sent[BUILT_MAX], left[BUILT_MAX];
		struct harness h;

		open_leaf(&h, &leaf);
		harness_write_frame(sent, &f);
		put_frame(&h, 1, &f);
		assert_int_equal(take_bytes(&h, UPLINK, left), 200 - l3 + 18);
		// The priority of the packet, or what the host's tag said.
		assert_int_equal(left[12] << 8 | left[13], 0x8100);
		assert_int_equal(left[14] << 8 | left[15], (tagged ? 5 : 3) << 13 | VLAN_BLUE);
		assert_int_equal(left[16] << 8 | left[17], ip6 ? 0x86dd : 0x0800);
		assert_memory_equal(left + 18 + 12, sent + l3 + 12, 200 - l3 - 12);
		assert_int_equal(left[18 + (ip6 ? 7 : 8)], 63);
		assert_memory_equal(left, harness_host_mac, 6);
		assert_memory_equal(left + 6, harness_leaf_mac, 6);
		harness_check(&h);
		harness_close(&h);
	}
}

static uint32_t
write_tagged(uint8_t *frame, uint16_t vid, uint8_t pcp, uint32_t bytes)
{
	harness_write_frame(frame,
			    &(struct frame){.bytes = bytes, .vlan_pcp = 8 + pcp, .dscp = 16});
	write16(frame + 14, (uint32_t)pcp << 13 | vid);
	return bytes;
}

// The tag tells the VRF: the same address is behind another port of each. A tag of VLAN 0 tells
// nothing.
static void
test_pop(void **state)
{
	(void)state;
	for (unsigned int whole = 0; whole < 2; whole++) {
		const struct leaf leaf = {.version = 4, .full = whole};
		uint8_t frame[BUILT_MAX], left[BUILT_MAX];
		struct harness h;

		open_leaf(&h, &leaf);
		for (unsigned int i = 0; i < 2; i++) {
			write_tagged(frame, (uint16_t)(VLAN_RED + i), 0, 200);
			put_bytes(&h, UPLINK, frame, 200);
			assert_int_equal(take_bytes(&h, i, left), 196);
			assert_int_equal(left[12] << 8 | left[13], 0x0800);
			assert_memory_equal(left + 14 + 12, frame + 18 + 12, 196 - 14 - 12);
			assert_int_equal(h.node->buffer.tenants[i].packets, 1);
			assert_int_equal(h.node->buffer.tenants[i].bytes, 200);
		}
		write_tagged(frame, 103, 0, 200);
		put_bytes(&h, UPLINK, frame, 200);
		assert_int_equal(harness_drops(&h, UPLINK, DROP_UNKNOWN_VLAN), 1);
		write_tagged(frame, VLAN_RED, 0, 64); // less is padded
		put_bytes(&h, UPLINK, frame, 64);
		assert_int_equal(take_bytes(&h, 0, left), 60);
		write_tagged(frame, 0, 4, 200); // of VRF `default`
		put_bytes(&h, UPLINK, frame, 200);
		assert_int_equal(take_bytes(&h, 0, left), 200);
		assert_int_equal(left[14] << 8 | left[15], 4 << 13);
		harness_check(&h);
		harness_close(&h);
	}
}

// From the tag of one switch to that of the next: its priority stays, its VLAN is that of where the
// packet goes.
static void
test_swap(void **state)
{
	const struct leaf leaf = {.version = 4, .far = true};
	uint8_t frame[BUILT_MAX], left[BUILT_MAX];
	struct harness h;

	(void)state;
	open_leaf(&h, &leaf);
	h.tables->tunnels->encaps[2].vid = 999;
	write_tagged(frame, VLAN_BLUE, 6, 300);
	put_bytes(&h, UPLINK + 1, frame, 300);
	assert_int_equal(take_bytes(&h, UPLINK, left), 300);
	assert_int_equal(left[14] << 8 | left[15], 6 << 13 | 999);
	assert_memory_equal(left + 18 + 12, frame + 18 + 12, 300 - 30);
	// And into a tunnel, where the VRF's packets go by one.
	write_tagged(frame, VLAN_RED, 6, 300);
	put_bytes(&h, UPLINK + 1, frame, 300);
	assert_int_equal(take_bytes(&h, UPLINK, left), 300 - 4 + 50);
	assert_memory_equal(left + 64 + 12, frame + 18 + 12, 300 - 30);
	harness_check(&h);
	harness_close(&h);
}

// What a host writes in its tag is no VRF: on its way to another switch it is VLAN 0.
static void
test_host_tags(void **state)
{
	const struct leaf leaf = {.version = 4};
	uint8_t frame[BUILT_MAX], left[BUILT_MAX];
	struct harness h;

	(void)state;
	open_leaf(&h, &leaf);
	h.tables->groups[0].port = UPLINK;
	h.tables->groups[0].first = UPLINK; // 10.0 of red: plain, by the uplink
	write_tagged(frame, VLAN_BLUE, 7, 300);
	put_bytes(&h, 0, frame, 300);
	assert_int_equal(take_bytes(&h, UPLINK, left), 300);
	assert_int_equal(left[14] << 8 | left[15], 7 << 13);
	assert_memory_equal(left + 18 + 12, frame + 18 + 12, 300 - 30);
	// Where no switch takes tags for VRFs they are left alone.
	free(h.tables->tunnels->vids);
	h.tables->tunnels->vids = NULL;
	put_bytes(&h, 0, frame, 300);
	assert_int_equal(take_bytes(&h, UPLINK, left), 300);
	assert_int_equal(left[14] << 8 | left[15], 7 << 13 | VLAN_BLUE);
	harness_check(&h);
	harness_close(&h);
}

// What waits goes to the queues that new maps give its marks, which are those it came with.
static void
test_requeue(void **state)
{
	const struct leaf leaf = {.version = 4};
	struct tables *t = leaf_tables(&leaf), *other = leaf_tables(&leaf);
	uint8_t frame[BUILT_MAX];
	struct harness h;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct port_profile *p = harness_profile(i == 0 ? t : other);

		p->trust_pcp = p->pcp_first = true;
		p->pcp_to_priority[5] = i == 0 ? 1 : 2;
	}
	harness_open(&h, t);
	node_set_tx_off(h.node, &h.node->ports[0], 0xff, 0);
	node_set_tx_off(h.node, &h.node->ports[UPLINK], 0xff, 0);
	put_bytes(&h, UPLINK, frame, write_tagged(frame, VLAN_RED, 5, 200));
	write_tagged(frame, 0, 5, 200);
	frame[18 + 17] = 7; // to 10.7
	write16(frame + 18 + 10, 0);
	{
		uint16_t sum = checksum_ipv4_header(frame + 18, 20);

		memcpy(frame + 18 + 10, &sum, 2);
	}
	put_bytes(&h, 0, frame, 200);
	assert_int_equal(*node_depth(h.node, &h.node->ports[0], 1), 200);
	assert_int_equal(*node_depth(h.node, &h.node->ports[UPLINK], 1), 200);
	harness_adopt(&h, other);
	assert_int_equal(*node_depth(h.node, &h.node->ports[0], 2), 200);
	assert_int_equal(*node_depth(h.node, &h.node->ports[UPLINK], 2), 200);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push),    cmocka_unit_test(test_pop),
		cmocka_unit_test(test_swap),    cmocka_unit_test(test_host_tags),
		cmocka_unit_test(test_requeue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
