// SPDX-License-Identifier: BSD-3-Clause
// What `roost show watchdog` and `roost show log` tell.
#include "asked.h"

#include <errno.h>

static json_t *told; // the log

static int
ask(struct fixture *f, json_t *params, json_t **out)
{
	return ask_with(f, &(struct show_state){.log = told, .log_lost = 3}, params, out);
}

static json_t *
answer_to(struct fixture *f, const char *what, const char *port)
{
	return answer_with(f, &(struct show_state){.log = told, .log_lost = 3}, what, port);
}

static void
test_watchdog(void **state)
{
	struct watchdog_queue watchdog[PRIORITIES] = {0};
	struct fixture *f = *state;
	struct port_profile own;
	json_t *out = answer_to(f, "watchdog", NULL);

	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_true(json_is_false(fixture_at(out, "nodes/leaf1/watchdog/enabled")));
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports/swp1/queue")), 0);
	json_decref(out);
	f->leaf_tables.watchdog_poll = 100 * PS_PER_MS;
	f->profile.watchdog = (struct watchdog_profile){.on = true,
							.detect = 300 * PS_PER_MS,
							.restore = 200 * PS_PER_MS,
							.action = WATCHDOG_FORWARD,
							.ingress = true};
	f->leaf_tables.tc_priorities[3] = 1 << 3;
	f->leaf_tables.tc_priorities[0] = 0xf7;
	f->profile.obeyed = 1 << 3;
	watchdog[3] = (struct watchdog_queue){
		.storm = true, .storms = 2, .dropped = 5, .stuck_since = 7 * PS_PER_US};
	f->leaf->ports[1].watchdog = watchdog;
	f->leaf->ports[1].queue_cold[3].last_xoff = 8 * PS_PER_US;
	out = answer_to(f, "watchdog", "leaf1");
	assert_integer_at(out, "nodes/leaf1/watchdog/poll_ns", 100000000);
	assert_integer_at(out, "nodes/leaf1/watchdog/detect_ns", 300000000);
	assert_integer_at(out, "nodes/leaf1/watchdog/restore_ns", 200000000);
	assert_text_at(out, "nodes/leaf1/watchdog/action", "forward");
	assert_true(json_is_true(fixture_at(out, "nodes/leaf1/watchdog/ingress")));
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports/swp1/queue")), 1);
	assert_text_at(out, "nodes/leaf1/ports/swp1/queue/3/status", "OK");
	assert_int_equal(
		json_integer_value(fixture_at(out, "nodes/leaf1/ports/swp1/queue/3/last_xoff_ns")),
		-1);
	assert_text_at(out, "nodes/leaf1/ports/swp2/queue/3/status", "STORM");
	assert_integer_at(out, "nodes/leaf1/ports/swp2/queue/3/watchdog_storms", 2);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/queue/3/watchdog_dropped", 5);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/queue/3/stuck_since_ns", 7000);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/queue/3/last_xoff_ns", 8000);
	json_decref(out);
	f->profile.obeyed = 0;
	f->profile.link_pause = true;
	out = answer_to(f, "watchdog", "swp4");
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports/swp4/queue")), 8);
	json_decref(out);
	// What most ports have, and one that differs.
	own = f->profile;
	own.watchdog.action = WATCHDOG_ALERT;
	f->leaf_tables.ports[0].profile = &own;
	out = answer_to(f, "watchdog", "leaf1");
	assert_text_at(out, "nodes/leaf1/watchdog/action", "forward");
	assert_text_at(out, "nodes/leaf1/ports/swp1/watchdog/action", "alert");
	assert_integer_at(out, "nodes/leaf1/ports/swp1/watchdog/poll_ns", 100000000);
	assert_null(json_object_get(fixture_at(out, "nodes/leaf1/ports/swp2"), "watchdog"));
	json_decref(out);
}

static void
test_log_of_the_watchdog(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *filter;
		size_t entries;
	} asked[] = {{NULL, 3},   {"leaf1", 2}, {"leaf1.swp2", 1},
		     {"swp1", 1}, {"swp2", 2},  {"leaf1.swp3", 0}};
	json_t *out;

	told = json_pack("[{s:i,s:s,s:s,s:s},{s:i,s:s,s:s,s:s},{s:i,s:s,s:s,s:s}]", "at_ns", 1,
			 "node", "leaf1", "queue", "swp1.3", "what", "watchdog-storm", "at_ns", 2,
			 "node", "leaf1", "queue", "swp2.3", "what", "watchdog-storm", "at_ns", 3,
			 "node", "leaf2", "queue", "swp2.3", "what", "watchdog-restore");
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		out = answer_to(f, "watchdog", asked[i].filter);
		assert_int_equal(json_array_size(fixture_at(out, "log")), asked[i].entries);
		assert_integer_at(out, "log_lost", 3);
		json_decref(out);
	}
	json_decref(told);
	told = NULL;
}

// All that was told; what happened to no queue is of no node either, and not the watchdog's.
static void
test_log(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *what, *filter;
		size_t entries;
	} asked[] = {{"log", NULL, 2},         {"log", "leaf1", 1}, {"log", "leaf1.swp1", 1},
		     {"log", "leaf1.swp2", 0}, {"log", "h1", 0},    {"watchdog", NULL, 1}};
	json_t *out;

	told = json_pack("[{s:i,s:s,s:s,s:s},{s:i,s:n,s:n,s:s,s:s}]", "at_ns", 1, "node", "leaf1",
			 "queue", "swp1.3", "what", "watchdog-storm", "at_ns", 2, "node", "queue",
			 "what", "event-refused", "message", "why");
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		out = answer_to(f, asked[i].what, asked[i].filter);
		assert_int_equal(json_array_size(fixture_at(out, "log")), asked[i].entries);
		assert_integer_at(out, "log_lost", 3);
		json_decref(out);
	}
	out = answer_to(f, "log", NULL);
	assert_true(json_equal(fixture_at(out, "log"), told));
	json_decref(out);
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "log", "port", "leaf9"), &out),
			 -EINVAL);
	assert_string_equal(why, "log: there is no node or port leaf9");
	json_decref(told);
	told = NULL;
	out = answer_to(f, "log", NULL);
	assert_int_equal(json_array_size(fixture_at(out, "log")), 0);
	json_decref(out);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_watchdog),
		T(test_log_of_the_watchdog),
		T(test_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
