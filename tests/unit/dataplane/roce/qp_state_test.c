// SPDX-License-Identifier: BSD-3-Clause
// What is seen of queue pairs from outside, before, while and after their flows go.
#include "dataplane/roce/qp_state.h"

#include "dataplane/roce/congestion.h"
#include "pair.h"

#include <errno.h>

#define FIRST_PSN 0xffffff // the second packet is 0

static struct qp_state
look(const struct pair *w, unsigned int side, uint32_t qpn)
{
	struct qp_state out;

	assert_int_equal(nic_read_qp(w->nics[side], qpn, w->now, &out), 0);
	assert_int_equal(out.qpn, qpn);
	return out;
}

static uint32_t
add(struct pair *w, enum nic_op op)
{
	struct nic_flow flow = {
		.op = op,
		.path_mtu = 1024,
		.bytes = 3 * 1024,
		.start = 2 * PS_PER_US,
		.endpoint.first_psn = FIRST_PSN,
	};

	return pair_add_flow(w, flow);
}

static void
test_write(void **state)
{
	struct pair w;
	struct qp_state sender, receiver;
	uint32_t qpn;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	qpn = add(&w, NIC_OP_WRITE);
	sender = look(&w, A, qpn);
	receiver = look(&w, B, qpn);
	assert_int_equal(sender.role, NIC_ROLE_SENDER);
	assert_int_equal(sender.state, NIC_STATE_WAITING);
	assert_int_equal(sender.psn, FIRST_PSN);
	assert_int_equal(sender.peer_qpn, qpn);
	assert_int_equal(sender.ip_version, 4);
	assert_memory_equal(sender.peer_ip, w.config[B].ports[0].ip4, 4);
	assert_false(sender.paced);
	assert_int_equal(receiver.role, NIC_ROLE_RECEIVER);
	assert_int_equal(receiver.state, NIC_STATE_READY);
	assert_int_equal(receiver.psn, FIRST_PSN);
	assert_memory_equal(receiver.peer_ip, w.config[A].ports[0].ip4, 4);

	pair_pass(&w, 3 * PS_PER_US); // all are on their way
	sender = look(&w, A, qpn);
	assert_int_equal(sender.state, NIC_STATE_OPEN);
	assert_int_equal(sender.psn, 2);
	assert_int_equal(look(&w, B, qpn).psn, FIRST_PSN);

	pair_pass(&w, 20 * PS_PER_US);
	sender = look(&w, A, qpn);
	receiver = look(&w, B, qpn);
	assert_int_equal(sender.state, NIC_STATE_COMPLETE);
	assert_int_equal(sender.sent.repetitions, 1);
	assert_int_equal(receiver.state, NIC_STATE_READY);
	assert_int_equal(receiver.psn, 2);
	assert_int_equal(receiver.msn, 1);
	assert_int_equal(receiver.received.packets, 3);
	pair_stop(&w);
}

static void
test_read(void **state)
{
	struct pair w;
	struct qp_state responder, reader;
	uint32_t qpn;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	qpn = add(&w, NIC_OP_READ);
	assert_int_equal(look(&w, B, qpn).state, NIC_STATE_WAITING);
	pair_pass(&w, 3 * PS_PER_US);
	assert_int_equal(look(&w, B, qpn).state, NIC_STATE_OPEN);
	pair_pass(&w, 20 * PS_PER_US);
	responder = look(&w, A, qpn);
	reader = look(&w, B, qpn);
	assert_int_equal(responder.role, NIC_ROLE_RESPONDER);
	assert_int_equal(responder.state, NIC_STATE_READY);
	assert_int_equal(responder.psn, 2);
	assert_int_equal(responder.msn, 1);
	assert_int_equal(reader.role, NIC_ROLE_READER);
	assert_int_equal(reader.state, NIC_STATE_COMPLETE);
	assert_int_equal(reader.psn, 2);
	assert_int_equal(reader.received.packets, 3);
	assert_int_equal(reader.sent.repetitions, 1);
	pair_stop(&w);
}

static void
test_congestion_control(void **state)
{
	const struct window_parameters parameters = {.size_bytes = 4096};
	struct pair w;
	struct qp_state sender;
	uint32_t qpn;

	(void)state;
	pair_init(&w, 1);
	w.config[A].congestion = &congestion_window;
	w.config[A].congestion_parameters = &parameters;
	pair_start(&w);
	qpn = add(&w, NIC_OP_WRITE);
	sender = look(&w, A, qpn);
	assert_true(sender.paced);
	assert_true(sender.reading.rate_bps > 99.9e9 && sender.reading.rate_bps < 100.1e9);
	assert_false(look(&w, B, qpn).paced);
	pair_stop(&w);
}

// Numbers below the first, between, and beyond.
static void
test_none(void **state)
{
	struct pair w;
	struct nic_endpoint e;
	struct qp_state out;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	assert_int_equal(nic_read_qp(w.nics[B], NIC_QPN_FIRST, 0, &out), -ENOENT);
	e = pair_endpoint(&w, B, 40, 77);
	assert_int_equal(nic_add_receiver(w.nics[B], &e, NIC_NONE), 0);
	for (uint32_t qpn = 0; qpn < 60; qpn++)
		assert_int_equal(nic_read_qp(w.nics[B], qpn, 0, &out), qpn == 40 ? 0 : -ENOENT);
	assert_int_equal(look(&w, B, 40).peer_qpn, 77);
	assert_int_equal(nic_read_qp(w.nics[B], UINT32_MAX, 0, &out), -ENOENT);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_congestion_control),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
