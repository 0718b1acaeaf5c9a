// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static void
red_needs_ecn(void **state)
{
	(void)state;
	expect_messages(SINGLE "  qos: {tc: {1: {red: on}}}\n",
			"f.yaml:3:23: qos.tc.1.red: needs ecn, whose thresholds it takes: ecn is "
			"off for class 1\n");
	expect_messages(SINGLE "  qos: {tc: {1: {red: on, ecn: {min: 1KB}}}}\n", "");
	expect_messages(FABRIC "switch: {qos: {tc: {3: {red: on}}}}\n"
			       "leaf2: {qos: {tc: {3: {ecn: off}}}}\n",
			"f.yaml:3:29: qos.tc.3.red: needs ecn, whose thresholds it takes: ecn is "
			"off for class 3\n");
}

static void
a_promise_is_kept_by_no_less(void **state)
{
	(void)state;
	expect_messages(SINGLE "  qos: {tc: {1: {max-rate: 1G, min-rate: 1.5G}}}\n",
			"f.yaml:3:42: qos.tc.1.min-rate: 1500M is above max-rate (1G)\n");
	expect_messages(SINGLE "  qos: {tc: {1: {max-rate: 2G, min-rate: 2G}}}\n", "");
	expect_messages(FABRIC "switch: {qos: {tc: {1: {max-rate: 1G}}}}\n"
			       "leaf2: {qos: {tc: {1: {min-rate: 2G}}}}\n",
			"f.yaml:3:34: qos.tc.1.min-rate: 2G is above max-rate (1G)\n");
}

static void
the_watchdog_looks_often_enough(void **state)
{
	(void)state;
	expect_messages(SINGLE "  qos: {watchdog: {poll: 300ms, detect: 200ms, restore: 250ms}}\n",
			"f.yaml:3:41: qos.watchdog.poll: 300ms is above detect (200ms)\n"
			"f.yaml:3:57: qos.watchdog.poll: 300ms is above restore (250ms)\n");
	expect_messages(SINGLE "  qos: {watchdog: {poll: 300ms, detect: 300ms, restore: 300ms}}\n",
			"");
	expect_messages(FABRIC "switch: {qos: {watchdog: {detect: 150ms}}}\n"
			       "leaf2: {qos: {watchdog: {poll: 200ms}}}\n",
			"f.yaml:3:32: qos.watchdog.poll: 200ms is above detect (150ms)\n");
	expect_messages(SINGLE "  qos: {watchdog: {poll: 10s, robustness: 7}}\n",
			"f.yaml:3:43: qos.watchdog.robustness: 7 polls of 10s are 70s: a storm is "
			"to be detected within 60s\n");
	expect_messages(SINGLE "  preset: lossy\n  qos: {watchdog: on}\n",
			"warning: f.yaml:4:19: qos.watchdog: has nothing to watch: flow-control is "
			"none, so no pause is obeyed\n");
}

static void
sonic_takes_less(void **state)
{
	(void)state;
	expect_messages(SINGLE
			"  preset: sonic\n  qos: {watchdog: {poll: 50ms, detect: 6s, restore: "
			"90ms}}\n",
			"warning: f.yaml:4:26: qos.watchdog.poll: 50ms is outside what a SONiC "
			"switch takes (100ms to 1s)\n"
			"warning: f.yaml:4:40: qos.watchdog.detect: 6s is outside what a SONiC "
			"switch takes (100ms to 5s)\n"
			"warning: f.yaml:4:53: qos.watchdog.restore: 90ms is outside what a SONiC "
			"switch takes (100ms to 60s)\n");
	expect_messages(SINGLE "  preset: sonic\n  qos: {watchdog: {poll: 1s, robustness: 6}}\n",
			"warning: f.yaml:4:42: qos.watchdog.detect: 6s is outside what a SONiC "
			"switch takes (100ms to 5s)\n");
	expect_messages(SINGLE
			"  preset: sonic\n  qos: {watchdog: {poll: 100ms, detect: 5s, restore: "
			"60s}}\n",
			"");
	expect_messages(SINGLE "  preset: sonic\n  qos: {watchdog: on}\n", "");
	expect_messages(SINGLE "  qos: {watchdog: {poll: 50ms}}\n", "");
}

static void
one_port_s_watchdog_is_looked_at_often_enough(void **state)
{
	(void)state;
	expect_messages(SINGLE
			"  qos: {ports: {swp2: {watchdog: {detect: 50ms, restore: 99ms}}}}\n",
			"f.yaml:3:43: qos.ports.swp2.watchdog.detect: 50ms is below "
			"qos.watchdog.poll (100ms)\n"
			"f.yaml:3:58: qos.ports.swp2.watchdog.restore: 99ms is below "
			"qos.watchdog.poll (100ms)\n");
	expect_messages(SINGLE "  qos: {ports: {swp2: {watchdog: {robustness: 601}}}}\n",
			"f.yaml:3:47: qos.ports.swp2.watchdog.robustness: 601 polls of 100ms are "
			"60100ms: a storm is to be detected within 60s\n");
	expect_messages(SINGLE "  qos: {watchdog: {poll: 1s}, ports: {swp2: {watchdog: on}}}\n",
			"");
	expect_messages(
		SINGLE "  preset: sonic\n"
		       "  qos: {watchdog: {poll: 100ms}, ports: {swp2: {watchdog: {detect: "
		       "6s}}}}\n",
		"warning: f.yaml:4:68: qos.ports.swp2.watchdog.detect: 6s is outside what a "
		"SONiC switch takes (100ms to 5s)\n");
	expect_messages(SINGLE "  qos: {pg: {3: {lossless: false}}, ports: {swp2: {watchdog: on,\n"
			       "    pfc: {priorities: []}}, swp3: {pfc: {priorities: []}}},\n"
			       "    pfc: {priorities: []}}\n",
			"warning: f.yaml:3:62: qos.ports.swp2.watchdog: has nothing to watch: the "
			"port's pfc.priorities is empty, so no pause is obeyed\n");
	expect_messages(SINGLE "  qos: {flow-control: none, pg: {3: {lossless: false}},\n"
			       "    ports: {swp2: {watchdog: on}, swp3: {watchdog: off}}}\n",
			"warning: f.yaml:4:30: qos.ports.swp2.watchdog: has nothing to watch: "
			"flow-control is none, so no pause is obeyed\n");
}

static void
trimmed_packets_need_a_lossy_class(void **state)
{
	(void)state;
	expect_messages(
		SINGLE "  qos: {trim: {tc: 3, eligible-tc: [0]}}\n",
		"f.yaml:3:20: qos.trim.tc: class 3 is lossless: trimmed packets need a lossy "
		"class\n");
	expect_messages(
		SINGLE
		"  preset: spectrum-x\n  qos:\n    trim: {tc: 1, eligible-tc: [0]}\n"
		"    priority-to-tc: {1: 1}\n    tc: {1: {pool: egress-lossy}}\n"
		"    priority-to-pg: {1: 1}\n"
		"    ports: {swp2: {pg: {1: {lossless: true}}, pfc: {priorities: [1, 3]}}}\n",
		"f.yaml:5:16: qos.trim.tc: class 1 is lossless: trimmed packets need a lossy "
		"class\n"
		"warning: f.yaml:9:39: qos.ports.swp2.pg.1.lossless: at swp2, priority 1 is "
		"in lossless group 1, but its class 1 is in egress-lossy: it may drop "
		"there\n");
	expect_messages(
		SINGLE "  preset: sonic\n  qos: {trim: {eligible-tc: [1]}}\n",
		"f.yaml:4:15: qos.trim.tc: class 4 is lossless: trimmed packets need a lossy "
		"class\n");
	expect_messages(
		SINGLE "  qos: {trim: {tc: 0, eligible-tc: [0, 6]}}\n",
		"f.yaml:3:36: qos.trim.eligible-tc: class 0, which takes trimmed packets, cannot "
		"be eligible itself\n");
	expect_messages(
		SINGLE "  qos: {trim: {eligible-tc: [0, 3, 5]}}\n",
		"warning: f.yaml:3:29: qos.trim.eligible-tc: nothing of class 3 is trimmed: no "
		"lossy priority is in it\n"
		"warning: f.yaml:3:29: qos.trim.eligible-tc: nothing of class 5 is trimmed: no "
		"lossy priority is in it\n");
	expect_messages(SINGLE "  qos: {trim: {enabled: off, tc: 3}}\n", "");
}

static void
a_bin_is_a_cell_at_the_least(void **state)
{
	(void)state;
	// Two of ten are below the lowest and at or above the highest bound: eight share the size.
	expect_messages(SINGLE "  qos: {histograms: [{queue: swp1.1, size: 1535B}]}\n",
			"f.yaml:3:22: qos.histograms: bins of 191 bytes are less than a cell (192 "
			"bytes)\n");
	expect_messages(SINGLE "  qos: {histograms: [{group: swp1.1, size: 1536B}]}\n", "");
	expect_messages(SINGLE
			"  buffer: {cell: 1}\n  qos: {histograms: [{queue: swp1.1, size: 7B}]}\n",
			"f.yaml:4:22: qos.histograms: bins of 0 bytes are less than a cell (1 "
			"bytes)\n");
	expect_messages(FABRIC "switch: {qos: {histograms: [{queue: swp1.1, size: 2KB}]}}\n"
			       "spine: {buffer: {cell: 256}}\n",
			"f.yaml:2:29: qos.histograms: bins of 250 bytes are less than a cell (256 "
			"bytes)\n");
	expect_messages(SINGLE "  qos: {histograms: [{latency: swp1.1, size: 5ps}]}\n",
			"f.yaml:3:22: qos.histograms: a size of 5ps does not part into 8 bins\n");
	expect_messages(SINGLE "  qos: {histograms: [{latency: swp1.1, size: 8ps}]}\n", "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(red_needs_ecn),
		cmocka_unit_test(a_promise_is_kept_by_no_less),
		cmocka_unit_test(the_watchdog_looks_often_enough),
		cmocka_unit_test(sonic_takes_less),
		cmocka_unit_test(one_port_s_watchdog_is_looked_at_often_enough),
		cmocka_unit_test(trimmed_packets_need_a_lossy_class),
		cmocka_unit_test(a_bin_is_a_cell_at_the_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
