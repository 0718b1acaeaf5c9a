// SPDX-License-Identifier: BSD-3-Clause
// What the messages of a program wait for beside their own inbox: inboxes before it, and the way
// inside the host.
#include "ring.h"

#include <errno.h>

#define HANDOVER (5 * PS_PER_US)

static ps_t
message_time(uint32_t payload)
{
	return (14 + 20 + 8 + 12 + 20 + payload + 4 + 12) * RING_BYTE + RING_DELAY;
}

#define ACK_BYTES (14 + 20 + 8 + 12 + 4 + 4 + 4 + 20) // on the wire

// A program of one part with so many such inboxes.
static void
make_rank(struct ring *w, unsigned int nic, ps_t start, unsigned int inboxes,
	  struct nic_inbox inbox, struct nic_flow *flow, uint32_t *out)
{
	struct nic_program program = {.start = start, .repeat = 1};

	*flow = (struct nic_flow){.path_mtu = 1024, .gate = NIC_NONE};
	assert_int_equal(nic_add_program(w->nics[nic], &program, &flow->program), 0);
	assert_int_equal(
		nic_add_part(w->nics[nic], flow->program, &(struct nic_part){0}, &flow->part), 0);
	for (unsigned int i = 0; i < inboxes; i++)
		assert_int_equal(
			nic_add_inbox(w->nics[nic], flow->program, flow->part, &inbox, &out[i]), 0);
}

static ps_t
end_of(const struct ring *w, unsigned int nic, uint32_t program)
{
	struct nic_time t;

	assert_int_equal(nic_part_time(w->nics[nic], program, 0, 0, &t), 0);
	return t.end;
}

// NIC 0 sends on to NIC 2 what it has of NIC 1, which is slow, and NIC 2, which is quick. The gate
// is the quick one's inbox.
static void
send_on(bool apart, ps_t end)
{
	struct nic_flow flow[3];
	uint32_t inboxes[2], unused, last;
	struct ring w;

	ring_init(&w, 3);
	ring_start(&w);
	ring_join(&w, 0, 0, 1, 0);
	ring_join(&w, 0, 1, 2, 0);
	make_rank(&w, 0, 0, 2, (struct nic_inbox){.messages = 1, .apart = apart}, &flow[0],
		  inboxes);
	make_rank(&w, 1, 50 * PS_PER_US, 0, (struct nic_inbox){0}, &flow[1], &unused);
	make_rank(&w, 2, 0, 1, (struct nic_inbox){.messages = 1}, &flow[2], &last);
	for (unsigned int i = 0; i < 3; i++)
		flow[i].messages = (struct nic_messages){.count = 1, .base = 1000};
	flow[0].gate = inboxes[1];
	flow[0].gate_lead = 1;
	ring_add(&w, 1, 0, 0, 0, flow[1], inboxes[0]);
	ring_add(&w, 2, 0, 0, 1, flow[2], inboxes[1]);
	ring_add(&w, 0, 1, 2, 0, flow[0], last);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	assert_int_equal(end_of(&w, 0, 0), 50 * PS_PER_US + message_time(1000));
	assert_int_equal(end_of(&w, 2, 0), end);
	ring_stop(&w);
}

// The slow one's inbox, made before it, counts too, unless the two are apart. (What goes on at once
// goes behind the acknowledgement of what has come.)
static void
test_inboxes_before_the_gate(void **state)
{
	(void)state;
	send_on(false, 50 * PS_PER_US + 2 * message_time(1000));
	send_on(true, 2 * message_time(1000) + ACK_BYTES * RING_BYTE);
}

// One behind the other, also where both may go at once.
static void
test_each_message_is_handed_over(void **state)
{
	struct nic_flow flow, far;
	struct nic_flow_result result;
	uint32_t inbox, qpn;
	struct ring w;

	(void)state;
	ring_init(&w, 2);
	ring_start(&w);
	ring_join(&w, 0, 0, 1, 0);
	make_rank(&w, 0, 0, 0, (struct nic_inbox){0}, &flow, &inbox);
	make_rank(&w, 1, 0, 1, (struct nic_inbox){.messages = 2}, &far, &inbox);
	flow.handover = HANDOVER;
	flow.messages = (struct nic_messages){.count = 2, .base = 1000};
	qpn = ring_add(&w, 0, 0, 1, 0, flow, inbox);
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	assert_int_equal(end_of(&w, 1, 0), 2 * HANDOVER + message_time(1000));
	assert_int_equal(nic_flow_result(w.nics[0], qpn, &result), 0);
	// Each is counted from when its handover began.
	assert_int_equal(result.start, 0);
	assert_int_equal(result.repetitions, 2);
	ring_stop(&w);
}

// Two ranks of one host pass each other 4 messages, each when the one before has come.
static void
pass_inside(ps_t handover, ps_t end)
{
	struct nic_flow flow[2];
	uint32_t inboxes[2];
	struct ring w;

	ring_init(&w, 1);
	ring_start(&w);
	for (unsigned int i = 0; i < 2; i++)
		make_rank(&w, 0, 0, 1, (struct nic_inbox){.messages = 4}, &flow[i], &inboxes[i]);
	for (unsigned int i = 0; i < 2; i++) {
		flow[i].gate = inboxes[i];
		flow[i].handover = handover;
		flow[i].messages = (struct nic_messages){.count = 4, .base = 1000000};
		assert_int_equal(nic_add_local(w.nics[0], &flow[i], inboxes[1 - i]), 0);
	}
	ring_run(&w, PS_PER_MS);
	assert_int_equal(ring_open(&w), 0);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(end_of(&w, 0, i), end);
	ring_stop(&w);
}

static void
test_inside(void **state)
{
	(void)state;
	pass_inside(HANDOVER, 4 * HANDOVER);
	pass_inside(0, 0);
}

static void
test_inside_is_refused(void **state)
{
	struct nic_flow flow;
	uint32_t inbox;
	struct ring w;

	(void)state;
	ring_init(&w, 1);
	ring_start(&w);
	make_rank(&w, 0, 0, 1, (struct nic_inbox){.messages = 1}, &flow, &inbox);
	flow.messages.count = 1;
	assert_int_equal(nic_add_local(w.nics[0], &flow, inbox + 1), -EINVAL);
	flow.program++;
	assert_int_equal(nic_add_local(w.nics[0], &flow, inbox), -EINVAL);
	ring_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inboxes_before_the_gate),
		cmocka_unit_test(test_each_message_is_handed_over),
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_inside_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
