// SPDX-License-Identifier: BSD-3-Clause
// Several edits are one change of the configuration: whole, or not at all.
#include "tests/unit/control/config/expect.h"

#include <errno.h>
#include <malloc.h>

#define PLACE                                                           \
	FABRIC "switch: {latency: 1us, qos: {tc: {3: {weight: 20}}}}\n" \
	       "tenants:\n"                                             \
	       "  red: {hosts: [h1], vni: 5001}\n"                      \
	       "  blue: {hosts: h2, vni: 5002}\n"

#define SET(k, v)                                             \
	{                                                     \
		.kind = CONFIG_EDIT_SET, .key = k, .value = v \
	}
#define UNSET(k)                                    \
	{                                           \
		.kind = CONFIG_EDIT_UNSET, .key = k \
	}
#define ADD(k, v)                                             \
	{                                                     \
		.kind = CONFIG_EDIT_ADD, .key = k, .value = v \
	}
#define REMOVE(k, v)                                             \
	{                                                        \
		.kind = CONFIG_EDIT_REMOVE, .key = k, .value = v \
	}
#define COUNT(edits) (sizeof(edits) / sizeof((edits)[0]))

// Tenants and hosts as one line: "red h1; blue h2".
static void
assert_tenants(const struct config *c, const char *wanted)
{
	char text[256] = "";

	for (unsigned i = 0; i < c->tenant_count; i++) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 i == 0 ? "" : "; ", c->tenants[i].name.text);
		for (unsigned h = 0; h < c->tenants[i].hosts.count; h++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s",
				 c->tenants[i].hosts.items[h].text);
	}
	assert_string_equal(text, wanted);
}

static uint64_t
latency(const struct config *c)
{
	struct switch_config settings;

	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &settings), 0);
	return settings.latency_ps;
}

static void
edit_good(struct config *c, const struct config_edit *edits, unsigned count)
{
	struct diag diag = {0};
	int rc = config_edit(c, edits, count, &diag);

	diag_print(&diag, stderr);
	assert_int_equal(rc, 0);
	assert_int_equal(diag.count, 0);
	diag_free(&diag);
}

static void
edit_bad(struct config *c, const struct config_edit *edits, unsigned count, const char *wanted)
{
	struct diag diag = {0};
	const struct config_tenant *before = c->tenants;

	assert_int_equal(config_edit(c, edits, count, &diag), -EINVAL);
	assert_string_equal(diag.messages[0].text, wanted);
	diag_free(&diag);
	assert_ptr_equal(c->tenants, before);
	assert_tenants(c, "red h1; blue h2");
	assert_int_equal(latency(c), 1000000);
}

#define GOOD(c, ...)                                      \
	edit_good(c, (struct config_edit[]){__VA_ARGS__}, \
		  COUNT(((struct config_edit[]){__VA_ARGS__})))
#define BAD(c, wanted, ...)                              \
	edit_bad(c, (struct config_edit[]){__VA_ARGS__}, \
		 COUNT(((struct config_edit[]){__VA_ARGS__})), wanted)

static void
tenants_come_change_and_go(void **state)
{
	struct config *c = load_good(PLACE);

	(void)state;
	GOOD(c, SET("tenants.green.hosts", "[h3, h4]"), SET("tenants.green.vni", "5003"));
	assert_tenants(c, "red h1; blue h2; green h3 h4");
	assert_int_equal(c->tenants[2].vni, 5003);
	GOOD(c, REMOVE("tenants.green.hosts", "h4"), ADD("tenants.blue.hosts", "[h4]"));
	assert_tenants(c, "red h1; blue h2 h4; green h3");
	GOOD(c, ADD("tenants.blue.hosts", "h4")); // is there: that is what was asked for
	assert_tenants(c, "red h1; blue h2 h4; green h3");
	GOOD(c, UNSET("tenants.green"), SET("tenants.red.vni", "5009"));
	assert_tenants(c, "red h1; blue h2 h4");
	assert_int_equal(c->tenants[0].vni, 5009);
	GOOD(c, UNSET("tenants.red.vni"), UNSET("tenants.red.hosts"));
	assert_tenants(c, "red; blue h2 h4"); // without keys it is still a tenant
	assert_int_equal(c->tenants[0].vni, 0);
	for (unsigned i = 0; i < 5; i++)
		config_set_undo(c);
	assert_tenants(c, "red h1; blue h2");
	config_set_undo(c); // nothing is left to take back
	assert_tenants(c, "red h1; blue h2");
	config_free(c);
}

static void
the_first_and_the_last(void **state)
{
	struct config *c = load_good(FABRIC);

	(void)state;
	assert_null(c->tenants);
	GOOD(c, ADD("tenants.red.hosts", "h1"));
	assert_tenants(c, "red h1");
	GOOD(c, SET("tenants.red.hosts", "h1-h3"));
	assert_tenants(c, "red h1 h2 h3");
	GOOD(c, REMOVE("tenants.red.hosts", "h2"));
	assert_tenants(c, "red h1 h3");
	GOOD(c, ADD("tenants.red.hosts", "h[2-4]"));
	assert_tenants(c, "red h1 h3 h2 h4");
	GOOD(c, REMOVE("tenants.red.hosts", "[h2-h4]"));
	assert_tenants(c, "red h1");
	GOOD(c, UNSET("tenants.red"));
	assert_tenants(c, "");
	assert_non_null(c->tenants); // `tenants: {}` is not the same as no such section
	GOOD(c, UNSET("tenants"));
	assert_null(c->tenants);
	config_set_undo(c);
	assert_non_null(c->tenants);
	config_free(c);
}

static void
what_is_wrong_takes_all_of_it_back(void **state)
{
	struct config *c = load_good(PLACE);

	(void)state;
	BAD(c, "f.yaml: tenants.blue.hosts: h1 is in tenant red: unset it there first",
	    SET("switch.latency", "2us"), ADD("tenants.blue.hosts", "h1"));
	BAD(c, "f.yaml: tenants.green.hots: unknown key; did you mean \"hosts\"?",
	    SET("tenants.green.hosts", "[h3]"), SET("tenants.green.hots", "[h3]"));
	BAD(c, "f.yaml: tenants.blue.hosts: h3 is not in the list",
	    REMOVE("tenants.blue.hosts", "h3"));
	BAD(c, "f.yaml: tenants.gren: is not set; did you mean \"green\"?",
	    SET("tenants.green.hosts", "[h3]"), UNSET("tenants.gren"));
	BAD(c, "f.yaml: there is no tenant gren; did you mean \"green\"?",
	    SET("tenants.green.hosts", "[h3]"), REMOVE("tenants.gren.hosts", "h3"));
	BAD(c, "f.yaml: there is no tenant bleu; did you mean \"blue\"?",
	    UNSET("tenants.bleu.hosts"));
	BAD(c, "f.yaml: tenants.red.leak: blue is not in the list",
	    REMOVE("tenants.red.leak", "blue"));
	BAD(c, "f.yaml: tenants.green.vni: 5001 is already tenant red's",
	    SET("tenants.green.vni", "5001"));
	BAD(c, "f.yaml: switch.qos.tc.3.ecn: is not set", UNSET("switch.qos.tc.3.ecn"));
	BAD(c, "f.yaml: tenants.red: is a map, not a list: set or unset its keys",
	    ADD("tenants.red", "h3"));
	BAD(c, "f.yaml: tenants.red.hosts: expected names, such as h5 or [h5, h6]",
	    ADD("tenants.red.hosts", "{h3: 1}"));
	BAD(c,
	    "f.yaml: switch.qos.trust: only lists of tenants can be changed item by item: "
	    "set the full list",
	    ADD("switch.qos.trust", "pcp"));
	BAD(c,
	    "f.yaml: fabric.mtu: cannot change while the fabric runs: only switches, tenants "
	    "and `attach` can",
	    SET("fabric.mtu", "1500"));
	BAD(c, "f.yaml: \"tenants\" is not a key such as switch.qos.tc.3.ecn.min",
	    SET("tenants", "{}"));
	BAD(c, "f.yaml: tenants.red.hosts: the list would have more than 16384 hosts, the maximum",
	    ADD("tenants.red.hosts", "[h1-h16384, i1-i16384]"));
	BAD(c, "f.yaml: tenants.red.hosts: the list would have more than 16384 hosts, the maximum",
	    ADD("tenants.red.hosts", "i1-i16384"));
	// Each by itself would do, and together they do not.
	BAD(c, "f.yaml: qos.tc.3.ecn: min (2000000 bytes) is above max (1000000 bytes)",
	    SET("switch.qos.tc.3.ecn.max", "1MB"), SET("switch.qos.tc.3.ecn.min", "2MB"));
	config_free(c);
}

// The host of a list that takes none goes with its last item, and the map with its last host.
static void
a_border_goes_with_its_last_prefix(void **state)
{
	struct config *c = load_good(PLACE);

	(void)state;
	GOOD(c, SET("tenants.red.border", "{h1: [0.0.0.0/0, 10.0.0.0/8]}"));
	GOOD(c, REMOVE("tenants.red.border.h1", "10.0.0.0/8"));
	assert_int_equal(c->tenants[0].border_count, 1);
	GOOD(c, REMOVE("tenants.red.border.h1", "0.0.0.0/0"));
	assert_int_equal(c->tenants[0].border_count, 0);
	BAD(c, "f.yaml: tenants.red.border: is not set", UNSET("tenants.red.border"));
	GOOD(c, REMOVE("tenants.red.hosts", "h1")); // a list of none
	assert_tenants(c, "red; blue h2");
	config_free(c);
}

// What is set after it does not put a map in the place of what is none.
static void
a_tenant_is_a_map(void **state)
{
	static const struct {
		const char *tenant, *value, *wanted;
	} cases[] = {
		{"red", "hosts", "one value"}, {"red", "null", "one value"},
		{"red", "", "one value"},      {"red", "\"abc\"", "one value"},
		{"red", "[h1]", "a list"},     {"green", "5", "one value"},
	};
	struct config *c = load_good(PLACE);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char key[32], vni[32], wanted[128];

		snprintf(key, sizeof(key), "tenants.%s", cases[i].tenant);
		snprintf(vni, sizeof(vni), "tenants.%s.vni", cases[i].tenant);
		snprintf(wanted, sizeof(wanted),
			 "f.yaml: tenants.%s: expected a map of keys and values, found %s",
			 cases[i].tenant, cases[i].wanted);
		BAD(c, wanted, SET(key, cases[i].value), SET(vni, "5007"));
	}
	BAD(c, "f.yaml: tenants.green: is a list, not a map: it has no \"vni\"",
	    ADD("tenants.green", "h3"), SET("tenants.green.vni", "5007"));
	BAD(c, "f.yaml: tenants.red.hosts: is a list, not a map: it has no \"h3\"",
	    SET("tenants.red.hosts.h3", "h4"));
	GOOD(c, SET("tenants.blue", "{hosts: [h2, h3]}"), SET("tenants.blue.vni", "5002"),
	     SET("tenants.green", "{}"), SET("tenants.green.vni", "5007"));
	assert_tenants(c, "red h1; blue h2 h3; green");
	config_free(c);
}

static void
unset_is_as_if_not_written(void **state)
{
	struct config *c = load_good(PLACE "leaf1: {latency: 3us}\n");
	struct switch_config settings;

	(void)state;
	assert_int_equal(latency(c), 3000000);
	GOOD(c, UNSET("leaf1.latency"));
	assert_int_equal(latency(c), 1000000);
	GOOD(c, UNSET("switch.latency"), UNSET("switch.qos.tc.3.weight"));
	assert_int_equal(latency(c), 0);
	assert_int_equal(config_switch(c, "leaf1", CONFIG_ROLE_LEAF, &settings), 0);
	assert_int_equal(settings.classes[3].weight, 50);
	config_set_undo(c);
	config_set_undo(c);
	assert_int_equal(latency(c), 3000000);
	GOOD(c, UNSET("switch"));
	GOOD(c, SET("switch.latency", "\"5us\"")); // in quotes as in a file
	GOOD(c, UNSET("leaf1"));
	assert_int_equal(latency(c), 5000000);
	config_free(c);
}

// Kept edits cannot be taken back, and cost no memory beside what they say.
static void
memory_does_not_grow(void **state)
{
	struct config *c = load_good(PLACE);
	size_t before = 0;

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		GOOD(c, SET("tenants.green.hosts", i % 2 ? "[h3]" : "[h3, h4]"),
		     SET("switch.qos.histograms", i % 3 ? "[{queue: swp1.3}]" : "none"));
		assert_int_equal(latency(c), 1000000);
		config_edit_keep(c);
		config_set_undo(c);
		assert_int_equal(c->tenant_count, 3);
		if (i == 20)
			before = mallinfo2().uordblks;
	}
	assert_true(mallinfo2().uordblks <= before + 4096);
	GOOD(c, UNSET("tenants.green"));
	config_set_undo(c);
	assert_int_equal(c->tenant_count, 3);
	config_free(c);
}

// An edit of something else leaves them where they are: a topology refers to them.
static void
kept_tenants_stay(void **state)
{
	struct config *c = load_good(PLACE);
	const struct config_tenant *tenants;

	(void)state;
	GOOD(c, SET("tenants.green.hosts", "[h3]"), SET("tenants.green.network", "storage"));
	config_edit_keep(c);
	tenants = c->tenants;
	for (unsigned i = 0; i < 3; i++) {
		GOOD(c, SET("switch.qos.tc.3.weight", i % 2 ? "30" : "40"));
		config_edit_keep(c);
		assert_ptr_equal(c->tenants, tenants);
		assert_tenants(c, "red h1; blue h2; green h3");
		assert_int_equal(tenants[2].network, CONFIG_NETWORK_STORAGE);
	}
	GOOD(c, UNSET("tenants.green"));
	config_set_undo(c);
	assert_ptr_equal(c->tenants, tenants);
	assert_tenants(c, "red h1; blue h2; green h3");
	config_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tenants_come_change_and_go),
		cmocka_unit_test(the_first_and_the_last),
		cmocka_unit_test(what_is_wrong_takes_all_of_it_back),
		cmocka_unit_test(a_tenant_is_a_map),
		cmocka_unit_test(a_border_goes_with_its_last_prefix),
		cmocka_unit_test(unset_is_as_if_not_written),
		cmocka_unit_test(memory_does_not_grow),
		cmocka_unit_test(kept_tenants_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
