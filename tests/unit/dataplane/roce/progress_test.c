// SPDX-License-Identifier: BSD-3-Clause
//
// How much of a flow is acknowledged: to the byte, whatever its messages are like.

#include "dataplane/roce/progress.h"

#include "pair.h"

#include <errno.h>

static uint64_t
acknowledged(const struct pair *w, unsigned int side, uint32_t qpn)
{
	uint64_t bytes;

	assert_int_equal(nic_flow_acknowledged(w->nics[side], qpn, &bytes), 0);
	return bytes;
}

// Grows from nothing to `bytes`, past parts of them.
static void
watch(struct pair *w, unsigned int side, uint32_t qpn, uint64_t bytes)
{
	uint64_t before = acknowledged(w, side, qpn);
	unsigned int grew = 0;

	assert_int_equal(before, 0);
	while (nic_open_flows(w->nics[side]) != 0 && w->now < PS_PER_MS) {
		uint64_t now;

		pair_step(w, PS_PER_MS);
		now = acknowledged(w, side, qpn);
		assert_true(now >= before && now <= bytes);
		grew += now != before;
		before = now;
	}
	assert_int_equal(before, bytes);
	assert_true(grew > 2);
}

static void
test_flows(void **state)
{
	(void)state;
	for (int op = NIC_OP_WRITE; op <= NIC_OP_READ; op++) {
		unsigned int side = op == NIC_OP_READ ? B : A;
		struct pair w;
		uint32_t qpn;
		uint64_t bytes;

		pair_init(&w, 1);
		pair_start(&w);
		qpn = pair_add_flow(&w, (struct nic_flow){.op = (enum nic_op)op,
							  .path_mtu = 1000,
							  .bytes = 100001,
							  .repeat = 2});
		watch(&w, side, qpn, 2 * 100001);
		assert_int_equal(nic_flow_acknowledged(w.nics[!side], qpn, &bytes), -ENOENT);
		assert_int_equal(nic_flow_acknowledged(w.nics[side], qpn + 1, &bytes), -ENOENT);
		pair_stop(&w);
	}
}

// Messages of a program that differ by a byte: of 7 in a time those 0, 3 and 6 are longer, so that
// two times have 6, which is not what they have on average over a cycle of 3.
static void
test_program(void **state)
{
	struct nic_program program = {.repeat = 2};
	struct nic_part part = {0};
	struct nic_flow flow = {
		.path_mtu = 1000,
		.gate = NIC_NONE,
		.messages = {.count = 7, .base = 5000, .extra = 1, .step = 1, .of = 3},
	};
	uint32_t number;
	struct pair w;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	assert_int_equal(nic_add_program(w.nics[A], &program, &flow.program), 0);
	assert_int_equal(nic_add_part(w.nics[A], flow.program, &part, &number), 0);
	flow.endpoint = pair_endpoint(&w, B, NIC_QPN_FIRST, NIC_QPN_FIRST);
	assert_int_equal(nic_add_receiver(w.nics[B], &flow.endpoint, NIC_NONE), 0);
	flow.endpoint = pair_endpoint(&w, A, NIC_QPN_FIRST, NIC_QPN_FIRST);
	assert_int_equal(nic_add_sender(w.nics[A], &flow), 0);
	watch(&w, A, NIC_QPN_FIRST, 2 * (7 * 5000 + 3));
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flows),
		cmocka_unit_test(test_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
