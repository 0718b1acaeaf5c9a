// SPDX-License-Identifier: BSD-3-Clause
// What DSCP and PCP become on the way out, and that nothing else does.
#include "../harness.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/roce/icrc.h"
#include "dataplane/node/ports.h"

#include <string.h>

static struct port_profile *
remarking(struct tables *t)
{
	struct port_profile *p = harness_own_profile(t, 1);

	p->remarks = true;
	memset(&p->remark, REMARK_LEAVE, sizeof(p->remark));
	return p;
}

// Sends the frame through port 1 and expects this DSCP, ECN and PCP; returns the packet's bytes.
static void
expect(struct harness *h, const struct frame *f, uint8_t dscp, uint8_t ecn, uint8_t pcp)
{
	uint8_t expected[PACKET_FRAME_MAX], *ip;
	struct frame changed = *f;
	struct rte_mbuf *m = harness_frame(h, f);
	uint32_t bytes;

	icrc_write(packet_data(m), packet_meta(m)->data_len);
	harness_put(h, 0, m, h->now);
	harness_run(h, h->now + PS_PER_US);
	m = harness_take(h, 1, NULL);
	assert_non_null(m);

	changed.dscp = dscp;
	changed.ecn = ecn;
	changed.ttl = 63;
	if (f->vlan_pcp != 0)
		changed.vlan_pcp = 8 + pcp;
	bytes = harness_write_frame(expected, &changed);
	icrc_write(expected, bytes);
	memcpy(expected, packet_data(m), 12); // routed
	if (f->vlan_pcp != 0)
		expected[14] |= packet_data(m)[14] & 0x10; // DEI is not ours
	assert_memory_equal(packet_data(m), expected, bytes);
	assert_int_equal(packet_meta(m)->dscp, f->dscp); // as it came in
	if (f->vlan_pcp != 0)
		assert_int_equal(packet_meta(m)->pcp, f->vlan_pcp & 7);
	ip = packet_data(m) + packet_meta(m)->l3_off;
	if (!f->ip6) {
		uint16_t checksum = checksum_ipv4_header(ip, 20);

		assert_memory_equal(ip + 10, &checksum, 2);
	}
	if (f->dport == ROCE_UDP_PORT)
		assert_int_equal(icrc_verify(packet_data(m), bytes), 0);
	packet_free(h->pool, m);
	harness_check(h);
}

// Every DSCP to every other by priority; ECN stays, IPv4 and IPv6, tagged and not.
static void
test_dscp(void **state)
{
	struct tables *t = harness_tables(2);
	struct port_profile *p = remarking(t);
	struct harness h;

	(void)state;
	for (unsigned int i = 0; i < PRIORITIES; i++)
		p->remark.dscp[i] = (uint8_t)(63 - 9 * i);
	harness_open(&h, t);
	for (unsigned int i = 0; i < 64 * 4; i++) {
		const struct frame f = {.to = 1,
					.dscp = (uint8_t)(i / 4),
					.ecn = i & 3,
					.ip6 = i >> 1 & 1,
					.vlan_pcp = i & 1 ? 8 + 2 : 0,
					.dport = ROCE_UDP_PORT,
					.opcode = ROCE_OP_WRITE_MIDDLE,
					.id = (uint16_t)(i * 259)};

		expect(&h, &f, p->remark.dscp[f.dscp / 8], f.ecn, 2);
	}
	harness_close(&h);
}

// PCP where the frame is tagged; a priority that is not listed keeps both.
static void
test_pcp(void **state)
{
	struct tables *t = harness_tables(2);
	struct port_profile *p = remarking(t);
	struct harness h;

	(void)state;
	p->remark.pcp[3] = 5;
	p->remark.dscp[3] = 26;
	harness_open(&h, t);
	expect(&h, &(struct frame){.to = 1, .dscp = 24, .vlan_pcp = 8 + 1}, 26, 0, 5);
	expect(&h, &(struct frame){.to = 1, .dscp = 24, .vlan_pcp = 8 + 1, .ip6 = true}, 26, 0, 5);
	expect(&h, &(struct frame){.to = 1, .dscp = 24, .ecn = 2}, 26, 2, 0);
	expect(&h, &(struct frame){.to = 1, .dscp = 16, .vlan_pcp = 8 + 1}, 16, 0, 1);
	harness_close(&h);
}

// By the way out, and off by default.
static void
test_by_port(void **state)
{
	struct tables *t = harness_tables(3);
	struct port_profile *p = remarking(t);
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	p->remark.dscp[0] = 40;
	harness_open(&h, t);
	// Comes in by it, leaves by another.
	harness_put(&h, 1, harness_frame(&h, &(struct frame){.to = 2}), 0);
	harness_run(&h, PS_PER_US);
	m = harness_take(&h, 2, NULL);
	assert_int_equal(packet_data(m)[15], 0);
	packet_free(h.pool, m);
	expect(&h, &(struct frame){.to = 1}, 40, 0, 0);
	harness_close(&h);
}

// ECN marks the frame that was remarked.
static void
test_then_marked(void **state)
{
	struct tables *t = harness_tables(2);
	struct port_profile *p = remarking(t);
	struct harness h;
	struct rte_mbuf *m;
	uint16_t checksum;

	(void)state;
	p->remark.dscp[0] = 42;
	p->tc[0].ecn = (struct ecn_profile){.enabled = true, .cell = 1};
	harness_open(&h, t);
	node_set_tx_off(h.node, &h.node->ports[1], 0xff, 0);
	for (unsigned int i = 0; i < 2; i++)
		harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .ecn = 2}), 0);
	harness_run(&h, 1);
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, PS_PER_US);
	m = harness_take(&h, 1, NULL);
	assert_int_equal(packet_data(m)[15], 42 << 2 | 3);
	checksum = checksum_ipv4_header(packet_data(m) + 14, 20);
	assert_memory_equal(packet_data(m) + 24, &checksum, 2);
	packet_free(h.pool, m);
	harness_drain(&h, 1);
	harness_close(&h);
}

// A trimmed packet keeps the DSCP that says so.
static void
test_not_trimmed_packets(void **state)
{
	struct tables *t = harness_tables(2);
	struct port_profile *p = remarking(t);
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	p->remark.dscp[0] = 42;
	p->remark.pcp[0] = 6;
	p->tc[0].threshold = (struct threshold){.down = 63, .pool = POOL_EGRESS_LOSSY};
	t->trim = (struct trim_profile){.size = 256, .dscp = 11, .tc = 4, .eligible = 1};
	harness_open(&h, t);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .vlan_pcp = 8 + 1}), 0);
	harness_run(&h, PS_PER_US);
	m = harness_take(&h, 1, NULL);
	assert_int_equal(packet_data(m)[19], 11 << 2);
	assert_int_equal(packet_data(m)[14] >> 5, 6);
	packet_free(h.pool, m);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dscp),
		cmocka_unit_test(test_pcp),
		cmocka_unit_test(test_by_port),
		cmocka_unit_test(test_then_marked),
		cmocka_unit_test(test_not_trimmed_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
