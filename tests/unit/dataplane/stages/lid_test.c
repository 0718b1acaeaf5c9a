// SPDX-License-Identifier: BSD-3-Clause
// Where InfiniBand packets go: by LID and lane, within partitions, over one port or several, and
// which of them while the table's port is down.
#include "../infiniband.h"

#include "dataplane/node/ports.h"

// Puts a packet into port 0 and runs until it is through.
static void
send(struct harness *h, const struct ib_packet *p)
{
	harness_put(h, 0, ib_make(h, p), h->now + 1);
	harness_run(h, h->now + 4 * PS_PER_US);
}

// The port that one packet left by, or -1.
static int
left_by(struct harness *h)
{
	int found = -1;

	for (unsigned int p = 0; p < h->tables->port_count; p++)
		if (harness_drain(h, p) != 0)
			found = (int)p;
	return found;
}

static void
test_each_lid_has_its_port(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, ib_tables(4, GROUP_ECMP));
	for (uint16_t lid = 2; lid <= 4; lid++) {
		send(&h, &(struct ib_packet){.dlid = lid});
		assert_int_equal(left_by(&h), lid - 1);
	}
	send(&h, &(struct ib_packet){.dlid = 1});
	send(&h, &(struct ib_packet){.dlid = 6});
	send(&h, &(struct ib_packet){.dlid = 0xbfff});
	assert_int_equal(left_by(&h), -1);
	assert_int_equal(harness_drops(&h, 0, DROP_TO_SWITCH), 1);
	assert_int_equal(harness_drops(&h, 0, DROP_UNKNOWN_LID), 2);
	harness_check(&h);
	harness_close(&h);
}

// SL 5 goes to class 2, so it leaves on VL 2; it came on VL 4, so it is charged to group 4.
static void
test_lanes(void **state)
{
	struct tables *t = ib_tables(4, GROUP_ECMP);
	struct harness h;
	struct rte_mbuf *m;
	ps_t left;

	(void)state;
	t->priority_to_tc[5] = 2;
	harness_open(&h, t);
	send(&h, &(struct ib_packet){.dlid = 3, .sl = 5, .vl = 4});
	m = harness_take(&h, 2, &left);
	assert_non_null(m);
	assert_int_equal(ib_lrh_vl((const struct ib_lrh *)packet_data(m)), 2);
	assert_int_equal(ib_lrh_sl((const struct ib_lrh *)packet_data(m)), 5);
	assert_int_equal(icrc_verify_infiniband(packet_data(m), 64), 0);
	assert_int_equal(left, 1 + harness_frame_time(64)); // as any frame, with this framing
	packet_free(h.pool, m);
	assert_int_equal(h.node->ports[2].queues[2].packets, 1);
	assert_int_equal(h.node->ports[0].groups[4].packets, 1);
	send(&h, &(struct ib_packet){.dlid = 3, .sl = 8});
	assert_int_equal(harness_drops(&h, 0, DROP_SERVICE_LEVEL), 1);
	harness_check(&h);
	harness_close(&h);
}

static void
test_partitions(void **state)
{
	struct tables *t = ib_tables(4, GROUP_ECMP);
	struct harness h;

	(void)state;
	t->ports[0].pkey = 5;
	t->ports[1].pkey = 5;
	t->ports[2].pkey = 6;
	harness_open(&h, t);
	send(&h, &(struct ib_packet){.dlid = 2, .pkey = 0x8005});
	assert_int_equal(left_by(&h), 1);
	send(&h, &(struct ib_packet){.dlid = 2, .pkey = 0x0005}); // a limited member
	assert_int_equal(left_by(&h), 1);
	send(&h, &(struct ib_packet){.dlid = 4, .pkey = 0x8005}); // no host is behind it
	assert_int_equal(left_by(&h), 3);
	send(&h, &(struct ib_packet){.dlid = 2, .pkey = 0x8006}); // not the sender's
	send(&h, &(struct ib_packet){.dlid = 3, .pkey = 0x8005}); // not the receiver's
	send(&h, &(struct ib_packet){.dlid = 2, .pkey = 0xffff});
	assert_int_equal(left_by(&h), -1);
	assert_int_equal(harness_drops(&h, 0, DROP_PARTITION), 3);
	harness_check(&h);
	harness_close(&h);
}

// The last LID's port is 1. When its link is down the packets go by 2 or 3.
static void
test_alternate(void **state)
{
	struct harness h;
	int first;

	(void)state;
	harness_open(&h, ib_tables(4, GROUP_ECMP));
	for (unsigned int i = 0; i < 8; i++) {
		send(&h, &(struct ib_packet){.dlid = 5, .sl = (uint8_t)i});
		assert_int_equal(left_by(&h), 1);
	}
	h.node->ports[1].up = false;
	send(&h, &(struct ib_packet){.dlid = 5});
	first = left_by(&h);
	assert_in_range(first, 2, 3);
	send(&h, &(struct ib_packet){.dlid = 5});
	assert_int_equal(left_by(&h), first); // always the same: in order
	h.node->ports[first].up = false;
	send(&h, &(struct ib_packet){.dlid = 5});
	assert_int_equal(left_by(&h), 5 - first);
	h.node->ports[5 - first].up = false;
	send(&h, &(struct ib_packet){.dlid = 5});
	send(&h, &(struct ib_packet){.dlid = 2});
	assert_int_equal(left_by(&h), -1);
	assert_int_equal(harness_drops(&h, 0, DROP_NO_NEXT_HOP), 2);
	harness_check(&h);
	harness_close(&h);
}

// Data are spread; acknowledgements keep to the table's port.
static void
test_spread(void **state)
{
	static const enum group_mode modes[] = {GROUP_ADAPTIVE, GROUP_SPRAY, GROUP_RANDOM};

	(void)state;
	for (size_t k = 0; k < sizeof(modes) / sizeof(modes[0]); k++) {
		unsigned int by[4] = {0};
		struct harness h;

		harness_open(&h, ib_tables(4, modes[k]));
		for (unsigned int i = 0; i < 96; i++) {
			send(&h, &(struct ib_packet){.dlid = 5, .opcode = ROCE_OP_WRITE_MIDDLE});
			by[left_by(&h)]++;
		}
		for (unsigned int p = 1; p < 4; p++)
			assert_in_range(by[p], modes[k] == GROUP_SPRAY ? 32 : 16,
					modes[k] == GROUP_SPRAY ? 32 : 48);
		for (unsigned int i = 0; i < 8; i++) {
			send(&h, &(struct ib_packet){.dlid = 5, .opcode = ROCE_OP_ACK});
			assert_int_equal(left_by(&h), 1);
		}
		harness_check(&h);
		harness_close(&h);
	}
}

static void
test_mtu(void **state)
{
	struct tables *t = ib_tables(4, GROUP_ECMP);
	struct harness h;

	(void)state;
	harness_profile(t)->mtu = 256;
	harness_open(&h, t);
	send(&h, &(struct ib_packet){.bytes = 256});
	assert_int_equal(left_by(&h), 1);
	send(&h, &(struct ib_packet){.bytes = 260});
	assert_int_equal(left_by(&h), -1);
	assert_int_equal(harness_drops(&h, 0, DROP_MTU_EXCEEDED), 1);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_lid_has_its_port),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_partitions),
		cmocka_unit_test(test_alternate),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_mtu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
