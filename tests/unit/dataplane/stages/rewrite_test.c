// SPDX-License-Identifier: BSD-3-Clause
// Which bytes of a frame a router changes, and that it changes no other.
#include "../harness.h"

#include "dataplane/stages/rewrite.h"
#include "dataplane/stages/parse.h"

#include <string.h>

static const uint8_t hop_mac[6] = {0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0xee};
static const uint8_t port_mac[6] = {0x02, 0x12, 0x34, 0x56, 0x78, 0x9a};

static void
open_leaf(struct harness *h)
{
	struct tables *t = harness_tables(3);

	memcpy(t->next_hops[2].mac, hop_mac, 6);
	memcpy(t->ports[2].mac, port_mac, 6);
	harness_open(h, t);
}

// Rewrites the frame on its way to port 2. The MACs and the `count` bytes from `at` may change;
// returns the packet, to be freed.
static struct rte_mbuf *
rewrite(struct harness *h, const struct frame *f, unsigned int at, unsigned int count)
{
	struct rte_mbuf *m = harness_frame(h, f);
	struct packet_meta *meta = packet_meta(m);
	uint8_t before[2048], *data = packet_data(m);

	assert_int_equal(stage_parse(h->node, &h->node->ports[0], m, 0), STAGE_NEXT);
	meta->group = 2;
	meta->out_port = 2;
	memcpy(before, data, meta->data_len);
	assert_int_equal(stage_rewrite(h->node, &h->node->ports[0], m, 0, 0), STAGE_NEXT);
	assert_memory_equal(data, hop_mac, 6);
	assert_memory_equal(data + 6, port_mac, 6);
	memcpy(before, data, 12);
	memcpy(before + at, data + at, count);
	assert_memory_equal(data, before, meta->data_len);
	return m;
}

// TTL and, from a header summed anew, the checksum; byte 9, the protocol, lies between them.
static void
expect_ip4(struct harness *h, struct rte_mbuf *m, unsigned int l3, unsigned int ttl)
{
	const uint8_t *ip = packet_data(m) + l3;
	uint16_t checksum = checksum_ipv4_header(ip, 20);

	assert_int_equal(ip[8], ttl - 1);
	assert_int_equal(ip[9], 17);
	assert_memory_equal(ip + 10, &checksum, 2);
	packet_free(h->pool, m);
}

// Every TTL that may be routed, under several checksums.
static void
test_ip4(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h);
	for (unsigned int ttl = 2; ttl < 256; ttl++)
		for (unsigned int id = 0; id < 4; id++) {
			const struct frame f = {.to = 2,
						.ttl = (uint8_t)ttl,
						.dscp = 26,
						.ecn = 2,
						.id = (uint16_t)(id * 0x5555 + ttl)};

			expect_ip4(&h, rewrite(&h, &f, 14 + 8, 4), 14, ttl);
		}
	harness_close(&h);
}

static void
test_ip6(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h);
	for (unsigned int ttl = 2; ttl < 256; ttl++) {
		const struct frame f = {
			.to = 2, .ttl = (uint8_t)ttl, .dscp = 26, .ecn = 2, .ip6 = true};
		struct rte_mbuf *m = rewrite(&h, &f, 14 + 7, 1);

		assert_int_equal(packet_data(m)[14 + 7], ttl - 1);
		packet_free(h.pool, m);
	}
	harness_close(&h);
}

// The tag stays as it is, the headers are behind it.
static void
test_tagged(void **state)
{
	const struct frame ip4 = {.to = 2, .vlan_pcp = 8 + 5},
			   ip6 = {.to = 2, .vlan_pcp = 8 + 5, .ip6 = true};
	struct rte_mbuf *m;
	struct harness h;

	(void)state;
	open_leaf(&h);
	expect_ip4(&h, rewrite(&h, &ip4, 18 + 8, 4), 18, 64);
	m = rewrite(&h, &ip6, 18 + 7, 1);
	assert_int_equal(packet_data(m)[18 + 7], 63);
	assert_memory_equal(packet_data(m) + 12, "\x81\x00\xa0\x64\x86\xdd", 6); // PCP 5, VLAN 100
	packet_free(h.pool, m);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ip4),
		cmocka_unit_test(test_ip6),
		cmocka_unit_test(test_tagged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
