// SPDX-License-Identifier: BSD-3-Clause
// Every DSCP made of every other: of the whole packet just its bits and the checksum change.
#include "tests/unit/dataplane/harness.h"

#include "dataplane/base/dscp.h"
#include "dataplane/stages/parse.h"

static void
expect_set(struct harness *h, const struct frame *f, uint8_t dscp)
{
	struct rte_mbuf *m = harness_frame(h, f);
	struct frame changed = *f;
	uint8_t expected[300];

	if (f->ip6) // the flow label's first bits stand beside the traffic class
		packet_data(m)[15] |= 0x0a;
	assert_int_equal(stage_parse(h->node, &h->node->ports[0], m, 0), STAGE_NEXT);
	dscp_set(m, dscp);
	changed.dscp = dscp;
	harness_write_frame(expected, &changed);
	if (f->ip6)
		expected[15] |= 0x0a;
	assert_memory_equal(packet_data(m), expected, 300);
	assert_int_equal(packet_meta(m)->dscp, f->dscp);
	packet_free(h->pool, m);
}

static void
test_every_dscp(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(1));
	for (unsigned int from = 0; from < 64; from++)
		for (unsigned int to = 0; to < 64; to++)
			for (unsigned int ip6 = 0; ip6 < 2; ip6++)
				expect_set(&h,
					   &(struct frame){.dscp = (uint8_t)from,
							   .ecn = (uint8_t)((from + to) & 3),
							   .ip6 = ip6,
							   .id = (uint16_t)(from * 1021 + to)},
					   (uint8_t)to);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_dscp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
