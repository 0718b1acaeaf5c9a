// SPDX-License-Identifier: BSD-3-Clause
// Which priority, group and class a packet gets, by what is trusted and what it carries.
#include "../harness.h"

#include "dataplane/stages/classify.h"

struct trust {
	bool dscp;
	bool pcp;
	bool pcp_first;
};

// The priority of a packet with DSCP 26 (3) and, if tagged, PCP 5, at a port of priority 1.
static unsigned int
priority_of(struct trust trust, bool tagged, bool ip6)
{
	struct tables *t = harness_tables(2);
	const struct frame f = {.to = 1, .dscp = 26, .vlan_pcp = tagged ? 8 + 5 : 0, .ip6 = ip6};
	struct port_profile *p = harness_profile(t);
	struct rte_mbuf *m;
	struct harness h;
	unsigned int priority;

	p->trust_dscp = trust.dscp;
	p->trust_pcp = trust.pcp;
	p->pcp_first = trust.pcp_first;
	p->port_priority = 1;
	t->priority_to_pg[3] = 7;
	t->priority_to_tc[3] = 2;
	harness_open(&h, t);
	harness_put(&h, 0, harness_frame(&h, &f), 1000);
	harness_run(&h, PS_PER_US);
	m = harness_take(&h, 1, NULL);
	assert_non_null(m);
	priority = packet_meta(m)->priority;
	assert_int_equal(packet_meta(m)->pg, priority == 3 ? 7 : priority);
	assert_int_equal(packet_meta(m)->tc, priority == 3 ? 2 : priority);
	assert_int_equal(h.node->ports[0].groups[packet_meta(m)->pg].packets, 1);
	assert_int_equal(h.node->ports[1].queues[packet_meta(m)->tc].packets, 1);
	packet_free(h.pool, m);
	harness_close(&h);
	return priority;
}

static void
test_trust(void **state)
{
	const struct trust none = {0}, dscp = {.dscp = true}, pcp = {.pcp = true},
			   dscp_pcp = {.dscp = true, .pcp = true},
			   pcp_dscp = {.dscp = true, .pcp = true, .pcp_first = true};

	(void)state;
	for (unsigned int ip6 = 0; ip6 < 2; ip6++) {
		assert_int_equal(priority_of(none, true, ip6), 1);
		assert_int_equal(priority_of(none, false, ip6), 1);
		assert_int_equal(priority_of(dscp, true, ip6), 3);
		assert_int_equal(priority_of(dscp, false, ip6), 3);
		assert_int_equal(priority_of(pcp, true, ip6), 5);
		assert_int_equal(priority_of(pcp, false, ip6), 1);
		assert_int_equal(priority_of(dscp_pcp, true, ip6), 3);
		assert_int_equal(priority_of(dscp_pcp, false, ip6), 3);
		assert_int_equal(priority_of(pcp_dscp, true, ip6), 5);
		assert_int_equal(priority_of(pcp_dscp, false, ip6), 3);
	}
}

// Every DSCP and every PCP goes by its own map.
static void
test_maps(void **state)
{
	struct tables *t = harness_tables(2);
	struct port_profile *p = harness_own_profile(t, 0);
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	p->trust_pcp = p->pcp_first = true;
	for (unsigned int i = 0; i < 64; i++)
		p->dscp_to_priority[i] = (uint8_t)(i * 5 % 8);
	for (unsigned int i = 0; i < 8; i++)
		p->pcp_to_priority[i] = (uint8_t)(7 - i);
	harness_open(&h, t);
	for (unsigned int i = 0; i < 64 + 8; i++) {
		const struct frame f = {.to = 1,
					.dscp = (uint8_t)(i % 64),
					.vlan_pcp = (uint16_t)(i < 64 ? 0 : i - 56)};

		harness_put(&h, 0, harness_frame(&h, &f), h.now);
		harness_run(&h, h.now + PS_PER_US);
		m = harness_take(&h, 1, NULL);
		assert_non_null(m);
		assert_int_equal(packet_meta(m)->priority, i < 64 ? i * 5 % 8 : 7 - (i - 64));
		packet_free(h.pool, m);
	}
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trust),
		cmocka_unit_test(test_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
