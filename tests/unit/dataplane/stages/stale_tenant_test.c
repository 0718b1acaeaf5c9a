// SPDX-License-Identifier: BSD-3-Clause
// Hosts that have left their VRF: what is under way between them and it goes no further, and
// nothing else is touched.
#include "tunnels.h"

#include "dataplane/stages/stale_tenant.h"
#include "dataplane/node/ports.h"

#define EPOCH 7
#define EVERY_QUEUE 0xff

// In this epoch 10.0.0.2 and fd00::2 have left red, which goes in VXLAN, and 10.0.1.2 blue, which
// goes in VLAN 102.
static struct stale_hosts *
three_moved(uint16_t epoch)
{
	const struct stale_host hosts[] = {
		{ENCAP_VXLAN, VNI_RED, VRF_RED, epoch, 6, {0xfd, [15] = 2}},
		{ENCAP_VLAN, VLAN_BLUE, VRF_BLUE, epoch, 4, {10, 0, 1, 2}},
		{ENCAP_VXLAN, VNI_RED, VRF_RED, epoch, 4, {10, 0, 0, 2}},
	};
	struct stale_hosts *moved = NULL;

	assert_int_equal(stale_hosts_create(&moved, hosts, 3), 0);
	assert_int_equal(moved->count, 3);
	return moved;
}

static struct tables *
moved_leaf(const struct leaf *leaf, uint16_t epoch)
{
	struct tables *t = leaf_tables(leaf);

	t->stale_hosts = three_moved(epoch);
	t->epoch = epoch;
	return t;
}

// Whether what comes by a spine is dropped for it.
static bool
is_dropped(struct harness *h, const uint8_t *frame, uint32_t bytes, uint16_t epoch)
{
	const uint64_t before = harness_drops(h, UPLINK, DROP_TENANT_MOVED);
	struct rte_mbuf *m = packet_of(h, frame, bytes);
	unsigned int left = 0;

	packet_meta(m)->epoch = epoch;
	harness_put(h, UPLINK, m, h->now + 1000);
	harness_run(h, h->now + PS_PER_US);
	for (unsigned int port = 0; port < LEAF_PORTS; port++)
		left += harness_drain(h, port);
	assert_int_equal(left + harness_drops(h, UPLINK, DROP_TENANT_MOVED) - before, 1);
	harness_check(h);
	return left == 0;
}

// By the addresses and the VRF, in a tunnel that ends here or passes, older than the tables only.
static void
test_tunnels(void **state)
{
	static const struct {
		uint32_t vni;
		uint16_t epoch; // of the packet, when that of the tables is EPOCH
		uint8_t to;     // 10.0.TO.2, fd00:0:0:TO::2
		bool ip6;
		bool from; // the other way round
		bool dropped;
	} cases[] = {
		{VNI_RED, EPOCH - 1, 0, false, false, true},
		{VNI_RED, EPOCH - 1, 0, true, false, true},
		{VNI_RED, EPOCH - 1, 0, false, true, true},
		{VNI_RED, EPOCH - 1, 0, true, true, true},
		{VNI_RED, 0, 0, false, false, true},
		{VNI_RED, 40000, 0, false, false, true},
		{VNI_RED, EPOCH, 0, false, false, false},
		{VNI_RED, EPOCH + 1, 0, false, false, false}, // of a switch that is ahead
		{VNI_BLUE, EPOCH - 1, 0, false, false, false},
		{VNI_BLUE, EPOCH - 1, 0, true, false, false},
		{VNI_RED, EPOCH - 1, 1, false, false, false},
		{VNI_BLUE, EPOCH - 1, 1, false, true, true}, // opened: of blue, however it came
	};

	(void)state;
	for (unsigned int i = 0; i < 4 * sizeof(cases) / sizeof(cases[0]); i++) {
		const struct leaf leaf = {.version = i & 1 ? 6 : 4, .full = i & 2};
		const unsigned int c = i / 4;
		const struct frame f = {.to = cases[c].to, .ip6 = cases[c].ip6};
		struct wrapped w = wrap_to_near(leaf.version);
		uint8_t inside[BUILT_MAX], frame[BUILT_MAX], source[16];
		uint8_t *ip = inside + 14 + (f.ip6 ? 8 : 12);
		const uint32_t bytes = f.ip6 ? 16 : 4;
		struct harness h;
		uint32_t length = harness_write_frame(inside, &f);

		if (cases[c].from) { // the sums of both are equal
			memcpy(source, ip, bytes);
			memcpy(ip, ip + bytes, bytes);
			memcpy(ip + bytes, source, bytes);
			// Where it can be routed to: 10.9.0.1 and fd00:0009:: are nowhere.
			memcpy(ip + bytes,
			       f.ip6 ? (uint8_t[16]){0xfd, [15] = 9} : (uint8_t[16]){10, 0, 9, 9},
			       bytes);
			if (!f.ip6) {
				uint16_t sum = checksum_ipv4_header(inside + 14, 20);

				memcpy(inside + 24, &sum, 2);
			}
		}
		w.vni = cases[c].vni;
		length = wrap(frame, &w, inside + 14, length - 14);
		harness_open(&h, moved_leaf(&leaf, EPOCH));
		assert_int_equal(is_dropped(&h, frame, length, cases[c].epoch), cases[c].dropped);
		harness_close(&h);
	}
}

// Where it only passes it is known by the VNI alone.
static void
test_passing(void **state)
{
	const struct leaf leaf = {.version = 4};
	struct tables *t = moved_leaf(&leaf, EPOCH);
	struct wrapped w = wrap_to_near(4);
	const struct lpm_prefix prefix = {.addr = {172, 16}, .len = 16, .value = UPLINK};
	uint8_t frame[BUILT_MAX];
	struct harness h;
	uint32_t bytes;

	(void)state;
	t->tunnels->version = 0;
	lpm_destroy(t->vrfs[0].ip4);
	assert_int_equal(lpm_build(&t->vrfs[0].ip4, &prefix, 1, 32), 0);
	for (uint32_t i = 0; i < t->stale_hosts->count; i++)
		t->stale_hosts->hosts[i].vrf = VRF_NONE;
	harness_open(&h, t);
	bytes = wrap_frame(frame, &w, &(struct frame){.to = 0});
	assert_true(is_dropped(&h, frame, bytes, EPOCH - 1));
	assert_false(is_dropped(&h, frame, bytes, EPOCH));
	frame[42] = 0; // nobody can tell what this is
	assert_false(is_dropped(&h, frame, bytes, EPOCH - 1));
	w.vni = VNI_BLUE;
	bytes = wrap_frame(frame, &w, &(struct frame){.to = 0});
	assert_false(is_dropped(&h, frame, bytes, EPOCH - 1));
	harness_close(&h);
}

static void
test_tags_and_plain(void **state)
{
	const struct leaf leaf = {.version = 4};
	struct tables *t = moved_leaf(&leaf, EPOCH);
	uint8_t frame[BUILT_MAX];
	struct harness h;

	(void)state;
	harness_open(&h, t);
	for (unsigned int to = 0; to < 2; to++) {
		harness_write_frame(frame, &(struct frame){.to = to, .vlan_pcp = 8});
		write16(frame + 14, VLAN_BLUE);
		assert_int_equal(is_dropped(&h, frame, 300, EPOCH - 1), to == 1);
		write16(frame + 14, VLAN_RED);
		assert_int_equal(is_dropped(&h, frame, 300, EPOCH - 1), to == 0);
		harness_write_frame(frame, &(struct frame){.to = to});
		assert_false(is_dropped(&h, frame, 300, EPOCH - 1)); // of neither
	}
	// One of a tenant that goes plain.
	t->stale_hosts->hosts[0].kind = ENCAP_NONE;
	t->stale_hosts->hosts[0].vrf = VRF_RED;
	harness_write_frame(frame, &(struct frame){.to = 0});
	assert_true(is_dropped(&h, frame, 300, EPOCH - 1));
	assert_false(is_dropped(&h, frame, 300, EPOCH));
	harness_write_frame(frame, &(struct frame){.to = 1});
	assert_false(is_dropped(&h, frame, 300, EPOCH - 1));
	harness_close(&h);
}

// What a host sends is admitted by these tables, whoever it is.
static void
test_hosts(void **state)
{
	const struct leaf leaf = {.version = 4};
	struct harness h;

	(void)state;
	harness_open(&h, moved_leaf(&leaf, EPOCH));
	put_frame(&h, 0, &(struct frame){.to = 0});
	assert_int_equal(harness_drain(&h, 0), 1);
	harness_close(&h);
}

// An IP packet from 10.0.0.SOURCE to `to`, as a frame of `bytes`.
static void
write_between(uint8_t *frame, uint8_t source, const uint8_t to[4], uint32_t bytes, uint16_t id)
{
	uint16_t sum;

	harness_write_frame(frame, &(struct frame){.dscp = 24, .id = id, .bytes = bytes});
	memcpy(frame + 26, (uint8_t[4]){10, 0, 0, source}, 4);
	memcpy(frame + 30, to, 4);
	sum = checksum_ipv4_header(frame + 14, 20);
	memcpy(frame + 24, &sum, 2);
}

// Eight packets that wait. Six are for port 0, by the leaf itself or by a spine, those with even
// IDs for the host that will have left; two go out in a tunnel, one of them from it.
static void
put_eight(struct harness *h)
{
	const struct wrapped w = wrap_to_near(4);
	const struct wrapped tunnel = {.version = 4,
				       .vni = w.vni,
				       .tos = 24 << 2,
				       .from = w.from,
				       .to = w.to,
				       .inner_from = w.inner_from,
				       .inner_to = w.inner_to};
	uint8_t frame[BUILT_MAX], inside[BUILT_MAX];

	for (unsigned int port = 0; port < LEAF_PORTS; port++)
		node_set_tx_off(h->node, &h->node->ports[port], EVERY_QUEUE, 0);
	for (uint8_t id = 0; id < 6; id++) {
		const uint8_t to[4] = {10, 0, 0, id % 2 ? 3 : 2};

		write_between(inside, 9, to, 200u + id, id);
		if (id % 3 == 0)
			put_bytes(h, 0, inside, 200u + id);
		else
			put_bytes(h, UPLINK, frame, wrap(frame, &tunnel, inside + 14, 186u + id));
	}
	for (uint8_t source = 2; source < 4; source++) {
		write_between(inside, source, (const uint8_t[4]){10, 7, 0, 1}, 300, 0);
		put_bytes(h, 0, inside, 300);
	}
	assert_int_equal(node_queued(h->node), 8);
}

// More than 800 bytes of a port in group 3 pause it, 600 let it go on.
static void
set_pauses(struct tables *t, bool fair)
{
	struct port_profile *p = harness_profile(t);

	p->pg[3].threshold.fixed = 800;
	p->pg[3].threshold.down = 63;
	p->pg[3].xon = 600;
	p->fair = fair ? 1 << 3 : 0;
}

static void
expect_xon(struct harness *h, unsigned int port)
{
	struct rte_mbuf *m = harness_take(h, port, NULL);
	uint16_t quanta[PRIORITIES];

	assert_int_equal(harness_read_pfc(h, port, m, quanta), 1 << 3);
	assert_int_equal(quanta[3], 0);
	packet_free(h->pool, m);
}

// What waits is dropped when the tables are taken over: wherever it is going, of whichever port it
// came; the rest keeps its order, and what was held for the others is given back, so that XOFFs
// end.
static void
test_purge(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct leaf leaf = {.version = 4, .full = i & 1};
		struct tables *before = leaf_tables(&leaf), *after = moved_leaf(&leaf, EPOCH);
		uint8_t frame[BUILT_MAX];
		struct harness h;

		before->epoch = EPOCH - 1;
		set_pauses(before, i & 2);
		set_pauses(after, i & 2);
		harness_open(&h, before);
		put_eight(&h);
		assert_true(h.node->ports[0].groups[3].xoff);
		assert_true(h.node->ports[UPLINK].groups[3].xoff);
		harness_drain(&h, 0);
		harness_drain(&h, UPLINK);

		harness_adopt(&h, after);
		assert_int_equal(node_queued(h.node), 4);
		assert_int_equal(h.node->ports[0].queues[3].dropped, 3);
		assert_int_equal(h.node->ports[UPLINK].queues[3].dropped, 1);
		assert_int_equal(harness_drops(&h, 0, DROP_TENANT_MOVED), 2);
		assert_int_equal(harness_drops(&h, UPLINK, DROP_TENANT_MOVED), 2);
		assert_int_equal(h.node->buffer.tenants[0].dropped, 4);
		harness_check(&h);
		harness_run(&h, h.now + PS_PER_US);
		expect_xon(&h, 0);
		expect_xon(&h, UPLINK);
		for (unsigned int port = 0; port < LEAF_PORTS; port++)
			node_set_tx_off(h.node, &h.node->ports[port], 0, h.now);
		harness_run(&h, h.now + PS_PER_US);
		for (uint8_t id = 1; id < 6; id += 2) {
			assert_int_equal(take_bytes(&h, 0, frame), 200u + id);
			assert_int_equal(frame[19], id);
		}
		assert_int_equal(take_bytes(&h, 0, frame), 0);
		assert_int_equal(take_bytes(&h, UPLINK, frame), 350);
		assert_int_equal(frame[64 + 15], 3); // of the source that stays
		assert_int_equal(take_bytes(&h, UPLINK, frame), 0);
		harness_check(&h);
		harness_close(&h);
	}
}

// A host's own epoch counts, not that of the tables, which go on while it is listed.
static void
test_each_by_its_epoch(void **state)
{
	const struct leaf leaf = {.version = 4};
	const struct frame f = {.to = 0};
	struct wrapped w = wrap_to_near(leaf.version);
	uint8_t inside[BUILT_MAX], frame[BUILT_MAX];
	uint32_t length = harness_write_frame(inside, &f);
	struct tables *t = moved_leaf(&leaf, EPOCH);
	struct harness h;

	(void)state;
	w.vni = VNI_RED;
	length = wrap(frame, &w, inside + 14, length - 14);
	t->epoch = EPOCH + 5;
	harness_open(&h, t);
	assert_true(is_dropped(&h, frame, length, EPOCH - 1));
	assert_false(is_dropped(&h, frame, length, EPOCH));
	assert_false(is_dropped(&h, frame, length, EPOCH + 4));
	harness_close(&h);
}

// The first of several with one address, by version, kind and VNI; NULL tables are gone already.
static void
test_order(void **state)
{
	const struct stale_host hosts[] = {
		{ENCAP_VXLAN, 9, 1, 3, 6, {1}},       {ENCAP_VXLAN, 9, 1, 3, 4, {2}},
		{ENCAP_VXLAN, 9, 1, 3, 4, {1}},       {ENCAP_VXLAN, 8, 1, 3, 4, {1}},
		{ENCAP_NONE, 0, VRF_NONE, 3, 4, {1}},
	};
	struct stale_hosts *moved = NULL;

	(void)state;
	assert_int_equal(stale_hosts_create(&moved, hosts, 5), 0);
	for (unsigned int i = 0; i < 5; i++)
		assert_memory_equal(&moved->hosts[i], &hosts[4 - i], sizeof(hosts[0]));
	for (unsigned int i = 0; i + 1 < 5; i++)
		assert_true(stale_host_compare(&moved->hosts[i], &moved->hosts[i + 1]) < 0);
	assert_int_equal(stale_host_compare(&moved->hosts[2], &moved->hosts[2]), 0);
	stale_hosts_destroy(moved);
	stale_hosts_destroy(NULL);
	assert_int_equal(stale_hosts_create(&moved, NULL, 0), 0);
	assert_int_equal(moved->count, 0);
	stale_hosts_destroy(moved);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tunnels),
		cmocka_unit_test(test_passing),
		cmocka_unit_test(test_tags_and_plain),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_purge),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_each_by_its_epoch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
