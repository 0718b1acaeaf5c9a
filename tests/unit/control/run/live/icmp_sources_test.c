// SPDX-License-Identifier: BSD-3-Clause
// Where ICMP errors come from at each port of a switch that shares interfaces with Linux.
#include "control/run/live/live_fabric.h"

#include "dataplane/device/xdp/steering.h"

#include "tests/unit/control/model/topology/fixture.h"

#include <arpa/inet.h>

#define PORTS 3 // swp1 and swp2 are shared with Linux; swp3 is a device of its own
#define ADDRESSES_MAX 4

struct given {
	const char *interface, *address;
};

struct expected {
	const char *ip4[PORTS], *ip6[PORTS]; // "::": none
};

static void
add(struct local_list *l, const struct given *given)
{
	const bool ip6 = strchr(given->address, ':') != NULL;
	struct steering_address *a = &l->addresses[l->count];

	a->version = ip6 ? 6 : 4;
	assert_int_equal(inet_pton(ip6 ? AF_INET6 : AF_INET, given->address, a->bytes), 1);
	snprintf(l->interfaces[l->count++], IFNAMSIZ, "%s", given->interface);
}

static void
expect(const struct config *config, const struct given *given, const struct expected *expected)
{
	struct device_port devices[PORTS] = {
		{.port = 0, .netdev = "eth0"}, {.port = 1, .netdev = "eth1"}, {.port = 2}};
	struct steering_address addresses[ADDRESSES_MAX] = {0};
	char interfaces[ADDRESSES_MAX][IFNAMSIZ];
	struct local_list list = {.addresses = addresses, .interfaces = interfaces};
	struct topo_node place = {.port_count = PORTS};
	struct topology topology = {.nodes = &place, .node_count = 1};
	struct node node = {.role = NODE_LEAF}, *nodes[] = {&node};
	struct fabric fabric = {.nodes = nodes};
	struct config written = *config;
	struct live_fabric live = {.config = &written,
				   .topology = &topology,
				   .fabric = &fabric,
				   .devices = devices,
				   .device_count = PORTS};

	for (unsigned i = 0; i < ADDRESSES_MAX && given[i].interface != NULL; i++)
		add(&list, &given[i]);
	icmp_sources_set(&live, &list);
	assert_ptr_equal(node.answer_sources, live.answer_sources);
	for (unsigned p = 0; p < PORTS; p++) {
		char ip4[INET_ADDRSTRLEN], ip6[INET6_ADDRSTRLEN];

		inet_ntop(AF_INET, node.answer_sources[p].ip4, ip4, sizeof(ip4));
		inet_ntop(AF_INET6, node.answer_sources[p].ip6, ip6, sizeof(ip6));
		assert_string_equal(ip4, expected->ip4[p]);
		assert_string_equal(ip6, expected->ip6[p]);
	}
	free(live.answer_sources);
}

static void
test_every_port_has_one(void **state)
{
	const struct config plain = {0};

	(void)state;
	// The interface's own, else one of lo, also at a port that is no interface.
	expect(&plain,
	       (struct given[ADDRESSES_MAX]){{"eth0", "10.0.0.1"},
					     {"lo", "10.255.0.1"},
					     {"eth0", "fd00::1"},
					     {"lo", "fd00:ffff::1"}},
	       &(struct expected){{"10.0.0.1", "10.255.0.1", "10.255.0.1"},
				  {"fd00::1", "fd00:ffff::1", "fd00:ffff::1"}});
	// Else any.
	expect(&plain, (struct given[ADDRESSES_MAX]){{"eth0", "10.0.0.1"}, {"eth1", "10.0.1.1"}},
	       &(struct expected){{"10.0.0.1", "10.0.1.1", "10.0.0.1"}, {"::", "::", "::"}});
	expect(&plain, (struct given[ADDRESSES_MAX]){{0}},
	       &(struct expected){{"192.0.0.8", "192.0.0.8", "192.0.0.8"}, {"::", "::", "::"}});
}

static void
test_addresses_with_a_label(void **state)
{
	const struct config plain = {0};

	(void)state;
	expect(&plain,
	       (struct given[ADDRESSES_MAX]){
		       {"eth10", "10.0.9.1"}, {"eth1:1", "10.0.1.1"}, {"lo:self", "10.255.0.1"}},
	       &(struct expected){{"10.255.0.1", "10.0.1.1", "10.255.0.1"}, {"::", "::", "::"}});
}

static void
test_those_of_the_file_come_first(void **state)
{
	struct config config = {0};

	(void)state;
	config.single.loopback4 = (struct config_address){.version = 4, .bytes = {10, 9, 9, 9}};
	expect(&config, (struct given[ADDRESSES_MAX]){{"eth0", "10.0.0.1"}, {"eth0", "fd00::1"}},
	       &(struct expected){{"10.9.9.9", "10.9.9.9", "10.9.9.9"},
				  {"fd00::1", "fd00::1", "fd00::1"}});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_port_has_one),
		cmocka_unit_test(test_addresses_with_a_label),
		cmocka_unit_test(test_those_of_the_file_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
