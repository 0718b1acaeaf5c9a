// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/control/show/report_fixture.h"

#include "control/fabric/counters.h"
#include "dataplane/node/create.h"

static const char *const port_keys[] = {
	"rx_packets",
	"rx_bytes",
	"tx_packets",
	"tx_bytes",
	"pfc_rx",
	"pfc_tx",
	"pfc_rx_pause_ns",
	"pfc_tx_pause_ns",
	"pause_rx",
	"pause_tx",
	"drops",
	"pg",
	"queue",
	"pause_rx_ns",
	"pause_tx_ns",
	"pfc_rx_transitions",
	"pfc_tx_transitions",
	"pfc_rx_last_start_ns",
	"pfc_rx_last_end_ns",
	"pfc_tx_last_start_ns",
	"pfc_tx_last_end_ns",
};
static const char *const group_keys[] = {"packets",
					 "bytes",
					 "used",
					 "shared",
					 "headroom",
					 "used_max",
					 "shared_max",
					 "headroom_max",
					 "dropped",
					 "xoff",
					 "used_max_persistent",
					 "shared_max_persistent",
					 "headroom_max_persistent"};
static const char *const queue_keys[] = {"packets",         "bytes",
					 "depth",           "depth_max",
					 "dropped",         "dropped_bytes",
					 "ecn_marked",      "ecn_marked_bytes",
					 "paused",          "tx_off",
					 "watchdog",        "depth_max_persistent",
					 "shared_max",      "shared_max_persistent",
					 "red_dropped",     "trimmed",
					 "trim_sent",       "watchdog_storms",
					 "watchdog_dropped"};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void
require_keys(const json_t *object, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (json_object_get(object, keys[i]) == NULL)
			fail_msg("%s is missing", keys[i]);
}

static void
test_document_has_the_keys_of_its_format(void **state)
{
	struct fixture *f = *state;
	json_t *out = counters_document(f->nodes, 2, 100 * PS_PER_US, NULL);

	assert_non_null(out);
	assert_integer_at(out, "time_ns", 100000);
	assert_int_equal(json_array_size(fixture_at(out, "snapshots")), 0);
	require_keys(fixture_at(out, "nodes/leaf1/ports/swp4"), port_keys, COUNT(port_keys));
	assert_int_equal(json_array_size(fixture_at(out, "nodes/leaf1/ports/swp1/pg")), 8);
	assert_int_equal(json_array_size(fixture_at(out, "nodes/leaf1/ports/swp1/queue")), 8);
	assert_int_equal(json_array_size(fixture_at(out, "nodes/leaf1/ports/swp1/pfc_tx_pause_ns")),
			 8);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports/swp1/pg/[7]")),
			 COUNT(group_keys));
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports/swp1/queue/[7]")),
			 COUNT(queue_keys));
	require_keys(fixture_at(out, "nodes/leaf1/ports/swp1/pg/[7]"), group_keys,
		     COUNT(group_keys));
	require_keys(fixture_at(out, "nodes/leaf1/ports/swp1/queue/[7]"), queue_keys,
		     COUNT(queue_keys));
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/pools")), 5);
	fixture_at(out, "nodes/h1/ports/eth1");
	json_decref(out);
}

static void
test_lengths_are_bytes_of_whole_cells(void **state)
{
	struct fixture *f = *state;
	struct port *p = &f->leaf->ports[1];
	json_t *out;

	p->groups[3].usage = (struct usage){.own = 5, .guaranteed = 7};
	p->groups[3].headroom = 11;
	p->groups[3].used_max = 30;
	p->groups[3].shared_max = 4;
	p->groups[3].headroom_max = 12;
	p->groups[3].packets = 100;
	p->groups[3].bytes = 30000;
	p->groups[3].dropped = 6;
	p->groups[3].xoff_sent = 9;
	p->queues[3].depth_max = 40;
	p->queues[3].packets = 50;
	p->queues[3].bytes = 15000;
	p->queues[3].dropped = 2;
	p->queues[3].ecn_marked = 8;
	*node_depth(f->leaf, p, 3) = 13;
	out = counters_port(&f->nodes[0], 1, COUNTERS_ALL, 0);
	assert_integer_at(out, "pg/[3]/used", (5 + 7 + 11) * 192);
	assert_integer_at(out, "pg/[3]/shared", (5 - 2) * 192);
	assert_integer_at(out, "pg/[3]/headroom", 11 * 192);
	assert_integer_at(out, "pg/[3]/used_max", 30 * 192);
	assert_integer_at(out, "pg/[3]/shared_max", 4 * 192);
	assert_integer_at(out, "pg/[3]/headroom_max", 12 * 192);
	assert_integer_at(out, "pg/[3]/packets", 100);
	assert_integer_at(out, "pg/[3]/bytes", 30000);
	assert_integer_at(out, "pg/[3]/dropped", 6);
	assert_integer_at(out, "pg/[3]/xoff", 9);
	assert_integer_at(out, "queue/[3]/depth", 13 * 192);
	assert_integer_at(out, "queue/[3]/depth_max", 40 * 192);
	assert_integer_at(out, "queue/[3]/packets", 50);
	assert_integer_at(out, "queue/[3]/bytes", 15000);
	assert_integer_at(out, "queue/[3]/dropped", 2);
	assert_integer_at(out, "queue/[3]/ecn_marked", 8);
	assert_integer_at(out, "queue/[2]/depth", 0);
	assert_integer_at(out, "pg/[2]/used", 0);
	json_decref(out);
}

static void
test_drops_name_only_what_occurred(void **state)
{
	struct fixture *f = *state;
	json_t *out;

	f->leaf->ports[0].drops[DROP_NO_ROUTE] = 3;
	f->leaf->ports[0].drops[DROP_HEADROOM] = 1;
	out = counters_port(&f->nodes[0], 0, COUNTERS_DROPS, 0);
	assert_int_equal(json_object_size(out), 1);
	assert_int_equal(json_object_size(fixture_at(out, "drops")), 2);
	assert_integer_at(out, "drops/no-route", 3);
	assert_integer_at(out, "drops/headroom", 1);
	json_decref(out);
}

// Open intervals count up to now; a received pause that has run out up to its end, though no one
// closed it.
static void
test_pauses_count_to_the_instant_asked_for(void **state)
{
	struct fixture *f = *state;
	struct port *p = &f->leaf->ports[0];
	json_t *out;

	p->rx_pause[3] = (struct pause_clock){.since = 10 * PS_PER_US, .total = 2 * PS_PER_US};
	p->pause_until[3] = 15 * PS_PER_US;
	p->queue_paused_until[3] = 15 * PS_PER_US;
	p->paused = 1 << 3;
	p->tx_pause[4] = (struct pause_clock){.since = 10 * PS_PER_US, .total = 0};
	p->tx_pause[5] = (struct pause_clock){.since = PS_NEVER, .total = 1999};
	out = counters_port(&f->nodes[0], 0, COUNTERS_ALL, 12 * PS_PER_US);
	assert_integer_at(out, "pfc_rx_pause_ns/[3]", 4000);
	assert_integer_at(out, "pfc_tx_pause_ns/[4]", 2000);
	assert_integer_at(out, "pfc_tx_pause_ns/[5]", 1);
	assert_true(json_is_true(fixture_at(out, "queue/[3]/paused")));
	assert_true(json_is_false(fixture_at(out, "queue/[4]/paused")));
	json_decref(out);
	out = counters_port(&f->nodes[0], 0, COUNTERS_ALL, 100 * PS_PER_US);
	assert_integer_at(out, "pfc_rx_pause_ns/[3]", 7000);
	assert_integer_at(out, "pfc_tx_pause_ns/[4]", 90000);
	assert_true(json_is_false(fixture_at(out, "queue/[3]/paused")));
	json_decref(out);
}

// Each maximum is the greater of the running one and of what was put aside at a clear of the other.
static void
test_watermarks_of_two_readers(void **state)
{
	struct fixture *f = *state;
	struct port *p = &f->leaf->ports[1];
	struct buffer *b = &f->leaf->buffer;
	json_t *out;

	p->groups[3].used_max = 5;
	p->group_cold[3].used_before = (struct watermark_before){.user = 3, .persistent = 9};
	p->groups[3].shared_max = 4;
	p->group_cold[3].shared_before = (struct watermark_before){.user = 6, .persistent = 1};
	p->groups[3].headroom_max = 2;
	p->group_cold[3].headroom_before = (struct watermark_before){.persistent = 7};
	p->queues[3].depth_max = 8;
	p->queue_cold[3].depth_before = (struct watermark_before){.user = 10, .persistent = 11};
	b->pools[POOL_INGRESS_LOSSY].used_max = 12;
	b->pools[POOL_INGRESS_LOSSY].used_before = (struct watermark_before){.persistent = 13};
	b->tenants[0].used_max = 14;
	b->tenants[0].used_before = (struct watermark_before){.user = 15, .persistent = 16};
	out = counters_node(&f->nodes[0], COUNTERS_ALL, 0);
	assert_integer_at(out, "ports/swp2/pg/[3]/used_max", 5 * 192);
	assert_integer_at(out, "ports/swp2/pg/[3]/used_max_persistent", 9 * 192);
	assert_integer_at(out, "ports/swp2/pg/[3]/shared_max", 6 * 192);
	assert_integer_at(out, "ports/swp2/pg/[3]/shared_max_persistent", 4 * 192);
	assert_integer_at(out, "ports/swp2/pg/[3]/headroom_max", 2 * 192);
	assert_integer_at(out, "ports/swp2/pg/[3]/headroom_max_persistent", 7 * 192);
	assert_integer_at(out, "ports/swp2/queue/[3]/depth_max", 10 * 192);
	assert_integer_at(out, "ports/swp2/queue/[3]/depth_max_persistent", 11 * 192);
	assert_integer_at(out, "pools/ingress-lossy/used_max", 12 * 192);
	assert_integer_at(out, "pools/ingress-lossy/used_max_persistent", 13 * 192);
	assert_integer_at(out, "tenants/red/used_max", 15 * 192);
	assert_integer_at(out, "tenants/red/used_max_persistent", 16 * 192);
	json_decref(out);
}

static void
assert_signed_at(const json_t *from, const char *path, json_int_t expected)
{
	if (json_integer_value(fixture_at(from, path)) != expected)
		fail_msg("%s is %lld", path, (long long)json_integer_value(fixture_at(from, path)));
}

// What is open began at its start and has not ended; what ran out ended when it ran out.
static void
test_history_of_pauses(void **state)
{
	struct fixture *f = *state;
	struct port *p = &f->leaf->ports[0];
	json_t *out;

	p->rx_pause[3] = (struct pause_clock){.since = 10 * PS_PER_US,
					      .total = 2 * PS_PER_US,
					      .last_start = 10 * PS_PER_US,
					      .last_end = 4 * PS_PER_US,
					      .transitions = 2};
	p->pause_until[3] = 15 * PS_PER_US + 999;
	p->tx_pause[4] = (struct pause_clock){.since = PS_NEVER,
					      .total = PS_PER_US,
					      .last_start = 6 * PS_PER_US,
					      .last_end = 7 * PS_PER_US,
					      .transitions = 1};
	out = counters_port(&f->nodes[0], 0, COUNTERS_PFC, 12 * PS_PER_US);
	assert_signed_at(out, "pfc_rx_transitions/[3]", 2);
	assert_signed_at(out, "pfc_rx_last_start_ns/[3]", 10000);
	assert_signed_at(out, "pfc_rx_last_end_ns/[3]", 4000);
	assert_signed_at(out, "pfc_tx_transitions/[4]", 1);
	assert_signed_at(out, "pfc_tx_last_start_ns/[4]", 6000);
	assert_signed_at(out, "pfc_tx_last_end_ns/[4]", 7000);
	assert_signed_at(out, "pfc_rx_transitions/[4]", 0);
	assert_signed_at(out, "pfc_rx_last_start_ns/[4]", -1);
	assert_signed_at(out, "pfc_rx_last_end_ns/[4]", -1);
	json_decref(out);
	assert_true(counters_rx_pause(p, 3, 12 * PS_PER_US).paused);
	assert_false(counters_tx_pause(p, 4, 12 * PS_PER_US).paused);
	out = counters_port(&f->nodes[0], 0, COUNTERS_PFC, 40 * PS_PER_US);
	assert_signed_at(out, "pfc_rx_last_end_ns/[3]", 15000);
	json_decref(out);
	assert_false(counters_rx_pause(p, 3, 40 * PS_PER_US).paused);
}

static void
test_pauses_of_the_link(void **state)
{
	struct fixture *f = *state;
	struct port *p = &f->leaf->ports[0];
	json_t *out;

	p->rx_pause[PAUSE_LINK] = (struct pause_clock){.since = 10 * PS_PER_US};
	p->pause_until[PAUSE_LINK] = 13 * PS_PER_US;
	p->tx_pause[PAUSE_LINK] = (struct pause_clock){.since = PS_NEVER, .total = 5 * PS_PER_US};
	out = counters_port(&f->nodes[0], 0, COUNTERS_PFC, 20 * PS_PER_US);
	assert_integer_at(out, "pause_rx_ns", 3000);
	assert_integer_at(out, "pause_tx_ns", 5000);
	json_decref(out);
}

static void
test_what_few_packets_touch(void **state)
{
	struct fixture *f = *state;
	struct watchdog_queue watchdog[PRIORITIES] = {0};
	struct queue_cold *cold = &f->leaf->ports[0].queue_cold[3];
	json_t *out;

	cold->red_dropped = 1;
	cold->trimmed = 2;
	cold->trim_sent = 3;
	watchdog[3] = (struct watchdog_queue){.storms = 4, .dropped = 5, .storm = true};
	f->leaf->ports[0].watchdog = watchdog;
	out = counters_port(&f->nodes[0], 0, COUNTERS_QUEUES, 0);
	assert_integer_at(out, "queue/[3]/red_dropped", 1);
	assert_integer_at(out, "queue/[3]/trimmed", 2);
	assert_integer_at(out, "queue/[3]/trim_sent", 3);
	assert_integer_at(out, "queue/[3]/watchdog_storms", 4);
	assert_integer_at(out, "queue/[3]/watchdog_dropped", 5);
	assert_true(json_is_true(fixture_at(out, "queue/[3]/watchdog")));
	assert_true(json_is_false(fixture_at(out, "queue/[2]/watchdog")));
	json_decref(out);
	f->leaf->ports[0].watchdog = NULL; // it was never on
	out = counters_port(&f->nodes[0], 0, COUNTERS_QUEUES, 0);
	assert_integer_at(out, "queue/[3]/watchdog_storms", 0);
	assert_true(json_is_false(fixture_at(out, "queue/[3]/watchdog")));
	json_decref(out);
}

// Bins as the worked example of Cumulus's documentation: 960 and 12288 in 10 bins, 1536 each.
static void
test_histograms(void **state)
{
	struct fixture *f = *state;
	struct histogram_profile profiles[] = {
		{.kind = HISTOGRAM_QUEUE,
		 .port = 1,
		 .index = 3,
		 .bins = 10,
		 .min = 960,
		 .width = 1536,
		 .sample = PS_PER_US},
		{.kind = HISTOGRAM_LATENCY,
		 .port = 3,
		 .index = 0,
		 .bins = 3,
		 .min = PS_PER_US,
		 .width = 8 * PS_PER_US},
	};
	uint64_t counts[2][HISTOGRAM_BINS_MAX] = {{1, 2, [9] = 4}, {7, 8, 9}};
	json_t *out = counters_node(&f->nodes[0], COUNTERS_ALL, 0);

	assert_null(json_object_get(out, "histograms"));
	json_decref(out);
	f->leaf_tables.histograms = profiles;
	f->leaf_tables.histogram_count = 2;
	f->leaf->histograms = counts;
	out = counters_node(&f->nodes[0], COUNTERS_ALL, 0);
	assert_int_equal(json_array_size(fixture_at(out, "histograms")), 2);
	assert_text_at(out, "histograms/[0]/kind", "queue");
	assert_text_at(out, "histograms/[0]/where", "swp2.3");
	assert_integer_at(out, "histograms/[0]/min", 960);
	assert_integer_at(out, "histograms/[0]/size", 12288);
	assert_int_equal(json_array_size(fixture_at(out, "histograms/[0]/edges")), 10);
	assert_integer_at(out, "histograms/[0]/edges/[0]", 0);
	assert_integer_at(out, "histograms/[0]/edges/[1]", 960);
	assert_integer_at(out, "histograms/[0]/edges/[2]", 2496);
	assert_integer_at(out, "histograms/[0]/edges/[9]", 13248);
	assert_int_equal(json_array_size(fixture_at(out, "histograms/[0]/bins")), 10);
	assert_integer_at(out, "histograms/[0]/bins/[1]", 2);
	assert_integer_at(out, "histograms/[0]/bins/[9]", 4);
	assert_text_at(out, "histograms/[1]/kind", "latency");
	assert_text_at(out, "histograms/[1]/where", "swp4.0");
	assert_integer_at(out, "histograms/[1]/edges/[2]", 9000);
	assert_integer_at(out, "histograms/[1]/bins/[2]", 9);
	json_decref(out);
	f->leaf->histograms = NULL;
	f->leaf_tables.histogram_count = 0;
}

static void
test_traffic_and_pfc(void **state)
{
	struct fixture *f = *state;
	struct port *p = &f->leaf->ports[2];
	json_t *out;

	p->rx_packets = 1;
	p->rx_bytes = 2;
	p->tx_packets = 3;
	p->tx_bytes = UINT64_C(1) << 40;
	p->control_rx = 5;
	p->control_tx = 6;
	p->pause_rx = 7;
	p->pfc_rx[0] = 8;
	p->pfc_tx[7] = 9;
	out = counters_port(&f->nodes[0], 2, COUNTERS_TRAFFIC | COUNTERS_PFC, 0);
	assert_integer_at(out, "rx_packets", 1);
	assert_integer_at(out, "rx_bytes", 2);
	assert_integer_at(out, "tx_packets", 3);
	assert_integer_at(out, "tx_bytes", UINT64_C(1) << 40);
	assert_integer_at(out, "control_rx", 5);
	assert_integer_at(out, "control_tx", 6);
	assert_integer_at(out, "pause_rx", 7);
	assert_integer_at(out, "pause_tx", 0);
	assert_integer_at(out, "pfc_rx/[0]", 8);
	assert_integer_at(out, "pfc_tx/[7]", 9);
	json_decref(out);
}

static void
test_pools_and_tenants(void **state)
{
	struct fixture *f = *state;
	struct buffer *b = &f->leaf->buffer;
	json_t *out;

	b->pools[POOL_INGRESS_LOSSLESS] = (struct pool){.used = 3, .used_max = 4};
	b->pools[POOL_HEADROOM] = (struct pool){.used = 1, .used_max = 2};
	b->tenants[0] =
		(struct tenant_use){.packets = 5, .bytes = 600, .used_max = 9, .dropped = 7};
	b->tenants[0].used = 5;
	b->tenants[0].pool_used[POOL_EGRESS_LOSSY] = 7;
	b->tenants[0].guarantee[POOL_INGRESS_LOSSY] = 1;
	out = counters_node(&f->nodes[0], COUNTERS_POOLS | COUNTERS_TENANTS, 0);
	assert_null(json_object_get(out, "ports"));
	assert_integer_at(out, "pools/ingress-lossless/size", 1000 * 192);
	assert_integer_at(out, "pools/ingress-lossless/used", 3 * 192);
	assert_integer_at(out, "pools/ingress-lossless/used_max", 4 * 192);
	assert_integer_at(out, "pools/ingress-lossy/size", 2000 * 192);
	assert_integer_at(out, "pools/egress-lossy/size", 3000 * 192);
	assert_integer_at(out, "pools/headroom/size", 500 * 192);
	assert_integer_at(out, "pools/headroom/used_max", 2 * 192);
	assert_integer_at(out, "pools/egress-lossless/size", UINT64_C(192) << 31);
	assert_true(json_is_true(fixture_at(out, "pools/egress-lossless/unlimited")));
	assert_null(json_object_get(fixture_at(out, "pools/egress-lossy"), "unlimited"));
	assert_integer_at(out, "tenants/red/packets", 5);
	assert_integer_at(out, "tenants/red/bytes", 600);
	assert_integer_at(out, "tenants/red/used", 5 * 192);
	assert_integer_at(out, "tenants/red/used_max", 9 * 192);
	assert_integer_at(out, "tenants/red/guaranteed", 2 * 100 * 192);
	assert_integer_at(out, "tenants/red/guaranteed_used", 192);
	assert_integer_at(out, "tenants/red/dropped", 7);
	json_decref(out);
}

static void
test_snapshots_are_kept(void **state)
{
	struct fixture *f = *state;
	json_t *snapshots = json_array(), *out;

	f->leaf->ports[0].rx_packets = 1;
	json_array_append_new(snapshots, counters_snapshot(f->nodes, 2, 20 * PS_PER_US));
	f->leaf->ports[0].rx_packets = 2;
	out = counters_document(f->nodes, 2, 30 * PS_PER_US, snapshots);
	assert_integer_at(out, "snapshots/[0]/at_ns", 20000);
	assert_integer_at(out, "snapshots/[0]/nodes/leaf1/ports/swp1/rx_packets", 1);
	assert_integer_at(out, "nodes/leaf1/ports/swp1/rx_packets", 2);
	json_decref(out);
	assert_int_equal(json_array_size(snapshots), 1);
	json_decref(snapshots);
}

// Before the control side has given it tables, a node can be asked too.
static void
test_without_tables(void **state)
{
	struct fixture *f = *state;
	struct report_node n = f->nodes[0];
	struct node *bare;
	json_t *out;

	assert_int_equal(node_create(&bare, NODE_LEAF, FIXTURE_PORTS, 2, 1, f->packets), 0);
	n.node = bare;
	out = counters_node(&n, COUNTERS_ALL, 0);
	assert_non_null(out);
	assert_int_equal(json_object_size(fixture_at(out, "tenants")), 0);
	json_decref(out);
	node_destroy(bare);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_document_has_the_keys_of_its_format),
		T(test_lengths_are_bytes_of_whole_cells),
		T(test_drops_name_only_what_occurred),
		T(test_pauses_count_to_the_instant_asked_for),
		T(test_watermarks_of_two_readers),
		T(test_history_of_pauses),
		T(test_pauses_of_the_link),
		T(test_what_few_packets_touch),
		T(test_histograms),
		T(test_traffic_and_pfc),
		T(test_pools_and_tenants),
		T(test_snapshots_are_kept),
		T(test_without_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
