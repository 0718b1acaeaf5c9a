// SPDX-License-Identifier: BSD-3-Clause
// roost show against a fabric that a thread plays: what it asks for, what it prints, how it ends.
#include "played.h"

#include <errno.h>

static int
answer_show(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const char *what = json_string_value(json_object_get(params, "what"));

	played_note(context, "show", params);
	if (json_object_get(params, "port") != NULL &&
	    strcmp(json_string_value(json_object_get(params, "port")), "leaf9") == 0)
		return diag_fail(diag, EINVAL, "%s: there is no node or port leaf9", what);
	*result = json_pack("{s:I,s:{s:{s:{s:{s:{s:i}}}}},s:{s:s}}", "time_ns", (json_int_t)5,
			    "nodes", "leaf1", "ports", "swp1", "drops", "no-route", 3, "advice",
			    "no-route", "give it one");
	return 0;
}

static const struct api_method methods[] = {{.name = "show", .call = answer_show}, {.name = NULL}};

static int
setup(void **state)
{
	unsetenv("ROOST_FABRIC");
	*state = played_start("show", methods);
	return 0;
}

static int
teardown(void **state)
{
	played_stop(*state);
	return 0;
}

static struct captured
show(const struct played *p, const char *words)
{
	char line[256];

	snprintf(line, sizeof(line), "roost show -f %s %s", p->name, words);
	return captured_run(line);
}

static void
require_asked(const struct played *p, const char *words, const char *expected)
{
	struct captured c = show(p, words);
	json_t *json = json_loads(expected, 0, NULL);

	assert_string_equal(c.err, "");
	assert_int_equal(c.status, EXIT_OK);
	assert_non_null(json);
	if (!json_equal(json, p->asked))
		fail_msg("show %s did not ask %s", words, expected);
	json_decref(json);
}

static void
test_what_is_asked(void **state)
{
	struct played *p = *state;

	require_asked(p, "fabric", "{\"what\": \"fabric\"}");
	require_asked(p, "interface", "{\"what\": \"interface\"}");
	require_asked(p, "interface leaf1.swp1",
		      "{\"what\": \"interface\", \"port\": \"leaf1.swp1\"}");
	require_asked(p, "interface leaf1.swp1 counters qos",
		      "{\"what\": \"interface\", \"port\": \"leaf1.swp1\"}");
	require_asked(p, "interface counters", "{\"what\": \"interface\"}");
	require_asked(p, "interface leaf1.swp1 qos roce",
		      "{\"what\": \"interface\", \"port\": \"leaf1.swp1\", \"view\": "
		      "\"roce-status\"}");
	require_asked(p, "interface leaf1.swp1 qos roce status",
		      "{\"what\": \"interface\", \"port\": \"leaf1.swp1\", \"view\": "
		      "\"roce-status\"}");
	require_asked(p, "interface qos roce counters",
		      "{\"what\": \"interface\", \"view\": \"roce-counters\"}");
	require_asked(p, "qos roce", "{\"what\": \"qos\"}");
	require_asked(p, "qos roce leaf1", "{\"what\": \"qos\", \"port\": \"leaf1\"}");
	require_asked(p, "tenant leaf1", "{\"what\": \"tenant\", \"port\": \"leaf1\"}");
	require_asked(p, "watchdog swp1", "{\"what\": \"watchdog\", \"port\": \"swp1\"}");
	require_asked(p, "config leaf1", "{\"what\": \"config\", \"port\": \"leaf1\"}");
	require_asked(p, "log", "{\"what\": \"log\"}");
	require_asked(p, "log leaf1.swp1", "{\"what\": \"log\", \"port\": \"leaf1.swp1\"}");
	require_asked(p, "histogram", "{\"what\": \"histogram\"}");
	require_asked(p, "pfc leaf1", "{\"what\": \"pfc\", \"port\": \"leaf1\"}");
	require_asked(p, "drops -o json swp1", "{\"what\": \"drops\", \"port\": \"swp1\"}");
	require_asked(p, "route", "{\"what\": \"route\"}");
	require_asked(p, "route vrf red", "{\"what\": \"route\", \"vrf\": \"red\"}");
	require_asked(p, "route leaf1 vrf red",
		      "{\"what\": \"route\", \"port\": \"leaf1\", \"vrf\": \"red\"}");
}

static void
test_text_and_json(void **state)
{
	struct played *p = *state;
	struct captured c = show(p, "drops");
	json_t *json;

	assert_string_equal(c.out,
			    "no-route  3 packets, came in by leaf1.swp1 (3)\n    give it one\n");
	c = show(p, "drops -o json");
	json = json_loads(c.out, 0, NULL);
	assert_non_null(json);
	assert_int_equal(json_integer_value(json_object_get(json, "time_ns")), 5);
	json_decref(json);
}

static void
test_the_fabric_is_picked(void **state)
{
	struct played *p = *state;
	char line[128];
	struct captured c;

	snprintf(line, sizeof(line), "roost -f %s show drops", p->name);
	assert_int_equal(captured_run(line).status, EXIT_OK);
	setenv("ROOST_FABRIC", p->name, 1);
	assert_int_equal(captured_run("roost show drops").status, EXIT_OK);
	c = captured_run("roost show drops -f nosuchfabric");
	assert_int_equal(c.status, EXIT_FAILED);
	assert_non_null(strstr(c.err, "fabric nosuchfabric is not up; up: "));
	assert_non_null(strstr(c.err, p->name));
	c = captured_run("roost show drops -f ../etc");
	assert_int_equal(c.status, EXIT_USAGE);
	unsetenv("ROOST_FABRIC");
}

static void
test_wrong_usage(void **state)
{
	static const char *const wrong[] = {
		"",
		"everything",
		"fabric leaf1",
		"pfc leaf1 leaf2",
		"interface leaf1 qos",
		"interface leaf1 qos roce nonsense",
		"interface leaf1 qos roce status counters",
		"qos",
		"qos leaf1",
		"qos roce leaf1 leaf2",
		"watchdog leaf1 leaf2",
		"log leaf1 leaf2",
		"config leaf1 leaf2",
		"route vrf",
		"pfc -o x",
		"pfc --watch 1",
		"pfc --watch 1ns",
		"pfc --nonsense",
	};
	struct played *p = *state;
	struct captured c;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		c = show(p, wrong[i]);
		if (c.status != EXIT_USAGE)
			fail_msg("show %s is %d", wrong[i], c.status);
		assert_string_equal(c.out, "");
		assert_non_null(strstr(c.err, "`roost show --help` shows the usage\n"));
	}
	c = show(p, "queues");
	assert_non_null(strstr(c.err, "unknown argument \"queues\"; did you mean \"queue\"?"));
	assert_null(p->asked);
	c = show(p, "pfc leaf9");
	assert_int_equal(c.status, EXIT_USAGE);
	assert_string_equal(c.err, "roost show: pfc: there is no node or port leaf9\n");
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_what_is_asked),
		T(test_text_and_json),
		T(test_the_fabric_is_picked),
		T(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
