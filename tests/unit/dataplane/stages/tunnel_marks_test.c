// SPDX-License-Identifier: BSD-3-Clause
// ECN and DSCP into tunnels, through them and out: RFC 6040, and RFC 2983's two models.
#include "tunnels.h"

#define DROPPED 0xff

static uint8_t
get_tos(const uint8_t *ip)
{
	return ip[0] >> 4 == 6 ? (uint8_t)(ip[0] << 4 | ip[1] >> 4) : ip[1];
}

static void
expect_sound(const uint8_t *ip)
{
	uint16_t sum = checksum_ipv4_header(ip, 20);

	if (ip[0] >> 4 == 4)
		assert_memory_equal(ip + 10, &sum, 2);
}

// Figure 4 of RFC 6040, as it is printed: rows are the inside's Not-ECT, ECT(0), ECT(1), CE,
// columns the outer header's.
static void
test_ecn_out(void **state)
{
	static const uint8_t order[4] = {ECN_NOT_ECT, ECN_ECT0, ECN_ECT1, ECN_CE};
	static const uint8_t figure[4][4] = {
		{ECN_NOT_ECT, ECN_NOT_ECT, ECN_NOT_ECT, DROPPED},
		{ECN_ECT0, ECN_ECT0, ECN_ECT1, ECN_CE},
		{ECN_ECT1, ECN_ECT1, ECN_ECT1, ECN_CE},
		{ECN_CE, ECN_CE, ECN_CE, ECN_CE},
	};

	(void)state;
	for (unsigned int i = 0; i < 64; i++) {
		const struct leaf leaf = {.version = i & 16 ? 6 : 4};
		const uint8_t inside = i / 4 % 4, outside = i % 4;
		struct wrapped w = wrap_to_near(leaf.version);
		uint8_t frame[BUILT_MAX];
		struct harness h;
		uint32_t bytes;

		w.tos = (uint8_t)(8 << 2 | order[outside]);
		bytes = wrap_frame(frame, &w,
				   &(struct frame){.dscp = 8, .ecn = order[inside], .ip6 = i & 32});
		open_leaf(&h, &leaf);
		put_bytes(&h, UPLINK, frame, bytes);
		if (figure[inside][outside] == DROPPED) {
			assert_int_equal(harness_drops(&h, UPLINK, DROP_TUNNEL_ECN), 1);
			assert_int_equal(take_bytes(&h, 0, frame), 0);
		} else {
			assert_int_equal(take_bytes(&h, 0, frame), 300);
			assert_int_equal(get_tos(frame + 14), 8 << 2 | figure[inside][outside]);
			expect_sound(frame + 14);
		}
		harness_check(&h);
		harness_close(&h);
	}
}

// Normal mode (RFC 6040 section 4.1): the outer header begins as the inside is.
static void
test_ecn_in(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 16; i++) {
		const struct leaf leaf = {.version = i & 4 ? 6 : 4};
		const uint32_t inside = leaf.version == 6 ? 84 : 64;
		const struct frame f = {
			.second = 7, .to = 7, .dscp = 5, .ecn = i % 4, .ip6 = i & 8};
		uint8_t frame[BUILT_MAX];
		struct harness h;

		open_leaf(&h, &leaf);
		put_frame(&h, 0, &f);
		assert_int_not_equal(take_bytes(&h, UPLINK, frame), 0);
		assert_int_equal(get_tos(frame + 14), 5 << 2 | i % 4);
		assert_int_equal(get_tos(frame + inside), 5 << 2 | i % 4);
		expect_sound(frame + 14);
		expect_sound(frame + inside);
		harness_close(&h);
	}
}

// A congested queue marks what it sends: the outer header of what leaves in a tunnel, the packet
// itself of what came out of one. Depth is in cells of what came in.
static void
test_marking(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct leaf leaf = {.version = i & 1 ? 6 : 4, .full = i & 2};
		const uint32_t inside = leaf.version == 6 ? 84 : 64;
		const struct frame f = {.second = 7, .to = 7, .ecn = ECN_ECT0};
		struct wrapped w = wrap_to_near(leaf.version);
		uint8_t frame[BUILT_MAX];
		struct harness h;
		uint32_t bytes;

		w.tos = ECN_ECT0;
		bytes = wrap_frame(frame, &w, &(struct frame){.ecn = ECN_ECT0});
		open_leaf(&h, &leaf);
		harness_profile(h.tables)->tc[0].ecn =
			(struct ecn_profile){.enabled = true, .min = 299, .max = 299, .cell = 1};
		for (unsigned int k = 0; k < 3;
		     k++) { // the first is on its way, one behind the next
			harness_put(&h, 0, harness_frame(&h, &f), 1000);
			harness_put(&h, 2, packet_of(&h, frame, bytes), 1000);
		}
		harness_run(&h, 1001);
		assert_int_equal(*node_depth(h.node, &h.node->ports[UPLINK], 0), 600);
		assert_int_equal(*node_depth(h.node, &h.node->ports[0], 0), 2 * bytes);
		harness_check(&h);
		harness_run(&h, PS_PER_US);
		for (unsigned int k = 0; k < 3; k++) {
			const uint8_t expected = k == 1 ? ECN_CE : ECN_ECT0;

			assert_int_equal(take_bytes(&h, UPLINK, frame), inside + 286);
			assert_int_equal(get_tos(frame + 14), expected);
			assert_int_equal(get_tos(frame + inside), ECN_ECT0);
			expect_sound(frame + 14);
			assert_int_equal(take_bytes(&h, 0, frame), 300);
			assert_int_equal(get_tos(frame + 14), expected);
			expect_sound(frame + 14);
		}
		assert_int_equal(h.node->ports[UPLINK].queues[0].ecn_marked, 1);
		harness_check(&h);
		harness_close(&h);
	}
}

// Uniform: out of the inside, and back into it what the way has made of it. Pipe: by the priority,
// and the inside is left alone at both ends.
static void
test_dscp(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 16; i++) {
		const struct leaf leaf = {.version = i & 1 ? 6 : 4, .full = i & 8};
		const uint32_t inside = leaf.version == 6 ? 84 : 64;
		const bool pipe = i & 2, ip6 = i & 4;
		struct wrapped w = wrap_to_near(leaf.version);
		uint8_t frame[BUILT_MAX];
		struct harness h;
		uint32_t bytes;

		if (pipe && ip6)
			continue; // that route is of IPv4
		open_leaf(&h, &leaf);
		h.tables->vrfs[VRF_RED].pipe = pipe;
		put_frame(&h, 0,
			  &(struct frame){.second = pipe ? 8 : 7,
					  .to = 7,
					  .dscp = 26,
					  .ecn = ECN_ECT1,
					  .ip6 = ip6});
		assert_int_not_equal(take_bytes(&h, UPLINK, frame), 0);
		assert_int_equal(get_tos(frame + 14), (pipe ? PIPE_DSCP + 3 : 26) << 2 | ECN_ECT1);
		assert_int_equal(get_tos(frame + inside), 26 << 2 | ECN_ECT1);

		// Priority 1 by the outer marks, whatever the inside says.
		w.tos = 10 << 2 | ECN_ECT0;
		bytes = wrap_frame(frame, &w,
				   &(struct frame){.dscp = 26, .ecn = ECN_ECT0, .ip6 = ip6});
		put_bytes(&h, UPLINK, frame, bytes);
		assert_int_equal(h.node->ports[UPLINK].groups[1].packets, 1);
		assert_int_equal(h.node->ports[UPLINK].groups[1].bytes, bytes);
		assert_int_equal(take_bytes(&h, 0, frame), 300);
		assert_int_equal(get_tos(frame + 14), (pipe ? 26 : 10) << 2 | ECN_ECT0);
		expect_sound(frame + 14);
		harness_check(&h);
		harness_close(&h);
	}
}

// Ports remark what leaves: the outer header where there is one.
static void
test_remark(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		const struct leaf leaf = {.version = i ? 6 : 4};
		const uint32_t inside = leaf.version == 6 ? 84 : 64;
		struct wrapped w = wrap_to_near(leaf.version);
		struct tables *t = leaf_tables(&leaf);
		struct port_profile *p = harness_profile(t);
		uint8_t frame[BUILT_MAX];
		struct harness h;
		uint32_t bytes;

		memset(&p->remark, REMARK_LEAVE, sizeof(p->remark));
		p->remark.dscp[3] = 33;
		p->remarks = true;
		harness_open(&h, t);
		assert_true(h.node->variant & NODE_FULL);
		put_frame(&h, 0, &(struct frame){.second = 7, .dscp = 26, .ecn = ECN_ECT0});
		assert_int_not_equal(take_bytes(&h, UPLINK, frame), 0);
		assert_int_equal(get_tos(frame + 14), 33 << 2 | ECN_ECT0);
		assert_int_equal(get_tos(frame + inside), 26 << 2 | ECN_ECT0);
		expect_sound(frame + 14);
		w.tos = 26 << 2;
		bytes = wrap_frame(frame, &w, &(struct frame){.dscp = 33});
		put_bytes(&h, UPLINK, frame, bytes);
		assert_int_equal(take_bytes(&h, 0, frame), 300);
		assert_int_equal(get_tos(frame + 14), 33 << 2);
		expect_sound(frame + 14);
		harness_check(&h);
		harness_close(&h);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ecn_out), cmocka_unit_test(test_ecn_in),
		cmocka_unit_test(test_marking), cmocka_unit_test(test_dscp),
		cmocka_unit_test(test_remark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
