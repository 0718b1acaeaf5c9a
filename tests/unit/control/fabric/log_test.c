// SPDX-License-Identifier: BSD-3-Clause
// What nodes tell, printed and listed, of a fabric that has two switches and nothing else.
#include "control/fabric/log.h"
#include "dataplane/base/node_log.h"
#include "dataplane/node/create.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PORTS 4

struct fixture {
	struct packet_pool *packets;
	struct node *nodes[2];
	struct topo_port ports[PORTS];
	struct topo_node places[2];
	struct topology topology;
	struct fabric fabric;
	char *text;
	size_t bytes;
	FILE *to;
	struct fabric_log *log;
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(packet_pool_create(&f->packets, 128), 0);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(node_create(&f->nodes[i], NODE_LEAF, PORTS, i, 1, f->packets), 0);
		snprintf(f->places[i].name, sizeof(f->places[i].name), "leaf%u", i + 1);
		f->places[i].ports = f->ports;
	}
	for (unsigned int i = 0; i < PORTS; i++)
		snprintf(f->ports[i].name, sizeof(f->ports[i].name), "swp%u", i + 1);
	f->topology.nodes = f->places;
	f->topology.first_host = 2;
	f->fabric.topology = &f->topology;
	f->fabric.nodes = f->nodes;
	f->to = open_memstream(&f->text, &f->bytes);
	assert_non_null(f->to);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	fabric_log_destroy(f->log);
	fclose(f->to);
	free(f->text);
	for (unsigned int i = 0; i < 2; i++)
		node_destroy(f->nodes[i]);
	packet_pool_destroy(f->packets);
	free(f);
	return 0;
}

static void
tell(struct fixture *f, unsigned int node, const struct node_log_entry *entry)
{
	node_log_put(f->nodes[node]->log, entry);
}

static void
tell_at(struct fixture *f, unsigned int node, ps_t at)
{
	tell(f, node,
	     &(struct node_log_entry){.at = at, .kind = NODE_LOG_STORM, .port = 1, .tc = 3});
}

static unsigned int
lines(const struct fixture *f)
{
	unsigned int count = 0;

	for (const char *at = f->text; (at = strchr(at, '\n')) != NULL; at++)
		count++;
	return count;
}

// Every kind in words; the list has the order of time, then of nodes.
static void
test_words(void **state)
{
	struct fixture *f = *state;

	f->log = fabric_log_create(f->to, "the result's log", false);
	tell(f, 1,
	     &(struct node_log_entry){.at = 12300000000,
				      .span = 300 * PS_PER_MS,
				      .kind = NODE_LOG_STORM,
				      .action = WATCHDOG_DROP,
				      .port = 1,
				      .tc = 3});
	tell(f, 0,
	     &(struct node_log_entry){.at = 12300000000,
				      .span = 100 * PS_PER_US + 5000,
				      .kind = NODE_LOG_STORM,
				      .action = WATCHDOG_FORWARD,
				      .port = 3,
				      .tc = 0});
	tell(f, 0,
	     &(struct node_log_entry){.at = 700 * PS_PER_MS,
				      .span = 300 * PS_PER_MS,
				      .packets = 412,
				      .kind = NODE_LOG_RESTORE_QUIET,
				      .port = 3,
				      .tc = 0});
	tell(f, 1,
	     &(struct node_log_entry){.at = 699 * PS_PER_MS,
				      .packets = 1,
				      .kind = NODE_LOG_RESTORE_BY_HAND,
				      .port = 1,
				      .tc = 3});
	tell(f, 1,
	     &(struct node_log_entry){.at = 800 * PS_PER_MS,
				      .span = PS_PER_MS,
				      .kind = NODE_LOG_STORM,
				      .action = WATCHDOG_ALERT,
				      .port = 0,
				      .tc = 7});
	tell(f, 1,
	     &(struct node_log_entry){
		     .at = 801 * PS_PER_MS, .kind = NODE_LOG_RESTORE_CHANGED, .port = 0, .tc = 7});
	fabric_log_poll(f->log, &f->fabric);
	assert_string_equal(
		f->text,
		"leaf1.swp4.0: 12.300000 ms: PFC storm: forwards, paused for 0.100005 ms\n"
		"leaf2.swp2.3: 12.300000 ms: PFC storm: drops, paused for 300 ms\n"
		"leaf2.swp2.3: 699.000000 ms: restored by hand, 1 packet dropped\n"
		"leaf1.swp4.0: 700.000000 ms: restored after 300 ms of quiet, 412 packets dropped\n"
		"leaf2.swp1.7: 800.000000 ms: PFC storm: alerts only, paused for 1 ms\n"
		"leaf2.swp1.7: 801.000000 ms: restored, no longer watched, "
		"0 packets dropped\n");
	for (unsigned int i = 0; i < 6; i++) {
		static const struct {
			json_int_t at_ns;
			const char *node, *queue, *what, *message;
		} want[] = {
			{12300000, "leaf1", "swp4.0", "watchdog-storm",
			 "PFC storm: forwards, paused for 0.100005 ms"},
			{12300000, "leaf2", "swp2.3", "watchdog-storm",
			 "PFC storm: drops, paused for 300 ms"},
			{699000000, "leaf2", "swp2.3", "watchdog-restore",
			 "restored by hand, 1 packet dropped"},
			{700000000, "leaf1", "swp4.0", "watchdog-restore",
			 "restored after 300 ms of quiet, 412 packets dropped"},
			{800000000, "leaf2", "swp1.7", "watchdog-storm",
			 "PFC storm: alerts only, paused for 1 ms"},
			{801000000, "leaf2", "swp1.7", "watchdog-restore",
			 "restored, no longer watched, 0 packets dropped"},
		};
		json_t *one = json_pack("{s:I,s:s,s:s,s:s,s:s}", "at_ns", want[i].at_ns, "node",
					want[i].node, "queue", want[i].queue, "what", want[i].what,
					"message", want[i].message);

		assert_true(json_equal(json_array_get(fabric_log_entries(f->log), i), one));
		json_decref(one);
	}
	assert_int_equal(json_array_size(fabric_log_entries(f->log)), 6);
	assert_int_equal(fabric_log_lost(f->log), 0);
}

// What happened to no queue stands between what did, and shares its lines.
static void
test_refused(void **state)
{
	struct fixture *f = *state;
	json_t *want = json_pack("{s:i,s:n,s:n,s:s,s:s}", "at_ns", 6000000, "node", "queue", "what",
				 "event-refused", "message", "lab.yaml:4:5: why");

	f->log = fabric_log_create(f->to, "elsewhere", true);
	tell_at(f, 0, 5 * PS_PER_MS);
	fabric_log_poll(f->log, &f->fabric);
	fabric_log_note(f->log, 6 * PS_PER_MS, FABRIC_LOG_REFUSED, "lab.yaml:4:5: why");
	assert_string_equal(f->text,
			    "leaf1.swp2.3: 5.000000 ms: PFC storm: drops, paused for 0 ms\n"
			    "event refused: 6.000000 ms: lab.yaml:4:5: why\n");
	assert_int_equal(json_array_size(fabric_log_entries(f->log)), 2);
	assert_true(json_equal(json_array_get(fabric_log_entries(f->log), 1), want));
	json_decref(want);
	for (unsigned int i = 0; i < 50; i++)
		fabric_log_note(f->log, 7 * PS_PER_MS, FABRIC_LOG_REFUSED, "again");
	assert_int_equal(lines(f), FABRIC_LOG_LINES + 1);
	assert_int_equal(json_array_size(fabric_log_entries(f->log)), 52);
}

// Twenty lines and no more, then once where the rest is.
static void
test_flood(void **state)
{
	struct fixture *f = *state;

	f->log = fabric_log_create(f->to, "the result's log", false);
	for (unsigned int i = 0; i < 50; i++) {
		tell_at(f, i % 2, i * PS_PER_MS);
		fabric_log_poll(f->log, &f->fabric);
		fabric_log_poll(f->log, &f->fabric);
	}
	assert_int_equal(lines(f), FABRIC_LOG_LINES + 1);
	assert_non_null(strstr(f->text, "\nroost: the rest is in the result's log\n"));
	assert_int_equal(json_array_size(fabric_log_entries(f->log)), 50);
}

// Where lines are given back, a look without news gives one; the hint comes again after a new
// flood.
static void
test_refill(void **state)
{
	struct fixture *f = *state;

	f->log = fabric_log_create(f->to, "elsewhere", true);
	for (unsigned int i = 0; i < 30; i++)
		tell_at(f, 0, i);
	fabric_log_poll(f->log, &f->fabric);
	assert_int_equal(lines(f), FABRIC_LOG_LINES + 1);
	fabric_log_poll(f->log, &f->fabric);
	for (unsigned int i = 0; i < 3; i++)
		tell_at(f, 0, 100 + i);
	fabric_log_poll(f->log, &f->fabric);
	assert_int_equal(lines(f), FABRIC_LOG_LINES + 2);
	for (unsigned int i = 0; i < 100; i++)
		fabric_log_poll(f->log, &f->fabric);
	for (unsigned int i = 0; i < 30; i++)
		tell_at(f, 0, 200 + i);
	fabric_log_poll(f->log, &f->fabric);
	assert_int_equal(lines(f), 2 * (FABRIC_LOG_LINES + 1) + 1);
}

// What nodes could not keep is counted, and what the list cannot.
static void
test_lost(void **state)
{
	struct fixture *f = *state;
	json_t *entries;

	f->log = fabric_log_create(f->to, "elsewhere", false);
	for (unsigned int i = 0; i < 1000; i++)
		tell_at(f, 0, i * PS_PER_NS);
	fabric_log_poll(f->log, &f->fabric);
	entries = fabric_log_entries(f->log);
	assert_int_equal(json_array_size(entries) + fabric_log_lost(f->log), 1000);
	assert_true(json_array_size(entries) >= PORTS * PRIORITIES * 2);
	for (unsigned int i = 1000; i < 20000; i++) {
		tell_at(f, 1, i * PS_PER_NS);
		fabric_log_poll(f->log, &f->fabric);
	}
	assert_int_equal(json_array_size(entries), FABRIC_LOG_KEPT);
	assert_int_equal(fabric_log_lost(f->log), 20000 - FABRIC_LOG_KEPT);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(entries, 0), "at_ns")),
			 20000 - FABRIC_LOG_KEPT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_words, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_flood, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refill, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
