// SPDX-License-Identifier: BSD-3-Clause
// What several ranks, each with some of the nodes, make of a run is what one process makes of it.
#include "tests/unit/control/show/report_fixture.h"
#include "tests/unit/socket_ranks.h"

#include "control/base/memory.h"
#include "control/fabric/snapshots.h"
#include "control/show/summary.h"

#include <string.h>

#define NODES 5

struct texts {
	char digest[RESULT_DIGEST_MAX];
	char *links, *counters, *snapshots, *document, *summary;
};

struct
try {
	struct fixture *fixture;
	uint32_t ranks, case_number;
	struct texts texts;
};

static const char *const names[NODES] = {"leaf1", "leaf2", "leaf3", "h1", "h2"};

static void
fill(struct fixture *f, struct report_node nodes[NODES])
{
	static struct histogram_profile profiles[] = {
		{.kind = HISTOGRAM_QUEUE, .port = 1, .index = 3, .bins = 3, .width = 192},
	};
	static uint64_t counts[][HISTOGRAM_BINS_MAX] = {{0, 3, 1}};

	f->profile.byte_time = time_byte_time(UINT64_C(100000000000));
	f->leaf_tables.histograms = profiles;
	f->leaf_tables.histogram_count = 1;
	f->leaf->histograms = counts;
	f->leaf->ports[2].tx_bytes = 3125;
	f->leaf->ports[3].tx_bytes = 1111;
	f->leaf->ports[1].tx_packets = 7;
	f->leaf->ports[0].groups[3].dropped = 2;
	f->leaf->ports[0].drops[DROP_HEADROOM] = 2;
	f->leaf->ports[1].rx_pause[3].total = 77 * PS_PER_US;
	f->leaf->buffer.pools[POOL_INGRESS_LOSSY].used_max = 17;
	f->nic->ports[0].tx_packets = 9;
	f->nic->ports[0].tx_bytes = 9000;
	for (unsigned int i = 0; i < NODES; i++) {
		nodes[i] = f->nodes[i >= 3];
		nodes[i].name = names[i];
	}
}

static char *
text_of(void (*print)(const struct report_result *r, const char *digest, FILE *to),
	const struct report_result *r, const char *digest)
{
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);

	print(r, digest, to);
	fclose(to);
	return text;
}

// The rank of a node, in several ways.
static uint32_t
owner(const struct try *t, uint32_t node)
{
	static const uint32_t places[][NODES] = {
		{0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, {2, 0, 1, 1, 0}, {0, 1, 2, 0, 1}, {2, 2, 0, 0, 2},
	};

	return places[t->case_number][node] % t->ranks;
}

static void
take_snapshots(struct snapshots *s, struct fixture *f, const struct report_node nodes[NODES])
{
	snapshots_take(s, nodes, NODES, 1234);
	f->nic->ports[0].pause_rx = 5;
	snapshots_take(s, nodes, NODES, 20 * PS_PER_US);
	snapshots_end(s);
	f->nic->ports[0].pause_rx = 0;
}

static int
collect(struct ranks *ranks, void *context)
{
	struct try *t = context;
	struct report_node nodes[NODES];
	struct report_result r = {.nodes = nodes,
				  .node_count = NODES,
				  .now = 90 * PS_PER_US,
				  .last_event = PS_PER_US};
	struct result_wanted wanted = {
		.ranks = ranks, .digest = t->texts.digest, .histograms = true, .tables = true};
	struct output_table table = {0};
	struct snapshots *snapshots;
	size_t sizes[3];
	int rc;

	fill(t->fixture, nodes);
	for (uint32_t i = 0; i < NODES; i++)
		if (ranks_many(ranks) && owner(t, i) != ranks->index)
			nodes[i].node = NULL;
	table.to = memory_stream_open(&t->texts.snapshots, &sizes[2]);
	snapshots = snapshots_create(ranks, true, &table);
	take_snapshots(snapshots, t->fixture, nodes);
	fclose(table.to);
	assert_int_equal(table.error, 0);
	r.snapshots = snapshots_taken(snapshots);
	wanted.links = memory_stream_open(&t->texts.links, &sizes[0]);
	wanted.counters = memory_stream_open(&t->texts.counters, &sizes[1]);
	rc = result_collect(&r, &wanted);
	fclose(wanted.links);
	fclose(wanted.counters);
	if (rc == 0 && ranks_first(ranks)) {
		t->texts.document = text_of(result_write, &r, t->texts.digest);
		t->texts.summary = text_of(summary_print, &r, t->texts.digest);
	} else {
		free(t->texts.links);
		free(t->texts.counters);
		free(t->texts.snapshots);
	}
	snapshots_destroy(snapshots);
	result_free(&r);
	return rc;
}

static void
free_texts(struct texts *t)
{
	free(t->links);
	free(t->counters);
	free(t->snapshots);
	free(t->document);
	free(t->summary);
}

static void
test_ranks_give_what_one_process_gives(void **state)
{
	struct try alone = {.fixture = *state, .ranks = 1};

	assert_int_equal(collect(NULL, &alone), 0);
	assert_non_null(strstr(alone.texts.links, "leaf3.swp4,spine2.swp1,leaf-spine"));
	assert_non_null(strstr(alone.texts.counters, "h2,eth1,port,,,tx_packets,9"));
	assert_non_null(strstr(alone.texts.snapshots, "\n1.234,0,h2,eth1,port,,,tx_packets,9\n"));
	assert_non_null(strstr(alone.texts.snapshots, "\n20000.000,1,h1,eth1,port,,,pause_rx,5\n"));
	assert_non_null(strstr(alone.texts.snapshots, ",leaf3,swp2,histograms,queue.3,1,bin,3\n"));
	assert_non_null(strstr(alone.texts.document, "{\"at_ns\": 20000, \"digest\": \""));
	assert_non_null(strstr(alone.texts.document, "\"node\": \"leaf3\", \"kind\": \"queue\""));
	assert_non_null(strstr(alone.texts.summary, "longest paused: leaf1.swp2 priority 3"));
	for (uint32_t i = 0; i < 3 * 5; i++) {
		struct try t = {.fixture = *state, .ranks = i % 3 + 1, .case_number = i / 3};

		assert_int_equal(socket_ranks_run(t.ranks, collect, &t), 0);
		assert_string_equal(t.texts.digest, alone.texts.digest);
		assert_string_equal(t.texts.links, alone.texts.links);
		assert_string_equal(t.texts.counters, alone.texts.counters);
		assert_string_equal(t.texts.snapshots, alone.texts.snapshots);
		assert_string_equal(t.texts.document, alone.texts.document);
		assert_string_equal(t.texts.summary, alone.texts.summary);
		free_texts(&t.texts);
	}
	free_texts(&alone.texts);
	alone.fixture->leaf->histograms = NULL; // they are not the node's
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
		test_ranks_give_what_one_process_gives, fixture_setup, fixture_teardown)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
