// SPDX-License-Identifier: BSD-3-Clause
// Lanes and partitions of the fabric, as agents answer them, and what a manager sets instead.
#include "small_requests.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

// Lanes 0 and `last`; all entries of the low table are of the latter.
static struct agent_lanes
two_lanes(uint8_t last, uint8_t low)
{
	struct agent_lanes lanes = {
		.of_level = {0, last, 0, 0, 0, 0, 0, 0, 15, 15, 15, 15, 15, 15, 15, 15},
		.counts = {[AGENT_LOW] = low, [AGENT_HIGH] = 1},
		.tables = {[AGENT_HIGH] = {0, 9}},
		.limit = 7,
	};

	for (unsigned i = 0; i < low; i++) {
		lanes.tables[AGENT_LOW][2 * i] = last;
		lanes.tables[AGENT_LOW][2 * i + 1] = (uint8_t)(i + 1);
	}
	return lanes;
}

static void
test_answers(void **state)
{
	static const struct {
		uint8_t last, capability;
	} cases[] = {{0, 1}, {1, 2}, {2, 3}, {3, 3}, {4, 4}, {7, 4}};
	struct agents a = make_subnet();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct agent_lanes lanes = two_lanes(cases[i].last, 3);

		agent_set_lanes(&a.nodes[LEAF1], 2, &lanes);
		assert_int_equal(get(&a, at_leaf1, MAD_PORT_INFO, 2), MAD_OK);
		assert_int_equal(data[37] >> 4, cases[i].capability); // VLCap
		assert_int_equal(data[43] >> 4, cases[i].capability); // OperationalVLs
		assert_int_equal(data[38], 7);
		assert_int_equal(data[39], 32);
		assert_int_equal(data[40], 32);
		assert_int_equal(get(&a, at_leaf1, MAD_SL_TO_VL, 0x0102), MAD_OK);
		assert_memory_equal(
			data, ((uint8_t[]){cases[i].last, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}), 8);
		assert_int_equal(get(&a, at_leaf1, MAD_VL_ARBITRATION, 0x30002), MAD_OK);
		assert_memory_equal(data, ((uint8_t[]){0, 9, 0, 0}), 4);
		assert_int_equal(get(&a, at_leaf1, MAD_VL_ARBITRATION, 0x10002), MAD_OK);
		assert_memory_equal(data, lanes.tables[AGENT_LOW], 8);
	}
	agents_free(&a);
}

// A table of more than 32 entries has a second half.
static void
test_long_table(void **state)
{
	const struct agent_lanes lanes = two_lanes(1, 40);
	struct agents a = make_subnet();

	(void)state;
	agent_set_lanes(&a.nodes[LEAF1], 2, &lanes);
	assert_int_equal(get(&a, at_leaf1, MAD_PORT_INFO, 2), MAD_OK);
	assert_int_equal(data[39], 32);
	assert_int_equal(data[40], 64);
	assert_int_equal(get(&a, at_leaf1, MAD_VL_ARBITRATION, 0x10002), MAD_OK);
	assert_memory_equal(data, lanes.tables[AGENT_LOW], 64);
	assert_int_equal(get(&a, at_leaf1, MAD_VL_ARBITRATION, 0x20002), MAD_OK);
	assert_memory_equal(data, lanes.tables[AGENT_LOW] + 64, 64);
	data[63] = 77;
	assert_int_equal(set(&a, at_leaf1, MAD_VL_ARBITRATION, 0x20002), MAD_OK);
	assert_int_equal(a.nodes[LEAF1].ports[2].arbitration[AGENT_LOW][127], 77);
	assert_int_equal(get(&a, at_leaf1, MAD_VL_ARBITRATION, 0x40002), MAD_BAD_VALUE);
	assert_int_equal(get(&a, at_leaf1, MAD_VL_ARBITRATION, 0x50002), MAD_BAD_VALUE);
	assert_int_equal(get(&a, at_leaf1, MAD_VL_ARBITRATION, 2), MAD_BAD_VALUE);
	agents_free(&a);
}

static void
test_partitions(void **state)
{
	struct agents a = make_subnet();
	struct agent_difference found;

	(void)state;
	agents_set_partition(&a, at_h1, 0x8005);
	assert_int_equal(get(&a, at_h1, MAD_PARTITIONS, 0), MAD_OK);
	assert_int_equal(mad_get16(data), 0x8005);
	assert_int_equal(get(&a, at_leaf1, MAD_PARTITIONS, 0x10000), MAD_OK);
	assert_int_equal(mad_get16(data), 0x8005);
	assert_int_equal(get(&a, at_leaf1, MAD_PARTITIONS, 0x20000), MAD_OK);
	assert_int_equal(mad_get16(data), 0xffff);
	assert_int_equal(a.nodes[LEAF1].ports[1].info[43] & 0x0f, 0x0c); // both directions
	assert_int_equal(a.nodes[LEAF1].ports[2].info[43] & 0x0f, 0);

	agents_compare_partitions(&a, &found);
	assert_int_equal(found.nodes, 0);
	// The default partition beside its own is fine, another is not, nor is its own missing.
	static const struct {
		uint16_t keys[2];
		unsigned differ;
	} cases[] = {{{0xffff, 0x8005}, 0},
		     {{0x7fff, 0x8005}, 0},
		     {{0x8005, 0x0006}, 0},
		     {{0x8005, 0x8006}, 1},
		     {{0x0005, 0xffff}, 1},
		     {{0xffff, 0}, 1},
		     {{0, 0}, 1}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(data, 0, MAD_DATA_BYTES);
		mad_put16(data, cases[i].keys[0]);
		mad_put16(data + 2, cases[i].keys[1]);
		assert_int_equal(set(&a, at_h1, MAD_PARTITIONS, 0), MAD_OK);
		assert_int_equal(a.lane_changes, i + 1);
		agents_compare_partitions(&a, &found);
		assert_int_equal(found.nodes, cases[i].differ);
		assert_true(found.nodes == 0 || (found.first.node == H1 && found.first.port == 1));
	}
	assert_int_equal(set(&a, at_h1, MAD_PARTITIONS, 0), MAD_OK); // the same again
	assert_int_equal(a.lane_changes, sizeof(cases) / sizeof(cases[0]));
	agents_free(&a);
}

static void
set_level(struct agents *a, struct agent_place at, uint32_t modifier, unsigned level, uint8_t lane)
{
	assert_int_equal(get(a, at, MAD_SL_TO_VL, modifier), MAD_OK);
	if (level % 2 == 0)
		mad_put_high(data + level / 2, lane);
	else
		mad_put_low(data + level / 2, lane);
	assert_int_equal(set(a, at, MAD_SL_TO_VL, modifier), MAD_OK);
}

static void
test_levels(void **state)
{
	struct agents a = make_subnet();
	struct agent_difference found;

	(void)state;
	set_level(&a, at_leaf1, 0x0102, 8, 3); // no packet of it gets here
	set_level(&a, at_leaf1, 0x0103, 2, 3); // nothing is behind port 3
	set_level(&a, at_leaf1, 0x0301, 2, 3); // nor comes in by it
	agents_compare_levels(&a, &found);
	assert_int_equal(found.nodes, 0);
	set_level(&a, at_leaf1, 0x0102, 7, 3);
	set_level(&a, at_h1, 0, 0, 1);
	agents_compare_levels(&a, &found);
	assert_int_equal(found.nodes, 2);
	assert_true(found.first.node == LEAF1 && found.first.port == 2 && found.in == 1);
	assert_int_equal(agent_lane_of(a.nodes[LEAF1].ports[2].levels[1], 7), 3);
	assert_int_equal(agent_lane_of(a.nodes[LEAF1].ports[2].own_levels, 7), 7);
	set_level(&a, at_leaf1, 0x0102, 7, 7);
	agents_compare_levels(&a, &found);
	assert_true(found.nodes == 1 && found.first.node == H1);
	agents_free(&a);
}

static void
set_entry(struct agents *a, uint32_t port, uint8_t weight)
{
	memset(data, 0, MAD_DATA_BYTES);
	data[1] = weight;
	assert_int_equal(set(a, at_leaf1, MAD_VL_ARBITRATION, 0x30000 | port), MAD_OK);
}

// Ports 1 and 2 of the leaf have links.
static void
test_arbitration(void **state)
{
	struct agents a = make_subnet();
	const struct agent *leaf = &a.nodes[LEAF1];

	(void)state;
	assert_int_equal(agent_common_arbitration(leaf), 1);
	set_entry(&a, 0, 5); // its own port sends nothing
	assert_int_equal(a.lane_changes, 0);
	assert_false(leaf->arbitrated);
	set_entry(&a, 2, 5);
	assert_int_equal(a.lane_changes, 1);
	assert_true(leaf->arbitrated);
	assert_int_equal(agent_common_arbitration(leaf), 0);
	set_entry(&a, 1, 5);
	assert_int_equal(agent_common_arbitration(leaf), 1);
	set_entry(&a, 1, 5); // the same again
	assert_int_equal(a.lane_changes, 2);

	// VLHighLimit counts as well.
	assert_int_equal(get(&a, at_leaf1, MAD_PORT_INFO, 2), MAD_OK);
	data[32] = data[33] = 0;
	data[38] = 200;
	assert_int_equal(set(&a, at_leaf1, MAD_PORT_INFO, 2), MAD_OK);
	assert_int_equal(a.lane_changes, 3);
	assert_int_equal(agent_common_arbitration(leaf), 0);
	agents_link_changed(&a, (struct agent_place){LEAF1, 1}, false);
	assert_int_equal(agent_common_arbitration(leaf), 2);
	agents_free(&a);
}

// Sets that a change of lanes may consist of are counted, and no others.
static void
test_counted_sets(void **state)
{
	static const struct {
		uint8_t class;
		uint16_t attribute;
		bool counted;
	} cases[] = {
		{MAD_CLASS_SUBNET, MAD_PORT_INFO, true},
		{MAD_CLASS_SUBNET, MAD_SL_TO_VL, true},
		{MAD_CLASS_SUBNET, MAD_VL_ARBITRATION, true},
		{MAD_CLASS_SUBNET, MAD_PARTITIONS, true},
		{MAD_CLASS_SUBNET, MAD_LINEAR_TABLE, false},
		{MAD_CLASS_SUBNET, MAD_SWITCH_INFO, false},
		{MAD_CLASS_PERFORMANCE, MAD_COUNTERS, false},
	};
	struct agents a = make_subnet();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t before = a.sets;

		make_request(mad, cases[i].class, MAD_SET, cases[i].attribute, 0);
		ask(&a, at_leaf1, mad);
		assert_int_equal(a.sets - before, cases[i].counted);
	}
	agents_free(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),     cmocka_unit_test(test_long_table),
		cmocka_unit_test(test_partitions),  cmocka_unit_test(test_levels),
		cmocka_unit_test(test_arbitration), cmocka_unit_test(test_counted_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
