// SPDX-License-Identifier: BSD-3-Clause
// A switch that tunnels pass: it forwards by the outer header, and looks inside for what may be
// sprayed and whose it is. And what is not written of a packet, in a tunnel.
#include "tunnels.h"

#include "dataplane/roce/frame.h"
#include "dataplane/roce/icrc.h"
#include "dataplane/roce/payload.h"
#include "dataplane/node/ports.h"

static const unsigned int versions[2] = {4, 6};

// The far leaf is behind all ports from the second on, by the adaptive group or by ECMP.
static struct tables *
spine_tables(const struct leaf *leaf, bool adaptive)
{
	const uint32_t group = LEAF_PORTS + (adaptive ? 1 : 0);
	struct lpm_prefix ip4 = {.len = 32, .value = group}, ip6 = {.len = 128, .value = group};
	struct tables *t = leaf_tables(leaf);

	memcpy(ip4.addr, far4, 4);
	memcpy(ip6.addr, far6, 16);
	lpm_destroy(t->vrfs[0].ip4);
	lpm_destroy(t->vrfs[0].ip6);
	assert_int_equal(lpm_build(&t->vrfs[0].ip4, &ip4, 1, 32), 0);
	assert_int_equal(lpm_build(&t->vrfs[0].ip6, &ip6, 1, 128), 0);
	for (unsigned int i = 0; i < LEAF_PORTS; i++)
		t->ports[i] = t->ports[UPLINK];
	t->tunnels->version = 0; // none ends here
	return t;
}

static struct wrapped
wrap_to_far(unsigned int version)
{
	struct wrapped w = wrap_to_near(version);

	w.from = version == 6 ? near6 : near4;
	w.to = version == 6 ? far6 : far4;
	return w;
}

// How many of the three ways packets of one tunnel take.
static unsigned int
ways_taken(struct harness *h, const uint8_t *frame, uint32_t bytes)
{
	unsigned int ways = 0;

	for (unsigned int i = 0; i < 40; i++)
		put_bytes(h, 0, frame, bytes);
	for (unsigned int port = 1; port < LEAF_PORTS; port++)
		ways += harness_drain(h, port) != 0;
	return ways;
}

// Data inside is sprayed, acknowledgements, CNPs and all else go by the outer header's hash.
static void
test_spray(void **state)
{
	static const struct {
		struct frame f;
		unsigned int ways;
	} cases[] = {
		{{.dport = ROCE_UDP_PORT, .opcode = ROCE_OP_WRITE_ONLY}, 3},
		{{.dport = ROCE_UDP_PORT, .opcode = ROCE_OP_WRITE_ONLY, .ip6 = true}, 3},
		{{.dport = ROCE_UDP_PORT, .opcode = ROCE_OP_ACK}, 1},
		{{.dport = ROCE_UDP_PORT, .opcode = ROCE_OP_CNP, .ip6 = true}, 1},
		{{.dport = 53}, 1},
	};

	(void)state;
	for (unsigned int i = 0; i < 4 * sizeof(cases) / sizeof(cases[0]); i++) {
		const struct leaf leaf = {.version = versions[i & 1], .full = i & 2};
		const struct wrapped w = wrap_to_far(leaf.version);
		uint8_t frame[BUILT_MAX];
		const uint32_t bytes = wrap_frame(frame, &w, &cases[i / 4].f);
		struct harness h;

		harness_open(&h, spine_tables(&leaf, true));
		assert_int_equal(ways_taken(&h, frame, bytes), cases[i / 4].ways);
		frame[leaf.version == 6 ? 62 : 42] = 0; // VXLAN without a VNI
		assert_int_equal(ways_taken(&h, frame, bytes), 1);
		harness_check(&h);
		harness_close(&h);
	}
}

// By ECMP, flows are told apart by the source port of the tunnel and by nothing else.
static void
test_hash(void **state)
{
	const struct leaf leaf = {.version = 4};
	struct wrapped w = wrap_to_far(4);
	uint8_t frame[BUILT_MAX];
	unsigned int taken[LEAF_PORTS] = {0};
	struct harness h;

	(void)state;
	harness_open(&h, spine_tables(&leaf, false));
	for (uint16_t i = 0; i < 40; i++) {
		const struct frame f = {.dport = ROCE_UDP_PORT, .sport = (uint16_t)(i + 1)};

		put_bytes(&h, 0, frame, wrap_frame(frame, &w, &f));
	}
	for (unsigned int port = 1; port < LEAF_PORTS; port++)
		taken[0] += harness_drain(&h, port) != 0;
	assert_int_equal(taken[0], 1);
	for (uint16_t i = 0; i < 400; i++) {
		w.sport = (uint16_t)(49152 + 11 * i);
		put_bytes(&h, 0, frame, wrap_frame(frame, &w, &(struct frame){.bytes = 100}));
	}
	for (unsigned int port = 1; port < LEAF_PORTS; port++) // 133 each, to 5 sigma
		assert_in_range(harness_drain(&h, port), 133 - 47, 133 + 47);
	harness_check(&h);
	harness_close(&h);
}

// It leaves as it came but for MACs and the outer TTL, and counts for its tenant.
static void
test_passes(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct leaf leaf = {.version = versions[i & 1], .full = i & 2};
		struct wrapped w = wrap_to_far(leaf.version);
		uint8_t frame[BUILT_MAX], left[BUILT_MAX];
		struct harness h;
		uint32_t bytes;

		w.vni = VNI_BLUE;
		bytes = wrap_frame(frame, &w, &(struct frame){.bytes = 333});
		harness_open(&h, spine_tables(&leaf, false));
		put_bytes(&h, 0, frame, bytes);
		for (unsigned int port = 1; port < LEAF_PORTS; port++)
			if (wire_count(h.out[port]) != 0)
				assert_int_equal(take_bytes(&h, port, left), bytes);
		assert_int_equal(left[14 + (leaf.version == 6 ? 7 : 8)], 63);
		assert_memory_equal(left + 34, frame + 34, bytes - 34);
		assert_int_equal(h.node->buffer.tenants[1].packets, 1);
		assert_int_equal(h.node->buffer.tenants[0].packets, 0);
		w.vni = 4242; // of nobody here
		put_bytes(&h, 0, frame, wrap_frame(frame, &w, &(struct frame){.bytes = 333}));
		assert_int_equal(h.node->buffer.tenants[1].packets, 1);
		harness_check(&h);
		for (unsigned int port = 1; port < LEAF_PORTS; port++)
			harness_drain(&h, port);
		harness_close(&h);
	}
}

// Nothing that comes or leaves in a tunnel or with its VRF's tag is trimmed.
static void
test_not_trimmed(void **state)
{
	const struct leaf leaf = {.version = 4};
	struct tables *t = leaf_tables(&leaf);
	const struct wrapped w = wrap_to_near(4);
	uint8_t frame[BUILT_MAX];
	struct harness h;

	(void)state;
	t->trim = (struct trim_profile){.size = 256, .dscp = 11, .tc = 4, .eligible = 1 << 0};
	t->pools[POOL_EGRESS_LOSSY].shared = t->pools[POOL_EGRESS_LOSSY].size = 0;
	harness_profile(t)->tc[4].threshold.reserved = 10000;
	harness_open(&h, t);
	for (unsigned int i = 0; i < 2; i++)
		node_set_tx_off(h.node, &h.node->ports[2 * i], 0xff, 0);
	put_bytes(&h, UPLINK, frame, wrap_frame(frame, &w, &(struct frame){.bytes = 600}));
	put_frame(&h, 0, &(struct frame){.second = 7, .bytes = 600});
	put_frame(&h, 1, &(struct frame){.second = 7, .bytes = 600});
	harness_write_frame(frame, &(struct frame){.bytes = 600, .vlan_pcp = 8});
	write16(frame + 14, VLAN_RED);
	put_bytes(&h, UPLINK, frame, 600);
	assert_int_equal(harness_drops(&h, UPLINK, DROP_EGRESS_POOL), 2);
	assert_int_equal(harness_drops(&h, 0, DROP_EGRESS_POOL), 1);
	assert_int_equal(harness_drops(&h, 1, DROP_EGRESS_POOL), 1);
	put_frame(&h, 0, &(struct frame){.bytes = 600}); // from host to host it is
	assert_int_equal(h.node->ports[0].queue_cold[0].trimmed, 1);
	harness_check(&h);
	harness_close(&h);
}

// A packet of a NIC's: headers, and `payload` bytes that are counted.
static struct rte_mbuf *
make_unsent(struct harness *h, bool ip6, uint32_t payload)
{
	struct frame_address a = {
		.peer_ip = {10, 7, 7, 2}, .peer_qpn = 17, .udp_sport = 0x12c0, .network = ip6};
	struct frame_template t;
	struct rte_mbuf *m = packet_alloc(h->pool);
	uint8_t *bth;

	if (ip6)
		memcpy(a.peer_ip, (uint8_t[16]){0xfd, [7] = 7, [15] = 2}, 16);
	frame_template_init(&t, ip6, harness_host_mac, harness_leaf_mac,
			    ip6 ? (const uint8_t[16]){0xfd, [15] = 1}
				: (const uint8_t[16]){10, 0, 0, 2});
	frame_address_init(&a, &t);
	frame_start(m, &t, &a, PACKET_NO_PAYLOAD | PACKET_ROCE, frame_data_behind_udp(payload, 0),
		    sizeof(struct roce_bth), frame_data_bytes(ip6, FRAME_SIZE_REAL, payload, 0),
		    &bth);
	frame_put_bth(bth, ROCE_OP_SEND_ONLY, 0, &a, false, 5);
	return m;
}

static struct rte_mbuf *
take_any(struct harness *h)
{
	struct rte_mbuf *m = NULL;

	for (unsigned int port = 0; m == NULL && port < LEAF_PORTS; port++)
		m = harness_take(h, port, NULL);
	assert_non_null(m);
	return m;
}

// A flow is pinned by the addresses of its hosts, which are those inside; the tunnel's are no
// flow's. What has no room for addresses is not looked at.
static void
test_pinned(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const struct leaf leaf = {.version = versions[i & 1], .full = i & 2};
		const struct frame f = {.dport = ROCE_UDP_PORT, .ip6 = i & 4, .bytes = 200};
		const struct wrapped w = wrap_to_far(leaf.version);
		const uint32_t inside = 14 + (leaf.version == 6 ? 70 : 50);
		struct tables *t = spine_tables(&leaf, false);
		uint8_t frame[BUILT_MAX], *ip = frame + inside;
		const uint32_t bytes = wrap_frame(frame, &w, &f);
		struct harness h;

		assert_int_equal(pins_create(&t->pins, 2), 0);
		t->groups[LEAF_PORTS].pinned = true;
		assert_true(pins_add(t->pins, (uint8_t)leaf.version, w.from, w.to, 1));
		assert_true(pins_add(t->pins, f.ip6 ? 6 : 4, ip + (f.ip6 ? 8 : 12),
				     ip + (f.ip6 ? 24 : 16), 3));
		harness_open(&h, t);
		for (uint16_t k = 0; k < 20; k++) {
			write16(frame + inside - 14 - 16, 49152u + k); // the tunnel's source port
			put_bytes(&h, 0, frame, bytes);
		}
		assert_int_equal(harness_drain(&h, 3), 20);
		if (f.ip6) {
			struct rte_mbuf *m = packet_of(&h, frame, bytes);

			packet_meta(m)->data_len = (uint16_t)(inside + 39);
			harness_put(&h, 0, m, h.now + 1000);
			harness_run(&h, h.now + PS_PER_US);
			m = take_any(&h);
			assert_int_equal(packet_meta(m)->inner_l3_off, 0);
			packet_free(h.pool, m);
		}
		harness_check(&h);
		harness_close(&h);
	}
}

// Puts what left one switch on the wire into a port of the next.
static void
carry(struct harness *from, struct rte_mbuf *m, struct harness *to, unsigned int port)
{
	struct rte_mbuf *there = packet_alloc(to->pool);

	assert_non_null(there);
	memcpy(there + 1, m + 1, PACKET_META_BYTES + 1024);
	packet_free(from->pool, m);
	memcpy(packet_data(there), harness_leaf_mac, 6);
	memcpy(packet_data(there) + 6, harness_host_mac, 6);
	harness_put(to, port, there, 1000);
	harness_run(to, PS_PER_US);
}

// The ICRC of the frame whose Ethernet header stands at `at`, as a capture has it and as a device
// does; 0: it is right.
static int
verify(struct rte_mbuf *m, uint32_t at)
{
	const uint32_t bytes = packet_meta(m)->wire_bytes;
	uint8_t whole[BUILT_MAX], part[BUILT_MAX];

	assert_int_equal(payload_copy(m, whole, bytes), 0);
	assert_int_equal(payload_copy(m, part, at + 20), 0);
	assert_memory_equal(part, whole, at + 20);
	return icrc_verify(whole + at, bytes - at);
}

// Near leaf, spine, far leaf: the payload is written nowhere, and wherever it were, the ICRC inside
// is right, also of what is dropped.
static void
test_unsent(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const unsigned int version = versions[i & 1];
		const bool ip6 = i & 2, spoiled = i & 4;
		const struct leaf near = {.version = version},
				  far = {.version = version, .far = true};
		const uint32_t headers = version == 6 ? 70 : 50;
		struct harness a, s, b;
		struct rte_mbuf *m;
		uint32_t bytes;

		harness_open(&a, leaf_tables(&near));
		harness_open(&s, spine_tables(&near, true));
		harness_open(&b, leaf_tables(&far));
		m = make_unsent(&a, ip6, 1000);
		bytes = packet_meta(m)->wire_bytes;
		assert_int_equal(verify(m, 0), 0);
		if (spoiled) {
			a.out[UPLINK]->corrupt_payload = UINT32_MAX;
			wire_update_special(a.out[UPLINK]);
		}
		harness_put(&a, 0, m, 1000);
		harness_run(&a, PS_PER_US);
		m = take_any(&a);
		assert_int_equal(packet_meta(m)->wire_bytes, bytes + headers);
		assert_int_equal(verify(m, headers), spoiled ? -EBADMSG : 0);
		carry(&a, m, &s, 0);
		m = take_any(&s);
		assert_int_equal(verify(m, headers), spoiled ? -EBADMSG : 0);
		carry(&s, m, &b, UPLINK);
		m = take_any(&b);
		assert_int_equal(packet_meta(m)->wire_bytes, bytes);
		assert_int_equal(verify(m, 0), spoiled ? -EBADMSG : 0);
		assert_int_equal(payload_write(m, b.pool->data_room), 0);
		assert_int_equal(icrc_verify(packet_data(m), bytes), spoiled ? -EBADMSG : 0);
		packet_free(b.pool, m);
		harness_close(&a);
		harness_close(&s);
		harness_close(&b);
	}
}

static int drop_verdict;

static void
note_dropped(void *context, struct node *node, struct rte_mbuf *m, enum drop_reason reason, ps_t at)
{
	(void)context;
	(void)node;
	(void)at;
	assert_int_equal(reason, DROP_UNKNOWN_VNI);
	drop_verdict = verify(m, 50);
}

static void
test_unsent_dropped(void **state)
{
	const struct node_tap tap = {.dropped = note_dropped};
	const struct leaf near = {.version = 4}, far = {.version = 4, .far = true};
	struct harness a, b;

	(void)state;
	harness_open(&a, leaf_tables(&near));
	harness_open(&b, leaf_tables(&far));
	b.node->tap = &tap;
	a.tables->tunnels->encaps[1].vni = 777;
	harness_put(&a, 0, make_unsent(&a, false, 1000), 1000);
	harness_run(&a, PS_PER_US);
	drop_verdict = 1;
	carry(&a, take_any(&a), &b, UPLINK);
	assert_int_equal(drop_verdict, 0);
	harness_close(&a);
	harness_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spray),          cmocka_unit_test(test_hash),
		cmocka_unit_test(test_pinned),         cmocka_unit_test(test_passes),
		cmocka_unit_test(test_not_trimmed),    cmocka_unit_test(test_unsent),
		cmocka_unit_test(test_unsent_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
