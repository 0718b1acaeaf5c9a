// SPDX-License-Identifier: BSD-3-Clause
// Keys that change nothing are warned of, once, where the file writes them.
#include "expect.h"

#define SPECTRUM_X SINGLE "  preset: spectrum-x\n"

static void
a_lossy_group_pauses_nobody(void **state)
{
	(void)state;
	expect_messages(SPECTRUM_X "  qos:\n    pg:\n"
				   "      0: {headroom: 10KB, xon: 1KB, xon-offset: none}\n",
			"warning: f.yaml:6:21: qos.pg.0.headroom: has no effect: group 0 is not "
			"lossless\n"
			"warning: f.yaml:6:32: qos.pg.0.xon: has no effect: group 0 is not "
			"lossless\n"
			"warning: f.yaml:6:49: qos.pg.0.xon-offset: has no effect: group 0 is not "
			"lossless\n");
	expect_messages(SPECTRUM_X "  qos: {pg: {3: {headroom: 10KB, xon: 1KB}}}\n", "");
	// It is not the preset's fault, nor that of who changes the other key.
	expect_messages(SPECTRUM_X "  qos: {pg: {3: {lossless: false}}, pfc: {priorities: []}}\n",
			"");
}

static void
a_port_s_lossy_group_pauses_nobody(void **state)
{
	(void)state;
	expect_messages(
		SPECTRUM_X "  qos: {ports: {swp2: {pg: {0: {headroom: 10KB}, 3: {xon: 1KB},\n"
			   "    5: {lossless: true}}}}}\n",
		"warning: f.yaml:4:43: qos.ports.swp2.pg.0.headroom: has no effect: group "
		"0 is not lossless at swp2\n"
		"warning: f.yaml:5:19: qos.ports.swp2.pg.5.lossless: no priority is in group "
		"5, and headroom is kept for it\n");
	// The switch's is for a port whose group is lossless.
	expect_messages(SPECTRUM_X
			"  qos: {pg: {0: {xon: 1KB}}, pfc: {priorities: [3]},\n"
			"    priority-to-tc: {0: 3}, priority-to-pg: {default: 1, 0: 0},\n"
			"    ports: {swp2: {pg: {0: {lossless: true}},\n"
			"      pfc: {priorities: [3, 0]}}}}\n",
			"");
}

static void
keys_of_llr_without_it(void **state)
{
	(void)state;
	expect_messages(
		SPECTRUM_X "  qos: {llr: {replay-max: 3, init-action: block}}\n",
		"warning: f.yaml:4:27: qos.llr.replay-max: has no effect: qos.llr.state is "
		"off\n"
		"warning: f.yaml:4:43: qos.llr.init-action: has no effect: qos.llr.state is "
		"off\n");
	expect_messages(SPECTRUM_X "  qos: {llr: {state: on, replay-max: 3, init-action: block}}\n",
			"");
	expect_messages(SPECTRUM_X "  forwarding: cut-through\n  qos: {llr: {state: on}}\n",
			"warning: f.yaml:4:15: forwarding: has no effect: qos.llr.state is on, and "
			"link-level retry takes frames as a whole\n");
	expect_messages(SPECTRUM_X "  forwarding: cut-through\n", "");
}

static void
a_strict_class_has_no_weight(void **state)
{
	(void)state;
	expect_messages(SPECTRUM_X "  qos: {tc: {6: {weight: 30}}}\n",
			"warning: f.yaml:4:26: qos.tc.6.weight: has no effect: the scheduler of "
			"class 6 is strict\n");
	expect_messages(SPECTRUM_X "  qos: {tc: {6: {weight: 30, scheduler: dwrr}}}\n", "");
	expect_messages(SPECTRUM_X "  qos: {tc: {3: {scheduler: strict}}}\n", "");
}

static void
a_port_s_weight_is_for_its_scheduler(void **state)
{
	(void)state;
	expect_messages(SPECTRUM_X
			"  qos: {ports: {swp1: {tc: {6: {weight: 30}, 3: {weight: 9}}}}}\n",
			"warning: f.yaml:4:41: qos.ports.swp1.tc.6.weight: has no effect: the "
			"scheduler of class 6 is strict at swp1\n");
	// The switch's is used where a port does not follow the rest.
	expect_messages(SPECTRUM_X "  qos: {tc: {6: {weight: 30}},\n"
				   "    ports: {swp1: {tc: {6: {scheduler: dwrr}}}}}\n",
			"");
	expect_messages(SPECTRUM_X "  qos: {ports: {swp1: {tc: {3: {scheduler: strict}}}}}\n", "");
}

static void
a_port_has_priorities_for_pfc_alone(void **state)
{
	(void)state;
	expect_messages(SPECTRUM_X "  qos: {flow-control: pause,\n"
				   "    ports: {swp1: {pfc: {priorities: []}}}}\n",
			"warning: f.yaml:5:38: qos.ports.swp1.pfc.priorities: has no effect: "
			"flow-control is pause\n");
	expect_messages(SPECTRUM_X "  qos: {flow-control: none, pg: {3: {lossless: false}},\n"
				   "    ports: {swp1: {pfc: {priorities: [3]}}}}\n",
			"warning: f.yaml:5:38: qos.ports.swp1.pfc.priorities: has no effect: "
			"flow-control is none\n");
	expect_messages(SPECTRUM_X "  qos: {flow-control: pfc-asymmetric,\n"
				   "    ports: {swp1: {pfc: {priorities: [3]}}}}\n",
			"");
}

static void
a_lossless_group_is_somebody_s(void **state)
{
	(void)state;
	expect_messages(SPECTRUM_X "  qos: {pg: {5: {lossless: true}}}\n",
			"warning: f.yaml:4:28: qos.pg.5.lossless: no priority is in group 5, and "
			"headroom is kept for it\n");
	expect_messages(SPECTRUM_X "  buffer: {headroom-pool: {size: 1MB}}\n"
				   "  qos: {pg: {5: {lossless: true}}}\n",
			"warning: f.yaml:5:28: qos.pg.5.lossless: no priority is in group 5\n");
	expect_messages(SPECTRUM_X "  qos: {pg: {5: {lossless: true, headroom: 0B}}}\n",
			"warning: f.yaml:4:28: qos.pg.5.lossless: no priority is in group 5\n");
	expect_messages(SPECTRUM_X "  qos: {pg: {5: {lossless: false}}}\n", "");
	expect_messages(SPECTRUM_X "  qos: {priority-to-pg: {3: 0}, pfc: {priorities: []}}\n", "");
}

static void
a_group_of_tunnels_alone_never_pauses(void **state)
{
	(void)state;
	expect_messages(SPECTRUM_X "  ipip: {address: 10.1.0.32, priority-to-pg: {3: 5}}\n"
				   "  qos: {pg: {5: {lossless: true}}}\n",
			"warning: f.yaml:5:28: qos.pg.5.lossless: group 5 never sends a pause: "
			"ipip.priority-to-pg alone gives it packets, and no priority of "
			"qos.priority-to-pg is in it\n");
	// One of a priority that pauses is no news.
	expect_messages(SPECTRUM_X "  ipip: {address: 10.1.0.32, priority-to-pg: {3: 5}}\n"
				   "  qos: {pg: {5: {lossless: true}}, priority-to-pg: {3: 5}}\n",
			"");
}

static void
a_port_s_part_of_no_end_is_no_end(void **state)
{
	(void)state;
	expect_messages(SPECTRUM_X "  buffer: {pools: {egress-lossless: {port-alpha: 8}}}\n",
			"warning: f.yaml:4:50: buffer.pools.egress-lossless.port-alpha: has no "
			"effect: the pool is unlimited\n");
	expect_messages(SPECTRUM_X "  buffer: {pools: {egress-lossless: {port-alpha: none},"
				   " egress-lossy: {port-alpha: 8}}}\n",
			"");
}

// A section is read by many: what one of them has use for is in its place.
static void
one_switch_s_use_is_enough(void **state)
{
	(void)state;
	expect_messages(FABRIC "switch: {qos: {tc: {3: {weight: 9}}}}\n"
			       "spine: {qos: {tc: {3: {scheduler: strict}}}}\n",
			"");
	expect_messages(FABRIC "switch: {qos: {tc: {3: {weight: 9}}}}\n"
			       "spine: {qos: {tc: {3: {scheduler: strict}}}}\n"
			       "leaf: {qos: {tc: {3: {scheduler: strict}}}}\n",
			"warning: f.yaml:2:33: qos.tc.3.weight: has no effect: the scheduler of "
			"class 3 is strict\n");
	expect_messages(FABRIC "switch: {qos: {tc: {3: {scheduler: strict}}}}\n"
			       "leaf2: {qos: {tc: {3: {weight: 9}}}}\n",
			"warning: f.yaml:3:32: qos.tc.3.weight: has no effect: the scheduler of "
			"class 3 is strict\n");
}

// So is one moment's.
static void
a_later_use_is_enough(void **state)
{
	(void)state;
	expect_messages(FABRIC "switch: {qos: {tc: {3: {scheduler: strict, weight: 9}}}}\n"
			       "events: [{at: 1us, set: switch.qos.tc.3.scheduler, to: dwrr}]\n",
			"");
	expect_messages(FABRIC "switch: {qos: {tc: {3: {weight: 9}}}}\n"
			       "events: [{at: 1us, set: switch.qos.tc.3.scheduler, to: strict}]\n",
			"");
	expect_messages(FABRIC "events: [{at: 1us, set: switch.qos.tc.6.weight, to: 9}]\n",
			"warning: f.yaml:2:53: qos.tc.6.weight: has no effect: the scheduler of "
			"class 6 is strict\n");
}

static void
presets_write_nothing_idle(void **state)
{
	(void)state;
	expect_messages(SINGLE, "");
	expect_messages(SINGLE "  preset: spectrum-x\n", "");
	expect_messages(SINGLE "  preset: spectrum-x\n  preset-mode: lossy\n", "");
	expect_messages(SINGLE "  preset: spectrum-x\n  preset-mode: lossless-single-pool\n", "");
	expect_messages(SINGLE "  preset: sonic\n", "");
	expect_messages(SINGLE "  preset: lossy\n", "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lossy_group_pauses_nobody),
		cmocka_unit_test(a_port_s_lossy_group_pauses_nobody),
		cmocka_unit_test(keys_of_llr_without_it),
		cmocka_unit_test(a_strict_class_has_no_weight),
		cmocka_unit_test(a_port_s_weight_is_for_its_scheduler),
		cmocka_unit_test(a_port_has_priorities_for_pfc_alone),
		cmocka_unit_test(a_lossless_group_is_somebody_s),
		cmocka_unit_test(a_group_of_tunnels_alone_never_pauses),
		cmocka_unit_test(a_port_s_part_of_no_end_is_no_end),
		cmocka_unit_test(one_switch_s_use_is_enough),
		cmocka_unit_test(a_later_use_is_enough),
		cmocka_unit_test(presets_write_nothing_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
