// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/control/show/report_fixture.h"

#include "control/fabric/result.h"

static struct report_flow flow = {.id = 0,
				  .item = "incast",
				  .src = "h2",
				  .dst = "h1",
				  .bytes = 1000000,
				  .start = 1000,
				  .fct = 90634880,
				  .ideal = 90634880,
				  .retransmitted = 3,
				  .reorder_max = 4};
static struct report_collective collective = {.name = "a2a",
					      .id = "a2a",
					      .kind = REPORT_ALL_TO_ALL,
					      .ranks = 8,
					      .bytes = 64000000,
					      .step = 10 * PS_PER_MS};

static struct report_result
result_of(const struct fixture *f)
{
	return (struct report_result){
		.flows = &flow,
		.flow_count = 1,
		.collectives = &collective,
		.collective_count = 1,
		.nodes = f->nodes,
		.node_count = 2,
		.now = 200 * PS_PER_US,
		.last_event = 199 * PS_PER_US,
		.cnps = 5,
		.out_of_order = 6,
	};
}

static void
result_digest(const struct report_result *r, char digest[static RESULT_DIGEST_MAX])
{
	struct report_result copy = *r;

	assert_int_equal(result_collect(&copy, &(struct result_wanted){.digest = digest}), 0);
	result_free(&copy);
}

// That of a result without nodes, computed by another program from the description in digest.c.
static void
test_digest_of_a_known_result(void **state)
{
	struct report_result r = result_of(*state);
	char digest[RESULT_DIGEST_MAX];

	r.node_count = 0;
	result_digest(&r, digest);
	assert_string_equal(digest,
			    "9c1baafbb8f6e0d197515bcc06c7dfbeca771b73b4ad6f9a842ac133bad9fa32");
}

static void
assert_changed(const struct report_result *r, const char *first)
{
	char other[RESULT_DIGEST_MAX];

	result_digest(r, other);
	assert_string_not_equal(first, other);
}

static void
assert_unchanged(const struct report_result *r, const char *first)
{
	char other[RESULT_DIGEST_MAX];

	result_digest(r, other);
	assert_string_equal(first, other);
}

static void
test_the_machine_does_not_count(void **state)
{
	struct report_result r = result_of(*state);
	char first[RESULT_DIGEST_MAX];

	result_digest(&r, first);
	r.wall_s = 7;
	r.setup_s = 8;
	r.ranks = 4;
	r.file = "elsewhere.yaml";
	collective.id = "a2a-1";
	assert_unchanged(&r, first);
	collective.id = "a2a";
}

static void
test_all_else_counts(void **state)
{
	struct fixture *f = *state;
	struct report_result r = result_of(f);
	char first[RESULT_DIGEST_MAX];

	result_digest(&r, first);
	f->leaf->ports[3].queues[5].depth_max++;
	assert_changed(&r, first);
	f->leaf->ports[3].queues[5].depth_max--;
	flow.fct++;
	assert_changed(&r, first);
	flow.fct--;
	flow.tenant = "red";
	assert_changed(&r, first);
	flow.tenant = NULL;
	collective.step = PS_NEVER;
	assert_changed(&r, first);
	collective.step = 10 * PS_PER_MS;
	r.cnps++;
	assert_changed(&r, first);
	r.cnps--;
	r.log = json_pack("[{s:i}]", "at_ns", 5);
	assert_changed(&r, first);
	json_decref(r.log);
	r.log = NULL;
	assert_unchanged(&r, first);
}

// The same count at another port, queue or under another name is another result.
static void
test_places_count(void **state)
{
	struct fixture *f = *state;
	const struct report_result r = result_of(f);
	uint64_t *const places[] = {
		&f->leaf->ports[1].rx_packets,        &f->leaf->ports[2].rx_packets,
		&f->leaf->ports[2].tx_packets,        &f->leaf->ports[2].queues[1].packets,
		&f->leaf->ports[2].queues[2].packets, &f->leaf->ports[2].groups[2].packets,
		&f->nic->ports[0].rx_packets,
	};
	const unsigned int count = sizeof(places) / sizeof(*places);
	char digests[sizeof(places) / sizeof(*places)][RESULT_DIGEST_MAX];

	for (unsigned int i = 0; i < count; i++) {
		*places[i] = 1;
		result_digest(&r, digests[i]);
		*places[i] = 0;
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(digests[i], digests[k]);
	}
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_digest_of_a_known_result),
		T(test_the_machine_does_not_count),
		T(test_all_else_counts),
		T(test_places_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
