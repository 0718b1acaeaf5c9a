// SPDX-License-Identifier: BSD-3-Clause
#include "control/config/schema/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char why[DESCRIBE_WHY];

static struct describe_place
find(const char *path)
{
	struct describe_place place;

	why[0] = '\0';
	if (describe_find(path, &place, why, sizeof(why)) != 0)
		fail_msg("%s: %s", path, why);
	return place;
}

static void
expect_none(const char *path, const char *reason)
{
	struct describe_place place;

	assert_int_not_equal(describe_find(path, &place, why, sizeof(why)), 0);
	assert_string_equal(why, reason);
}

static void
paths(void **state)
{
	static const struct {
		const char *path, *place;
	} expected[] = {
		{"switch.qos.tc.3.ecn.min", "switch.qos.tc.N.ecn.min"},
		{"leaf12.qos.pg.0.alpha", "leafN.qos.pg.N.alpha"},
		{"p2-spine3.latency", "spineN.latency"},
		{"h7.placement", "hN.placement"},
		{"tor.routing.mode", "NODE.routing.mode"},
		{"tenants.red.hosts", "tenants.NAME.hosts"},
		{"workload[3].size", "workload.size"},
		{"workload.operations.kind", "workload.operations.kind"},
		{"events.pfc.quanta", "events.pfc.quanta"},
		{"fabric.links.leaf1-spine2.rate", "fabric.links.LINK.rate"},
		{"switch.ports.swp3.mac", "switch.ports.swpN.mac"},
		{"switch.routes.via.weight", "switch.routes.via.weight"},
		{"qos.watchdog.poll", "switch.qos.watchdog.poll"},
		{"dcqcn.gain", "hosts.dcqcn.gain"},
		{"topology.kind", "fabric.topology.kind"},
		{"fabric.topology.nodes.tor.role", "fabric.topology.nodes.NAME.role"},
		{"switch.qos.remark.dscp.3", "switch.qos.remark.dscp.PRIORITY"},
		{"switch.qos.pg.N.xon", "switch.qos.pg.N.xon"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(find(expected[i].path).path, expected[i].place);
}

static void
what_is_no_key(void **state)
{
	char long_path[600];

	(void)state;
	expect_none("swich.qos.tc", "there is no key \"swich\"; did you mean \"switch\"?");
	expect_none("switch.qos.tc.3.wieght",
		    "there is no key \"wieght\" in switch.qos.tc.N; did you mean \"weight\"?");
	expect_none("tenants.red.borde",
		    "there is no key \"borde\" in tenants.NAME; did you mean \"border\"?");
	expect_none("switch.qos.tc.8", "there is no key \"8\" in switch.qos.tc");
	expect_none("switch.qos.tc.03", "there is no key \"03\" in switch.qos.tc");
	expect_none("switch.ports.eth1.rate", "there is no key \"eth1\" in switch.ports");
	expect_none("tor", "there is no key \"tor\"");
	expect_none("tor.mode", "there is no key \"tor\"");
	expect_none("", "there is no key \"\"");
	expect_none("..", "there is no key \"\"");
	expect_none("[", "there is no key \"\"");
	memset(long_path, 'a', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_int_not_equal(
		describe_find(long_path, &(struct describe_place){0}, why, sizeof(why)), 0);
}

static void
what_can_change_live(void **state)
{
	(void)state;
	assert_true(find("switch.qos.tc.3.weight").live);
	assert_true(find("leaf1.buffer.size").live);
	assert_true(find("tenants.red.hosts").live);
	assert_false(find("switch.buffer.cell").live);
	assert_false(find("leaf1.latency").live);
	assert_false(find("fabric.mtu").live);
	assert_false(find("h1.placement").live);
	assert_false(find("workload.size").live);
	assert_false(find("switch.ports.swp1.rate").live);
}

static int
words(const char *path, char *const *list, int count)
{
	struct describe_place place;
	int used = describe_find_words(count, list, &place, why, sizeof(why));

	if (used > 0)
		assert_string_equal(place.path, path);
	return used;
}

static void
parts_apart(void **state)
{
	(void)state;
	assert_int_equal(
		words("tenants.NAME.hosts", (char *[]){"tenant", "green", "hosts", "h5"}, 4), 3);
	assert_int_equal(words("switch.qos.tc.N.weight",
			       (char *[]){"switch", "qos", "tc", "3", "weight", "60"}, 6),
			 5);
	assert_int_equal(words("leafN.qos.pfc", (char *[]){"leaf1.qos", "pfc"}, 2), 2);
	assert_int_equal(
		words("switch.qos.tc.N.weight", (char *[]){"switch.qos.tc.3.weight", "60"}, 2), 1);
	assert_int_equal(words("tenants.NAME", (char *[]){"tenant", "red", "borde"}, 3), 2);
	assert_string_equal(why,
			    "there is no key \"borde\" in tenants.NAME; did you mean \"border\"?");
	assert_true(words("", (char *[]){"tenat", "green"}, 2) < 0);
	assert_true(words("", NULL, 0) < 0);
}

struct seen {
	const char *word;
	bool found, is_name, deeper, live;
};

static void
see(void *context, const struct describe_next *next)
{
	struct seen *seen = context;

	assert_non_null(next->help);
	if (strcmp(next->word, seen->word) != 0)
		return;
	seen->found = true;
	seen->is_name = next->is_name;
	seen->deeper = next->deeper;
	seen->live = next->live;
}

static struct seen
next_of(const char *path, const char *word)
{
	struct describe_place place = path[0] != '\0' ? find(path) : describe_root(true);
	struct seen seen = {.word = word};

	describe_list_next(&place, see, &seen);
	return seen;
}

static void
what_may_follow(void **state)
{
	struct seen seen;

	(void)state;
	seen = next_of("", "switch");
	assert_true(seen.found && seen.deeper && seen.live && !seen.is_name);
	seen = next_of("", "workload");
	assert_true(seen.found && seen.deeper && !seen.live);
	seen = next_of("", "leafN");
	assert_true(seen.found && seen.is_name && seen.live);
	seen = next_of("switch.qos.tc", "7");
	assert_true(seen.found && seen.deeper);
	assert_false(next_of("switch.qos.tc", "8").found);
	seen = next_of("switch.qos.tc.3", "ecn");
	assert_true(seen.found && seen.deeper);
	seen = next_of("switch.qos.tc.3", "weight");
	assert_true(seen.found && !seen.deeper);
	assert_true(next_of("switch.qos.tc.3.ecn", "probability").found);
	assert_true(next_of("tenants", "NAME").is_name);
	assert_true(next_of("workload", "kind").found);
	assert_false(next_of("switch", "slices").found);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(what_is_no_key),
		cmocka_unit_test(what_can_change_live),
		cmocka_unit_test(parts_apart),
		cmocka_unit_test(what_may_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
