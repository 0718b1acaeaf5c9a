// SPDX-License-Identifier: BSD-3-Clause
// What records of a probe become, with time set by hand. h1 and h2 are at leaf1, h3 and h4 at
// leaf2.
#include "control/trace/trace.h"

#include "tests/unit/control/fabric/bench.h"

#define SENT_AT 1000
#define H1 3
#define H3 5
#define UPLINK 2 // of a leaf

static json_t *answer;

static struct trace_probe *
create(struct bench *b, const char *destination, int bytes, struct diag *diag)
{
	struct trace_state state = {.fabric = b->f,
				    .nodes = (const struct node *const *)b->f->nodes};
	struct trace_probe *p = NULL;
	json_t *params = json_pack("{s:s, s:s, s:i}", "source", "h1", "destination", destination,
				   "bytes", bytes);

	for (unsigned i = 0; i < b->f->topology->node_count; i++)
		node_take_tables(b->f->nodes[i], 0);
	answer = NULL;
	if (trace_probe_create(&state, params, 42, &p, &answer, diag) == 0)
		trace_probe_sent(p, SENT_AT);
	json_decref(params);
	return p;
}

static void
note(struct trace_probe *p, enum trace_event event, uint32_t node, uint16_t port, ps_t at)
{
	const struct trace_record r = {.event = event,
				       .port = {.node = node, .port = port},
				       .at = SENT_AT + at,
				       .reason = -1,
				       .out_port = -1,
				       .tc = 3};

	trace_probe_note(p, &r);
}

static void
note_drop(struct trace_probe *p, const struct trace_record *at, enum drop_reason reason)
{
	struct trace_record r = *at;

	r.at += SENT_AT;
	r.reason = reason;
	trace_probe_note(p, &r);
}

static void
expect(struct trace_probe *p, const char *text)
{
	json_t *is = trace_probe_json(p), *should = json_loads(text, 0, NULL);

	assert_non_null(should);
	if (!json_equal(is, should))
		json_dumpf(is, stderr, JSON_INDENT(1));
	assert_true(json_equal(is, should));
	json_decref(is);
	json_decref(should);
}

static void
end(struct bench *b, struct trace_probe *p)
{
	json_decref(answer);
	trace_probe_free(p);
	stop(b);
}

static void
test_a_way_to_the_end(void **state)
{
	struct trace_probe *p;
	struct bench b;

	(void)state;
	start(&b, PLACE);
	p = create(&b, "h3", 500, &b.place.diag);
	assert_non_null(p);
	assert_int_equal(trace_probe_start(p).node, H1);
	expect(p,
	       "{\"result\": \"in-flight\", \"sent_at_ps\": 1000, \"time_ps\": 0, \"as_computed\": "
	       "true, \"hops\": []}");
	note(p, TRACE_SENT, H1, 0, 10);
	note(p, TRACE_RECEIVED, LEAF1, 0, 20);
	note(p, TRACE_SENT, LEAF1, UPLINK, 30);
	note(p, TRACE_RECEIVED, SPINE, 0, 40);
	note(p, TRACE_SENT, SPINE, 1, 50);
	note(p, TRACE_RECEIVED, LEAF2, UPLINK, 60);
	note(p, TRACE_SENT, LEAF2, 0, 70);
	assert_false(trace_probe_has_ended(p));
	note_drop(p, &(struct trace_record){.port = {.node = H3}, .at = 80, .out_port = -1},
		  DROP_BAD_ICRC);
	assert_true(trace_probe_has_ended(p));
	note(p, TRACE_SENT, H3, 0, 90); // too late to change anything
	expect(p,
	       "{\"result\": \"delivered\", \"sent_at_ps\": 1000, \"time_ps\": 80, "
	       "\"as_computed\": true, \"discarded_as\": \"bad-icrc\", \"hops\": ["
	       "{\"node\": \"h1\", \"role\": \"host\", \"out\": \"eth1\", \"queue\": 3, "
	       "\"left_ps\": 10},"
	       "{\"node\": \"leaf1\", \"role\": \"leaf\", \"in\": \"swp1\", \"arrived_ps\": 20, "
	       "\"out\": \"swp3\", \"queue\": 3, \"left_ps\": 30},"
	       "{\"node\": \"spine1\", \"role\": \"spine\", \"in\": \"swp1\", \"arrived_ps\": 40, "
	       "\"out\": \"swp2\", \"queue\": 3, \"left_ps\": 50},"
	       "{\"node\": \"leaf2\", \"role\": \"leaf\", \"in\": \"swp3\", \"arrived_ps\": 60, "
	       "\"out\": \"swp1\", \"queue\": 3, \"left_ps\": 70},"
	       "{\"node\": \"h3\", \"role\": \"host\", \"in\": \"eth1\", \"arrived_ps\": 80}]}");
	end(&b, p);
}

// It leaves leaf1 by swp2, to a host that discards it for another reason than being a probe.
static void
test_another_way(void **state)
{
	struct trace_probe *p;
	struct bench b;
	json_t *got;

	(void)state;
	start(&b, PLACE);
	p = create(&b, "h3", 500, &b.place.diag);
	note(p, TRACE_SENT, H1, 0, 10);
	note(p, TRACE_RECEIVED, LEAF1, 0, 20);
	note(p, TRACE_SENT, LEAF1, 1, 30);
	note_drop(p, &(struct trace_record){.port = {.node = H1 + 1}, .at = 40, .out_port = -1},
		  DROP_NOT_FOR_HOST);
	got = trace_probe_json(p);
	assert_string_equal(json_string_value(json_object_get(got, "result")), "dropped");
	assert_true(json_is_false(json_object_get(got, "as_computed")));
	json_decref(got);
	end(&b, p);
}

static void
test_a_drop_at_a_queue(void **state)
{
	struct trace_probe *p;
	struct bench b;
	json_t *got, *drop;

	(void)state;
	start(&b, PLACE);
	p = create(&b, "h3", 500, &b.place.diag);
	note(p, TRACE_RECEIVED, LEAF1, 0, 20);
	note_drop(p,
		  &(struct trace_record){.event = TRACE_DROPPED,
					 .port = {.node = LEAF1},
					 .at = 35,
					 .out_port = UPLINK,
					 .tc = 3,
					 .depth_bytes = 4000},
		  DROP_RED);
	got = trace_probe_json(p);
	assert_int_equal(json_integer_value(json_object_get(got, "time_ps")), 35);
	assert_int_equal(json_array_size(json_object_get(got, "hops")), 1);
	drop = json_object_get(json_array_get(json_object_get(got, "hops"), 0), "drop");
	assert_string_equal(json_string_value(json_object_get(drop, "reason")), "red");
	assert_int_equal(json_integer_value(json_object_get(drop, "at_ps")), 35);
	assert_int_equal(json_integer_value(json_object_get(drop, "depth_bytes")), 4000);
	json_decref(got);
	end(&b, p);
}

static void
test_its_number_is_found_wherever_it_stands(void **state)
{
	struct trace_probe *p;
	const struct probe *packet;
	uint8_t bytes[PROBE_BYTES_MAX + 50] = {0};
	uint64_t number = 0;
	struct bench b;

	(void)state;
	start(&b, PLACE);
	p = create(&b, "h3", 500, &b.place.diag);
	packet = trace_probe_packet(p);
	assert_int_equal(packet->meta.wire_bytes, 500);
	assert_int_equal(packet->meta.data_len, 14 + 20 + 8 + 12 + 16);
	for (unsigned before = 0; before <= 50; before += 50) {
		memcpy(bytes + before, packet->data, packet->meta.data_len);
		assert_true(trace_probe_number(bytes, before + packet->meta.data_len, &number));
		assert_int_equal(number, 42);
		assert_false(
			trace_probe_number(bytes, before + packet->meta.data_len - 1u, &number));
		memset(bytes, 0, sizeof(bytes));
	}
	end(&b, p);
	start(&b, PLACE);
	assert_null(create(&b, "h3", 73, &b.place.diag));
	assert_true(fixture_says(&b.place, "bytes: 73 is too short for a probe: at least 74"));
	end(&b, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_way_to_the_end),
		cmocka_unit_test(test_another_way),
		cmocka_unit_test(test_a_drop_at_a_queue),
		cmocka_unit_test(test_its_number_is_found_wherever_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
