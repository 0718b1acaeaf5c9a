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

// Percentages are of what the headroom pool leaves, and mix with bytes.
static void
pools_beside_a_headroom_pool(void **state)
{
	(void)state;
	expect_messages(SINGLE "  buffer:\n    size: 1MB\n    headroom-pool: {size: 200KB}\n"
			       "    pools: {ingress-lossless: {size: 60%}, ingress-lossy: {size: "
			       "320001B}}\n",
			"f.yaml:6:66: buffer.pools: ingress-lossless 60% and ingress-lossy 320001B "
			"are over 100% of the buffer less the headroom pool (800000 bytes) "
			"together\n");
	expect_messages(SINGLE "  buffer:\n    size: 1MB\n    headroom-pool: {size: 200KB}\n"
			       "    pools: {ingress-lossless: {size: 60%}, ingress-lossy: {size: "
			       "320KB}}\n",
			"");
	expect_messages(SINGLE "  buffer:\n    size: 1MB\n    headroom-pool: {size: 200KB}\n"
			       "    pools: {egress-lossy: {size: 900KB}}\n",
			"f.yaml:6:34: buffer.pools.egress-lossy.size: is more than the buffer less "
			"the headroom pool (800000 bytes)\n");
	expect_messages(
		SINGLE "  buffer: {size: 1MB, headroom-pool: {size: 1MB}}\n",
		"f.yaml:3:45: buffer.headroom-pool.size: 1000000 bytes leave nothing of the "
		"buffer (1000000 bytes) to the pools\n");
}

static void
a_pool_of_nothing_takes_nothing(void **state)
{
	(void)state;
	expect_messages(SINGLE "  preset: lossy\n  qos: {pg: {3: {pool: ingress-lossless}}}\n",
			"warning: f.yaml:4:24: qos.pg.3.pool: all of priority 3 drops: its group 3 "
			"is in ingress-lossless, whose size is 0\n");
	expect_messages(
		SINGLE "  preset: lossy\n  qos: {pg: {5: {lossless: true}},"
		       " priority-to-pg: {5: 5}, flow-control: pause}\n",
		"warning: f.yaml:4:56: qos.priority-to-pg.5: all of priority 5 drops: its "
		"group 5 is in ingress-lossless, whose size is 0\n"
		"warning: f.yaml:4:56: qos.priority-to-pg.5: priority 5 is in lossless group "
		"5, but its class 0 is in egress-lossy: it may drop there\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {priority-to-tc: {1: 1}}\n"
			       "  buffer: {pools: {egress-lossy: {size: 0B}}}\n",
			"warning: f.yaml:5:41: buffer.pools.egress-lossy.size: all of priority 0 "
			"drops: its class 0 is "
			"in egress-lossy, whose size is 0\n"
			"warning: f.yaml:5:41: buffer.pools.egress-lossy.size: all of priority 1 "
			"drops: its class 1 is "
			"in egress-lossy, whose size is 0\n"
			"warning: f.yaml:5:41: buffer.pools.egress-lossy.size: all of priority 2 "
			"drops: its class 0 is "
			"in egress-lossy, whose size is 0\n"
			"warning: f.yaml:5:41: buffer.pools.egress-lossy.size: all of priority 4 "
			"drops: its class 0 is "
			"in egress-lossy, whose size is 0\n"
			"warning: f.yaml:5:41: buffer.pools.egress-lossy.size: all of priority 5 "
			"drops: its class 0 is "
			"in egress-lossy, whose size is 0\n"
			"warning: f.yaml:5:41: buffer.pools.egress-lossy.size: all of priority 6 "
			"drops: its class 6 is "
			"in egress-lossy, whose size is 0\n"
			"warning: f.yaml:5:41: buffer.pools.egress-lossy.size: all of priority 7 "
			"drops: its class 0 is "
			"in egress-lossy, whose size is 0\n");
	expect_messages(SINGLE "  preset: lossy\n"
			       "  qos: {pg: {3: {pool: ingress-lossless, reserved: 9KB}}}\n",
			"");
	// A new group finds the one pool there is.
	expect_messages(SINGLE "  preset: spectrum-x\n  preset-mode: lossless-single-pool\n"
			       "  qos: {priority-to-pg: {1: 1}}\n",
			"");
}

static void
modes_are_spectrum_x_s(void **state)
{
	(void)state;
	expect_messages(
		SINGLE "  preset: sonic\n  preset-mode: lossy\n",
		"f.yaml:4:16: preset-mode: lossy is a mode of spectrum-x only: the preset is "
		"sonic\n");
	expect_messages(SINGLE "  preset-mode: lossless-single-pool\n",
			"f.yaml:3:16: preset-mode: lossless-single-pool is a mode of spectrum-x "
			"only: the preset is none\n");
	expect_messages(
		FABRIC "switch: {preset: spectrum-x, preset-mode: lossy}\n"
		       "spine: {preset: lossy}\n",
		"f.yaml:3:17: preset-mode: lossy is a mode of spectrum-x only: the preset is "
		"lossy\n");
	expect_messages(SINGLE "  preset: sonic\n  preset-mode: lossless\n", "");
	expect_messages(SINGLE "  preset: lossy\n", "");
	expect_messages(SINGLE "  preset: spectrum-x\n  preset-mode: lossless-single-pool\n", "");
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

// One port that differs from the rest is named, and of several the first.
static void
what_one_port_has_in_half_is_warned_of(void **state)
{
	(void)state;
	expect_messages(SINGLE "  preset: spectrum-x\n"
			       "  qos: {ports: {swp2: {pfc: {priorities: []}}}}\n",
			"warning: f.yaml:4:42: qos.ports.swp2.pfc.priorities: at swp2, priority 3 "
			"is in lossless group 3, but pfc.priorities does not list it: it drops "
			"when headroom is full\n");
	expect_messages(SINGLE "  preset: spectrum-x\n"
			       "  qos: {ports: {swp4: {pfc: {priorities: [3, 5]}},\n"
			       "    swp2: {pfc: {priorities: [3, 5]}}, swp3: {max-rate: 1G}}}\n",
			"warning: f.yaml:5:30: qos.ports.swp2.pfc.priorities: at swp2 and 1 other "
			"port, group 0 of priority 5 is not lossless: no PFC is sent for it\n");
	// What is wrong everywhere is said once; who sets it right is not warned.
	expect_messages(SINGLE
			"  preset: spectrum-x\n"
			"  qos: {pfc: {priorities: [3, 5]}, ports: {\n"
			"    swp1: {pfc: {priorities: [5, 3]}}, swp2: {pfc: {priorities: [3]}}}}\n",
			"warning: f.yaml:4:27: qos.pfc.priorities: group 0 of priority 5 is not "
			"lossless: no PFC is sent for it\n");
	expect_messages(SINGLE "  preset: spectrum-x\n"
			       "  qos: {ports: {swp1: {pg: {3: {lossless: false}}}}}\n",
			"warning: f.yaml:4:43: qos.ports.swp1.pg.3.lossless: at swp1, group 3 of "
			"priority 3 is not lossless: no PFC is sent for it\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos:\n    ports:\n"
			       "      swp1: {pg: {3: {lossless: false}}, pfc: {priorities: []}}\n"
			       "      swp2: {pg: {3: {alpha: 2}}}\n",
			"");
	expect_messages(
		SINGLE "  preset: spectrum-x\n"
		       "  qos: {flow-control: none, pg: {3: {lossless: false}},\n"
		       "    ports: {swp1: {pg: {3: {lossless: true}}}}}\n",
		"warning: f.yaml:5:39: qos.ports.swp1.pg.3.lossless: at swp1, priority 3 is "
		"in lossless group 3, but flow-control is none: it drops when headroom is "
		"full\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {tc: {0: {pool: egress-lossy}},\n"
			       "    pfc: {priorities: [3, 0]}, priority-to-pg: {0: 1},\n"
			       "    ports: {swp1: {pg: {1: {lossless: true}}},\n"
			       "      swp2: {pg: {1: {lossless: true}}}}}\n",
			"warning: f.yaml:5:52: qos.priority-to-pg.0: group 1 of priority 0 is not "
			"lossless: no PFC is sent for it\n"
			"warning: f.yaml:6:39: qos.ports.swp1.pg.1.lossless: at swp1 and 1 other "
			"port, priority 0 is in lossless group 1, but its class 0 is in "
			"egress-lossy: it may drop there\n");
	expect_messages(
		SINGLE "  preset: spectrum-x\n  preset-mode: lossless-single-pool\n"
		       "  qos: {ports: {swp1: {pg: {3: {pool: ingress-lossy}}}}}\n",
		"warning: f.yaml:5:39: qos.ports.swp1.pg.3.pool: at swp1, all of priority 3 "
		"drops: its group 3 is in ingress-lossy, whose size is 0\n");
	expect_messages(SINGLE "  qos: {ports: {swp1: {pfc: {}}}}\n",
			"f.yaml:3:29: switch.qos.ports.swp1.pfc: needs \"priorities\": "
			"priorities that PFC pauses at the port\n");
}

// The message stands at what was written last, under its key, and says what is.
static void
what_is_lossless_in_half_is_warned_of(void **state)
{
	(void)state;
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {flow-control: none}\n",
			"warning: f.yaml:4:23: qos.flow-control: priority 3 is in lossless group "
			"3, but flow-control is none: it drops when headroom is full\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {pfc: {priorities: [3, 5]}}\n",
			"warning: f.yaml:4:27: qos.pfc.priorities: group 0 of priority 5 is not "
			"lossless: no PFC is sent for it\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {pg: {3: {lossless: false}}}\n",
			"warning: f.yaml:4:28: qos.pg.3.lossless: group 3 of priority 3 is not "
			"lossless: no PFC is sent for it\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {priority-to-pg: {3: 0}}\n",
			"warning: f.yaml:4:29: qos.priority-to-pg.3: group 0 of priority 3 is not "
			"lossless: no PFC is sent for it\n");
	expect_messages(SINGLE "  preset: spectrum-x\n"
			       "  qos: {flow-control: pfc-asymmetric, pfc: {priorities: [4]}}\n",
			"warning: f.yaml:4:57: qos.pfc.priorities: priority 3 is in lossless group "
			"3, but pfc.priorities does not list it: it drops when headroom is full\n"
			"warning: f.yaml:4:57: qos.pfc.priorities: group 0 of priority 4 is not "
			"lossless: no PFC is sent for it\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {flow-control: pfc-asymmetric}\n", "");
	// Where every priority goes that the map does not list.
	expect_messages(
		SINGLE
		"  preset: spectrum-x\n"
		"  qos: {priority-to-pg: {0: 0, 1: 0, 2: 0, 4: 0, 5: 0, 6: 0, default: 3}}\n",
		"warning: f.yaml:4:71: qos.priority-to-pg.default: priority 7 is in lossless group "
		"3, "
		"but "
		"pfc.priorities does not list it: it drops when headroom is full\n"
		"warning: f.yaml:4:71: qos.priority-to-pg.default: priority 7 is in lossless group "
		"3, "
		"but "
		"its class 0 is in egress-lossy: it may drop there\n");
}

// Packets out of IP-in-IP go by a map of their own.
static void
what_leaves_a_tunnel_is_as_lossless(void **state)
{
	(void)state;
	expect_messages(
		SINGLE "  preset: spectrum-x\n"
		       "  ipip: {address: 10.1.0.32, priority-to-pg: {0: 3}}\n",
		"warning: f.yaml:4:50: ipip.priority-to-pg.0: out of IP-in-IP, priority 0 "
		"is in lossless group 3, but pfc.priorities does not list it: it drops when "
		"headroom is full\n"
		"warning: f.yaml:4:50: ipip.priority-to-pg.0: out of IP-in-IP, priority 0 "
		"is in lossless group 3, but its class 0 is in egress-lossy: it may drop "
		"there\n");
	expect_messages(SINGLE
			"  preset: spectrum-x\n"
			"  ipip: {enabled: off, address: 10.1.0.32, priority-to-pg: {0: 3}}\n",
			"");
}

static void
egress_is_as_lossless_as_ingress(void **state)
{
	(void)state;
	expect_messages(
		SINGLE "  preset: spectrum-x\n  qos: {priority-to-tc: {3: 0}}\n",
		"warning: f.yaml:4:29: qos.priority-to-tc.3: priority 3 is in lossless group "
		"3, but its class 0 is in egress-lossy: it may drop there\n");
	expect_messages(SINGLE "  preset: spectrum-x\n  qos: {tc: {3: {pool: egress-lossy}}}\n",
			"warning: f.yaml:4:24: qos.tc.3.pool: priority 3 is in lossless group 3, "
			"but its class 3 is in egress-lossy: it may drop there\n");
	expect_messages(FABRIC
			"leaf2: {qos: {tc: {3: {pool: egress-lossy}}}}\n"
			"switch: {preset: lossy, qos: {flow-control: pause, pg: {3: {lossless: "
			"true, pool: ingress-lossy}}}}\n",
			"warning: f.yaml:3:71: qos.pg.3.lossless: priority 3 is in lossless group "
			"3, but its class 3 is in egress-lossy: it may drop there\n");
}

// 802.3x pauses every priority of the link, so pfc.priorities decides nothing.
static void
a_link_pause_pauses_all(void **state)
{
	(void)state;
	expect_messages(SINGLE "  preset: spectrum-x\n"
			       "  qos: {flow-control: pause, pfc: {priorities: [5]}}\n",
			"");
	expect_messages(
		SINGLE "  preset: spectrum-x\n"
		       "  qos: {flow-control: pause, pg: {2: {lossless: true}},"
		       " priority-to-pg: {2: 2}}\n",
		"warning: f.yaml:4:77: qos.priority-to-pg.2: priority 2 is in lossless group "
		"2, but its class 0 is in egress-lossy: it may drop there\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pools_of_one_side_share_the_buffer),
		cmocka_unit_test(pools_beside_a_headroom_pool),
		cmocka_unit_test(a_pool_of_nothing_takes_nothing),
		cmocka_unit_test(modes_are_spectrum_x_s),
		cmocka_unit_test(sizes_fit_the_buffer),
		cmocka_unit_test(ecn_thresholds_ascend),
		cmocka_unit_test(what_is_lossless_in_half_is_warned_of),
		cmocka_unit_test(what_one_port_has_in_half_is_warned_of),
		cmocka_unit_test(what_leaves_a_tunnel_is_as_lossless),
		cmocka_unit_test(egress_is_as_lossless_as_ingress),
		cmocka_unit_test(a_link_pause_pauses_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
