// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static void
mistakes(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "events:\n"
		       "  - {at: 3, link: a}\n"
		       "  - {at: 3us, link: a, set: b}\n"
		       "  - {port: leaf1.swp1}\n"
		       "  - {node: leaf1}\n"
		       "  - {at: 1us}\n"
		       "  - {link: l, state: dwn, tx_on: 1}\n"
		       "  - {set: switch.latency}\n"
		       "  - {tx: off}\n"
		       "  - {port: swp1, pfc: {priorities: [8], quanta: 65536}}\n"
		       "  - {port: swp1, pfc: {}, queue: 3}\n"
		       "  - {snapshot: half}\n"
		       "  - {link: l, loss: 200%, drop: {}}\n"
		       "  - {node: leaf1, route: {prefix: 10.0.0.0/8}}\n",
		"f.yaml:3:5: events[0]: needs one of state, rate, delay, loss, corrupt, "
		"corrupt-payload, bit-error-rate, drop\n"
		"f.yaml:3:10: events[0].at: 3 has no unit: write it with ps, ns, us, ms or s\n"
		"f.yaml:4:24: events[1]: one event changes one thing: \"link\" or \"set\"\n"
		"f.yaml:5:5: events[2]: needs \"tx\" or \"pfc\": what happens to the port\n"
		"f.yaml:6:5: events[3]: needs \"route\" or \"clear\": what happens to the "
		"node\n"
		"f.yaml:7:5: events[4]: needs one of link, route, set, unset, snapshot, port, "
		"clear, restore\n"
		"f.yaml:8:22: events[5].state: \"dwn\" is not one of down, up; did you mean "
		"\"down\"?\n"
		"f.yaml:8:27: events[5].tx_on: unknown key\n"
		"f.yaml:9:5: events[6]: needs \"to\": its new value\n"
		"f.yaml:10:5: events[7]: needs \"port\": such as swp2, or leaf1.swp2\n"
		"f.yaml:11:37: events[8].pfc.priorities: 8 is out of range: 0 to 7\n"
		"f.yaml:11:49: events[8].pfc.quanta: 65536 is out of range: 0 to 65535\n"
		"f.yaml:12:23: events[9].pfc: needs \"priorities\": priorities whose enable bit is "
		"set\n"
		"f.yaml:12:23: events[9].pfc: needs \"quanta\": pause time, in units of 512 bit "
		"times\n"
		"f.yaml:12:27: events[9].queue: is not a key of a port pfc event\n"
		"f.yaml:13:16: events[10].snapshot: \"half\" is not one of full\n"
		"f.yaml:14:21: events[11].loss: 200% is out of range: 0% to 100%\n"
		"f.yaml:14:33: events[11].drop: needs \"ip-id-low-byte\": low byte of the "
		"IPv4 identification\n"
		"f.yaml:15:26: events[12].route: needs \"via\": next hops: [{port, mac}], "
		"nodes, or [{vtep, mac}]\n");
	expect_messages(FABRIC "events:\n"
			       "  - {clear: watermark, node: leaf1}\n"
			       "  - {restore: leaf1.swp1.3, node: leaf1}\n",
			"f.yaml:3:13: events[0].clear: \"watermark\" is not one of watermarks, "
			"persistent-watermarks; did you mean \"watermarks\"?\n"
			"f.yaml:4:29: events[1].node: is not a key of a restore event\n");
	expect_messages(FABRIC "events:\n"
			       "  - {unset: switch.latency, to: 1us}\n"
			       "  - {set: a, unset: b}\n",
			"f.yaml:3:29: events[0].to: is not a key of an unset event\n"
			"f.yaml:4:14: events[1]: one event changes one thing: \"set\" or "
			"\"unset\"\n");
}

static void
new_values_are_words_lists_and_maps(void **state)
{
	struct config *c =
		load_good(FABRIC "switch: {latency: 1us}\n"
				 "events:\n"
				 "  - {set: switch.latency, to: 2us}\n"
				 "  - {set: tenants.red.hosts, to: [h1, h2]}\n"
				 "  - {set: tenants.red, to: {hosts: [h1], buffer: {share: 50%}}}\n"
				 "  - {unset: switch.latency}\n");

	(void)state;
	assert_string_equal(c->events[0].to.text, "2us");
	assert_string_equal(c->events[1].to.text, "[h1, h2]");
	assert_string_equal(c->events[2].to.text, "{hosts: [h1], buffer: {share: '50%'}}");
	assert_int_equal(c->events[3].kind, CONFIG_EVENT_UNSET);
	assert_string_equal(c->events[3].key.text, "switch.latency");
	config_free(c);
}

static void
several_changes_of_one_link(void **state)
{
	struct config *c = load_good(
		FABRIC "events:\n"
		       "  - {link: l, rate: 50G, delay: 2us, loss: 0.1%, corrupt: 1%, state: up,\n"
		       "     bit-error-rate: 2.5e-12}\n");

	(void)state;
	assert_int_equal(c->events[0].changes,
			 CONFIG_LINK_STATE | CONFIG_LINK_RATE | CONFIG_LINK_DELAY |
				 CONFIG_LINK_LOSS | CONFIG_LINK_CORRUPT | CONFIG_LINK_BIT_ERRORS);
	assert_true(c->events[0].up);
	assert_int_equal(c->events[0].rate_bps, 50000000000);
	assert_int_equal(c->events[0].delay_ps, 2000000);
	assert_int_equal(c->events[0].loss_ppm, 1000);
	assert_int_equal(c->events[0].corrupt_ppm, 10000);
	assert_int_equal(c->events[0].bit_error_rate, 2500000);
	config_free(c);
}

static void
clearing_and_restoring(void **state)
{
	struct config *c = load_good(FABRIC "events:\n"
					    "  - {at: 1us, clear: watermarks, node: leaf1}\n"
					    "  - {at: 2us, clear: persistent-watermarks}\n"
					    "  - {at: 3us, restore: leaf1.swp1.3}\n");

	(void)state;
	assert_int_equal(c->events[0].kind, CONFIG_EVENT_CLEAR);
	assert_int_equal(c->events[0].at_ps, 1000000);
	assert_string_equal(c->events[0].node.text, "leaf1");
	assert_false(c->events[0].persistent);
	assert_int_equal(c->events[1].kind, CONFIG_EVENT_CLEAR);
	assert_null(c->events[1].node.text);
	assert_true(c->events[1].persistent);
	assert_int_equal(c->events[2].kind, CONFIG_EVENT_RESTORE);
	assert_string_equal(c->events[2].restore.text, "leaf1.swp1.3");
	assert_int_equal(c->events[2].restore.pos.line, 5);
	config_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes),
		cmocka_unit_test(new_values_are_words_lists_and_maps),
		cmocka_unit_test(several_changes_of_one_link),
		cmocka_unit_test(clearing_and_restoring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
