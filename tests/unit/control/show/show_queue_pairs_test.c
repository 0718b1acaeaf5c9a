// SPDX-License-Identifier: BSD-3-Clause
// What `roost show queue-pairs` tells of each role, and which are meant.
#include "report_fixture.h"

#include "control/show/show.h"

#include <errno.h>

static const struct qp_state pairs[] = {
	{
		.qpn = 16,
		.peer_qpn = 18,
		.role = NIC_ROLE_SENDER,
		.state = NIC_STATE_OPEN,
		.ip_version = 4,
		.peer_ip = {10, 0, 1, 2},
		.psn = 0xfffffe,
		.sent = {.repetitions = 2, .retransmitted = 3, .naks = 4, .timeouts = 5, .cnps = 6},
		.paced = true,
		.reading = {.rate_bps = 25e9, .target_bps = 50e9, .alpha = .5},
	},
	{
		.qpn = 17,
		.peer_qpn = 17,
		.role = NIC_ROLE_RECEIVER,
		.state = NIC_STATE_READY,
		.ip_version = 6,
		.peer_ip = {0xfd, [15] = 1},
		.psn = 9,
		.msn = 7,
		.received = {.packets = 1,
			     .duplicates = 2,
			     .out_of_order = 3,
			     .reorder_max = 4,
			     .naks = 5,
			     .cnps = 6},
	},
	{.qpn = 18, .role = NIC_ROLE_READER, .state = NIC_STATE_COMPLETE, .ip_version = 4},
	{.qpn = 19, .role = NIC_ROLE_RESPONDER, .state = NIC_STATE_READY, .ip_version = 4},
};

static int
ask(struct fixture *f, const char *host, json_t **out, char why[static 128])
{
	const struct show_nic nics[] = {{"h1", pairs, 4}};
	struct show_state s = {.nodes = f->nodes, .node_count = 2, .nics = nics, .nic_count = 1};
	json_t *params = json_pack("{s:s,s:s*}", "what", "queue-pairs", "port", host);
	struct diag diag = {0};
	int status;

	assert_int_equal(show_needs(params), SHOW_NEEDS_QUEUE_PAIRS);
	status = show_answer(&s, params, out, &diag);
	snprintf(why, 128, "%s", diag_first_error(&diag));
	diag_free(&diag);
	json_decref(params);
	return status;
}

#define PAIR(n) "nodes/h1/queue_pairs/[" #n "]/"

static void
test_roles(void **state)
{
	char why[128];
	json_t *out;

	assert_int_equal(ask(*state, NULL, &out, why), 0);
	assert_int_equal(json_array_size(fixture_at(out, "nodes/h1/queue_pairs")), 4);
	assert_text_at(out, PAIR(0) "port", "eth1");
	assert_text_at(out, PAIR(0) "role", "sender");
	assert_text_at(out, PAIR(0) "state", "open");
	assert_text_at(out, PAIR(0) "peer", "10.0.1.2");
	assert_integer_at(out, PAIR(0) "peer_qpn", 18);
	assert_integer_at(out, PAIR(0) "psn", 0xfffffe);
	assert_integer_at(out, PAIR(0) "completed", 2);
	assert_integer_at(out, PAIR(0) "retransmitted", 3);
	assert_integer_at(out, PAIR(0) "naks_rx", 4);
	assert_integer_at(out, PAIR(0) "timeouts", 5);
	assert_integer_at(out, PAIR(0) "cnps_rx", 6);
	assert_true(json_real_value(fixture_at(out, PAIR(0) "target_bps")) == 50e9);
	assert_text_at(out, PAIR(1) "role", "receiver");
	assert_text_at(out, PAIR(1) "state", "ready");
	assert_text_at(out, PAIR(1) "peer", "fd00::1");
	assert_integer_at(out, PAIR(1) "msn", 7);
	assert_integer_at(out, PAIR(1) "packets", 1);
	assert_integer_at(out, PAIR(1) "reorder_max", 4);
	assert_integer_at(out, PAIR(1) "naks_tx", 5);
	assert_integer_at(out, PAIR(1) "cnps_tx", 6);
	assert_text_at(out, PAIR(2) "role", "reader");
	assert_text_at(out, PAIR(2) "state", "complete");
	assert_text_at(out, PAIR(3) "role", "responder");
	json_decref(out);
}

// A role has no more than it has.
static void
test_what_is_left_out(void **state)
{
	json_t *out, *pair;
	char why[128];

	assert_int_equal(ask(*state, "h1", &out, why), 0);
	pair = json_array_get(fixture_at(out, "nodes/h1/queue_pairs"), 0);
	assert_null(json_object_get(pair, "packets"));
	assert_null(json_object_get(pair, "msn"));
	pair = json_array_get(fixture_at(out, "nodes/h1/queue_pairs"), 1);
	assert_null(json_object_get(pair, "retransmitted"));
	assert_null(json_object_get(pair, "rate_bps"));
	pair = json_array_get(fixture_at(out, "nodes/h1/queue_pairs"), 2);
	assert_non_null(json_object_get(pair, "naks_rx"));
	assert_non_null(json_object_get(pair, "naks_tx"));
	pair = json_array_get(fixture_at(out, "nodes/h1/queue_pairs"), 3);
	assert_non_null(json_object_get(pair, "msn"));
	assert_null(json_object_get(pair, "packets"));
	json_decref(out);
}

static void
test_who_is_meant(void **state)
{
	json_t *out;
	char why[128];

	assert_int_equal(ask(*state, "leaf1", &out, why), -EINVAL);
	assert_string_equal(why, "queue-pairs: there is no NIC leaf1");
	assert_int_equal(ask(*state, "h2", &out, why), -EINVAL);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_roles),
		T(test_what_is_left_out),
		T(test_who_is_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
