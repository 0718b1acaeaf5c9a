// SPDX-License-Identifier: BSD-3-Clause
// Which section has the say over a key that was set in another.
#include "expect.h"

static const char text[] = FABRIC
	"switch: {preset: spectrum-x}\n"
	"leaf: {qos: {tc: {3: {max-rate: 50G}, 0: {alpha: 4}}, pfc: {priorities: [3]}}}\n"
	"spine: {qos: {tc: {3: {ecn: off}}}}\n"
	"leaf1: {qos: {tc: {3: {max-rate: 40G}}}}\n"
	"hosts: {cnp: {dscp: 40}}\nh2: {cnp: {interval: 10us}}\n";

// Sets and asks; `wanted`: "leaf:4", or NULL.
static void
expect_nearer(const char *key, const char *value, const char *node, enum config_role role,
	      const char *wanted)
{
	struct config *c = load_good(text);
	struct diag diag = {0};
	struct diag_pos pos = {0};
	struct switch_config before, after;
	const char *section;
	char got[40] = "";

	assert_int_equal(
		config_edit(c, &(struct config_edit){.key = key, .value = value}, 1, &diag), 0);
	assert_int_equal(config_switch(c, node, role, &before), 0);
	section = config_find_override(c, key, value, node, role, &pos);
	if (section != NULL)
		snprintf(got, sizeof(got), "%s:%u", section, pos.line);
	assert_string_equal(got, wanted != NULL ? wanted : "");
	// Asking leaves everything as it was.
	assert_int_equal(config_switch(c, node, role, &after), 0);
	assert_memory_equal(&before, &after, sizeof(after));
	diag_free(&diag);
	config_free(c);
}

static void
the_nearest_has_the_say(void **state)
{
	const enum config_role leaf = CONFIG_ROLE_LEAF, spine = CONFIG_ROLE_SPINE;

	(void)state;
	expect_nearer("switch.qos.tc.3.max-rate", "10G", "leaf2", leaf, "leaf:3");
	expect_nearer("switch.qos.tc.3.max-rate", "10G", "leaf1", leaf, "leaf1:5");
	expect_nearer("leaf.qos.tc.3.max-rate", "10G", "leaf1", leaf, "leaf1:5");
	expect_nearer("switch.qos.tc.3.max-rate", "10G", "spine1", spine, NULL);
	expect_nearer("leaf1.qos.tc.3.max-rate", "10G", "leaf1", leaf, NULL);
	// Within a map that is set whole; by a key that excludes it; by a word.
	expect_nearer("switch.qos.tc", "{3: {min-rate: 1G, max-rate: 10G}}", "leaf2", leaf,
		      "leaf:3");
	expect_nearer("switch.qos.tc", "{3: {min-rate: 1G}}", "leaf2", leaf, NULL);
	expect_nearer("switch.qos.tc.0.static", "1MB", "leaf2", leaf, "leaf:3");
	expect_nearer("switch.qos.tc.3.ecn", "on", "spine1", spine, "spine:4");
	expect_nearer("switch.qos.tc.3.ecn.enabled", "on", "spine1", spine, "spine:4");
	// The same in other words is no contradiction.
	expect_nearer("switch.qos.tc.3.max-rate", "50000M", "leaf2", leaf, NULL);
	expect_nearer("switch.qos.pfc.priorities", "3", "leaf2", leaf, NULL);
	expect_nearer("switch.qos.pfc.priorities", "[3, 4]", "leaf2", leaf, "leaf:3");
	expect_nearer("switch.qos.tc.3.ecn", "off", "spine1", spine, NULL);
}

static void
a_key_is_found_where_it_is_written(void **state)
{
	struct config *c = load_good(text);

	(void)state;
	assert_int_equal(config_written_at(c, "hosts", "cnp.dscp").line, 6);
	assert_int_equal(config_written_at(c, "hosts", "cnp.dscp").column, 21);
	assert_int_equal(config_written_at(c, "hosts", "cnp").line, 6);
	assert_int_equal(config_written_at(c, "h2", "cnp.dscp").line, 0);
	assert_int_equal(config_written_at(c, "h3", "cnp.dscp").line, 0);
	assert_int_equal(config_written_at(c, "hosts", "cnp.dscp.more").line, 0);
	config_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_has_the_say),
		cmocka_unit_test(a_key_is_found_where_it_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
