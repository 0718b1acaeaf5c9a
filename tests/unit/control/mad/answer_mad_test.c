// SPDX-License-Identifier: BSD-3-Clause
// What agents answer, against offsets and values of the specification.
#include "small_requests.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void
test_node_info(void **state)
{
	struct agents a = make_subnet();

	(void)state;
	assert_int_equal(get(&a, at_leaf1, MAD_NODE_INFO, 0), MAD_OK);
	assert_int_equal(mad[MAD_AT_METHOD], MAD_GET_RESPONSE);
	assert_int_equal(mad_get64(mad + MAD_AT_TRANSACTION), UINT64_C(0x512345678));
	assert_int_equal(data[2], 2); // a switch
	assert_int_equal(data[3], 4); // of four ports
	assert_int_equal(mad_get64(data + 20), mad_get64(data + 12));
	assert_int_equal(data[36], 1); // it came in by port 1

	assert_int_equal(get(&a, at_h1, MAD_NODE_INFO, 0), MAD_OK);
	assert_int_equal(data[2], 1);
	assert_int_equal(mad_get64(data + 20), mad_get64(data + 12) + 1);

	assert_int_equal(get(&a, at_h1, MAD_NODE_DESCRIPTION, 0), MAD_OK);
	assert_string_equal((char *)data, "h1");
	assert_int_equal(set(&a, at_h1, MAD_NODE_DESCRIPTION, 0), MAD_BAD_ATTRIBUTE);
	agents_free(&a);
}

static void
test_not_for_agents(void **state)
{
	struct agents a = make_subnet();

	(void)state;
	assert_int_equal(get(&a, at_h1, MAD_SWITCH_INFO, 0), MAD_BAD_ATTRIBUTE);
	assert_int_equal(get(&a, at_h1, 0x77, 0), MAD_BAD_ATTRIBUTE);
	make_request(mad, MAD_CLASS_SUBNET, 0x03, MAD_NODE_INFO, 0);
	assert_int_equal(ask(&a, at_h1, mad), MAD_BAD_METHOD);
	// A manager answers those, and answers have no answers.
	make_request(mad, MAD_CLASS_SUBNET, MAD_GET, MAD_SM_INFO, 0);
	assert_false(agents_answer(&a, at_h1, mad));
	make_request(mad, MAD_CLASS_ADMINISTRATION, MAD_GET, MAD_CLASS_PORT_INFO, 0);
	assert_false(agents_answer(&a, at_h1, mad));
	make_request(mad, MAD_CLASS_SUBNET, MAD_GET_RESPONSE, MAD_NODE_INFO, 0);
	assert_false(agents_answer(&a, at_h1, mad));
	agents_free(&a);
}

// A directed answer says that it is on its way back.
static void
test_direction(void **state)
{
	struct agents a = make_subnet();

	(void)state;
	make_request(mad, MAD_CLASS_SUBNET_DIRECTED, MAD_GET, MAD_NODE_INFO, 0);
	assert_int_equal(ask(&a, at_h1, mad), MAD_DIRECTION);
	agents_free(&a);
}

static void
test_rates(void **state)
{
	static const struct {
		uint64_t bps;
		uint8_t width, speed, extended;
	} rates[] = {
		{UINT64_C(1000000000), 1, 1, 0},   {UINT64_C(10000000000), 2, 1, 0},
		{UINT64_C(25000000000), 1, 4, 2},  {UINT64_C(99000000000), 2, 4, 1},
		{UINT64_C(200000000000), 2, 4, 4}, {UINT64_C(400000000000), 2, 4, 8},
		{UINT64_C(800000000000), 4, 4, 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct agents a = {0};
		const uint8_t *info;

		agents_add(&a, "h1", AGENT_HOST, 1);
		agents_add(&a, "h2", AGENT_HOST, 1);
		agents_connect(&a, (struct agent_place){0, 1}, (struct agent_place){1, 1},
			       rates[i].bps);
		info = a.nodes[0].ports[1].info;
		assert_int_equal(info[31], rates[i].width);
		assert_int_equal(info[35] >> 4, rates[i].speed);
		assert_int_equal(info[62] >> 4, rates[i].extended);
		agents_free(&a);
	}
}

static uint16_t
set_state(struct agents *a, struct agent_place at, uint32_t port, unsigned port_state,
	  unsigned link)
{
	assert_int_equal(get(a, at, MAD_PORT_INFO, port), MAD_OK);
	mad_put_low(data + 32, port_state);
	mad_put_high(data + 33, link);
	return set(a, at, MAD_PORT_INFO, port);
}

static void
test_port_states(void **state)
{
	struct agents a = make_subnet();

	(void)state;
	assert_int_equal(set_state(&a, at_leaf1, 2, AGENT_ACTIVE, 0), MAD_BAD_VALUE);
	assert_int_equal(set_state(&a, at_leaf1, 2, AGENT_ARMED, 0), MAD_OK);
	assert_int_equal(data[32] & 0x0f, AGENT_ARMED);
	assert_int_equal(set_state(&a, at_leaf1, 2, AGENT_ACTIVE, 0), MAD_OK);
	assert_int_equal(data[32] & 0x0f, AGENT_ACTIVE);
	// Nothing is behind port 3.
	assert_int_equal(set_state(&a, at_leaf1, 3, AGENT_ARMED, 0), MAD_BAD_VALUE);
	// Down and up again: both ends start over, and the spine says so.
	assert_int_equal(set_state(&a, at_leaf1, 2, AGENT_DOWN, 0), MAD_OK);
	assert_int_equal(data[32] & 0x0f, AGENT_INIT);
	assert_int_equal(agent_port_state(&a.nodes[SPINE].ports[1]), AGENT_INIT);
	assert_true(a.nodes[SPINE].ports[0].trap_due);
	assert_int_equal(get(&a, at_leaf1, MAD_PORT_INFO, 5), MAD_BAD_VALUE);
	agents_free(&a);
}

struct switched {
	unsigned calls;
	struct agent_place at;
	bool up;
};

static void
note_link(void *context, uint32_t node, uint8_t port, bool up)
{
	struct switched *s = context;

	s->calls++;
	s->at = (struct agent_place){node, port};
	s->up = up;
}

static void
test_disabled_port(void **state)
{
	struct switched s = {0};
	struct agents a = make_subnet();

	(void)state;
	a.hooks = (struct agent_hooks){.context = &s, .set_link = note_link};
	assert_int_equal(set_state(&a, at_leaf1, 2, 0, AGENT_LINK_DISABLED), MAD_OK);
	assert_int_equal(data[33] >> 4, AGENT_LINK_DISABLED);
	assert_int_equal(agent_port_state(&a.nodes[SPINE].ports[1]), AGENT_DOWN);
	assert_true(s.calls == 1 && s.at.node == LEAF1 && s.at.port == 2 && !s.up);
	assert_int_equal(set_state(&a, at_leaf1, 2, 0, AGENT_LINK_POLLING), MAD_OK);
	assert_int_equal(data[33] >> 4, AGENT_LINK_UP);
	assert_int_equal(data[32] & 0x0f, AGENT_INIT);
	assert_true(s.calls == 2 && s.up);
	assert_int_equal(set_state(&a, at_leaf1, 2, 0, 7), MAD_BAD_VALUE);
	agents_free(&a);
}

// Reads a PortInfo as one that can be set: without a change of states.
static void
get_port_info(struct agents *a)
{
	assert_int_equal(get(a, at_h1, MAD_PORT_INFO, 0), MAD_OK);
	data[32] &= 0xf0;
	data[33] &= 0x0f;
}

static void
test_lids(void **state)
{
	struct agents a = make_subnet();

	(void)state;
	get_port_info(&a);
	mad_put16(data + 16, 77);
	mad_put16(data + 18, 5);
	mad_put32(data + 20, UINT32_MAX); // capabilities are not for managers to set
	data[51] |= 0x80;                 // nor is this kept
	assert_int_equal(set(&a, at_h1, MAD_PORT_INFO, 1), MAD_OK);
	assert_int_equal(agent_lid(&a.nodes[H1].ports[1]), 77);
	assert_int_equal(agent_sm_lid(&a.nodes[H1].ports[1]), 5);
	assert_int_not_equal(mad_get32(data + 20), UINT32_MAX);
	assert_int_equal(data[51], 18);

	mad_put16(data + 16, 0xc000); // multicast
	assert_int_equal(set(&a, at_h1, MAD_PORT_INFO, 1), MAD_BAD_VALUE);
	get_port_info(&a);
	data[34] |= 1; // two LIDs
	assert_int_equal(set(&a, at_h1, MAD_PORT_INFO, 1), MAD_BAD_VALUE);
	get_port_info(&a);
	data[43] = 5 << 4; // VL0 to VL14
	assert_int_equal(set(&a, at_h1, MAD_PORT_INFO, 1), MAD_BAD_VALUE);
	// As OpenSM asks where it knows extended speeds.
	assert_int_equal(get(&a, at_leaf1, MAD_PORT_INFO, UINT32_C(0x80000002)), MAD_OK);
	agents_free(&a);
}

static void
test_linear_table(void **state)
{
	struct agents a = make_subnet();

	(void)state;
	assert_int_equal(get(&a, at_leaf1, MAD_LINEAR_TABLE, 0), MAD_OK);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(data[i], AGENT_PORT_UNSET);
	data[5] = 3;
	assert_int_equal(set(&a, at_leaf1, MAD_LINEAR_TABLE, 767), MAD_OK);
	assert_int_equal(a.nodes[LEAF1].lft[767 * 64 + 5], 3);
	assert_true(agents_take_changed(&a, LEAF1));
	assert_false(agents_take_changed(&a, LEAF1));
	assert_int_equal(a.changes, 1);
	assert_int_equal(set(&a, at_leaf1, MAD_LINEAR_TABLE, 767), MAD_OK); // the same again
	assert_false(agents_take_changed(&a, LEAF1));
	assert_int_equal(a.changes, 1);

	// Another LID of a host is one for every table that has been set.
	assert_int_equal(get(&a, at_h1, MAD_PORT_INFO, 1), MAD_OK);
	data[32] = data[33] = 0;
	mad_put16(data + 16, 9);
	assert_int_equal(set(&a, at_h1, MAD_PORT_INFO, 1), MAD_OK);
	assert_int_equal(a.changes, 2);
	assert_true(agents_take_changed(&a, LEAF1));
	assert_false(agents_take_changed(&a, LEAF2));
	assert_int_equal(get(&a, at_leaf1, MAD_LINEAR_TABLE, 0), MAD_OK);
	assert_int_equal(set(&a, at_leaf1, MAD_LINEAR_TABLE, 768), MAD_BAD_VALUE);
	agents_free(&a);
}

static void
test_other_tables(void **state)
{
	// Each with a modifier that is one too large.
	static const struct {
		uint16_t attribute;
		uint32_t first, last, beyond;
	} tables[] = {
		{MAD_PARTITIONS, 0x10000, 0x40000, 0x50000},
		{MAD_PARTITIONS, 0, 0x10000, 1},
		{MAD_SL_TO_VL, 0x0101, 0x0404, 0x0405},
		{MAD_SL_TO_VL, 0x0001, 0x0004, 0x0501},
		{MAD_VL_ARBITRATION, 0x10001, 0x30004, 0x30005},
		{MAD_VL_ARBITRATION, 0x10002, 0x30002, 0x20001},
		{MAD_MULTICAST_TABLE, 0, 0xf000001f, 0xf0000020},
	};
	struct agents a = make_subnet();

	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		memset(data, 0, 64);
		data[3] = 1;
		assert_int_equal(set(&a, at_leaf1, tables[i].attribute, tables[i].last), MAD_OK);
		assert_int_equal(get(&a, at_leaf1, tables[i].attribute, tables[i].last), MAD_OK);
		assert_int_equal(data[3], 1);
		assert_int_equal(get(&a, at_leaf1, tables[i].attribute, tables[i].first), MAD_OK);
		assert_int_equal(get(&a, at_leaf1, tables[i].attribute, tables[i].beyond),
				 MAD_BAD_VALUE);
	}
	assert_int_equal(get(&a, at_h1, MAD_SL_TO_VL, 0), MAD_OK);
	assert_memory_equal(data, ((uint8_t[]){0x01, 0x23, 0x45, 0x67, 0x01, 0x23, 0x45, 0x67}), 8);
	agents_free(&a);
}

static uint8_t broken_port;

static int
count(void *context, uint32_t node, uint8_t port, struct agent_counters *out)
{
	if (port == broken_port)
		return -ECONNREFUSED;
	*out = *(struct agent_counters *)context;
	out->tx_packets += node * 100 + port;
	return 0;
}

static void
read_counters(struct agents *a, uint8_t method, uint8_t port, uint16_t select)
{
	make_request(mad, MAD_CLASS_PERFORMANCE, method, MAD_COUNTERS, 0);
	data[1] = port;
	mad_put16(data + 2, select);
	assert_int_equal(ask(a, at_leaf1, mad), MAD_OK);
}

static void
test_counters(void **state)
{
	struct agent_counters now = {
		.tx_bytes = 4000,
		.rx_bytes = UINT64_C(1) << 40,
		.tx_discards = 70000,
		.rx_errors = 3,
	};
	struct agents a = make_subnet();

	(void)state;
	a.hooks = (struct agent_hooks){.context = &now, .counters = count};
	read_counters(&a, MAD_GET, 2, 0);
	assert_int_equal(mad_get32(data + 24), 1000);       // words of four bytes
	assert_int_equal(mad_get32(data + 28), UINT32_MAX); // no more fits
	assert_int_equal(mad_get16(data + 14), UINT16_MAX);
	assert_int_equal(mad_get16(data + 8), 3);
	assert_int_equal(mad_get32(data + 32), 2);
	read_counters(&a, MAD_GET, 255, 0); // the sum of four ports
	assert_int_equal(mad_get32(data + 24), 4000);
	assert_int_equal(mad_get32(data + 32), 1 + 2 + 3 + 4);

	make_request(mad, MAD_CLASS_PERFORMANCE, MAD_GET, MAD_COUNTERS_EXTENDED, 0);
	data[1] = 2;
	assert_int_equal(ask(&a, at_leaf1, mad), MAD_OK);
	assert_int_equal(mad_get64(data + 16), UINT64_C(1) << 38);

	// Bytes sent are cleared, packets not.
	read_counters(&a, MAD_SET, 2, 1u << 12);
	assert_int_equal(mad_get32(data + 24), 0);
	assert_int_equal(mad_get32(data + 32), 2);
	now.tx_bytes += 40;
	read_counters(&a, MAD_GET, 2, 0);
	assert_int_equal(mad_get32(data + 24), 10);
	now.tx_bytes = 8; // the fabric has started anew
	read_counters(&a, MAD_GET, 2, 0);
	assert_int_equal(mad_get32(data + 24), 2);

	make_request(mad, MAD_CLASS_PERFORMANCE, MAD_GET, MAD_COUNTERS, 0);
	data[1] = 5;
	assert_int_equal(ask(&a, at_leaf1, mad), MAD_BAD_VALUE);
	agents_free(&a);
}

// All ports of a host together, each once.
static void
test_counters_of_a_host(void **state)
{
	struct agent_counters now = {.tx_bytes = 400};
	struct agents a = {0};
	const uint32_t host = agents_add(&a, "h1", AGENT_HOST, 3);

	(void)state;
	a.hooks = (struct agent_hooks){.context = &now, .counters = count};
	make_request(mad, MAD_CLASS_PERFORMANCE, MAD_GET, MAD_COUNTERS, 0);
	data[1] = 255;
	assert_int_equal(ask(&a, (struct agent_place){host, 3}, mad), MAD_OK);
	assert_int_equal(mad_get32(data + 24), 300);
	assert_int_equal(mad_get32(data + 32), 1 + 2 + 3);
	make_request(mad, MAD_CLASS_PERFORMANCE, MAD_GET, MAD_COUNTERS, 0);
	assert_int_equal(ask(&a, (struct agent_place){host, 3}, mad), MAD_OK); // its own
	assert_int_equal(mad_get32(data + 32), 3);
	agents_free(&a);
}

// Counters that cannot be read are no zeros, and none are cleared.
static void
test_counters_fail(void **state)
{
	struct agent_counters now = {.tx_bytes = 4000};
	struct agents a = make_subnet();

	(void)state;
	a.hooks = (struct agent_hooks){.context = &now, .counters = count};
	broken_port = 3;
	make_request(mad, MAD_CLASS_PERFORMANCE, MAD_SET, MAD_COUNTERS, 0);
	data[1] = 255;
	mad_put16(data + 2, 0xffff);
	assert_int_equal(ask(&a, at_leaf1, mad), MAD_BUSY);
	broken_port = 0;
	read_counters(&a, MAD_GET, 2, 0);
	assert_int_equal(mad_get32(data + 24), 1000);
	agents_free(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_node_info),
		cmocka_unit_test(test_not_for_agents),
		cmocka_unit_test(test_direction),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_port_states),
		cmocka_unit_test(test_disabled_port),
		cmocka_unit_test(test_lids),
		cmocka_unit_test(test_linear_table),
		cmocka_unit_test(test_other_tables),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_counters_of_a_host),
		cmocka_unit_test(test_counters_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
