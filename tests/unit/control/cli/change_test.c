// SPDX-License-Identifier: BSD-3-Clause
// roost set, clear and watchdog against a fabric that a thread plays: what is asked, and how it
// ends when that is refused.
#include "played.h"

#include <errno.h>

static int
answer_set(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	played_note(context, "set", params);
	if (strcmp(json_string_value(json_object_get(params, "value")), "90%") == 0) {
		snprintf(why, why_size, "over 100%% of the buffer");
		return -ECANCELED;
	}
	*result = json_pack("{s:[s]}", "warnings", "this will hurt");
	return 0;
}

static int
answer_clear(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	const char *node = json_string_value(json_object_get(params, "node"));

	played_note(context, "clear", params);
	if (node != NULL && strcmp(node, "leaf9") == 0) {
		snprintf(why, why_size, "there is no node leaf9");
		return -EINVAL;
	}
	*result = json_pack("{s:i}", "nodes", 1);
	return 0;
}

static int
answer_restore(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	const char *queue = json_string_value(json_object_get(params, "queue"));

	(void)why;
	(void)why_size;
	played_note(context, "watchdog-restore", params);
	*result = json_pack("{s:b}", "storm", strcmp(queue, "leaf1.swp1.3") == 0);
	return 0;
}

static const struct api_method methods[] = {
	{.name = "set", .call = answer_set},
	{.name = "clear", .call = answer_clear},
	{.name = "watchdog-restore", .call = answer_restore},
};

static int
setup(void **state)
{
	struct played *p = played_start("change", methods, 3);

	setenv("ROOST_FABRIC", p->name, 1);
	*state = p;
	return 0;
}

static int
teardown(void **state)
{
	played_stop(*state);
	unsetenv("ROOST_FABRIC");
	return 0;
}

static void
require_asked(const struct played *p, const char *line, const char *method, const char *params)
{
	struct captured c = captured_run(line);
	json_t *json = json_loads(params, 0, NULL);

	assert_int_equal(c.status, CLI_OK);
	assert_string_equal(c.out, "");
	assert_non_null(json);
	assert_string_equal(p->method, method);
	if (!json_equal(json, p->asked))
		fail_msg("%s did not ask %s", line, params);
	json_decref(json);
}

static void
test_what_is_asked(void **state)
{
	struct played *p = *state;

	require_asked(p, "roost set switch.qos.tc.3.ecn.min 100KB", "set",
		      "{\"key\": \"switch.qos.tc.3.ecn.min\", \"value\": \"100KB\"}");
	require_asked(p, "roost clear watermarks", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": false}");
	require_asked(p, "roost clear watermarks leaf1", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": false, \"node\": \"leaf1\"}");
	require_asked(p, "roost clear watermarks persistent", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": true}");
	require_asked(p, "roost clear watermarks persistent leaf1", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": true, \"node\": \"leaf1\"}");
	require_asked(p, "roost watchdog restore leaf1.swp1.3", "watchdog-restore",
		      "{\"queue\": \"leaf1.swp1.3\"}");
}

static void
test_what_is_said(void **state)
{
	struct captured c;

	(void)state;
	c = captured_run("roost set switch.buffer.pools.ingress-lossy.size 90%");
	assert_int_equal(c.status, CLI_FAILED);
	assert_string_equal(c.err, "roost set: over 100% of the buffer\n");
	c = captured_run("roost set switch.qos.trust [dscp]");
	assert_int_equal(c.status, CLI_OK);
	assert_string_equal(c.err, "roost set: warning: this will hurt\n");
	c = captured_run("roost clear watermarks leaf9");
	assert_int_equal(c.status, CLI_FAILED);
	assert_string_equal(c.err, "roost clear: there is no node leaf9\n");
	c = captured_run("roost watchdog restore leaf1.swp1.3");
	assert_string_equal(c.err, "");
	c = captured_run("roost watchdog restore leaf1.swp2.3");
	assert_int_equal(c.status, CLI_OK);
	assert_string_equal(c.err, "roost watchdog: leaf1.swp2.3 was in no storm\n");
	c = captured_run("roost set a b -f nosuchfabric");
	assert_int_equal(c.status, CLI_FAILED);
}

static void
test_wrong_usage(void **state)
{
	static const char *const wrong[] = {
		"set",
		"set key",
		"set key value more",
		"set key value --nonsense",
		"clear",
		"clear counters",
		"clear watermarks leaf1 leaf2",
		"clear watermarks persistent leaf1 leaf2",
		"watchdog",
		"watchdog restore",
		"watchdog start leaf1.swp1.3",
		"watchdog restore leaf1.swp1.3 leaf1.swp2.3",
	};
	struct played *p = *state;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char line[128];
		struct captured c;

		snprintf(line, sizeof(line), "roost %s", wrong[i]);
		c = captured_run(line);
		if (c.status != CLI_USAGE)
			fail_msg("%s is %d", line, c.status);
		assert_string_equal(c.out, "");
		assert_non_null(strstr(c.err, "--help tells how\n"));
	}
	assert_null(p->asked);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_what_is_asked),
		T(test_what_is_said),
		T(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
