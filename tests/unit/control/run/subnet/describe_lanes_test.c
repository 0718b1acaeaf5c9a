// SPDX-License-Identifier: BSD-3-Clause
// Lanes of a description that means harm, or says nothing, leave the agents as they are.
#include "control/run/subnet/subnet_internal.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define LEVELS "'by_priority':[0,0,0,3,0,0,6,0]"
#define TABLES(high, low, limit) "{'high':" high ",'low':" low ",'limit':" limit "}"
#define GOOD TABLES("[[6,255]]", "[[0,1],[3,2]]", "255")
#define LANES(levels, tables) \
	"{" levels ",'credits':true,'arbitration':" tables ",'nic_arbitration':" GOOD "}"
#define ENTRIES_8 "[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1],[0,1]"
#define ENTRIES_64                                                                      \
	ENTRIES_8 "," ENTRIES_8 "," ENTRIES_8 "," ENTRIES_8 "," ENTRIES_8 "," ENTRIES_8 \
		  "," ENTRIES_8 "," ENTRIES_8

static const uint8_t own[8] = {0x00, 0x03, 0x00, 0x60, 0xff, 0xff, 0xff, 0xff};
static const uint8_t eight[8] = {0x01, 0x23, 0x45, 0x67, 0x01, 0x23, 0x45, 0x67};

// Nodes: a switch with these lanes, and a host.
static json_t *
read_nodes(const char *lanes)
{
	json_error_t error;
	char text[2000];
	json_t *nodes;

	snprintf(text, sizeof(text), "[{'lanes':%s},{}]", lanes);
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	nodes = json_loads(text, 0, &error);
	assert_non_null(nodes);
	return nodes;
}

static struct agents
describe(const char *lanes)
{
	struct agents a = {0};
	json_t *nodes = read_nodes(lanes);

	agents_add(&a, "leaf1", AGENT_SWITCH, 2);
	agents_add(&a, "h1", AGENT_HOST, 1);
	agents_connect(&a, (struct agent_place){0, 2}, (struct agent_place){1, 1}, 1);
	subnet_describe_lanes(&a, NULL, nodes);
	json_decref(nodes);
	return a;
}

static void
test_lanes(void **state)
{
	struct agents a = describe(LANES(LEVELS, "" TABLES("[]", "[" ENTRIES_64 "]", "3")));
	const struct agent_port *leaf = &a.nodes[0].ports[2], *host = &a.nodes[1].ports[1];

	(void)state;
	assert_memory_equal(leaf->own_levels, own, 8);
	assert_memory_equal(leaf->levels[1], own, 8);
	assert_true(a.nodes[0].programmable);
	assert_int_equal(leaf->info[38], 3);
	assert_int_equal(agent_entries(leaf, AGENT_LOW), 64);
	assert_int_equal(leaf->arbitration[AGENT_LOW][127], 1);
	assert_memory_equal(host->levels[0], own, 8);
	assert_int_equal(host->info[38], 255);
	assert_memory_equal(host->arbitration[AGENT_HIGH], ((uint8_t[]){6, 255, 0, 0}), 4);
	assert_memory_equal(host->arbitration[AGENT_LOW], ((uint8_t[]){0, 1, 3, 2, 0, 0}), 6);
	agents_free(&a);
}

static void
test_wrong_lanes(void **state)
{
	static const char *const wrong[] = {
		"null",
		"[]",
		LANES("'by_priority':[0,0,0,3,0,0,6]", GOOD),
		LANES("'by_priority':[0,0,0,8,0,0,6,0]", GOOD),
		LANES("'by_priority':[0,0,0,-1,0,0,6,0]", GOOD),
		LANES("'by_priority':[0,0,0,'3',0,0,6,0]", GOOD),
		LANES(LEVELS, "{}"),
		LANES(LEVELS, TABLES("[[8,1]]", "[]", "0")),
		LANES(LEVELS, TABLES("[[0,256]]", "[]", "0")),
		LANES(LEVELS, TABLES("[[0]]", "[]", "0")),
		LANES(LEVELS, TABLES("[0]", "[]", "0")),
		LANES(LEVELS, TABLES("[]", "[]", "256")),
		LANES(LEVELS, TABLES("[]", "[" ENTRIES_64 ",[0,1]]", "0")),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct agents a = describe(wrong[i]);

		assert_memory_equal(a.nodes[0].ports[2].own_levels, eight, 8);
		assert_int_equal(a.nodes[0].ports[2].info[38], 0);
		agents_free(&a);
	}
}

static void
describe_again(struct agents *a, const char *before, const char *now)
{
	json_t *old = read_nodes(before), *new = read_nodes(now);

	subnet_describe_lanes(a, old, new);
	json_decref(old);
	json_decref(new);
}

// When lanes are read again, tables of ports that have not changed, or that have changed to what a
// manager has set, stay as they are. So does what it has set of levels.
static void
test_lanes_change(void **state)
{
	static const char first[] = LANES(LEVELS, GOOD),
			  second[] = LANES(LEVELS, TABLES("[[6,9]]", "[[0,4],[3,5]]", "2")),
			  third[] = LANES("'by_priority':[0,0,0,3,0,0,6,3]", GOOD);
	static const uint8_t set[] = {0, 4, 5, 9, 3, 5};
	struct agents a = describe(first);
	struct agent_port *leaf = &a.nodes[0].ports[2], *host = &a.nodes[1].ports[1];
	uint8_t *low = leaf->arbitration[AGENT_LOW], *limit = &leaf->info[MAD_PORT_INFO_HIGH_LIMIT];

	(void)state;
	leaf->levels[1][0] = host->levels[0][0] = 0x77;
	low[1] = 99;
	host->arbitration[AGENT_LOW][1] = 98;
	describe_again(&a, first, first);
	assert_int_equal(low[1], 99);
	describe_again(&a, first, second);
	assert_memory_equal(low, ((uint8_t[]){0, 4, 3, 5, 0, 0}), 6);
	assert_int_equal(*limit, 2);
	assert_int_equal(host->arbitration[AGENT_LOW][1], 98);
	assert_int_equal(leaf->levels[1][0], 0x77);
	assert_int_equal(host->levels[0][0], 0x77);

	describe_again(&a, second, first);
	leaf->arbitration[AGENT_HIGH][1] = 9;
	memcpy(low, set, sizeof(set)); // lane 5 is not in use
	*limit = 2;
	describe_again(&a, first, second);
	assert_memory_equal(low, set, sizeof(set));
	a.nodes[0].arbitrated = true;
	describe_again(&a, second, first);
	assert_memory_equal(low, set, sizeof(set));
	a.nodes[0].arbitrated = false;
	describe_again(&a, first, third);
	assert_int_equal(*limit, 255);
	assert_int_equal(leaf->levels[1][0], 0x00);
	assert_int_equal(leaf->levels[1][3], 0x63);
	assert_int_equal(host->levels[0][3], 0x63);
	agents_free(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_wrong_lanes),
		cmocka_unit_test(test_lanes_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
