// SPDX-License-Identifier: BSD-3-Clause
// IP-in-IP that ends at a leaf: where it is looked for, what is never read, and what becomes of the
// packet inside. (What leaves of it, byte for byte: tests/replay/test_ipip.py.)
#include "exact.h"
#include "tunnels.h"

#include "dataplane/base/random.h"
#include "dataplane/stages/parse.h"
#include "dataplane/stages/tunnel.h"

static const struct ipip_tables plain = {
	.count = 2, .addresses = {{4, {10, 1, 0, 32}}, {6, {0xfc, [3] = 1, [15] = 0x32}}}};

static const struct ipip_address *
address_of(unsigned int version)
{
	return version == 6 ? &ipip6 : &ipip4;
}

// The stages up to the tunnel, on a packet that ends with its memory; frees it.
static int
receive_exact(struct harness *h, const uint8_t *frame, uint32_t present, uint32_t wire)
{
	struct rte_mbuf *m = exact(frame, present, wire);
	struct port *in = &h->node->ports[0];
	int verdict = stage_parse(h->node, in, m, 0);

	if (verdict == STAGE_NEXT)
		verdict = stage_tunnel(h->node, in, m, 0);
	free(m);
	return verdict;
}

// Cut off at every byte, with the lengths it had.
static void
test_truncated(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct ipip_address *to = address_of(i & 1 ? 6 : 4);
		const struct frame f = {
			.bytes = 120, .dport = ROCE_UDP_PORT, .opcode = 10, .ip6 = i & 2};
		const uint32_t headers = 14 + (i & 1 ? 40 : 20) + (f.ip6 ? 40 : 20) + 8 + 12;
		uint8_t frame[BUILT_MAX];
		const uint32_t bytes = wrap_ip_frame(frame, to, 0, &f);
		struct harness h;

		open_leaf(&h, &(struct leaf){.version = 4, .ipip = &plain});
		for (uint32_t present = 14; present <= bytes; present++)
			assert_int_equal(receive_exact(&h, frame, present, bytes),
					 present < headers ? (int)DROP_TRUNCATED : STAGE_NEXT);
		harness_close(&h);
	}
}

// Any two bytes of the headers replaced, at any cut: whatever comes of it is a verdict.
static void
test_any_bytes(void **state)
{
	struct random random = random_stream(5, 6);

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct frame f = {.bytes = 110, .dport = ROCE_UDP_PORT, .ip6 = i & 2};
		uint8_t frame[BUILT_MAX], changed[BUILT_MAX];
		const uint32_t bytes = wrap_ip_frame(frame, address_of(i & 1 ? 6 : 4), 0, &f);
		struct harness h;

		open_leaf(&h, &(struct leaf){.version = 4, .ipip = &plain});
		for (uint32_t k = 0; k < 20000; k++) {
			const uint32_t present = k % 2 ? bytes
						       : 14 + random_below(&random, bytes - 13);

			memcpy(changed, frame, bytes);
			changed[12 + random_below(&random, bytes - 12)] =
				(uint8_t)random_u32(&random);
			changed[12 + random_below(&random, bytes - 12)] =
				(uint8_t)random_u32(&random);
			if (k % 3 == 0 && !(i & 1))
				fix_checksum(changed, L3);
			receive_exact(&h, changed, present, bytes);
			put_bytes(&h, 0, changed, present);
			for (unsigned int port = 0; port < LEAF_PORTS; port++)
				harness_drain(&h, port);
		}
		harness_check(&h);
		harness_close(&h);
	}
}

// Extension headers of the outer packet move the one inside; an offset can say how far up to 255,
// less the longest header.
static void
test_far_inside(void **state)
{
	const struct frame f = {.bytes = 120};
	uint8_t frame[BUILT_MAX], inside[BUILT_MAX];
	struct harness h;

	(void)state;
	open_leaf(&h, &(struct leaf){.version = 4, .ipip = &plain});
	for (uint32_t chain = 8; chain <= 256; chain += 8) {
		const uint32_t ip_bytes = harness_write_frame(inside, &f) - 14;
		uint32_t bytes;

		memmove(inside + chain, inside + 14, ip_bytes);
		memset(inside, 0, chain);
		inside[0] = 4;
		inside[1] = (uint8_t)(chain / 8 - 1);
		inside[2] = 1; // PadN
		inside[3] = (uint8_t)(chain - 4);
		bytes = wrap_ip(frame, &ipip6, 0, inside, chain + ip_bytes);
		frame[L3 + 6] = HEADER_PROTOCOL_DESTINATION;
		// A chain that ends beyond any offset is not followed: the packet is routed.
		assert_int_equal(receive_exact(&h, frame, bytes, bytes),
				 54 + chain + 60 <= UINT8_MAX || 54 + chain > UINT8_MAX
					 ? STAGE_NEXT
					 : (int)DROP_MALFORMED);
	}
	harness_close(&h);
}

// What comes out of VXLAN is routed by its own header, which is IP-in-IP here.
static void
test_not_out_of_vxlan(void **state)
{
	uint8_t frame[BUILT_MAX], inside[BUILT_MAX];
	const struct wrapped w = wrap_to_near(4);
	struct harness h;
	uint32_t bytes;

	(void)state;
	open_leaf(&h, &(struct leaf){.version = 4, .ipip = &plain});
	bytes = wrap_ip_frame(inside, &ipip4, 0, &(struct frame){.dscp = 8});
	bytes = wrap(frame, &w, inside + 14, bytes - 14);
	put_bytes(&h, UPLINK, frame, bytes);
	assert_int_equal(harness_drops(&h, UPLINK, DROP_NO_ROUTE), 1);
	harness_check(&h);
	harness_close(&h);
}

// A host's IP-in-IP for another leaf's host: out of one tunnel into the other, in the port's VRF.
static void
test_into_vxlan(void **state)
{
	uint8_t frame[BUILT_MAX];
	struct harness h;
	uint32_t bytes;

	(void)state;
	for (unsigned int pipe = 0; pipe < 2; pipe++) {
		struct ipip_tables tables = plain;

		tables.pipe = pipe;
		open_leaf(&h, &(struct leaf){.version = 4, .ipip = &tables});
		bytes = wrap_ip_frame(frame, &ipip6, 26 << 2,
				      &(struct frame){.second = 7, .to = 7, .dscp = 10});
		put_bytes(&h, 0, frame, bytes);
		assert_int_equal(take_bytes(&h, UPLINK, frame), 300 + 50);
		assert_int_equal(frame[14 + 9], HEADER_PROTOCOL_UDP);
		assert_int_equal(frame[15], (pipe ? 10 : 26) << 2);
		assert_int_equal(frame[64 + 1], (pipe ? 10 : 26) << 2);
		assert_int_equal(h.node->buffer.tenants[0].packets, 1);
		harness_check(&h);
		harness_close(&h);
	}
}

// From another switch with a VRF's tag: the VRF is the tag's.
static void
test_tagged_by_vrf(void **state)
{
	uint8_t frame[BUILT_MAX];
	struct harness h;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t bytes = wrap_ip_frame(frame, &ipip4, 0, &(struct frame){0});

		open_leaf(&h, &(struct leaf){.version = 4, .ipip = &plain});
		memmove(frame + 18, frame + 14, bytes - 14);
		write16(frame + 12, 0x8100);
		write16(frame + 14, i == 0 ? VLAN_RED : VLAN_BLUE);
		write16(frame + 16, 0x0800);
		put_bytes(&h, UPLINK, frame, bytes + 4);
		// The hosts' subnet is behind port 0 in red, port 1 in blue.
		assert_int_equal(take_bytes(&h, i, frame), 300);
		assert_int_equal(h.node->buffer.tenants[i].packets, 1);
		harness_check(&h);
		harness_close(&h);
	}
}

// Only a switch where IP-in-IP ends looks for it.
static void
test_variant(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;

	(void)state;
	harness_open(&h, t);
	assert_int_equal(h.node->variant & NODE_TUNNELS, 0);
	t = harness_tables(2);
	t->ipip = malloc(sizeof(*t->ipip));
	assert_non_null(t->ipip);
	*t->ipip = plain;
	harness_adopt(&h, t);
	assert_int_equal(h.node->variant & NODE_TUNNELS, NODE_TUNNELS);
	harness_adopt(&h, harness_tables(2));
	assert_int_equal(h.node->variant & NODE_TUNNELS, 0);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated),  cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_far_inside), cmocka_unit_test(test_not_out_of_vxlan),
		cmocka_unit_test(test_into_vxlan), cmocka_unit_test(test_tagged_by_vrf),
		cmocka_unit_test(test_variant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
