// SPDX-License-Identifier: BSD-3-Clause
// What parse finds in sound frames, and what it drops the others for.
#include "exact.h"

#include "dataplane/base/roce_headers.h"
#include "dataplane/stages/parse.h"

static int
parse(const uint8_t *frame, uint32_t present, uint32_t wire, struct packet_meta *meta)
{
	struct rte_mbuf *m = exact(frame, present, wire);
	int verdict = stage_parse(NULL, NULL, m, 0);

	*meta = *packet_meta(m);
	free(m);
	return verdict;
}

static void
test_ip4(void **state)
{
	uint8_t data[300];
	struct packet_meta meta;

	(void)state;
	harness_write_frame(data, &(struct frame){.dscp = 26, .ecn = 2});
	assert_int_equal(parse(data, 300, 300, &meta), STAGE_NEXT);
	assert_int_equal(meta.l3_off, 14);
	assert_int_equal(meta.l4_off, 34);
	assert_int_equal(meta.ip_proto, 17);
	assert_int_equal(meta.dscp, 26);
	assert_int_equal(meta.ecn, 2);
	assert_int_equal(meta.flags, 0);

	harness_write_frame(data, &(struct frame){.dport = 4791, .opcode = 0x0a});
	assert_int_equal(parse(data, 300, 300, &meta), STAGE_NEXT);
	assert_int_equal(meta.flags, PACKET_ROCE);
	assert_int_equal(meta.opcode, 0x0a);
	// The payload need not be there: headers to the end of the BTH, 54 bytes, are.
	assert_int_equal(parse(data, 54, 300, &meta), STAGE_NEXT);
	assert_int_equal(meta.flags, PACKET_ROCE);
	assert_int_equal(parse(data, 53, 300, &meta), DROP_TRUNCATED);

	harness_write_frame(data, &(struct frame){.vlan_pcp = 8 + 5});
	assert_int_equal(parse(data, 300, 300, &meta), STAGE_NEXT);
	assert_int_equal(meta.l3_off, 18);
	assert_int_equal(meta.l4_off, 38);
	assert_int_equal(meta.flags, PACKET_TAGGED);
	for (uint16_t pcp = 0; pcp < 8; pcp++) {
		harness_write_frame(data, &(struct frame){.vlan_pcp = 8 + pcp, .ip6 = pcp & 1});
		data[14] |= 0x10; // DEI is no part of it
		assert_int_equal(parse(data, 300, 300, &meta), STAGE_NEXT);
		assert_int_equal(meta.pcp, pcp);
	}
}

// Two tags: the outer one's PCP counts, whichever of the two types each has. A third is not IP.
static void
test_two_tags(void **state)
{
	static const uint8_t types[2][2] = {{0x81, 0x00}, {0x88, 0xa8}};
	uint8_t data[308];
	struct packet_meta meta;

	(void)state;
	for (unsigned int i = 0; i < 16; i++) {
		const bool ip6 = i & 1;

		harness_write_frame(data, &(struct frame){.vlan_pcp = 8 + i / 2, .ip6 = ip6});
		memmove(data + 18, data + 14, 286);
		memcpy(data + 12, types[i / 2 & 1], 2);
		memcpy(data + 16, types[i / 4 & 1], 2);
		data[18] = (uint8_t)~data[14]; // another PCP inside
		assert_int_equal(parse(data, 304, 304, &meta), STAGE_NEXT);
		assert_int_equal(meta.l3_off, 22);
		assert_int_equal(meta.l4_off, ip6 ? 62 : 42);
		assert_int_equal(meta.flags, PACKET_TAGGED | (ip6 ? PACKET_IPV6 : 0));
		assert_int_equal(meta.pcp, i / 2);
		memmove(data + 22, data + 18, 282);
		data[20] = 0x81;
		data[21] = 0;
		assert_int_equal(parse(data, 308, 308, &meta), DROP_NOT_IP);
	}
	harness_write_frame(data, &(struct frame){.vlan_pcp = 8 + 6}); // a service tag alone
	memcpy(data + 12, types[1], 2);
	assert_int_equal(parse(data, 300, 300, &meta), STAGE_NEXT);
	assert_int_equal(meta.l3_off, 18);
	assert_int_equal(meta.pcp, 6);
}

// Options move the transport header; IHL 15 is the most.
static void
test_ip4_options(void **state)
{
	uint8_t data[300];
	struct packet_meta meta;

	(void)state;
	for (uint32_t words = 5; words <= 15; words++) {
		harness_write_frame(data, &(struct frame){.dport = 4791});
		memmove(data + L3 + 4 * words, data + L3 + 20, 280 - L3 - 4 * words);
		memset(data + L3 + 20, 1, 4 * words - 20); // no-operation
		data[L3] = (uint8_t)(0x40 | words);
		data[L3 + 4 * words + 4] = 0; // UDP length
		data[L3 + 4 * words + 5] = 100;
		fix_checksum(data, L3);
		assert_int_equal(parse(data, 300, 300, &meta), STAGE_NEXT);
		assert_int_equal(meta.l4_off, L3 + 4 * words);
		assert_int_equal(meta.flags, PACKET_ROCE);
	}
}

// No fragment has a protocol, not even the first: all must take one path.
static void
test_ip4_fragments(void **state)
{
	static const struct {
		uint8_t high, low;
		bool whole;
	} cases[] = {{0x40, 0, true}, {0x20, 0, false}, {0x00, 1, false}, {0x3f, 0xff, false}};
	uint8_t data[300];
	struct packet_meta meta;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		harness_write_frame(data, &(struct frame){.dport = 4791});
		data[L3 + 6] = cases[i].high;
		data[L3 + 7] = cases[i].low;
		fix_checksum(data, L3);
		assert_int_equal(parse(data, 300, 300, &meta), STAGE_NEXT);
		assert_int_equal(meta.ip_proto, cases[i].whole ? 17 : 0);
		assert_int_equal(meta.flags, cases[i].whole ? PACKET_ROCE : 0);
	}
}

static void
test_ip6(void **state)
{
	static const uint8_t options[] = {
		43, 0, 1, 4, 0, 0, 0, 0,                         // hop by hop
		60, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // routing
		17, 0, 1, 4, 0, 0, 0, 0,                         // destination
	};
	static const uint8_t atomic[] = {17, 0, 0, 0, 1, 2, 3, 4};
	static const uint8_t first[] = {17, 0, 0, 1, 1, 2, 3, 4};
	static const uint8_t later[] = {17, 0, 0, 8, 1, 2, 3, 4};
	uint8_t data[600];
	struct packet_meta meta;
	uint32_t bytes = write_chain(data, 17, NULL, 0);

	(void)state;
	assert_int_equal(parse(data, bytes, bytes, &meta), STAGE_NEXT);
	assert_int_equal(meta.l4_off, 54);
	assert_int_equal(meta.flags, PACKET_IPV6 | PACKET_ROCE);
	assert_int_equal(meta.dscp, 46);
	assert_int_equal(meta.ecn, 1);

	bytes = write_chain(data, 0, options, sizeof(options));
	assert_int_equal(parse(data, bytes, bytes, &meta), STAGE_NEXT);
	assert_int_equal(meta.l4_off, 54 + 8 + 16 + 8);
	assert_int_equal(meta.ip_proto, 17);
	assert_int_equal(meta.flags, PACKET_IPV6 | PACKET_ROCE);

	bytes = write_chain(data, 44, atomic, 8);
	assert_int_equal(parse(data, bytes, bytes, &meta), STAGE_NEXT);
	assert_int_equal(meta.ip_proto, 17);
	bytes = write_chain(data, 44, first, 8);
	assert_int_equal(parse(data, bytes, bytes, &meta), STAGE_NEXT);
	assert_int_equal(meta.ip_proto, 0);
	bytes = write_chain(data, 44, later, 8);
	assert_int_equal(parse(data, bytes, bytes, &meta), STAGE_NEXT);
	assert_int_equal(meta.ip_proto, 0);
}

// Chains too long to follow are routed by their addresses; those that run past their end are
// malformed.
static void
test_ip6_long_chains(void **state)
{
	uint8_t chain[264] = {0}, data[600];
	struct packet_meta meta;
	uint32_t bytes;

	(void)state;
	for (unsigned int i = 0; i < 9; i++)
		chain[8 * i] = i == 8 ? 17 : 60;
	bytes = write_chain(data, 60, chain, 9 * 8);
	assert_int_equal(parse(data, bytes, bytes, &meta), STAGE_NEXT);
	assert_int_equal(meta.ip_proto, 0);
	bytes = write_chain(data, 60, chain + 8, 8 * 8);
	assert_int_equal(parse(data, bytes, bytes, &meta), STAGE_NEXT);
	assert_int_equal(meta.ip_proto, 17);

	memset(chain, 0, sizeof(chain));
	chain[0] = 17;
	chain[1] = 32; // 8 + 256 bytes: beyond what an offset tells
	bytes = write_chain(data, 60, chain, 264);
	assert_int_equal(parse(data, bytes, bytes, &meta), STAGE_NEXT);
	assert_int_equal(meta.ip_proto, 0);
	data[54 + 1] = 255;
	assert_int_equal(parse(data, bytes, bytes, &meta), DROP_MALFORMED);
}

// A byte of the frame changed, and what it is dropped for.
struct flaw {
	const char *what;
	int verdict;
	struct frame frame;
	uint16_t at;
	uint8_t value;
	bool keep_checksum;
	uint16_t present; // 0: all of it
};

static const struct flaw flaws[] = {
	{"13 bytes", DROP_RUNT, {.to = 0}, 0, 2, false, 13},
	{"no byte", DROP_RUNT, {.to = 0}, 0, 2, false, 0xffff},
	{"multicast source MAC", DROP_MULTICAST_SOURCE, {.to = 0}, 6, 0x03, false, 0},
	{"ARP", DROP_NOT_IP, {.to = 0}, 13, 0x06, false, 0},
	{"a second tag without room", DROP_TRUNCATED, {.vlan_pcp = 8}, 16, 0x81, false, 21},
	{"a tag of an 802.3 length", DROP_NOT_IP, {.vlan_pcp = 8}, 16, 0x00, false, 0},
	{"IPv4 version 5", DROP_MALFORMED, {.to = 0}, L3, 0x55, false, 0},
	{"IHL 4", DROP_MALFORMED, {.to = 0}, L3, 0x44, true, 0},
	{"total length below the header's", DROP_MALFORMED, {.bytes = 60}, L3 + 3, 19, false, 0},
	{"total length beyond the frame", DROP_TRUNCATED, {.bytes = 60}, L3 + 3, 47, false, 0},
	{"checksum", DROP_BAD_CHECKSUM, {.to = 0}, L3 + 10, 0, true, 0},
	{"TTL changed without the checksum", DROP_BAD_CHECKSUM, {.to = 0}, L3 + 8, 63, true, 0},
	{"source 0.x", DROP_MARTIAN, {.to = 0}, L3 + 12, 0, false, 0},
	{"source 127.x", DROP_MARTIAN, {.to = 0}, L3 + 12, 127, false, 0},
	{"source 224.x", DROP_MARTIAN, {.to = 0}, L3 + 12, 224, false, 0},
	{"destination 0.x", DROP_MARTIAN, {.to = 0}, L3 + 16, 0, false, 0},
	{"destination 127.x", DROP_MARTIAN, {.to = 0}, L3 + 16, 127, false, 0},
	{"destination 240.x", DROP_MARTIAN, {.to = 0}, L3 + 16, 240, false, 0},
	{"destination 239.x", DROP_MULTICAST, {.to = 0}, L3 + 16, 239, false, 0},
	{"UDP length below its header's", DROP_MALFORMED, {.bytes = 60}, L3 + 25, 7, false, 0},
	{"UDP length beyond the packet", DROP_MALFORMED, {.bytes = 60}, L3 + 25, 27, false, 0},
	{"no room for UDP", DROP_MALFORMED, {.bytes = 60}, L3 + 3, 27, false, 0},
	{"RoCEv2 without room for BTH and ICRC",
	 DROP_MALFORMED,
	 {.bytes = 57, .dport = 4791},
	 0,
	 2,
	 false,
	 0},
	{"IPv6 version 4", DROP_MALFORMED, {.ip6 = true}, L3, 0x40, true, 0},
	{"payload length beyond the frame", DROP_TRUNCATED, {.ip6 = true}, L3 + 4, 2, true, 0},
	{"UDP beyond the payload",
	 DROP_MALFORMED,
	 {.ip6 = true, .bytes = 100},
	 L3 + 5,
	 40,
	 true,
	 0},
	{"no room for an extension",
	 DROP_MALFORMED,
	 {.ip6 = true, .bytes = 61},
	 L3 + 6,
	 60,
	 true,
	 0},
	{"source ff..", DROP_MARTIAN, {.ip6 = true}, L3 + 8, 0xff, true, 0},
	{"destination ff..", DROP_MULTICAST, {.ip6 = true}, L3 + 24, 0xff, true, 0},
};

static void
test_flaws(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++) {
		const struct flaw *f = &flaws[i];
		uint8_t data[300];
		uint32_t bytes = harness_write_frame(data, &f->frame), present = bytes;
		struct packet_meta meta;
		int verdict;

		data[f->at] = f->value;
		if (!f->frame.ip6 && !f->keep_checksum)
			fix_checksum(data, f->frame.vlan_pcp != 0 ? L3 + 4 : L3);
		if (f->present != 0)
			present = f->present == 0xffff ? 0 : f->present;
		verdict = parse(data, present, present, &meta);
		if (verdict != f->verdict)
			fail_msg("%s: %d instead of %s", f->what, verdict, drop_name(f->verdict));
	}
}

// A frame of `bytes` whose UDP length goes `beyond` bytes past its IP packet, `behind` of which are
// in the frame.
static int
parse_trimmed(struct harness *h, enum node_role role, bool ip6, uint32_t bytes, uint32_t beyond,
	      uint32_t behind, uint16_t *flags)
{
	const struct frame f = {.to = 0, .bytes = bytes, .ip6 = ip6, .dport = ROCE_UDP_PORT};
	struct rte_mbuf *m = harness_frame(h, &f);
	uint8_t *ip = packet_data(m) + L3, *udp = ip + (ip6 ? 40 : 20);
	uint32_t length = bytes - L3 - (ip6 ? 40 : 20) + beyond;
	int verdict;

	udp[4] = (uint8_t)(length >> 8);
	udp[5] = (uint8_t)length;
	packet_meta(m)->wire_bytes += behind;
	h->node->role = (uint8_t)role;
	verdict = stage_parse(h->node, &h->node->ports[0], m, 0);
	*flags = packet_meta(m)->flags;
	packet_free(h->pool, m);
	return verdict;
}

// UDP that claims more than its IP packet has is what trimming leaves, if the frame has a size that
// trimming gives and ends where its IP packet does: a NIC takes note, a switch carries it where a
// switch may have trimmed it. All else is malformed.
static void
test_trimmed(void **state)
{
	static const uint32_t trimmed[] = {256, 300, 1020, 1024},
			      not_trimmed[] = {252, 255, 257, 1022, 1028};
	struct tables *t = harness_tables(1);
	struct harness h;
	uint16_t flags;

	(void)state;
	harness_open(&h, t);
	for (unsigned int ip6 = 0; ip6 < 2; ip6++) {
		for (unsigned int i = 0; i < 4; i++) {
			assert_int_equal(parse_trimmed(&h, NODE_NIC, ip6, trimmed[i], 1, 0, &flags),
					 STAGE_NEXT);
			assert_true(flags & PACKET_TRIMMED_UPSTREAM && flags & PACKET_ROCE);
			assert_int_equal(parse_trimmed(&h, NODE_NIC, ip6, trimmed[i], 1, 4, &flags),
					 DROP_MALFORMED);
			assert_int_equal(parse_trimmed(&h, NODE_NIC, ip6, trimmed[i], 0, 4, &flags),
					 STAGE_NEXT);
			assert_false(flags & PACKET_TRIMMED_UPSTREAM);
			assert_int_equal(
				parse_trimmed(&h, NODE_LEAF, ip6, trimmed[i], 1, 0, &flags),
				DROP_MALFORMED);
			t->trims = true;
			assert_int_equal(
				parse_trimmed(&h, NODE_LEAF, ip6, trimmed[i], 64000, 0, &flags),
				STAGE_NEXT);
			assert_true(flags & PACKET_TRIMMED_UPSTREAM);
			t->trims = false;
			t->trim.size = 512;
			assert_int_equal(
				parse_trimmed(&h, NODE_SPINE, ip6, trimmed[i], 1, 0, &flags),
				STAGE_NEXT);
			t->trim.size = 0;
		}
		for (unsigned int i = 0; i < 5; i++)
			assert_int_equal(
				parse_trimmed(&h, NODE_NIC, ip6, not_trimmed[i], 4, 0, &flags),
				DROP_MALFORMED);
	}
	h.node->role = NODE_LEAF;
	harness_close(&h);
}

// Addresses that take more than a byte.
static void
test_martians(void **state)
{
	static const uint8_t ip4[][4] = {{169, 254, 3, 4}, {255, 255, 255, 255}};
	static const uint8_t ip6[][16] = {
		{0}, {[15] = 1}, {0xfe, 0x80, [15] = 9}, {0xfe, 0xbf, [15] = 9}};
	uint8_t data[300];
	struct packet_meta meta;

	(void)state;
	for (unsigned int end = 0; end < 2; end++) {
		for (unsigned int i = 0; i < 2; i++) {
			harness_write_frame(data, &(struct frame){.to = 0});
			memcpy(data + L3 + 12 + 4 * end, ip4[i], 4);
			fix_checksum(data, L3);
			assert_int_equal(parse(data, 300, 300, &meta), DROP_MARTIAN);
		}
		for (unsigned int i = 0; i < 4; i++) {
			harness_write_frame(data, &(struct frame){.ip6 = true});
			memcpy(data + L3 + 8 + 16 * end, ip6[i], 16);
			assert_int_equal(parse(data, 300, 300, &meta), DROP_MARTIAN);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ip4),         cmocka_unit_test(test_two_tags),
		cmocka_unit_test(test_ip4_options), cmocka_unit_test(test_ip4_fragments),
		cmocka_unit_test(test_ip6),         cmocka_unit_test(test_ip6_long_chains),
		cmocka_unit_test(test_flaws),       cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_martians),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
