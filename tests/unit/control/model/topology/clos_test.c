// SPDX-License-Identifier: BSD-3-Clause
// Fabrics of pods and planes: wiring by hand, and addresses that are all different and lead back.
#include "fixture.h"

#define KIND(text) "fabric:\n  topology: {kind: " text "}\n"

static const char *
peer_of(const struct fixture *f, const char *name)
{
	static char text[TOPOLOGY_NAME_MAX];
	const struct topo_port *port;
	struct topo_ref ref;

	assert_int_equal(topology_find_port(f->topology, name, &ref), 0);
	port = &f->topology->nodes[ref.node].ports[ref.port];
	return topology_port_name(f->topology, port->peer_node, port->peer_port, text);
}

static void
assert_ip4(const struct fixture *f, const char *name, uint8_t second, uint8_t leaf, uint8_t port)
{
	const uint8_t wanted[4] = {10, second, leaf, port};
	struct topo_ref ref;

	assert_int_equal(topology_find_port(f->topology, name, &ref), 0);
	assert_memory_equal(f->topology->nodes[ref.node].ports[ref.port].ip4, wanted, 4);
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

// Every host port's address stands for its place and for no other's.
static void
check_addresses(const struct topology *t)
{
	char(*texts)[32] = calloc((size_t)t->host_count * 8 + 1, sizeof(*texts));
	size_t count = 0;

	assert_non_null(texts);
	for (uint32_t h = 0; h < t->host_count; h++) {
		for (uint16_t p = 0; p < topology_host(t, h)->port_count; p++) {
			const struct topo_port *port = topology_host_port(t, h, (uint8_t)p);
			char *text = texts[count++];
			struct place place;
			struct topo_ref ref;

			snprintf(text, 32, "%u.%u.%u.%u", port->ip4[0], port->ip4[1], port->ip4[2],
				 port->ip4[3]);
			assert_int_equal(fixture_find_place(text, &place), 0);
			assert_int_equal(topology_find_place(t, &place, &ref), 0);
			assert_int_equal(ref.node, port->peer_node);
			assert_int_equal(ref.port, port->peer_port);
			assert_memory_equal(port->mac + 2, port->ip4, 4);
		}
	}
	qsort(texts, count, sizeof(*texts), compare_texts);
	for (size_t i = 1; i < count; i++)
		assert_string_not_equal(texts[i], texts[i - 1]);
	free(texts);
}

static void
test_fat_tree(void **state)
{
	const struct topology *t;
	struct fixture f;

	(void)state;
	fixture_load(&f, KIND("fat-tree, k: 4"));
	t = f.topology;
	assert_int_equal(t->leaf_count, 8);
	assert_int_equal(t->spine_count, 8);
	assert_int_equal(t->super_count, 4);
	assert_int_equal(t->host_count, 16);
	assert_int_equal(t->link_count, 16 + 16 + 16);
	for (uint32_t n = 0; n < t->first_host; n++)
		assert_int_equal(t->nodes[n].port_count, 4);
	assert_string_equal(peer_of(&f, "h5.eth1"), "leaf3.swp1");
	assert_string_equal(peer_of(&f, "leaf3.swp3"), "spine3.swp1");
	assert_string_equal(peer_of(&f, "leaf4.swp3"), "spine3.swp2");
	assert_string_equal(peer_of(&f, "leaf3.swp4"), "spine4.swp1");
	// Spine 1 of every pod has supers 1 and 2, spine 2 has 3 and 4; a super's port is the pod.
	assert_string_equal(peer_of(&f, "spine3.swp3"), "super1.swp2");
	assert_string_equal(peer_of(&f, "spine3.swp4"), "super2.swp2");
	assert_string_equal(peer_of(&f, "spine4.swp3"), "super3.swp2");
	assert_string_equal(peer_of(&f, "super4.swp4"), "spine8.swp4");
	// Pods count from 0, their leaves from 1.
	assert_ip4(&f, "h1.eth1", 0, 1, 1);
	assert_ip4(&f, "h16.eth1", 3, 2, 2);
	check_addresses(t);
	fixture_free(&f);
	fixture_load(&f, KIND("fat-tree, k: 16"));
	assert_int_equal(f.topology->host_count, 1024);
	check_addresses(f.topology);
	fixture_free(&f);
}

static void
test_clos3(void **state)
{
	const struct topology *t;
	struct fixture f;

	(void)state;
	fixture_load(
		&f,
		KIND("clos3, pods: 3, leaves: 4, spines: 2, super-spines: 6, hosts-per-leaf: 5, "
		     "planes: 2"));
	t = f.topology;
	assert_int_equal(t->leaf_count, 24);
	assert_int_equal(t->spine_count, 12);
	assert_int_equal(t->super_count, 12);
	assert_int_equal(t->host_count, 60);
	assert_string_equal(t->nodes[0].name, "p1-leaf1");
	assert_string_equal(t->nodes[24].name, "p1-spine1");
	assert_string_equal(t->nodes[36 + 6].name, "p2-super1");
	assert_string_equal(peer_of(&f, "h21.eth2"), "p2-leaf5.swp1");
	assert_string_equal(peer_of(&f, "p2-leaf5.swp7"), "p2-spine4.swp1");
	assert_string_equal(peer_of(&f, "p2-spine4.swp7"), "p2-super6.swp2");
	assert_string_equal(peer_of(&f, "p1-spine3.swp5"), "p1-super1.swp2");
	assert_ip4(&f, "h21.eth2", 32 + 1, 1, 1);
	assert_true(topology_joined(t, 0, 1, 59, 1));
	assert_false(topology_joined(t, 0, 0, 59, 1));
	assert_false(topology_joined(t, 0, 0, 0, 1));
	check_addresses(t);
	fixture_free(&f);
}

// Planes are copies of each other: one NIC of each host in each.
static void
test_planes(void **state)
{
	const struct topology *t;
	struct fixture f;

	(void)state;
	fixture_load(&f, KIND("leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 3, planes: 8"));
	t = f.topology;
	assert_int_equal(t->leaf_count, 16);
	assert_int_equal(t->spine_count, 16);
	assert_int_equal(t->host_count, 6);
	assert_ip4(&f, "h6.eth8", 7 * 32, 2, 3);
	assert_string_equal(peer_of(&f, "h6.eth8"), "p8-leaf2.swp3");
	assert_string_equal(peer_of(&f, "p3-leaf1.swp4"), "p3-spine1.swp1");
	assert_true(topology_joined(t, 0, 7, 5, 7));
	assert_false(topology_joined(t, 0, 6, 5, 7));
	check_addresses(t);
	fixture_free(&f);
}

static void
test_2048(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, KIND("leaf-spine, leaves: 32, spines: 16, hosts-per-leaf: 64"));
	assert_int_equal(f.topology->host_count, 2048);
	assert_ip4(&f, "h2048.eth1", 0, 32, 64);
	check_addresses(f.topology);
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fat_tree),
		cmocka_unit_test(test_clos3),
		cmocka_unit_test(test_planes),
		cmocka_unit_test(test_2048),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
