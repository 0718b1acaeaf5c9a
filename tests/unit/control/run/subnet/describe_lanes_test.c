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

// A switch with a host.
static struct agents
describe(const char *lanes)
{
	struct agents a = {0};
	json_error_t error;
	char text[2000];
	json_t *nodes;

	snprintf(text, sizeof(text), "[{'lanes':%s},{}]", lanes);
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	nodes = json_loads(text, 0, &error);
	assert_non_null(nodes);
	agents_add(&a, "leaf1", AGENT_SWITCH, 2);
	agents_add(&a, "h1", AGENT_HOST, 1);
	agents_connect(&a, (struct agent_place){0, 2}, (struct agent_place){1, 1}, 1);
	subnet_describe_lanes(&a, nodes);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_wrong_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
