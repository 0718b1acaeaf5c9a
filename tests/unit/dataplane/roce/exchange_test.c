// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges between NICs wired to one another: which queue pairs exist when, and what a closed one
// leaves behind. tests/fabric/test_exchanges.py compares exchanges with established queue pairs.

#include "ring.h"

#include "dataplane/roce/exchange.h"

#include <errno.h>

#define RANKS 4
#define MTU 1024

// Two NICs of two ports, joined port to port: four ranks, of which two are in each host.
struct exchanged {
	struct ring ring;
	struct nic_exchange_end ends[RANKS];
	uint32_t rank_ends[RANKS], first_qpns[RANKS];
	struct nic_exchange_path paths[2][4];
	struct nic_exchange_component components[2];
	struct nic_exchange_plan plan;
	uint32_t programs[RANKS], parts[RANKS];
	uint32_t loss; // of both directions; not 0: over UET, with credit from the receiver
};

static void
make_plan(struct exchanged *x, uint64_t bytes, bool in_turns)
{
	for (unsigned int i = 0; i < RANKS; i++) {
		uint8_t host = (uint8_t)(i / 2), port = i % 2;

		x->ends[i] = (struct nic_exchange_end){.ip4 = {10, 0, host, (uint8_t)(1 + port)},
						       .ip_version = 4,
						       .port = port,
						       .ports = 2,
						       .component = port,
						       .place = host};
		x->rank_ends[i] = i;
	}
	for (unsigned int c = 0; c < 2; c++) {
		for (unsigned int i = 0; i < 4; i++)
			x->paths[c][i].path_mtu = MTU;
		x->components[c] = (struct nic_exchange_component){2, x->paths[c]};
	}
	x->plan = (struct nic_exchange_plan){
		.ranks = RANKS,
		.bytes = bytes,
		.priority = -1,
		.in_turns = in_turns,
		.ends = x->ends,
		.rank_ends = x->rank_ends,
		.components = x->components,
		.first_qpns = x->first_qpns,
	};
}

static struct nic_exchange
settings(const struct exchanged *x, unsigned int rank)
{
	return (struct nic_exchange){
		.plan = &x->plan,
		.program = x->programs[rank],
		.part = x->parts[rank],
		.rank = rank,
		.handover = 50 * PS_PER_US,
		.forward = 50 * PS_PER_US,
	};
}

static void
start(struct exchanged *x, uint32_t repeat, uint32_t peers)
{
	ring_init(&x->ring, 2);
	for (unsigned int i = 0; x->loss != 0 && i < 2; i++) {
		x->ring.config[i].transport = NIC_TRANSPORT_UET;
		x->ring.config[i].sprayed = (struct sprayed_config){.paths = 16, .ack_every = 4};
		x->ring.config[i].uet =
			(struct uet_config){.credits = true, .grant = 1, .unsolicited = 1};
		x->ring.config[i].rto = 100 * PS_PER_US;
	}
	ring_start(&x->ring);
	ring_join(&x->ring, 0, 0, 1, 0);
	ring_join(&x->ring, 0, 1, 1, 1);
	for (unsigned int i = 0; i < x->ring.wire_count; i++) {
		x->ring.wires[i]->loss = x->loss;
		wire_update_special(x->ring.wires[i]);
	}
	for (unsigned int i = 0; i < RANKS; i++) {
		const struct nic_program program = {.repeat = repeat};
		struct nic *nic = x->ring.nics[i / 2];
		struct nic_exchange s;

		assert_int_equal(nic_add_program(nic, &program, &x->programs[i]), 0);
		assert_int_equal(
			nic_add_part(nic, x->programs[i], &(struct nic_part){0}, &x->parts[i]), 0);
		s = settings(x, i);
		s.peers = peers;
		assert_int_equal(nic_add_exchange(nic, &s), 0);
	}
}

static ps_t
end_of(const struct exchanged *x, unsigned int rank, uint32_t time)
{
	struct nic_time t;

	assert_int_equal(
		nic_part_time(x->ring.nics[rank / 2], x->programs[rank], x->parts[rank], time, &t),
		0);
	return t.end;
}

// Its own NIC's message comes at once, what crosses inside a host 50 us later, and what then leaves
// by the other NIC after that.
static void
test_all_messages_arrive(void **state)
{
	struct exchanged x = {0};
	struct nic_totals totals;

	(void)state;
	make_plan(&x, 4 * 2 * MTU, false);
	start(&x, 1, 0);
	ring_run(&x.ring, 30 * PS_PER_US);
	nic_totals(x.ring.nics[0], &totals);
	assert_int_equal(totals.sent.repetitions, 2);
	assert_int_equal(nic_part_acknowledged(x.ring.nics[0], x.programs[0], x.parts[0]), 1);
	assert_int_equal(end_of(&x, 0, 0), PS_NEVER);
	ring_run(&x.ring, PS_PER_MS);
	assert_int_equal(ring_open(&x.ring), 0);
	for (unsigned int i = 0; i < RANKS; i++) {
		assert_true(end_of(&x, i, 0) > 51 * PS_PER_US && end_of(&x, i, 0) < 54 * PS_PER_US);
		assert_int_equal(
			nic_part_acknowledged(x.ring.nics[i / 2], x.programs[i], x.parts[i]),
			RANKS - 1);
	}
	for (unsigned int n = 0; n < 2; n++) {
		nic_totals(x.ring.nics[n], &totals);
		assert_int_equal(totals.sent.repetitions, 4);
		assert_int_equal(totals.received.packets, 8);
		assert_int_equal(totals.sent.retransmitted, 0);
		assert_int_equal(nic_exchange_retransmitted(x.ring.nics[n]), 0);
	}
	ring_stop(&x.ring);
}

// In turns, and to one at a time: time after time, with messages of unequal size.
static void
test_times_and_turns(void **state)
{
	(void)state;
	for (unsigned int way = 0; way < 4; way++) {
		struct exchanged x = {0};
		struct nic_totals totals;

		make_plan(&x, 4 * 3 * MTU + 2, way & 1);
		start(&x, 5, way & 2 ? 1 : 0);
		ring_run(&x.ring, 10 * PS_PER_MS);
		assert_int_equal(ring_open(&x.ring), 0);
		for (unsigned int i = 0; i < RANKS; i++)
			for (uint32_t time = 1; time < 5; time++)
				assert_true(end_of(&x, i, time) > end_of(&x, i, time - 1));
		nic_totals(x.ring.nics[1], &totals);
		assert_int_equal(totals.sent.repetitions, 5 * 4);
		// Ranks 0 and 1, in host 0, are sent a byte more.
		assert_int_equal(totals.received.packets, 5 * 2 * (3 + 3));
		nic_totals(x.ring.nics[0], &totals);
		assert_int_equal(totals.received.packets, 5 * 2 * (4 + 4));
		ring_stop(&x.ring);
	}
}

// A queue pair's memory goes to the next: it does not grow with the messages.
static void
test_memory_is_used_again(void **state)
{
	struct exchanged x = {0};
	size_t bytes;

	(void)state;
	make_plan(&x, 4 * 5 * MTU, false);
	start(&x, 1000, 0);
	ring_run(&x.ring, PS_PER_MS);
	assert_true(end_of(&x, 0, 10) != PS_NEVER && end_of(&x, 0, 100) == PS_NEVER);
	bytes = nic_bytes(x.ring.nics[0]);
	ring_run(&x.ring, PS_PER_S);
	assert_int_equal(ring_open(&x.ring), 0);
	assert_int_equal(nic_bytes(x.ring.nics[0]), bytes);
	ring_stop(&x.ring);
}

static void
count_qp(const struct qp *qp, void *context)
{
	(void)qp;
	++*(unsigned int *)context;
}

// A packet that came again makes a receiver again, which waits for a grant: it is closed once it
// has one. (A grant or an acknowledgement that is lost has the sender send and ask again.)
static void
test_receivers_of_grants_are_closed(void **state)
{
	struct exchanged x = {.loss = UINT32_MAX / 4};
	unsigned int grants = 0, open = 0;

	(void)state;
	make_plan(&x, UINT64_C(4) * 20 * MTU, false);
	start(&x, 20, 0);
	ring_run(&x.ring, 1000 * PS_PER_MS);
	for (unsigned int i = 0; i < RANKS; i++)
		assert_true(end_of(&x, i, 19) < 1000 * PS_PER_MS);
	// What is left is on the wires, or waits for its turn.
	for (ps_t until = x.ring.now + PS_PER_MS; x.ring.now < until; x.ring.now += RING_DELAY)
		for (unsigned int n = 0; n < 2; n++)
			x.ring.nodes[n]->ops->advance(x.ring.nodes[n], x.ring.now,
						      x.ring.now + RING_DELAY);
	for (unsigned int n = 0; n < 2; n++)
		exchange_visit(x.ring.nics[n], count_qp, &open);
	assert_int_equal(open, 0);
	for (unsigned int n = 0; n < 2; n++)
		for (unsigned int p = 0; p < 2; p++)
			grants += (unsigned int)nic_path_counts(x.ring.nics[n], p)->grants;
	assert_true(grants > 20 * 8 * 18);
	ring_stop(&x.ring);
}

static void
test_what_does_not_hold(void **state)
{
	struct exchanged x = {0};
	struct nic_exchange s;
	uint32_t inbox;

	(void)state;
	make_plan(&x, 4 * MTU, false);
	start(&x, 1, 0);
	s = settings(&x, 0);
	assert_int_equal(nic_add_exchange(x.ring.nics[0], &s), -EINVAL); // has an inbox
	assert_int_equal(nic_add_part(x.ring.nics[0], 0, &(struct nic_part){0}, &s.part), 0);
	s.rank = RANKS;
	assert_int_equal(nic_add_exchange(x.ring.nics[0], &s), -EINVAL);
	s.rank = 0;
	s.program = 7;
	assert_int_equal(nic_add_exchange(x.ring.nics[0], &s), -EINVAL);
	s.program = 0;
	x.plan.bytes = RANKS - 1;
	assert_int_equal(nic_add_exchange(x.ring.nics[0], &s), -EINVAL);
	x.plan.bytes = RANKS;
	x.plan.ranks = NIC_EXCHANGE_RANKS_MAX + 1;
	assert_int_equal(nic_add_exchange(x.ring.nics[0], &s), -EINVAL);
	x.plan.ranks = RANKS;
	assert_int_equal(nic_add_inbox(x.ring.nics[0], 0, s.part,
				       &(struct nic_inbox){.messages = 1}, &inbox),
			 0);
	assert_int_equal(nic_add_exchange(x.ring.nics[0], &s), -EINVAL);
	assert_int_equal(nic_part_acknowledged(x.ring.nics[0], 0, 99), 0);
	ring_stop(&x.ring);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_messages_arrive),
		cmocka_unit_test(test_times_and_turns),
		cmocka_unit_test(test_memory_is_used_again),
		cmocka_unit_test(test_receivers_of_grants_are_closed),
		cmocka_unit_test(test_what_does_not_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
