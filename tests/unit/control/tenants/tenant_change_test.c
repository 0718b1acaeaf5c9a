// SPDX-License-Identifier: BSD-3-Clause
// Tenants change whole or not at all, and places that are left are not given to others too early.
#include "control/tenants/change_internal.h"

#include "control/base/memory.h"
#include "tests/unit/control/fabric/bench.h"
#include "control/fabric/fabric.h"

#define NODES 7

static int
refuse(void *context)
{
	(*(unsigned *)context)++;
	return -ECANCELED;
}

// Whatever fails, and however late.
static void
test_whole_or_not_at_all(void **state)
{
	const struct config_edit good[] = {
		{.kind = CONFIG_EDIT_SET, .key = "tenants.red.hosts", .value = "[h1]"},
		{.kind = CONFIG_EDIT_UNSET, .key = "tenants.blue"},
		{.kind = CONFIG_EDIT_SET, .key = "switch.qos.tc.3.ecn.min", .value = "10KB"},
	};
	const struct config_edit bad[] = {
		good[0],
		good[1],
		good[2],
		{.kind = CONFIG_EDIT_SET,
		 .key = "tenants.red.buffer",
		 .value = "{guaranteed: 1GB}"},
	};
	const struct config_edit nobody[] = {
		good[1], {.kind = CONFIG_EDIT_SET, .key = "tenants.red.hosts", .value = "[h77]"}};
	struct bench b;
	struct tables *tables[NODES];
	const struct routes *routes;
	unsigned asked = 0;
	const struct change_commit commit = {refuse, &asked};
	struct topo_port ports[2];

	(void)state;
	start(&b, SLICED);
	memcpy(tables, b.f->tables, sizeof(tables));
	memcpy(ports, b.place.topology->nodes[LEAF2].ports, sizeof(ports));
	routes = b.f->routes;
	for (unsigned i = 0; i < 4; i++) {
		const int rc = i == 0   ? edit(&b, good, 3, &commit)
			       : i == 1 ? edit(&b, bad, 4, &commit)
			       : i == 2 ? edit(&b, nobody, 2, &commit)
					: edit(&b, good, 0, &commit);

		assert_int_equal(rc, i == 0 || i == 3 ? -ECANCELED : -EINVAL);
		assert_int_equal(asked, i == 3 ? 2 : 1);
		assert_memory_equal(tables, b.f->tables, sizeof(tables));
		assert_ptr_equal(b.f->routes, routes);
		assert_null(b.f->drains);
		assert_int_equal(b.f->epoch, 1);
		assert_memory_equal(ports, b.place.topology->nodes[LEAF2].ports, sizeof(ports));
		assert_int_equal(b.place.config->tenant_count, 2);
		assert_int_equal(b.place.config->tenants[0].hosts.count, 2);
		assert_string_equal(b.place.topology->vrfs[vrf_of(&b, "blue")].name, "blue");
		assert_string_equal(b.f->names[0].tenants[1], "blue");
	}
	stop(&b);
}

static void
test_addresses_and_places(void **state)
{
	const struct config_edit gone = {.kind = CONFIG_EDIT_UNSET, .key = "tenants.blue"};
	struct bench b;
	uint16_t place;

	(void)state;
	start(&b, SLICED);
	set(&b, "tenants.red.addresses", "{h3: 172.16.0.3}");
	assert_int_equal(b.readdressed, 1u << 2);
	assert_int_equal(b.readdress_ends, 1);
	assert_int_equal(look(&b), 0);
	place = (uint16_t)topology_find_tenant(b.place.topology, "blue");
	b.f->nodes[LEAF1]->buffer.tenants[place].packets = 7;
	assert_int_equal(edit(&b, &gone, 1, NULL), 0);
	set(&b, "tenants.green", "{hosts: [h4], vni: 5003}"); // blue's place is not free yet
	assert_int_not_equal(topology_find_tenant(b.place.topology, "green"), place);
	assert_int_equal(look(&b), 0);
	set(&b, "tenants.white", "{hosts: [h2], vni: 5004}");
	assert_int_equal(topology_find_tenant(b.place.topology, "white"), place);
	assert_int_equal(b.f->nodes[LEAF1]->buffer.tenants[place].packets, 0);
	assert_string_equal(b.f->names[LEAF1].tenants[place], "white");
	// What moves nobody leaves nothing under way.
	assert_int_equal(look(&b), 0);
	set(&b, "tenants.red.buffer", "{guaranteed: 64KB}");
	assert_null(b.f->drains);
	stop(&b);
}

// The tenants that `roost show network` tells of.
static void
assert_networks(const struct bench *b, const char *wanted)
{
	json_t *networks = fabric_list_networks(b->f->topology), *one;
	char text[128] = "";
	size_t i;

	assert_non_null(networks);
	json_array_foreach(networks, i, one)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 i == 0 ? "" : " ", json_string_value(json_object_get(one, "tenant")));
	json_decref(networks);
	assert_string_equal(text, wanted);
}

// While its last packets drain a tenant that is gone has no network, nor has what they drain by.
static void
test_gone_at_once(void **state)
{
	const struct config_edit gone = {.kind = CONFIG_EDIT_UNSET, .key = "tenants.blue"};
	struct bench b;

	(void)state;
	start(&b, SLICED);
	assert_networks(&b, "red blue rest");
	assert_int_equal(edit(&b, &gone, 1, NULL), 0);
	assert_int_not_equal(vrf_of(&b, "(blue)"), UINT16_MAX);
	assert_networks(&b, "red rest");
	assert_int_equal(look(&b), 0);
	assert_networks(&b, "red rest");
	stop(&b);
}

// Epochs go round, and 0 is none.
static void
test_epochs(void **state)
{
	struct bench b;

	(void)state;
	start(&b, SLICED);
	b.f->epoch = UINT16_MAX;
	set(&b, "tenants.red.hosts", "[h1]");
	assert_int_equal(b.f->epoch, 1);
	set(&b, "tenants.red.hosts", "[h1, h3]");
	assert_int_equal(b.f->epoch, 2);
	assert_int_equal(look(&b), 0);
	assert_null(b.f->drains);
	stop(&b);
}

// A VRF whose routes a switch learns is not taken from under it.
static void
test_learning_stays(void **state)
{
	const struct config_edit good[] = {
		{.kind = CONFIG_EDIT_UNSET, .key = "tenants.blue"},
		{.kind = CONFIG_EDIT_SET, .key = "tenants.red.hosts", .value = "[h1]"},
	};
	const struct config_edit bad[] = {good[0],
					  {.kind = CONFIG_EDIT_UNSET, .key = "tenants.red"}};
	struct bench b;

	(void)state;
	start(&b, SLICED "leaf2: {learn: [{vrf: red, netns: leaf2-red}]}\n");
	assert_int_equal(edit(&b, bad, 2, NULL), -EINVAL);
	assert_int_equal(b.place.diag.errors, 1);
	assert_string_equal(b.place.diag.messages[b.place.diag.count - 1].text,
			    "t.yaml: tenants.red: cannot be removed while the fabric "
			    "runs, because leaf2 learns its routes (line 6)");
	assert_null(b.f->drains);
	assert_true(topology_find_vrf(b.place.topology, "blue") >= 0);
	assert_int_equal(edit(&b, good, 2, NULL), 0);
	assert_true(topology_find_vrf(b.place.topology, "red") >= 0);
	stop(&b);
}

// Without an index for the VRF of packets in flight, a change is refused and leaves nothing.
static void
test_too_many_vrfs(void **state)
{
	const struct config_edit gone = {.kind = CONFIG_EDIT_UNSET, .key = "tenants.blue"};
	const struct routes *routes;
	struct topology *t;
	uint16_t used;
	struct bench b;

	(void)state;
	start(&b, SLICED);
	t = b.place.topology;
	used = t->vrf_count;
	t->vrfs = memory_resize(t->vrfs, TOPOLOGY_VRFS_MAX, sizeof(*t->vrfs), "VRFs");
	for (; t->vrf_count < TOPOLOGY_VRFS_MAX; t->vrf_count++)
		t->vrfs[t->vrf_count] = (struct topo_vrf){.name = "(x)", .held = true};
	routes = b.f->routes;
	assert_int_equal(edit(&b, &gone, 1, NULL), -EINVAL);
	assert_int_equal(b.place.diag.errors, 1);
	assert_true(fixture_says(&b.place, "tenants: more than 32767 VRFs are not supported"));
	assert_null(b.f->drains);
	assert_null(b.f->moved);
	assert_ptr_equal(b.f->routes, routes);
	assert_int_equal(t->vrf_count, TOPOLOGY_VRFS_MAX);
	assert_string_equal(t->vrfs[vrf_of(&b, "blue")].name, "blue");
	assert_int_equal(b.place.config->tenant_count, 2);
	t->vrf_count = used;
	assert_int_equal(edit(&b, &gone, 1, NULL), 0);
	assert_int_equal(look(&b), 0);
	stop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_or_not_at_all),
		cmocka_unit_test(test_addresses_and_places),
		cmocka_unit_test(test_gone_at_once),
		cmocka_unit_test(test_epochs),
		cmocka_unit_test(test_learning_stays),
		cmocka_unit_test(test_too_many_vrfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
