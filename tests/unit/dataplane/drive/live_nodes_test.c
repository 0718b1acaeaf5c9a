// SPDX-License-Identifier: BSD-3-Clause
// Which nodes a worker visits: those that something may happen at, and no others; and how it learns
// what another worker has put on wires to its nodes. Nodes here only count visits.
#include "dataplane/drive/live_internal.h"

#include "dataplane/node/create.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NODES 3
#define SLOTS 1024
#define MORE (2 * NODES) // a node that comes later
#define WINDOW (1 * PS_PER_US)

static unsigned int visits[MORE + 1];
static ps_t later[MORE + 1];          // what a node says at its next visit, then PS_NEVER
static struct wire *target[MORE + 1]; // where it puts a packet at its next visit
static ps_t arrivals[MORE + 1];

static ps_t
advance(struct node *n, ps_t start, ps_t until)
{
	(void)start;
	(void)until;
	visits[n->index]++;
	n->later = later[n->index];
	later[n->index] = PS_NEVER;
	if (target[n->index] != NULL)
		assert_int_equal(wire_put(target[n->index], NULL, arrivals[n->index]), 0);
	target[n->index] = NULL;
	return n->later;
}

static const struct node_ops ops = {.advance = advance};

struct bench {
	struct live_drive drive;
	struct node *nodes[2][NODES]; // of each worker two switches, then a NIC
	struct live_cross cross;
	struct wire *wires[2][NODES];
};

static void
bench_open(struct bench *b)
{
	static const enum node_role roles[NODES] = {NODE_LEAF, NODE_SPINE, NODE_NIC};
	static uint16_t upstream[] = {0};

	memset(visits, 0, sizeof(visits));
	b->drive.worker_count = 2;
	for (unsigned int i = 0; i < 2; i++) {
		struct live_worker *w = &b->drive.workers[i];

		w->drive = &b->drive;
		w->index = i;
		w->nodes = calloc(NODES, sizeof(struct node *));
		assert_non_null(w->nodes);
		w->node_count = NODES;
		for (uint32_t k = 0; k < NODES; k++) {
			struct node **n = &b->nodes[i][k];
			const bool shared = i == 1 && k == 0; // from the first worker to the second

			later[NODES * i + k] = PS_NEVER;
			assert_int_equal(node_create(n, roles[k], 1, NODES * i + k, 1, NULL), 0);
			(*n)->ops = &ops;
			assert_int_equal(wire_create(&b->wires[i][k], 1, shared, SLOTS), 0);
			(*n)->ports[0].in = b->wires[i][k];
			w->nodes[k] = *n;
		}
	}
	b->cross = (struct live_cross){.wire = b->wires[1][0], .to = 1};
	b->drive.workers[0].shared_out = &b->cross;
	b->drive.workers[0].shared_out_count = 1;
	b->drive.workers[1].upstream = upstream;
	b->drive.workers[1].upstream_count = 1;
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(live_prepare_nodes(&b->drive.workers[i]), 0);
}

static void
bench_close(struct bench *b)
{
	for (unsigned int i = 0; i < 2; i++) {
		live_forget_nodes(&b->drive.workers[i]);
		free(b->drive.workers[i].nodes);
		for (uint32_t k = 0; k < NODES; k++) {
			node_destroy(b->nodes[i][k]);
			wire_destroy(b->wires[i][k]);
		}
	}
}

static void
assert_visits(unsigned int worker, unsigned int a, unsigned int b, unsigned int c)
{
	assert_int_equal(visits[NODES * worker], a);
	assert_int_equal(visits[NODES * worker + 1], b);
	assert_int_equal(visits[NODES * worker + 2], c);
}

static void
test_only_what_is_due(void **state)
{
	struct bench b = {0};
	struct live_worker *w = &b.drive.workers[0];

	(void)state;
	bench_open(&b);
	assert_int_equal(w->switch_count, 2);
	assert_int_equal(live_next_due(w), 0); // nothing is known yet
	later[1] = 3 * WINDOW;
	live_advance_nodes(w, 0, WINDOW);
	assert_int_equal(w->published, WINDOW);
	assert_visits(0, 1, 1, 1);
	assert_int_equal(live_next_due(w), 3 * WINDOW);
	live_advance_nodes(w, 3 * WINDOW, 4 * WINDOW);
	assert_visits(0, 1, 2, 1);
	assert_int_equal(live_next_due(w), PS_NEVER);

	// What is put on a wire, and arrives after what was put before.
	assert_int_equal(wire_put(b.wires[0][0], NULL, 5 * WINDOW), 0);
	assert_int_equal(wire_put(b.wires[0][0], NULL, 6 * WINDOW), 0);
	assert_int_equal(live_next_due(w), 5 * WINDOW);
	live_advance_nodes(w, 4 * WINDOW, 5 * WINDOW); // before the end of the window
	assert_visits(0, 1, 2, 1);
	live_advance_nodes(w, 5 * WINDOW, 6 * WINDOW);
	assert_visits(0, 2, 2, 1);

	live_make_all_due(w);
	live_advance_nodes(w, 6 * WINDOW, 7 * WINDOW);
	assert_visits(0, 3, 3, 2);
	bench_close(&b);
}

// What a switch sends to a NIC may arrive within the window. What a NIC sends to a switch does not.
static void
test_nics_follow_switches(void **state)
{
	struct bench b = {0};
	struct live_worker *w = &b.drive.workers[0];

	(void)state;
	bench_open(&b);
	live_advance_nodes(w, 0, WINDOW);
	later[0] = PS_NEVER;
	w->due[0] = WINDOW;
	target[0] = b.wires[0][2];
	arrivals[0] = WINDOW + 1;
	target[2] = b.wires[0][1];
	arrivals[2] = 2 * WINDOW + 1;
	live_advance_nodes(w, WINDOW, 2 * WINDOW);
	assert_visits(0, 2, 1, 2);
	assert_int_equal(live_next_due(w), 2 * WINDOW + 1);
	live_advance_nodes(w, 2 * WINDOW, 3 * WINDOW);
	assert_visits(0, 2, 2, 2);
	bench_close(&b);
}

static void
test_other_workers_notify(void **state)
{
	struct bench b = {0};
	struct live_worker *from = &b.drive.workers[0], *to = &b.drive.workers[1];

	(void)state;
	bench_open(&b);
	live_advance_nodes(to, 0, WINDOW);
	assert_int_equal(live_next_due(to), PS_NEVER);
	target[1] = b.wires[1][0];
	arrivals[1] = 2 * WINDOW;
	live_advance_nodes(from, 0, WINDOW);
	assert_int_equal(live_next_due(from), PS_NEVER); // the wire leads elsewhere
	assert_int_equal(live_next_due(to), PS_NEVER);   // it has not read the ring
	to->next = PS_NEVER;
	live_take_notes(to);
	assert_int_equal(live_next_due(to), 2 * WINDOW);
	assert_int_equal(to->next, 2 * WINDOW); // so that it does not sleep
	assert_int_equal(wire_count(b.wires[1][0]), 1);
	live_advance_nodes(to, 2 * WINDOW, 3 * WINDOW);
	assert_visits(1, 2, 1, 1);
	live_take_notes(to); // nothing more
	assert_int_equal(live_next_due(to), PS_NEVER);
	bench_close(&b);
}

// With more notes than there is room for, it visits all nodes.
static void
test_too_many_notes(void **state)
{
	struct bench b = {0};
	struct live_worker *from = &b.drive.workers[0], *to = &b.drive.workers[1];

	(void)state;
	bench_open(&b);
	live_advance_nodes(to, 0, WINDOW);
	for (unsigned int i = 0; i <= from->notes[1]->mask + 1; i++) {
		target[1] = b.wires[1][0];
		arrivals[1] = 5 * WINDOW;
		from->due[1] = 0;
		live_advance_nodes(from, 0, WINDOW);
		wire_take(b.wires[1][0]); // so that the wire has room
	}
	to->next = PS_NEVER;
	live_take_notes(to);
	assert_int_equal(live_next_due(to), WINDOW);
	assert_int_equal(to->next, WINDOW);
	live_advance_nodes(to, WINDOW, 2 * WINDOW);
	assert_visits(1, 2, 2, 2);

	// From then on it is notified again.
	target[1] = b.wires[1][0];
	arrivals[1] = 7 * WINDOW;
	from->due[1] = 0;
	live_advance_nodes(from, 0, WINDOW);
	live_take_notes(to);
	assert_int_equal(live_next_due(to), 7 * WINDOW);
	bench_close(&b);
}

// Room for some windows of each wire, and no more.
static void
test_room_for_notes(void **state)
{
	static const struct {
		uint32_t wires, room;
	} cases[] = {{1, 64}, {8, 64}, {9, 128}, {100, 1024}};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct live_drive *drive = calloc(1, sizeof(*drive));
		struct live_worker *w = &drive->workers[0];
		struct live_cross cross[101];
		struct wire *wire;

		assert_int_equal(wire_create(&wire, 1, true, SLOTS), 0);
		for (uint32_t k = 0; k <= cases[i].wires; k++) // one of them to a third worker
			cross[k] = (struct live_cross){.wire = wire, .to = k == 0 ? 2 : 1};
		w->shared_out = cross;
		w->shared_out_count = cases[i].wires + 1;
		assert_int_equal(live_prepare_nodes(w), 0);
		assert_null(w->notes[0]);
		assert_int_equal(w->notes[1]->mask + 1, cases[i].room);
		assert_int_equal(w->notes[2]->mask + 1, 64);
		live_forget_nodes(w);
		wire_destroy(wire);
		free(drive);
	}
}

// What is put on wires of nodes that come and go wakes these nodes, and no memory that was freed.
static void
test_nodes_come_and_go(void **state)
{
	struct bench b = {0};
	struct live_worker *w = &b.drive.workers[0];
	struct live_port port = {.to_node = NULL};
	struct node *more;
	struct wire *wire, *device;

	(void)state;
	bench_open(&b);
	b.drive.stop = true; // so that requests are served here
	visits[MORE] = 0;
	later[MORE] = PS_NEVER;
	assert_int_equal(node_create(&more, NODE_NIC, 1, MORE, 1, NULL), 0);
	more->ops = &ops;
	assert_int_equal(wire_create(&wire, 1, false, 0), 0);
	more->ports[0].in = wire;
	assert_int_equal(live_add_node(&b.drive, 0, more), 0);
	live_advance_nodes(w, 0, WINDOW);
	assert_visits(0, 1, 1, 1);
	assert_int_equal(visits[MORE], 1);
	assert_int_equal(wire_put(wire, NULL, 2 * WINDOW), 0);
	assert_int_equal(w->due[3], 2 * WINDOW);

	// The third node goes, so that the fourth takes its place.
	live_remove_node(&b.drive, 0, b.nodes[0][2]);
	assert_int_equal(w->node_count, NODES);
	live_advance_nodes(w, WINDOW, 2 * WINDOW); // all, after a request
	assert_visits(0, 2, 2, 1);
	assert_int_equal(visits[MORE], 2);
	assert_int_equal(wire_put(b.wires[0][2], NULL, 3 * WINDOW), 0); // nobody minds
	assert_int_equal(live_next_due(w), PS_NEVER);
	assert_int_equal(wire_put(wire, NULL, 4 * WINDOW), 0);
	assert_int_equal(w->due[2], 4 * WINDOW);

	// A device takes the place of a wire.
	assert_int_equal(wire_create(&device, 1, false, 0), 0);
	assert_int_equal(wire_create(&port.from_node, 1, false, 0), 0);
	port.to_node = device;
	port.node = b.nodes[0][0];
	port.port = &port.node->ports[0];
	assert_int_equal(live_add_port(&b.drive, 0, &port), 0);
	live_advance_nodes(w, 2 * WINDOW, 3 * WINDOW);
	assert_int_equal(wire_put(b.wires[0][0], NULL, 5 * WINDOW), 0); // nobody minds
	assert_int_equal(w->due[0], PS_NEVER);
	assert_int_equal(wire_put(device, NULL, 6 * WINDOW), 0);
	assert_int_equal(w->due[0], 6 * WINDOW);
	assert_int_equal(wire_unwatched, 0);

	live_remove_node(&b.drive, 0, more);
	node_destroy(more);
	wire_destroy(wire);
	wire_destroy(device);
	wire_destroy(port.from_node);
	free(w->ports);
	bench_close(&b);
}

// ---- two threads --------------------------------------------------------------------------------

#define PACKETS 200000u
#define REACH (100 * WINDOW) // more windows than there is room for notes

// One worker sends a packet in each window but some, which arrives `REACH` later at the other. Its
// nodes take each when it is due.
static struct {
	struct live_drive *drive;
	struct wire *wire;
	uint32_t put, taken;
	uint32_t late; // packets that arrived in the past of the node
} relay;

static ps_t
send_one(struct node *n, ps_t start, ps_t until)
{
	(void)until;
	n->later = PS_NEVER;
	if (relay.put == PACKETS)
		return n->later;
	if (wire_put(relay.wire, NULL, start + REACH) != 0)
		abort();
	relay.put++;
	n->later = start + WINDOW * (1 + relay.put % 3);
	return n->later;
}

static ps_t
take_due(struct node *n, ps_t start, ps_t until)
{
	struct wire *in = n->ports[0].in;

	while (wire_next(in) < until) {
		relay.late += wire_next(in) < start;
		wire_take(in);
		relay.taken++;
	}
	n->later = wire_next(in);
	return n->later;
}

static void
run_worker(struct live_worker *w, struct live_worker *other, const uint32_t *count)
{
	while (*count < PACKETS) {
		const ps_t until = __atomic_load_n(&other->published, __ATOMIC_ACQUIRE) + REACH;

		live_take_notes(w);
		w->next = live_next_due(w);
		while (w->published < until && *count < PACKETS) {
			const ps_t start = w->next > w->published ? w->next : w->published;

			if (w->next >= until) {
				__atomic_store_n(&w->published, until, __ATOMIC_RELEASE);
				break;
			}
			live_advance_nodes(w, start, time_min(start + WINDOW, until));
			w->next = live_next_due(w);
		}
		sched_yield();
	}
	// So that the other is not held back.
	__atomic_store_n(&w->published, PS_NEVER / 2, __ATOMIC_RELEASE);
}

static void *
run_sender(void *arg)
{
	(void)arg;
	run_worker(&relay.drive->workers[0], &relay.drive->workers[1], &relay.put);
	return NULL;
}

static void
test_two_threads(void **state)
{
	static const struct node_ops senders = {.advance = send_one},
				     takers = {.advance = take_due};
	struct bench b = {0};
	pthread_t sender;

	(void)state;
	bench_open(&b);
	relay.drive = &b.drive;
	relay.wire = b.wires[1][0];
	b.nodes[0][0]->ops = &senders;
	b.nodes[1][0]->ops = &takers;
	assert_true(REACH / WINDOW > b.drive.workers[0].notes[1]->mask + 1);
	assert_int_equal(pthread_create(&sender, NULL, run_sender, NULL), 0);
	run_worker(&b.drive.workers[1], &b.drive.workers[0], &relay.taken);
	assert_int_equal(pthread_join(sender, NULL), 0);
	assert_int_equal(relay.taken, PACKETS);
	assert_int_equal(relay.late, 0);
	bench_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_is_due),
		cmocka_unit_test(test_nics_follow_switches),
		cmocka_unit_test(test_other_workers_notify),
		cmocka_unit_test(test_too_many_notes),
		cmocka_unit_test(test_room_for_notes),
		cmocka_unit_test(test_nodes_come_and_go),
		cmocka_unit_test(test_two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
