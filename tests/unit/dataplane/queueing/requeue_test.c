// SPDX-License-Identifier: BSD-3-Clause
// What waits when the maps change.
#include "letters.h"

// Priority 3 goes to queue 5, where some wait already: behind those, before later ones of its own.
// Pools follow.
static void
test_one_queue_to_another(void **state)
{
	struct harness h;
	const struct pool *pools;

	(void)state;
	open_frozen(&h, harness_tables(PORTS));
	pools = h.node->buffer.pools;
	hold(&h, 0, 3, "abc");
	hold(&h, 1, 5, "xy");
	hold(&h, 1, 3, "m");
	assert_int_equal(pools[POOL_EGRESS_LOSSLESS].used, 4 * BYTES);
	harness_adopt(&h, mapped(3, 5));
	expect_queue(&h, 3, "");
	expect_queue(&h, 5, "xyabcm");
	assert_int_equal(pools[POOL_EGRESS_LOSSLESS].used, 0);
	assert_int_equal(pools[POOL_EGRESS_LOSSY].used, 6 * BYTES);
	assert_int_equal(pools[POOL_EGRESS_LOSSY].shared_use, 6 * BYTES);
	assert_int_equal(pools[POOL_INGRESS_LOSSLESS].used, 4 * BYTES); // as they were admitted
	assert_int_equal(out_port(&h)->queues[5].depth_max, 6 * BYTES);
	assert_int_equal(out_port(&h)->queues[3].depth_max, 4 * BYTES); // history
	harness_check(&h);
	hold(&h, 0, 3, "d");
	expect_queue(&h, 5, "xyabcmd");
	freeze(&h, 0);
	expect_sent(&h, h.now, "xyabcmd");
	harness_close(&h);
}

// Two queues change places; nobody's packets mix with the others'.
static void
test_swap(void **state)
{
	struct tables *t = mapped(3, 4);
	struct harness h;

	(void)state;
	map(t, 4, 3);
	open_frozen(&h, harness_tables(PORTS));
	hold(&h, 0, 3, "abc");
	hold(&h, 1, 4, "wxyz");
	hold(&h, 2, 1, "n");
	harness_adopt(&h, t);
	expect_queue(&h, 3, "wxyz");
	expect_queue(&h, 4, "abc");
	expect_queue(&h, 1, "n");
	hold(&h, 0, 3, "d");
	expect_queue(&h, 4, "abcd");
	freeze(&h, 0);
	expect_sent(&h, h.now, "nwxyzabcd"); // 1500 bytes a turn
	harness_close(&h);
}

// A chain: what comes to a queue is not what the queue itself has to give.
static void
test_chain(void **state)
{
	struct tables *t = mapped(1, 2);
	struct harness h;

	(void)state;
	map(t, 2, 3);
	map(t, 3, 1);
	open_frozen(&h, harness_tables(PORTS));
	hold(&h, 0, 1, "ab");
	hold(&h, 0, 2, "mn");
	hold(&h, 0, 3, "x");
	harness_adopt(&h, t);
	expect_queue(&h, 1, "x");
	expect_queue(&h, 2, "ab");
	expect_queue(&h, 3, "mn");
	freeze(&h, 0);
	expect_sent(&h, h.now, "xabmn");
	harness_close(&h);
}

// The map of the port that packets came in by decides, of one of two that share a queue. What is
// charged to the priority group that admitted them stays there.
static void
test_dscp_of_one_port(void **state)
{
	struct tables *t = harness_tables(PORTS);
	struct harness h;

	(void)state;
	harness_own_profile(t, 0)->dscp_to_priority[24] = 5;
	open_frozen(&h, harness_tables(PORTS));
	hold(&h, 0, 3, "a");
	hold(&h, 1, 3, "x");
	hold(&h, 0, 3, "bc");
	hold(&h, 1, 3, "yz");
	harness_adopt(&h, t);
	expect_queue(&h, 3, "xyz");
	expect_queue(&h, 5, "abc");
	assert_int_equal(packet_meta(out_port(&h)->queues[5].head)->priority, 3);
	assert_int_equal(packet_meta(out_port(&h)->queues[3].head)->priority, 3);
	assert_int_equal(h.node->ports[0].groups[3].usage.own, 3 * BYTES);
	assert_int_equal(h.node->ports[0].groups[5].usage.own, 0);
	hold(&h, 0, 3, "d");
	expect_queue(&h, 5, "abcd");
	assert_int_equal(h.node->ports[0].groups[5].usage.own, BYTES);
	freeze(&h, 0);
	expect_sent(&h, h.now, "xyzabcd");
	assert_int_equal(h.node->ports[0].groups[3].usage.own, 0);
	harness_close(&h);
}

// From DSCP to PCP: of two flows of one DSCP the tagged one moves. What counts is how packets came
// in, not what remarking made of them.
static void
test_trust(void **state)
{
	struct tables *before = harness_tables(PORTS), *t = harness_tables(PORTS);
	struct port_profile *p = harness_profile(before);
	struct harness h;

	(void)state;
	p->remarks = true;
	memset(&p->remark, REMARK_LEAVE, sizeof(p->remark));
	p->remark.dscp[1] = 46;
	p->remark.pcp[1] = 7;
	harness_profile(t)->trust_pcp = harness_profile(t)->pcp_first = true;
	open_frozen(&h, before);
	hold_tagged(&h, 0, 1, 8 + 2, "ab");
	hold(&h, 1, 1, "xy");
	expect_queue(&h, 1, "abxy");
	assert_int_equal(packet_data(out_port(&h)->queues[1].head)[14] >> 5, 7);
	harness_adopt(&h, t);
	expect_queue(&h, 1, "xy");
	expect_queue(&h, 2, "ab");
	hold_tagged(&h, 0, 1, 8 + 2, "c");
	expect_queue(&h, 2, "abc");
	freeze(&h, 0);
	expect_sent(&h, h.now, "xyabc");
	harness_close(&h);
}

// A trimmed packet goes to the queue of those to come, whatever becomes of its priority; with
// trimming off it stays.
static void
test_trimmed(void **state)
{
	static const uint8_t queues[] = {4, 2, 2, 5};
	struct tables *t;
	struct harness h;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		t = mapped(1, i == 0 ? 1 : 7);
		harness_profile(t)->tc[1].threshold =
			(struct threshold){.down = 63, .pool = POOL_EGRESS_LOSSY};
		t->trim = (struct trim_profile){
			.size = i == 2 ? 0 : 256, .dscp = 11, .tc = queues[i], .eligible = 1 << 1};
		if (i == 0) {
			open_frozen(&h, t);
			hold(&h, 0, 1, "ab"); // queue 1 takes nothing
			hold(&h, 1, 4, "x");
		} else {
			harness_adopt(&h, t);
		}
		assert_int_equal(*node_depth(h.node, out_port(&h), queues[i]),
				 2 * 256 + (i == 0 ? BYTES : 0));
		assert_int_equal(out_port(&h)->queues[queues[i]].usage.own,
				 2 * 256 + (i == 0 ? BYTES : 0));
		assert_int_equal(packet_meta(out_port(&h)->queues[queues[i]].head)->priority, 1);
		assert_int_equal(letter(out_port(&h)->queues[queues[i]].head), 'a');
		harness_check(&h);
	}
	expect_queue(&h, 4, "x");
	freeze(&h, 0);
	harness_run(&h, h.now + PS_PER_US);
	assert_int_equal(out_port(&h)->queue_cold[5].trim_sent, 2);
	assert_int_equal(harness_drain(&h, OUT), 3);
	harness_check(&h);
	harness_close(&h);
}

// A queue that has given all it had loses what was left of its turn; one that keeps some keeps it.
static void
test_deficit(void **state)
{
	struct tables *t = harness_tables(PORTS);
	struct port_profile *p = harness_own_profile(t, 0);
	struct harness h;
	struct queue *queues;

	(void)state;
	open_frozen(&h, harness_tables(PORTS));
	queues = out_port(&h)->queues;
	hold(&h, 0, 1, "abc");
	hold(&h, 0, 2, "mno");
	hold(&h, 1, 2, "x");
	freeze(&h, 1 << 2);
	harness_run(&h, h.now + 1);
	freeze(&h, 0xff & ~(1u << 2));
	harness_run(&h, h.now + harness_slot(BYTES) + 1);
	queues[1].deficit = 1200; // by hand: what a turn has left
	queues[2].deficit = 900;
	assert_int_equal(harness_drain(&h, OUT), 2);
	freeze(&h, 0xff);
	p->dscp_to_priority[8] = p->dscp_to_priority[16] = 5;
	harness_adopt(&h, t);
	expect_queue(&h, 1, "");
	expect_queue(&h, 2, "x");
	expect_queue(&h, 5, "bcno");
	assert_int_equal(queues[2].deficit, 900);
	assert_int_equal(queues[5].deficit, 0);
	freeze(&h, 0);
	harness_run(&h, h.now + PS_PER_US);
	assert_int_equal(harness_drain(&h, OUT), 5);
	harness_check(&h);
	harness_close(&h);
}

// The old queue is frozen and the port has nothing to do: what may go by the new queue goes at
// once.
static void
test_leaves_a_frozen_queue(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(PORTS));
	freeze(&h, 1 << 3);
	hold(&h, 0, 3, "abc");
	harness_run(&h, PS_PER_US);
	assert_int_equal(out_port(&h)->next_send, PS_NEVER);
	harness_adopt(&h, mapped(3, 5));
	expect_sent(&h, PS_PER_US, "abc");
	harness_close(&h);
}

// The same behind a rate, while the transmitter is busy: they go when it is free.
static void
test_leaves_a_shaped_queue(void **state)
{
	struct tables *t = harness_tables(PORTS), *after = mapped(3, 5);
	struct port_profile *profiles[] = {harness_profile(t), harness_profile(after)};
	struct harness h;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		profiles[i]->tc[3].max_rate.byte_time = time_byte_time(UINT64_C(1000000000));
		profiles[i]->max_rated = 1 << 3;
	}
	harness_open(&h, t);
	hold(&h, 0, 3, "abc");
	assert_int_equal(out_port(&h)->shaped, 1 << 3);
	expect_queue(&h, 3, "bc");
	harness_adopt(&h, after);
	expect_queue(&h, 5, "bc");
	expect_sent(&h, 0, "abc");
	harness_close(&h);
}

// PFC pauses priority 3. Where that goes to another queue the pause goes along; where packets get
// another priority they leave it.
static void
test_paused(void **state)
{
	static const uint16_t quanta[PRIORITIES] = {[3] = 1000};
	struct tables *t = mapped(3, 5);
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(PORTS));
	harness_put(&h, OUT, harness_pfc(&h, 1 << 3, quanta), 0); // to 5,120,000
	harness_run(&h, 1);
	hold(&h, 0, 3, "ab");
	harness_adopt(&h, mapped(3, 5));
	harness_run(&h, PS_PER_US);
	expect_queue(&h, 5, "ab");
	assert_int_equal(out_port(&h)->paused, 1 << 5);
	harness_check(&h);
	harness_profile(t)->dscp_to_priority[24] = 4;
	harness_adopt(&h, t);
	expect_queue(&h, 5, "");
	expect_sent(&h, PS_PER_US, "ab");
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_queue_to_another),
		cmocka_unit_test(test_swap),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_dscp_of_one_port),
		cmocka_unit_test(test_trust),
		cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_deficit),
		cmocka_unit_test(test_leaves_a_frozen_queue),
		cmocka_unit_test(test_leaves_a_shaped_queue),
		cmocka_unit_test(test_paused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
