// SPDX-License-Identifier: BSD-3-Clause
// Tunnels that are not what they say: each drops by its own name, and nothing that stands behind
// the frame's last byte is read. What only passes, passes.
#include "exact.h"
#include "tunnels.h"

#include "dataplane/base/random.h"
#include "dataplane/stages/control_frames.h"
#include "dataplane/stages/tunnel.h"
#include "dataplane/stages/parse.h"

static const unsigned int versions[2] = {4, 6};

// The stages up to the tunnel, on a packet that ends with its memory; frees it.
static int
receive_exact(struct harness *h, const uint8_t *frame, uint32_t present, uint32_t wire)
{
	struct rte_mbuf *m = exact(frame, present, wire);
	struct port *in = &h->node->ports[UPLINK];
	int verdict = stage_parse(h->node, in, m, 0);

	if (verdict == STAGE_NEXT)
		verdict = stage_control_frames(h->node, in, m, 0);
	if (verdict == STAGE_NEXT)
		verdict = stage_tunnel(h->node, in, m, 0);
	free(m);
	return verdict;
}

// Cut off at every byte, with the lengths it had: as a capture has it, or as the wire had it.
static void
test_truncated(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const struct leaf leaf = {.version = versions[i & 1]};
		const bool passes = i & 4;
		struct wrapped w = wrap_to_near(leaf.version);
		const struct frame f = {
			.bytes = 120, .dport = ROCE_UDP_PORT, .opcode = 10, .ip6 = i & 2};
		uint8_t frame[BUILT_MAX];
		struct harness h;
		uint32_t bytes, headers;

		if (passes)
			w.to = leaf.version == 6 ? far6 : far4;
		bytes = wrap_frame(frame, &w, &f);
		// All up to the BTH, or of what passes up to the outer UDP header.
		headers = passes ? (leaf.version == 6 ? 62 : 42)
				 : bytes - 120 + 14 + (f.ip6 ? 40 : 20) + 8 + 12;
		open_leaf(&h, &leaf);
		for (uint32_t present = 14; present <= bytes; present++) {
			int verdict = receive_exact(&h, frame, present, bytes);

			assert_int_equal(verdict,
					 present < headers ? (int)DROP_TRUNCATED : STAGE_NEXT);
			verdict = receive_exact(&h, frame, present, present);
			if (present < bytes)
				assert_true(verdict == DROP_TRUNCATED || verdict == DROP_MALFORMED);
			else
				assert_int_equal(verdict, STAGE_NEXT);
		}
		harness_close(&h);
	}
}

// Any two bytes of the tunnel's headers replaced, at any cut: whatever comes of it is a verdict.
static void
test_any_bytes(void **state)
{
	struct random random = random_stream(3, 4);

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct leaf leaf = {.version = versions[i & 1]};
		const struct wrapped w = wrap_to_near(leaf.version);
		uint8_t frame[BUILT_MAX], changed[BUILT_MAX];
		const uint32_t bytes = wrap_frame(
			frame, &w,
			&(struct frame){.bytes = 110, .dport = ROCE_UDP_PORT, .ip6 = i & 2});
		struct harness h;

		open_leaf(&h, &leaf);
		for (uint32_t k = 0; k < 40000; k++) {
			const uint32_t present = k % 2 ? bytes
						       : 14 + random_below(&random, bytes - 13);

			memcpy(changed, frame, bytes);
			changed[12 + random_below(&random, bytes - 12)] =
				(uint8_t)random_u32(&random);
			changed[12 + random_below(&random, bytes - 12)] =
				(uint8_t)random_u32(&random);
			if (k % 3 == 0 && leaf.version == 4)
				fix_checksum(changed, L3);
			receive_exact(&h, changed, present, bytes);
			put_bytes(&h, UPLINK, changed, present);
			for (unsigned int port = 0; port < LEAF_PORTS; port++)
				harness_drain(&h, port);
		}
		harness_check(&h);
		harness_close(&h);
	}
}

// One thing wrong at a time. Offsets are from the outer UDP header.
struct wrong {
	const char *what;
	int at;
	uint8_t value;
	int reason; // STAGE_NEXT: it passes
};

static void
test_one_thing_wrong(void **state)
{
	static const struct wrong wrongs[] = {
		{"nothing", 8, 0x08, STAGE_NEXT},
		{"no I flag", 8, 0x00, DROP_MALFORMED},
		{"reserved flags", 8, 0xff, STAGE_NEXT},
		{"reserved bits", 9, 0xff, STAGE_NEXT},
		{"reserved bits", 15, 0xff, STAGE_NEXT},
		{"a UDP checksum", 6, 0x12, STAGE_NEXT},
		{"another VNI", 12, 0x99, DROP_UNKNOWN_VNI},
		{"to another router", 21, 0x77, DROP_WRONG_MAC},
		{"from a group", 22, 0x03, DROP_MULTICAST_SOURCE},
		{"ARP", 29, 0x06, DROP_NOT_IP},
		{"another IP version", 30, 0x65, DROP_MALFORMED},
		{"a long header", 30, 0x4f, DROP_BAD_CHECKSUM},
		{"a short header", 30, 0x44, DROP_MALFORMED},
		{"a checksum", 41, 0x55, DROP_BAD_CHECKSUM},
		{"UDP that ends before the inside", 5, 100, DROP_MALFORMED},
		{"UDP that ends in VXLAN", 5, 12, DROP_MALFORMED},
		{"UDP that ends in Ethernet", 5, 29, DROP_MALFORMED},
	};

	(void)state;
	for (unsigned int i = 0; i < 2 * sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		const struct leaf leaf = {.version = versions[i & 1]};
		const struct wrong *wrong = &wrongs[i / 2];
		const struct wrapped w = wrap_to_near(leaf.version);
		uint8_t frame[BUILT_MAX];
		const uint32_t bytes = wrap_frame(frame, &w, &(struct frame){.bytes = 120});
		const uint32_t udp = leaf.version == 6 ? 54 : 34;
		struct harness h;

		open_leaf(&h, &leaf);
		frame[udp + wrong->at] = wrong->value;
		put_bytes(&h, UPLINK, frame, bytes);
		if (wrong->reason == STAGE_NEXT)
			assert_int_equal(harness_drain(&h, 0), 1);
		else
			assert_int_equal(harness_drops(&h, UPLINK, (enum drop_reason)wrong->reason),
					 1);
		harness_check(&h);
		harness_close(&h);
	}
}

// An inside that claims to go on behind its tunnel, in a frame that does.
static void
test_inside_too_long(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct leaf leaf = {.version = versions[i & 1]};
		const struct wrapped w = wrap_to_near(leaf.version);
		const bool ip6 = i & 2;
		uint8_t inside[BUILT_MAX], frame[BUILT_MAX];
		struct harness h;
		uint32_t bytes;

		harness_write_frame(inside, &(struct frame){.bytes = 120, .ip6 = ip6});
		bytes = wrap(frame, &w, inside + 14, 105); // a byte less than it says
		frame[bytes] = 0;
		open_leaf(&h, &leaf);
		put_bytes(&h, UPLINK, frame, bytes + 1);
		assert_int_equal(harness_drops(&h, UPLINK, DROP_MALFORMED), 1);
		harness_check(&h);
		harness_close(&h);
	}
}

// What hosts send is payload, to whomever it is addressed; and so is what comes in by a port where
// no tunnels end.
static void
test_not_believed(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct leaf leaf = {.version = versions[i & 1]};
		const bool host = i & 2;
		struct wrapped w = wrap_to_near(leaf.version);
		uint8_t frame[BUILT_MAX];
		const uint32_t bytes = wrap_frame(frame, &w, &(struct frame){.bytes = 120});
		struct harness h;

		open_leaf(&h, &leaf);
		h.tables->ports[UPLINK].underlay = false;
		put_bytes(&h, host ? 0 : UPLINK, frame, bytes);
		assert_int_equal(harness_drops(&h, host ? 0 : UPLINK, DROP_NO_ROUTE), 1);
		harness_check(&h);
		harness_close(&h);
	}
}

// A host's own VXLAN goes through the tenant's tunnel like anything else.
static void
test_host_payload(void **state)
{
	static const uint8_t to[4] = {10, 7, 0, 2};
	const struct leaf leaf = {.version = 4};
	struct wrapped w = wrap_to_near(4);
	uint8_t frame[BUILT_MAX], left[BUILT_MAX];
	struct harness h;
	uint32_t bytes;

	(void)state;
	w.to = to;
	bytes = wrap_frame(frame, &w, &(struct frame){.bytes = 120});
	open_leaf(&h, &leaf);
	put_bytes(&h, 0, frame, bytes);
	assert_int_equal(take_bytes(&h, UPLINK, left), bytes + 50);
	assert_memory_equal(left + 64 + 20, frame + 14 + 20, bytes - 34);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated),       cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_one_thing_wrong), cmocka_unit_test(test_inside_too_long),
		cmocka_unit_test(test_not_believed),    cmocka_unit_test(test_host_payload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
