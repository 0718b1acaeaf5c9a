// SPDX-License-Identifier: BSD-3-Clause
//
// Setting up a NIC: what is refused, numbers of queue pairs, memory, sums.

#include "pair.h"
#include "dataplane/node/create.h"

#include <errno.h>

static int
create_with(struct nic_config config, uint16_t ports)
{
	struct packet_pool *packets;
	struct node *node;
	struct nic *nic = NULL;
	int error;

	assert_int_equal(packet_pool_create(&packets, 128), 0);
	assert_int_equal(node_create(&node, NODE_NIC, ports, 0, 1, packets), 0);
	error = nic_create(&nic, node, &config);
	assert_ptr_equal(node->nic, nic);
	nic_destroy(nic);
	assert_null(node->nic);
	node_destroy(node);
	packet_pool_destroy(packets);
	return error;
}

#define REFUSED(change)                                       \
	do {                                                  \
		struct nic_config c = w.config[A];            \
		c.change;                                     \
		assert_int_equal(create_with(c, 1), -EINVAL); \
	} while (0)

static void
test_configuration(void **state)
{
	struct pair w;

	(void)state;
	pair_init(&w, 1);
	assert_int_equal(create_with(w.config[A], 1), 0);
	assert_int_equal(create_with(w.config[A], 2), -EINVAL);
	REFUSED(ack_every = 0);
	REFUSED(rto = 0);
	REFUSED(header_bytes = 0);
	REFUSED(header_bytes = -2);
	REFUSED(header_bytes = 1 << 20);
	REFUSED(ack_bytes = 0);
	REFUSED(ack_bytes = 1 << 20);
	REFUSED(cnp_tc = 8);
	REFUSED(cnp_dscp = 64);
	w.config[A].placement = NIC_PLACEMENT_OUT_OF_ORDER;
	REFUSED(reorder_window = 0);
	REFUSED(reorder_window = 1 << 21);
	nic_destroy(NULL);
}

// Settings of the transport that it speaks; those of the other do not count.
static void
test_transports(void **state)
{
	struct nic_config *n;
	struct pair w;

	(void)state;
	pair_init(&w, 1);
	n = &w.config[A];
	assert_int_equal(n->sprayed.paths, 0); // RoCEv2 has none
	n->sprayed = (struct sprayed_config){.paths = ENTROPY_PATHS_MAX, .ack_every = 1};
	n->reorder_window = SPRAYED_WINDOW_MAX;
	n->transport = NIC_TRANSPORT_UET;
	n->uet = (struct uet_config){.grant = 1, .unsolicited = 1};
	assert_int_equal(create_with(*n, 1), 0);
	REFUSED(sprayed.paths = 0);
	REFUSED(sprayed.paths = 48);
	REFUSED(sprayed.paths = 2 * ENTROPY_PATHS_MAX);
	REFUSED(sprayed.ack_every = 0);
	REFUSED(reorder_window = SPRAYED_WINDOW_MAX + 1);
	REFUSED(uet.grant = 0);
	REFUSED(uet.unsolicited = 0);
	n->sprayed.paths = MRC_PATHS_MAX;
	n->transport = NIC_TRANSPORT_MRC;
	n->uet = (struct uet_config){0};
	n->mrc = (struct mrc_config){.probe_interval = 1};
	assert_int_equal(create_with(*n, 1), 0);
	REFUSED(sprayed.paths = 0);
	REFUSED(sprayed.paths = 48);
	REFUSED(sprayed.paths = 2 * MRC_PATHS_MAX);
	REFUSED(sprayed.ack_every = 0);
	REFUSED(reorder_window = SPRAYED_WINDOW_MAX + 1);
	REFUSED(mrc.probe_interval = 0);
}

static int
add_flow_with(struct pair *w, struct nic_endpoint e, uint16_t path_mtu, uint64_t bytes,
	      uint32_t repeat)
{
	struct nic_flow flow = {.endpoint = e,
				.path_mtu = path_mtu,
				.bytes = bytes,
				.repeat = repeat,
				.program = NIC_NONE};

	return nic_add_sender(w->nics[A], &flow);
}

static void
test_flows(void **state)
{
	struct nic_flow_result result;
	struct nic_receiver_result received;
	struct nic_endpoint e;
	struct pair w;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	e = pair_endpoint(&w, A, NIC_QPN_FIRST, 5);
	assert_int_equal(nic_next_qpn(w.nics[A]), NIC_QPN_FIRST);
	assert_int_equal(add_flow_with(&w, e, 0, 1, 1), -EINVAL);
	assert_int_equal(add_flow_with(&w, e, 4097, 1, 1), -EINVAL);
	assert_int_equal(add_flow_with(&w, e, 256, 0, 1), -EINVAL);
	assert_int_equal(add_flow_with(&w, e, 256, 1, 0), -EINVAL);
	assert_int_equal(add_flow_with(&w, e, 256, UINT64_C(256) << 31, 1), -EINVAL);
	e.qpn = NIC_QPN_FIRST - 1;
	assert_int_equal(add_flow_with(&w, e, 256, 1, 1), -EINVAL);
	e.qpn = 1 << 24;
	assert_int_equal(add_flow_with(&w, e, 256, 1, 1), -EINVAL);
	e.qpn = NIC_QPN_FIRST + 1000;
	e.ip_version = 5;
	assert_int_equal(nic_add_receiver(w.nics[A], &e, NIC_NONE), -EINVAL);
	e.ip_version = 4;
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(add_flow_with(&w, e, 256, (UINT64_C(256) << 31) - 257, 1), 0);
	assert_int_equal(nic_next_qpn(w.nics[A]), NIC_QPN_FIRST + 1001);
	assert_int_equal(add_flow_with(&w, e, 256, 1, 1), -EEXIST);
	assert_int_equal(nic_add_receiver(w.nics[A], &e, NIC_NONE), -EEXIST);
	e.qpn = NIC_QPN_FIRST + 5;
	assert_int_equal(nic_add_receiver(w.nics[A], &e, NIC_NONE), 0);
	assert_int_equal(nic_open_flows(w.nics[A]), 1);
	assert_int_equal(nic_flow_result(w.nics[A], NIC_QPN_FIRST + 1000, &result), 0);
	assert_int_equal(result.completed, PS_NEVER);
	assert_int_equal(nic_flow_result(w.nics[A], NIC_QPN_FIRST + 5, &result), -ENOENT);
	assert_int_equal(nic_flow_result(w.nics[A], NIC_QPN_FIRST + 6, &result), -ENOENT);
	assert_int_equal(nic_flow_result(w.nics[A], 0, &result), -ENOENT);
	assert_int_equal(nic_receiver_result(w.nics[A], NIC_QPN_FIRST + 5, &received), 0);
	assert_int_equal(nic_receiver_result(w.nics[A], NIC_QPN_FIRST + 1000, &received), -ENOENT);
	pair_stop(&w);
}

static void
test_streams(void **state)
{
	struct nic_stream good = {.ip_version = 4,
				  .packet_bytes = 42,
				  .interval = 1,
				  .until = PS_NEVER},
			  s;
	struct pair w;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	assert_int_equal(nic_add_stream(w.nics[A], &good), 0);
	s = good, s.packet_bytes = 41;
	assert_int_equal(nic_add_stream(w.nics[A], &s), -EINVAL);
	s = good, s.packet_bytes = 61, s.ip_version = 6;
	assert_int_equal(nic_add_stream(w.nics[A], &s), -EINVAL);
	s = good, s.interval = 0;
	assert_int_equal(nic_add_stream(w.nics[A], &s), -EINVAL);
	s = good, s.tc = 8;
	assert_int_equal(nic_add_stream(w.nics[A], &s), -EINVAL);
	pair_stop(&w);
}

static void
test_many_queue_pairs(void **state)
{
	struct nic_totals sent, received;
	struct pair w;
	size_t idle;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	idle = nic_bytes(w.nics[A]);
	for (unsigned int i = 0; i < 2000; i++)
		pair_add_flow(&w, (struct nic_flow){.path_mtu = 1024, .bytes = 1 + i});
	// A sender is four cache lines; beside that its entries in two tables, and room to grow.
	assert_in_range(nic_bytes(w.nics[A]) - idle, 2000 * 256, 2000 * (256 + 160) + 262144);
	pair_run(&w, 100 * PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	nic_totals(w.nics[A], &sent);
	nic_totals(w.nics[B], &received);
	assert_int_equal(sent.sent.repetitions, 2000);
	assert_int_equal(sent.sent.retransmitted, 0);
	assert_int_equal(received.received.packets, 1024 + 976 * 2);
	assert_int_equal(received.received.out_of_order, 0);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_configuration),
		cmocka_unit_test(test_transports),
		cmocka_unit_test(test_flows),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_many_queue_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
