// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static void
pools_of_one_side_share_the_buffer(void **state)
{
	(void)state;
	expect_messages(
		SINGLE
		"  buffer: {pools: {ingress-lossless: {size: 60%}, ingress-lossy: {size: 60%}}}\n",
		"f.yaml:3:73: buffer.pools: ingress-lossless 60% and ingress-lossy 60% are over "
		"100% of "
		"the buffer together\n");
	expect_messages(SINGLE "  buffer: {pools: {ingress-lossless: {size: 60%}}}\n",
			"warning: f.yaml:3:45: buffer.pools: ingress-lossless 60% and "
			"ingress-lossy 50% (not "
			"written) are over 100% of the buffer together\n");
	expect_messages(
		SINGLE "  buffer:\n    size: 1MB\n"
		       "    pools: {egress-lossless: {size: 600KB}, egress-lossy: {size: 500KB}}\n",
		"f.yaml:5:66: buffer.pools: egress-lossless 600000B and egress-lossy 500000B are "
		"over "
		"100% of the buffer together\n");
	expect_messages(
		SINGLE
		"  buffer: {pools: {ingress-lossless: {size: 40%}, ingress-lossy: {size: 60%}}}\n",
		"");
}

static void
sizes_fit_the_buffer(void **state)
{
	(void)state;
	expect_messages(SINGLE "  buffer: {size: 1MB, pools: {egress-lossy: {size: 2MB}}}\n",
			"f.yaml:3:52: buffer.pools.egress-lossy.size: is more than the buffer "
			"(1000000 bytes)\n");
	expect_messages(SINGLE "  buffer: {size: 100B}\n",
			"f.yaml:3:18: buffer.size: is less than one cell (192 bytes)\n");
	expect_messages(SINGLE "  buffer: {size: 3GB, cell: 1}\n",
			"f.yaml:3:18: buffer.size: is more than 2147483647 cells of 1 bytes\n");
	expect_messages(SINGLE "  buffer: {pools: {ingress-lossy: {size: 101%}}}\n",
			"f.yaml:3:42: switch.buffer.pools.ingress-lossy.size: 101% is out of "
			"range: 0% to 100%\n");
}

static void
ecn_thresholds_ascend(void **state)
{
	(void)state;
	expect_messages(SINGLE "  qos: {tc: {1: {ecn: {min: 2KB, max: 1KB}}}}\n",
			"f.yaml:3:39: qos.tc.1.ecn: min (2000 bytes) is above max (1000 bytes)\n");
	expect_messages(SINGLE "  qos: {tc: {1: {ecn: {min: 2KB, max: 2KB}}}}\n", "");
	expect_messages(
		FABRIC "switch: {qos: {tc: {3: {ecn: {max: 90KB}}}}}\n"
		       "leaf2: {qos: {tc: {3: {ecn: {min: 80KB}}}}}\n",
		"f.yaml:2:36: qos.tc.3.ecn: min (150000 bytes) is above max (90000 bytes)\n");
}

static void
what_is_lossless_in_half_is_warned_of(void **state)
{
	(void)state;
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {flow-control: none}\n",
			"warning: f.yaml: qos.pfc.priorities: priority 3 is in lossless group 3, "
			"but PFC is off "
			"for it: it drops when headroom is full\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {pfc: {priorities: [3, 5]}}\n",
			"warning: f.yaml:4:27: qos.pfc.priorities: group 0 of priority 5 is not "
			"lossless: no PFC "
			"is sent for it\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {priority-to-tc: {3: 0}}\n",
			"warning: f.yaml: qos.priority-to-tc: priority 3 is in lossless group 3, "
			"but its class 0 "
			"is in egress-lossy: it may drop there\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pools_of_one_side_share_the_buffer),
		cmocka_unit_test(sizes_fit_the_buffer),
		cmocka_unit_test(ecn_thresholds_ascend),
		cmocka_unit_test(what_is_lossless_in_half_is_warned_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
