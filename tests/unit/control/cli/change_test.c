// SPDX-License-Identifier: BSD-3-Clause
// What changes a fabric, against one that a thread plays: what is asked, and how it ends when that
// is refused.
#include "played.h"

#include <errno.h>

static int
answer_edit(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const json_t *edit = json_array_get(json_object_get(params, "edits"), 0);
	const char *value = json_string_value(json_object_get(edit, "value"));

	played_note(context, "edit", params);
	if (value != NULL && strcmp(value, "90%") == 0)
		return diag_fail(diag, ECANCELED, "over 100%% of the buffer");
	*result = json_pack("{s:[s],s:i,s:b}", "warnings", "this will hurt", "revision", 7,
			    "draining", value != NULL && strcmp(value, "slow") == 0);
	return 0;
}

static int
answer_draining(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	static int left = 3;

	(void)diag;
	played_note(context, "draining", params);
	*result = json_pack("{s:b}", "draining", left-- > 0);
	return 0;
}

static int
answer_apply(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const char *file = json_string_value(json_object_get(params, "file"));

	played_note(context, "apply", params);
	if (file != NULL)
		return diag_fail(diag, ECANCELED, "%s:2:3: no; not at all; %s:4:1: nor this", file,
				 file);
	*result = json_pack("{s:[],s:i,s:i}", "warnings", "revision", 8, "edits", 2);
	return 0;
}

static int
answer_rest(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	(void)diag;
	played_note(context, "rest", params);
	*result = json_pack("{s:[],s:i,s:i,s:s,s:n,s:[],s:[{s:s,s:n,s:s}]}", "warnings", "revision",
			    9, "edits", 0, "file", "/x/lab.yaml", "kept", "staged", "unsaved",
			    "key", "leaf1.a", "from", "to", "1");
	return 0;
}

static int
answer_clear(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const char *node = json_string_value(json_object_get(params, "node"));

	played_note(context, "clear", params);
	if (node != NULL && strcmp(node, "leaf9") == 0)
		return diag_fail(diag, EINVAL, "there is no node leaf9");
	*result = json_pack("{s:i}", "nodes", 1);
	if (node != NULL && strcmp(node, "leaf3") == 0)
		json_object_set_new(
			*result, "watermarks",
			json_loads("{\"leaf3\": {\"ports\": {\"swp1\": {\"queue\": {\"3\": "
				   "{\"depth_max\": 1200}}}}, "
				   "\"pools\": {\"headroom\": {\"used_max\": 77}}}}",
				   0, NULL));
	return 0;
}

static int
answer_restore(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const char *queue = json_string_value(json_object_get(params, "queue"));

	(void)diag;
	played_note(context, "watchdog-restore", params);
	*result = json_pack("{s:b}", "storm", strcmp(queue, "leaf1.swp1.3") == 0);
	return 0;
}

static int
answer_transmit(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	const json_t *queue = json_object_get(params, "queue");
	const char *state = json_string_value(json_object_get(params, "state"));

	(void)diag;
	played_note(context, "transmit", params);
	*result = json_pack("{s:O,s:[]}", "port", json_object_get(params, "port"), "off");
	for (int i = 0; strcmp(state, "off") == 0 && i < 8; i++)
		if (queue == NULL || i == 2 || i == json_integer_value(queue))
			json_array_append_new(json_object_get(*result, "off"), json_integer(i));
	return 0;
}

static const struct api_method methods[] = {
	{.name = "edit", .call = answer_edit},
	{.name = "draining", .call = answer_draining},
	{.name = "apply", .call = answer_apply},
	{.name = "confirm", .call = answer_rest},
	{.name = "rollback", .call = answer_rest},
	{.name = "save", .call = answer_rest},
	{.name = "config-diff", .call = answer_rest},
	{.name = "clear", .call = answer_clear},
	{.name = "watchdog-restore", .call = answer_restore},
	{.name = "transmit", .call = answer_transmit},
	{.name = NULL},
};

static int
setup(void **state)
{
	struct played *p = played_start("change", methods);

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

	assert_int_equal(c.status, EXIT_OK);
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

	require_asked(p, "roost set switch.qos.tc.3.ecn.min 100KB", "edit",
		      "{\"edits\": [{\"kind\": \"set\", \"key\": \"switch.qos.tc.3.ecn.min\", "
		      "\"value\": \"100KB\"}], \"stage\": false}");
	require_asked(p, "roost unset --stage tenant green hosts h5", "edit",
		      "{\"edits\": [{\"kind\": \"remove\", \"key\": \"tenants.green.hosts\", "
		      "\"value\": \"[h5]\"}], \"stage\": true}");
	require_asked(p, "roost set leaf1.qos.tc.3.weight slow", "draining", "{}");
	require_asked(p, "roost clear watermarks", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": false}");
	require_asked(p, "roost clear watermarks leaf1", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": false, \"node\": \"leaf1\"}");
	require_asked(p, "roost clear watermarks persistent", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": true}");
	require_asked(p, "roost clear watermarks persistent leaf1", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": true, \"node\": \"leaf1\"}");
	require_asked(
		p, "roost clear watermarks leaf1.swp3", "clear",
		"{\"what\": \"watermarks\", \"persistent\": false, \"port\": \"leaf1.swp3\"}");
	require_asked(p, "roost clear watermarks persistent leaf1.swp3 pg 4 --read", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": true, \"port\": \"leaf1.swp3\", "
		      "\"pg\": 4, \"read\": true}");
	require_asked(p, "roost clear watermarks leaf1.swp3 queue 0", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": false, \"port\": \"leaf1.swp3\", "
		      "\"queue\": 0}");
	require_asked(p, "roost clear watermarks leaf1 pool headroom", "clear",
		      "{\"what\": \"watermarks\", \"persistent\": false, \"node\": \"leaf1\", "
		      "\"pool\": \"headroom\"}");
	require_asked(p, "roost watchdog restore leaf1.swp1.3", "watchdog-restore",
		      "{\"queue\": \"leaf1.swp1.3\"}");
}

static void
test_what_is_said(void **state)
{
	struct captured c;

	(void)state;
	c = captured_run("roost set switch.buffer.pools.ingress-lossy.size 90%");
	assert_int_equal(c.status, EXIT_FAILED);
	assert_string_equal(c.err, "roost set: over 100% of the buffer\n");
	c = captured_run("roost set switch.qos.trust [dscp]");
	assert_int_equal(c.status, EXIT_OK);
	assert_string_equal(c.err, "roost set: warning: this will hurt\n");
	c = captured_run("roost clear watermarks leaf9");
	assert_int_equal(c.status, EXIT_FAILED);
	assert_string_equal(c.err, "roost clear: there is no node leaf9\n");
	c = captured_run("roost clear watermarks leaf3 --read");
	assert_string_equal(c.out, "of                    watermark  value\n"
				   "leaf3.swp1 queue 3    depth_max   1200\n"
				   "leaf3 pools headroom  used_max      77\n");
	c = captured_run("roost watchdog restore leaf1.swp1.3");
	assert_string_equal(c.err, "");
	c = captured_run("roost watchdog restore leaf1.swp2.3");
	assert_int_equal(c.status, EXIT_OK);
	assert_string_equal(c.err, "roost watchdog: leaf1.swp2.3 was not in a storm\n");
	c = captured_run("roost set a b -f nosuchfabric");
	assert_int_equal(c.status, EXIT_FAILED);
}

static void
test_transmit(void **state)
{
	static const struct {
		const char *words, *asked, *said;
	} cases[] = {
		{"swp3 off", "{\"port\": \"swp3\", \"state\": \"off\"}",
		 "swp3 transmits nothing\n"},
		{"swp3 on", "{\"port\": \"swp3\", \"state\": \"on\"}", "swp3 transmits\n"},
		{"swp3 off queue 5", "{\"port\": \"swp3\", \"state\": \"off\", \"queue\": 5}",
		 "swp3 transmits, except queue 2,5\n"},
		{"swp3 on -o json", "{\"port\": \"swp3\", \"state\": \"on\"}",
		 "{\n \"port\": \"swp3\",\n \"off\": []\n}\n"},
	};
	struct played *p = *state;
	struct captured c;
	char line[80];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *asked = json_loads(cases[i].asked, 0, NULL);

		snprintf(line, sizeof(line), "roost transmit %s", cases[i].words);
		c = captured_run(line);
		assert_int_equal(c.status, EXIT_OK);
		assert_string_equal(c.out, cases[i].said);
		assert_true(json_equal(asked, p->asked));
		json_decref(asked);
	}
}

static void
test_applying(void **state)
{
	struct played *p = *state;
	struct captured c;
	char line[256], path[96];
	FILE *to;

	c = captured_run("roost apply");
	assert_string_equal(c.out, "2 changes, revision 8\n");
	c = captured_run("roost apply --confirm 5m");
	assert_string_equal(
		c.out, "2 changes, rolled back in 5m unless `roost apply --confirm-yes` is run\n");
	assert_int_equal(json_integer_value(json_object_get(p->asked, "confirm-s")), 300);
	c = captured_run("roost apply --confirm-no");
	assert_false(json_is_true(json_object_get(p->asked, "keep")));
	c = captured_run("roost apply --confirm-yes");
	assert_true(json_is_true(json_object_get(p->asked, "keep")));
	assert_string_equal(c.out, "nothing changes\n");
	c = captured_run("roost rollback 3 --confirm 90s");
	assert_int_equal(c.status, EXIT_OK);
	assert_int_equal(json_integer_value(json_object_get(p->asked, "revision")), 3);
	assert_int_equal(json_integer_value(json_object_get(p->asked, "confirm-s")), 90);
	c = captured_run("roost save lab.yaml");
	assert_string_equal(c.out, "saved to /x/lab.yaml\n");
	assert_int_equal(json_string_value(json_object_get(p->asked, "file"))[0], '/');
	c = captured_run("roost config diff");
	assert_string_equal(c.out, "what runs, compared with /x/lab.yaml:\n+ leaf1.a: 1\n");

	// A file that is wrong by itself is not sent; what the fabric refuses of one comes a line
	// each.
	snprintf(path, sizeof(path), "%s/lab.yaml", p->directory);
	to = fopen(path, "w");
	assert_non_null(to);
	fputs("fabric: {}\n", to);
	fclose(to);
	snprintf(line, sizeof(line), "roost apply %s", path);
	c = captured_run(line);
	assert_int_equal(c.status, EXIT_USAGE);
	assert_non_null(strstr(c.err, "lab.yaml:1:"));
	assert_string_equal(p->method, "rest");
	to = fopen(path, "w");
	fputs("fabric: {topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2}}\n",
	      to);
	fclose(to);
	c = captured_run(line);
	assert_int_equal(c.status, EXIT_FAILED);
	snprintf(line, sizeof(line), "%s:2:3: no; not at all\n%s:4:1: nor this\n", path, path);
	assert_string_equal(c.err, line);
	assert_int_equal(unlink(path), 0);
}

static void
test_wrong_usage(void **state)
{
	static const char *const wrong[] = {
		"set",
		"set key",
		"set key.x value more",
		"set tenant green hosts",
		"unset",
		"unset key.x more",
		"apply a b",
		"apply --confirm 5",
		"apply --confirm 0s",
		"apply --confirm 25h",
		"apply --confirm-yes --confirm 5m",
		"rollback",
		"rollback last",
		"rollback 3 --confirm-yes",
		"save a b",
		"history all",
		"config",
		"config diff last",
		"config apply",
		"set key value --nonsense",
		"clear",
		"clear counters",
		"clear watermarks leaf1 leaf2",
		"clear watermarks leaf1.swp3 pg",
		"clear watermarks leaf1.swp3 queue 8",
		"clear watermarks leaf1 pool ingress",
		"clear watermarks persistent leaf1 leaf2",
		"transmit",
		"transmit leaf1.swp1",
		"transmit leaf1.swp1 down",
		"transmit leaf1.swp1 off 3",
		"transmit leaf1.swp1 off queue",
		"transmit leaf1.swp1 off queue 8",
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
		if (c.status != EXIT_USAGE)
			fail_msg("%s is %d", line, c.status);
		assert_string_equal(c.out, "");
		assert_non_null(strstr(c.err, "--help` shows the usage\n"));
	}
	assert_null(p->asked);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_what_is_asked), T(test_what_is_said), T(test_transmit),
		T(test_applying),      T(test_wrong_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
