// SPDX-License-Identifier: BSD-3-Clause
// Ways of MADs, changes of links, traps.
#include "small_subnet.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void
make_directed(uint8_t *mad, unsigned count, const uint8_t *path)
{
	make_request(mad, MAD_CLASS_SUBNET_DIRECTED, MAD_GET, MAD_NODE_INFO, 0);
	mad[MAD_AT_HOP_COUNT] = (uint8_t)count;
	memcpy(mad + MAD_AT_PATH + 1, path, count);
}

static void
test_directed_route(void **state)
{
	static const uint8_t path[] = {1, 2, 2, 1};
	struct agents a = make_subnet();
	uint8_t mad[MAD_BYTES];
	struct agent_place at;

	(void)state;
	make_directed(mad, 4, path);
	assert_int_equal(agents_route(&a, (struct agent_place){H1, 1}, 0xffff, mad, &at), 0);
	assert_int_equal(at.node, H2);
	assert_int_equal(at.port, 1);
	// By port 1 of leaf1, 1 of the spine, 2 of leaf2 and 1 of h2 it came in.
	assert_memory_equal(mad + MAD_AT_RETURN_PATH + 1, ((uint8_t[]){1, 1, 2, 1}), 4);

	// The answer's way is that backwards.
	mad[MAD_AT_METHOD] = MAD_GET_RESPONSE;
	assert_int_equal(agents_route(&a, at, 0xffff, mad, &at), 0);
	assert_int_equal(at.node, H1);
	agents_free(&a);
}

static void
test_routes_that_end(void **state)
{
	static const struct {
		unsigned count;
		uint8_t path[5];
	} routes[] = {
		{1, {2}},             // h1 has one port
		{1, {0}},             // none leads to itself
		{2, {1, 3}},          // nothing is behind it
		{2, {1, 255}},        // there is no such port
		{5, {1, 2, 2, 1, 1}}, // a host passes nothing on
	};
	struct agents a = make_subnet();
	uint8_t mad[MAD_BYTES];
	struct agent_place at;

	(void)state;
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		make_directed(mad, routes[i].count, routes[i].path);
		assert_int_equal(agents_route(&a, (struct agent_place){H1, 1}, 0xffff, mad, &at),
				 -EHOSTUNREACH);
	}
	make_directed(mad, 1, (uint8_t[]){1});
	mad[MAD_AT_HOP_COUNT] = 64;
	assert_int_equal(agents_route(&a, (struct agent_place){H1, 1}, 0xffff, mad, &at),
			 -EHOSTUNREACH);
	make_directed(mad, 1, (uint8_t[]){1});
	mad_put16(mad + MAD_AT_DIRECTED_SOURCE, 3); // the first part by LIDs
	assert_int_equal(agents_route(&a, (struct agent_place){H1, 1}, 0xffff, mad, &at),
			 -EHOSTUNREACH);
	agents_free(&a);
}

static int
route_to(struct agents *a, uint8_t class, uint16_t lid, struct agent_place *at)
{
	uint8_t mad[MAD_BYTES];

	make_request(mad, class, MAD_GET, MAD_NODE_INFO, 0);
	return agents_route(a, (struct agent_place){H1, 1}, lid, mad, at);
}

static void
test_tables(void **state)
{
	struct agents a = make_subnet();
	struct agent_place at;

	(void)state;
	bring_up(&a);
	for (uint16_t lid = LID_LEAF1; lid <= LID_H2; lid++) {
		assert_int_equal(route_to(&a, MAD_CLASS_SUBNET, lid, &at), 0);
		assert_int_equal(at.node, lid - LID_LEAF1);
	}
	assert_int_equal(route_to(&a, MAD_CLASS_SUBNET, 0, &at), -EHOSTUNREACH);
	assert_int_equal(route_to(&a, MAD_CLASS_SUBNET, 9, &at), -EHOSTUNREACH);
	assert_int_equal(route_to(&a, MAD_CLASS_SUBNET, 0xc001, &at), -EHOSTUNREACH);

	// Tables that lead in a circle end.
	a.nodes[SPINE].lft[LID_H2] = 1;
	assert_int_equal(route_to(&a, MAD_CLASS_SUBNET, LID_H2, &at), -EHOSTUNREACH);
	a.nodes[SPINE].lft[LID_H2] = 2;

	// Only management of the subnet passes links that are not active.
	mad_put_low(a.nodes[LEAF1].ports[2].info + 32, AGENT_INIT);
	assert_int_equal(route_to(&a, MAD_CLASS_SUBNET, LID_H2, &at), 0);
	assert_int_equal(route_to(&a, MAD_CLASS_PERFORMANCE, LID_H2, &at), -EHOSTUNREACH);
	agents_free(&a);
}

static void
test_link_goes_down(void **state)
{
	struct agents a = make_subnet();
	const struct agent_port *leaf = &a.nodes[LEAF1].ports[2], *spine = &a.nodes[SPINE].ports[1];
	struct agent_place at;

	(void)state;
	bring_up(&a);
	agents_link_changed(&a, (struct agent_place){SPINE, 1}, false);
	assert_int_equal(agent_port_state(leaf), AGENT_DOWN);
	assert_int_equal(agent_port_link(leaf), AGENT_LINK_POLLING);
	assert_int_equal(agent_port_state(spine), AGENT_DOWN);
	assert_int_equal(route_to(&a, MAD_CLASS_SUBNET, LID_H2, &at), -EHOSTUNREACH);
	assert_true(a.nodes[LEAF1].ports[0].trap_due);
	assert_true(a.nodes[SPINE].ports[0].trap_due);
	assert_false(a.nodes[LEAF2].ports[0].trap_due);
	assert_int_equal(a.nodes[LEAF1].info[11] & 4, 4); // PortStateChange

	agents_link_changed(&a, (struct agent_place){LEAF1, 2}, true);
	assert_int_equal(agent_port_state(leaf), AGENT_INIT);
	assert_int_equal(agent_port_state(spine), AGENT_INIT);
	agents_free(&a);
}

static void
test_trap(void **state)
{
	struct agents a = make_subnet();
	uint8_t mad[MAD_BYTES];

	(void)state;
	assert_false(agents_make_trap(&a, LEAF1, mad)); // nobody manages the subnet
	bring_up(&a);
	agents_link_changed(&a, (struct agent_place){LEAF1, 2}, false);
	assert_true(agents_make_trap(&a, LEAF1, mad));
	assert_int_equal(mad[MAD_AT_METHOD], MAD_TRAP);
	assert_int_equal(mad_get16(mad + MAD_AT_ATTRIBUTE), MAD_NOTICE);
	// Generic and urgent, of a switch, number 128, from LID 1, about LID 1.
	assert_memory_equal(mad + MAD_DATA, ((uint8_t[]){0x81, 0, 0, 2, 0, 128, 0, 1, 0, 0, 0, 1}),
			    12);
	agents_repress_trap(&a, LID_LEAF1);
	assert_false(a.nodes[LEAF1].ports[0].trap_due);
	assert_true(a.nodes[SPINE].ports[0].trap_due);
	agents_free(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_directed_route), cmocka_unit_test(test_routes_that_end),
		cmocka_unit_test(test_tables),         cmocka_unit_test(test_link_goes_down),
		cmocka_unit_test(test_trap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
