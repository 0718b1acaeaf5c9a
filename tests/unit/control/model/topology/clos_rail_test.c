// SPDX-License-Identifier: BSD-3-Clause
// Rails: which NIC of which host hangs on which leaf, and that all reach each other.
#include "fixture.h"

static void
test_wiring(void **state)
{
	const struct topology *t;
	char text[TOPOLOGY_NAME_MAX];
	struct fixture f;

	(void)state;
	fixture_load(&f, "fabric:\n  topology: {kind: rail, leaves: 8, spines: 3, rails: 4, "
			 "hosts-per-leaf: 5}\n");
	t = f.topology;
	assert_int_equal(t->host_count, 5 * 8 / 4);
	assert_int_equal(t->link_count, 10 * 4 + 8 * 3);
	for (uint32_t h = 0; h < t->host_count; h++) {
		assert_int_equal(topology_host(t, h)->port_count, 4);
		for (uint8_t rail = 0; rail < 4; rail++) {
			const struct topo_port *port = topology_host_port(t, h, rail);
			char wanted[TOPOLOGY_NAME_MAX];

			snprintf(wanted, sizeof(wanted), "leaf%u.swp%u", h / 5 * 4 + rail + 1,
				 h % 5 + 1);
			assert_string_equal(
				topology_port_name(t, port->peer_node, port->peer_port, text),
				wanted);
		}
	}
	assert_true(topology_joined(t, 0, 0, 9, 3));
	assert_true(routes_join(f.routes, t, 0, 0, 9, 3));
	fixture_free(&f);
}

// A host is in one tenant, all of its ports with it.
static void
test_tenants(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, "fabric:\n  topology: {kind: rail, leaves: 2, spines: 2, hosts-per-leaf: "
			 "3}\ntenants: {red: {hosts: [h1, h3]}, blue: {hosts: [h2]}}\n");
	assert_int_equal(topology_host_tenant(f.topology, 2), 0);
	assert_int_equal(topology_host_port(f.topology, 2, 1)->tenant, 0);
	assert_true(routes_join(f.routes, f.topology, 0, 0, 2, 1));
	assert_true(routes_join(f.routes, f.topology, 0, 1, 0, 0));
	assert_false(routes_join(f.routes, f.topology, 0, 1, 1, 1));
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wiring),
		cmocka_unit_test(test_tenants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
