// SPDX-License-Identifier: BSD-3-Clause
//
// Programs: what ranks of a collective do, on NICs wired to one another, against closed forms; NICs
// of several ports.

#include "ring.h"

#include <errno.h>

// From the start of a message of one packet of `payload` (a multiple of 4) to its arrival: a WRITE
// with immediate, RETH and ImmDt.
static ps_t
message_time(uint32_t payload)
{
	return (14 + 20 + 8 + 12 + 20 + payload + 4 + 12) * RING_BYTE + RING_DELAY;
}

#define ACK_TIME ((62 + 12) * RING_BYTE + RING_DELAY)

static struct nic_flow
message_flow(uint32_t program, uint32_t part, uint32_t gate, uint32_t lead,
	     struct nic_messages messages)
{
	return (struct nic_flow){
		.path_mtu = 1024,
		.program = program,
		.part = part,
		.gate = gate,
		.gate_lead = lead,
		.messages = messages,
	};
}

static struct nic_time
part_time(const struct ring *w, unsigned int nic, uint32_t part, uint32_t time)
{
	struct nic_time t;

	assert_int_equal(nic_part_time(w->nics[nic], 0, part, time, &t), 0);
	return t;
}

struct rank {
	uint32_t program, part, inbox;
};

static int
add_inbox(struct nic *nic, uint32_t program, uint32_t part, uint32_t messages, uint32_t *out)
{
	return nic_add_inbox(nic, program, part, &(struct nic_inbox){.messages = messages}, out);
}

static void
make_rank(struct ring *w, unsigned int nic, struct nic_program program, ps_t compute,
	  uint32_t messages, struct rank *out)
{
	struct nic_part part = {.compute = compute};

	assert_int_equal(nic_add_program(w->nics[nic], &program, &out->program), 0);
	assert_int_equal(nic_add_part(w->nics[nic], out->program, &part, &out->part), 0);
	assert_int_equal(add_inbox(w->nics[nic], out->program, out->part, messages, &out->inbox),
			 0);
}

// A ring of 3: each rank sends to the next, message k when k have come from the one before. Steps
// follow one another a message's time apart.
static void
make_ring(struct ring *w, unsigned int steps, uint32_t bytes, struct nic_program program,
	  ps_t compute, uint32_t *qpns)
{
	struct rank ranks[3];

	ring_init(w, 3);
	ring_start(w);
	for (unsigned int i = 0; i < 3; i++) {
		ring_join(w, i, 0, (i + 1) % 3, 1);
		make_rank(w, i, program, compute, steps, &ranks[i]);
	}
	for (unsigned int i = 0; i < 3; i++)
		qpns[i] =
			ring_add(w, i, 0, (i + 1) % 3, 1,
				 message_flow(ranks[i].program, ranks[i].part, ranks[i].inbox, 0,
					      (struct nic_messages){.count = steps, .base = bytes}),
				 ranks[(i + 1) % 3].inbox);
}

static void
test_ring(void **state)
{
	static const uint32_t sizes[] = {0, 4, 1000, 1024};

	(void)state;
	for (unsigned int round = 0; round < 4; round++) {
		struct nic_flow_result result;
		uint32_t qpns[3];
		struct ring w;
		ps_t step = message_time(sizes[round]), end = 5000 + 4 * step;

		make_ring(&w, 4, sizes[round], (struct nic_program){.start = 5000, .repeat = 1}, 0,
			  qpns);
		assert_int_equal(ring_open(&w), 3);
		assert_int_equal(part_time(&w, 0, 0, 0).start, PS_NEVER);
		ring_run(&w, PS_PER_MS);
		assert_int_equal(ring_open(&w), 0);
		for (unsigned int i = 0; i < 3; i++) {
			assert_int_equal(part_time(&w, i, 0, 0).start, 5000);
			assert_int_equal(part_time(&w, i, 0, 0).end, end);
			assert_int_equal(nic_flow_result(w.nics[i], qpns[i], &result), 0);
			assert_int_equal(result.repetitions, 4);
			assert_int_equal(result.start, 5000);
			// A message starts before the one before it is acknowledged.
			assert_int_equal(result.busy, 4 * step + ACK_TIME);
			assert_int_equal(result.completed, end + ACK_TIME);
			assert_int_equal(result.retransmitted, 0);
		}
		ring_stop(&w);
	}
}

// Repeated with a gap and a compute time: each time at a rank begins when its own data are there.
static void
test_ring_repeats(void **state)
{
	uint32_t qpns[3];
	struct ring w;
	ps_t step = message_time(512), at = 1000;

	(void)state;
	make_ring(&w, 4, 512,
		  (struct nic_program){.start = 1000, .repeat = 5, .gap = 2 * PS_PER_US},
		  3 * PS_PER_US, qpns);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	for (unsigned int time = 0; time < 5; time++) {
		at += 3 * PS_PER_US;
		assert_int_equal(part_time(&w, 1, 0, time).start, at);
		at += 4 * step;
		assert_int_equal(part_time(&w, 1, 0, time).end, at);
		at += 2 * PS_PER_US;
	}
	ring_stop(&w);
}

static unsigned int
lose_some(struct ring *w, struct random *r)
{
	unsigned int lost = 0;

	for (unsigned int i = 0; i < w->wire_count; i++) {
		struct wire *wire = w->wires[i];

		// What arrives next, at times.
		if (wire_next(wire) != PS_NEVER && random_below(r, 4) == 0) {
			packet_free(w->packets, wire_take(wire));
			lost++;
		}
	}
	return lost;
}

// Messages of 2 to 4 packets, many under way at once, some of them lost either way, by every
// combination: all are received, once, each time.
static void
test_loss_across_messages(void **state)
{
	uint64_t again[3] = {0};

	(void)state;
	for (unsigned int round = 0; round < 3 * 2 * 6; round++) {
		struct random r = random_stream(3, round);
		struct nic_flow_result result;
		unsigned int lost = 0;
		struct rank ranks[2];
		struct ring w;
		uint32_t qpn;

		ring_init(&w, 2);
		for (unsigned int i = 0; i < 2; i++) {
			w.config[i].recovery = round % 3;
			w.config[i].placement = round / 3 % 2;
			w.config[i].rto = 30 * PS_PER_US;
		}
		ring_start(&w);
		ring_join(&w, 0, 0, 1, 0);
		for (unsigned int i = 0; i < 2; i++) {
			struct nic_program program = {.repeat = 3};

			assert_int_equal(nic_add_program(w.nics[i], &program, &ranks[i].program),
					 0);
			assert_int_equal(
				nic_add_part(w.nics[i], 0, &(struct nic_part){0}, &ranks[i].part),
				0);
		}
		assert_int_equal(add_inbox(w.nics[1], 0, 0, 40, &ranks[1].inbox), 0);
		qpn = ring_add(&w, 0, 0, 1, 0,
			       message_flow(0, 0, NIC_NONE, 0,
					    (struct nic_messages){.count = 40,
								  .base = 2047 + 1024 * (round % 2),
								  .extra = 2,
								  .first = 1,
								  .step = 2,
								  .of = 5}),
			       ranks[1].inbox);
		while (w.now < 20 * PS_PER_MS && ring_open(&w) != 0) {
			ring_run(&w, w.now + RING_DELAY);
			if (random_below(&r, 3) == 0)
				lost += lose_some(&w, &r);
		}
		assert_int_equal(ring_open(&w), 0);
		assert_true(lost > 0);
		assert_int_equal(nic_flow_result(w.nics[0], qpn, &result), 0);
		assert_int_equal(result.repetitions, 120);
		again[round % 3] += result.retransmitted;
		for (unsigned int i = 0; i < 2; i++)
			for (unsigned int time = 0; time < 3; time++)
				assert_true(part_time(&w, i, 0, time).end != PS_NEVER);
		ring_stop(&w);
	}
	for (unsigned int i = 0; i < 3; i++)
		assert_true(again[i] > 0);
}

// Messages back to back: nothing between them but what the link takes. Sizes: base + 1 for those
// whose (first + k * step) mod of is below extra.
static void
test_messages_follow(void **state)
{
	struct nic_messages messages = {
		.count = 10, .base = 1024, .extra = 2, .first = 3, .step = 4, .of = 7};
	struct nic_flow_result result;
	uint64_t wire = 0, bytes = 0;
	struct rank ranks[2];
	struct ring w;
	uint32_t qpn;

	(void)state;
	ring_init(&w, 2);
	ring_start(&w);
	ring_join(&w, 0, 0, 1, 0);
	for (unsigned int i = 0; i < 2; i++)
		make_rank(&w, i, (struct nic_program){.repeat = 1}, 0, 10, &ranks[i]);
	// NIC 0's inbox is never written to: its part goes on when it is alone.
	qpn = ring_add(&w, 0, 0, 1, 0, message_flow(0, 0, NIC_NONE, 0, messages), ranks[1].inbox);
	for (unsigned int k = 0; k < 10; k++) {
		bool large = (3 + 4 * k) % 7 < 2;

		bytes += 1024 + large;
		// One packet of 1024, or that without immediate and one of 1 B padded to 4 with it.
		wire += large ? (14 + 20 + 8 + 12 + 16 + 1024 + 4 + 24) +
					(14 + 20 + 8 + 12 + 4 + 4 + 4 + 24)
			      : 14 + 20 + 8 + 12 + 20 + 1024 + 4 + 24;
	}
	ring_run(&w, 100 * PS_PER_US);
	assert_int_equal(nic_flow_result(w.nics[0], qpn, &result), 0);
	assert_int_equal(result.repetitions, 10);
	assert_int_equal(part_time(&w, 1, 0, 0).end,
			 wire * RING_BYTE - 12 * RING_BYTE + RING_DELAY);
	assert_int_equal(ring_open(&w), 1); // NIC 0 still waits
	assert_int_equal(bytes, 10240 + 3);
	ring_stop(&w);
}

// An inbox of two receivers has what both have; a part without inboxes ends when what it sent is
// acknowledged; the next part begins after its compute time.
static void
test_inbox_of_two(void **state)
{
	struct nic_program program = {.repeat = 2};
	struct nic_part plain = {0}, late = {.compute = 7 * PS_PER_US};
	uint32_t id, inbox;
	struct ring w;
	ps_t early, last;

	(void)state;
	ring_init(&w, 3);
	ring_start(&w);
	ring_join(&w, 0, 0, 2, 0);
	ring_join(&w, 1, 0, 2, 1);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(nic_add_program(w.nics[i], &program, &id), 0);
		assert_int_equal(nic_add_part(w.nics[i], id, i == 1 ? &late : &plain, &id), 0);
	}
	assert_int_equal(add_inbox(w.nics[2], 0, 0, 1, &inbox), 0);
	for (unsigned int i = 0; i < 2; i++)
		ring_add(&w, i, 0, 2, i,
			 message_flow(0, 0, NIC_NONE, 0,
				      (struct nic_messages){.count = 1, .base = 1024}),
			 inbox);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	early = message_time(1024) + ACK_TIME;
	last = 7 * PS_PER_US + message_time(1024);
	assert_int_equal(part_time(&w, 0, 0, 0).end, early);
	assert_int_equal(part_time(&w, 0, 0, 1).end, 2 * early); // ahead of the others
	assert_int_equal(part_time(&w, 1, 0, 0).start, 7 * PS_PER_US);
	assert_int_equal(part_time(&w, 2, 0, 0).start, 0);
	assert_int_equal(part_time(&w, 2, 0, 0).end, last);
	assert_int_equal(part_time(&w, 2, 0, 1).start, last);
	assert_int_equal(part_time(&w, 2, 0, 1).end, 2 * last + ACK_TIME);
	ring_stop(&w);
}

// What arrives by one port lets another send at once.
static void
test_gate_across_ports(void **state)
{
	struct rank ranks[3];
	struct ring w;

	(void)state;
	ring_init(&w, 3);
	ring_start(&w);
	ring_join(&w, 0, 0, 1, 0);
	ring_join(&w, 1, 1, 2, 0);
	for (unsigned int i = 0; i < 3; i++) {
		struct nic_program program = {.repeat = 1};

		assert_int_equal(nic_add_program(w.nics[i], &program, &ranks[i].program), 0);
		assert_int_equal(nic_add_part(w.nics[i], 0, &(struct nic_part){0}, &ranks[i].part),
				 0);
		if (i != 0)
			assert_int_equal(add_inbox(w.nics[i], 0, 0, 1, &ranks[i].inbox), 0);
	}
	ring_add(&w, 0, 0, 1, 0,
		 message_flow(0, 0, NIC_NONE, 0, (struct nic_messages){.count = 1, .base = 1000}),
		 ranks[1].inbox);
	ring_add(&w, 1, 1, 2, 0,
		 message_flow(0, 0, ranks[1].inbox, 1,
			      (struct nic_messages){.count = 1, .base = 1000}),
		 ranks[2].inbox);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	assert_int_equal(part_time(&w, 1, 0, 0).end, message_time(1000));
	assert_int_equal(part_time(&w, 2, 0, 0).end, 2 * message_time(1000));
	ring_stop(&w);
}

// The handover delays the first packet of each time.
static void
test_handover(void **state)
{
	struct rank ranks[3];
	struct nic_flow flow;
	struct nic_flow_result result;
	uint32_t qpn;
	struct ring w;

	(void)state;
	ring_init(&w, 2);
	ring_start(&w);
	ring_join(&w, 0, 1, 1, 0);
	assert_int_equal(
		nic_add_program(w.nics[0], &(struct nic_program){.repeat = 2}, &ranks[0].program),
		0);
	assert_int_equal(nic_add_part(w.nics[0], 0, &(struct nic_part){0}, &ranks[0].part), 0);
	make_rank(&w, 1, (struct nic_program){.repeat = 2}, 0, 1, &ranks[1]);
	flow = message_flow(0, 0, NIC_NONE, 0, (struct nic_messages){.count = 1, .base = 1000});
	flow.handover = 5 * PS_PER_US;
	qpn = ring_add(&w, 0, 1, 1, 0, flow, ranks[1].inbox);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	assert_int_equal(part_time(&w, 1, 0, 0).end, 5 * PS_PER_US + message_time(1000));
	assert_int_equal(part_time(&w, 1, 0, 1).end,
			 10 * PS_PER_US + 2 * message_time(1000) + ACK_TIME);
	assert_int_equal(nic_flow_result(w.nics[0], qpn, &result), 0);
	assert_int_equal(result.start, 0);
	assert_int_equal(result.busy, 2 * (5 * PS_PER_US + message_time(1000) + ACK_TIME));
	ring_stop(&w);
}

// Two ports send at once, each at its rate; a packet for a queue pair of the other port is dropped.
static void
test_ports(void **state)
{
	struct nic_flow flow = {
		.path_mtu = 1024, .bytes = 1024000, .repeat = 1, .program = NIC_NONE};
	struct nic_flow_result result[2];
	struct nic_endpoint wrong;
	uint32_t qpns[2];
	struct ring w;

	(void)state;
	ring_init(&w, 2);
	ring_start(&w);
	ring_join(&w, 0, 0, 1, 0);
	ring_join(&w, 0, 1, 1, 1);
	for (unsigned int p = 0; p < 2; p++)
		qpns[p] = ring_add(&w, 0, p, 1, p, flow, NIC_NONE);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	for (unsigned int p = 0; p < 2; p++)
		assert_int_equal(nic_flow_result(w.nics[0], qpns[p], &result[p]), 0);
	assert_int_equal(result[0].busy, result[1].busy);
	assert_int_equal(w.nodes[0]->ports[0].tx_packets, 1000);
	assert_int_equal(w.nodes[0]->ports[1].tx_packets, 1000);
	// To port 1's queue pair, by the way to port 0, and to port 1's address there.
	for (unsigned int wrong_ip = 0; wrong_ip < 2; wrong_ip++) {
		wrong = ring_endpoint(&w, 0, 1, wrong_ip, nic_next_qpn(w.nics[0]), qpns[1]);
		flow.endpoint = wrong;
		flow.bytes = 1;
		flow.start = w.now;
		assert_int_equal(nic_add_sender(w.nics[0], &flow), 0);
		ring_run(&w, w.now + 10 * PS_PER_US);
		assert_int_equal(w.nodes[1]->ports[0].drops[DROP_NOT_FOR_HOST], 1 + wrong_ip);
	}
	wrong.port = 2;
	assert_int_equal(nic_add_receiver(w.nics[1], &wrong, NIC_NONE), -EINVAL);
	ring_stop(&w);
}

static void
test_refused(void **state)
{
	struct nic_flow flow = message_flow(0, 0, NIC_NONE, 0, (struct nic_messages){.count = 1});
	struct nic_program program = {.repeat = 1000};
	struct nic_part part = {0};
	struct nic_time time;
	uint32_t id;
	struct ring w;

	(void)state;
	ring_init(&w, 1);
	ring_start(&w);
	flow.endpoint = ring_endpoint(&w, 0, 0, 1, 16, 16);
	assert_int_equal(nic_add_sender(w.nics[0], &flow), -EINVAL); // no program
	assert_int_equal(nic_add_program(w.nics[0], &(struct nic_program){0}, &id), -EINVAL);
	assert_int_equal(nic_add_program(w.nics[0], &program, &id), 0);
	assert_int_equal(nic_add_part(w.nics[0], 1, &part, &id), -EINVAL);
	for (unsigned int i = 0; i < 65; i++)
		assert_int_equal(nic_add_part(w.nics[0], 0, &part, &id), 0);
	assert_int_equal(nic_add_part(w.nics[0], 0, &part, &id), -EINVAL); // 66,000
	assert_int_equal(add_inbox(w.nics[0], 0, 65, 1, &id), -EINVAL);
	assert_int_equal(add_inbox(w.nics[0], 0, 0, 0, &id), -EINVAL);
	assert_int_equal(add_inbox(w.nics[0], 0, 0, 1, &id), 0);
	assert_int_equal(id, 0);
	flow.gate = 1;
	assert_int_equal(nic_add_sender(w.nics[0], &flow), -EINVAL);
	flow.gate = 0;
	flow.messages.count = 0;
	assert_int_equal(nic_add_sender(w.nics[0], &flow), -EINVAL);
	flow.messages.count = 1;
	flow.part = 65;
	assert_int_equal(nic_add_sender(w.nics[0], &flow), -EINVAL);
	flow.part = 64;
	assert_int_equal(nic_add_sender(w.nics[0], &flow), 0);
	assert_int_equal(nic_add_receiver(w.nics[0], &flow.endpoint, 1), -EINVAL);
	assert_int_equal(nic_part_time(w.nics[0], 0, 65, 0, &time), -ENOENT);
	assert_int_equal(nic_part_time(w.nics[0], 0, 64, 1000, &time), -ENOENT);
	assert_int_equal(nic_part_time(w.nics[0], 1, 0, 0, &time), -ENOENT);
	assert_int_equal(nic_part_time(w.nics[0], 0, 64, 999, &time), 0);
	assert_int_equal(time.start, PS_NEVER);
	ring_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_ring_repeats),
		cmocka_unit_test(test_loss_across_messages),
		cmocka_unit_test(test_messages_follow),
		cmocka_unit_test(test_inbox_of_two),
		cmocka_unit_test(test_gate_across_ports),
		cmocka_unit_test(test_handover),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
