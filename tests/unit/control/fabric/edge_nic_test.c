// SPDX-License-Identifier: BSD-3-Clause
// Where attached hosts have a NIC at the edge, and what it is like: its ports, their names, tables
// and wires, and how much it holds.
#include "control/fabric/fabric.h"

#include "control/fabric/fabric_internal.h"
#include "control/model/tables/build.h"

#include "tests/unit/control/model/topology/fixture.h"

#define PLACE                                                                               \
	"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2},\n" \
	"         links: {host: {rate: 100G, delay: 500ns}}}\n"                             \
	"switch: {preset: spectrum-x, buffer: {size: 16MB}}\n"
#define LEAF1 0
#define HOST(n) (4u + (n)-1)

static struct fabric *
make_limited(struct fixture *place, struct packet_pool *packets, const char *text,
	     const bool attached[4], struct fabric_packets limits)
{
	struct packet_pool *pools[8];
	struct fabric_options options = {
		.pools = pools, .attached = attached, .seed = 1, .packets = limits};
	struct diag diag = {0};
	struct fabric *f;

	for (unsigned i = 0; i < 8; i++)
		pools[i] = packets;
	fixture_load(place, text);
	assert_int_equal(fabric_create(&f, place->config, place->topology, &options, &diag), 0);
	diag_free(&diag);
	return f;
}

static struct fabric *
make(struct fixture *place, struct packet_pool *packets, const char *text, const bool attached[4])
{
	return make_limited(place, packets, text, attached, (struct fabric_packets){0});
}

static void
test_where_there_is_one(void **state)
{
	static const bool attached[4] = {true, true, false, false};
	struct packet_pool *packets;
	struct fixture place;
	const struct node *n;
	struct fabric *f;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 2048), 0);
	f = make(&place, packets, PLACE "attach: {h1: {netns: a}, h2: {netns: b, nic: off}}\n",
		 attached);
	assert_true(fabric_has_edge(f, HOST(1)));
	assert_false(fabric_has_edge(f, HOST(2)) || fabric_has_edge(f, HOST(3)));
	assert_false(fabric_has_edge(f, LEAF1));
	assert_null(f->nodes[HOST(2)]);
	assert_null(f->nodes[LEAF1]->ports[1].out);
	assert_null(f->nics[0]);
	assert_non_null(f->nics[2]);

	n = f->nodes[HOST(1)];
	assert_int_equal(n->port_count, 2);
	assert_string_equal(f->names[HOST(1)].ports[0].name, "eth1");
	assert_string_equal(f->names[HOST(1)].ports[0].peer, "leaf1.swp1");
	assert_string_equal(f->names[HOST(1)].ports[1].name, "host1");
	assert_null(f->names[HOST(1)].ports[1].peer);
	assert_ptr_equal(n->ports[0].out, f->nodes[LEAF1]->ports[0].in);
	assert_ptr_equal(n->ports[0].in, f->nodes[LEAF1]->ports[0].out);
	assert_int_equal(n->ports[0].out->delay, 500 * PS_PER_NS);
	assert_null(n->ports[1].out); // a device's
	assert_int_equal(n->ports[0].profile->byte_time, time_byte_time(UINT64_C(100000000000)));
	assert_int_equal(n->ports[0].profile->obeyed, 1 << 3);
	assert_int_equal(n->ports[1].profile->byte_time, 0);
	assert_memory_equal(n->ports[0].profile->dscp_to_priority,
			    f->nodes[LEAF1]->ports[0].profile->dscp_to_priority, 64);
	fabric_destroy(f);
	fixture_free(&place);
	packet_pool_destroy(packets);
}

// Simulated, the host has the NIC of any other.
static void
test_none_in_virtual_time(void **state)
{
	struct packet_pool *packets;
	struct fixture place;
	struct fabric *f;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 2048), 0);
	f = make(&place, packets, PLACE "attach: {h1: {netns: a}}\n", NULL);
	assert_int_equal(f->nodes[HOST(1)]->port_count, 1);
	assert_non_null(f->nics[0]);
	fabric_destroy(f);
	fixture_free(&place);
	packet_pool_destroy(packets);
}

static void
expect_buffer(const char *text, uint64_t bytes)
{
	static const bool attached[4] = {true};
	const struct edge_buffer *buffer;
	struct packet_pool *packets;
	struct fixture place;
	struct fabric *f;
	uint64_t headroom, cell;

	assert_int_equal(packet_pool_create(&packets, 2048), 0);
	f = make(&place, packets, text, attached);
	buffer = &f->edges[0]->link[0].buffer;
	cell = f->tables[LEAF1]->cell;
	headroom = tables_headroom_needed(f->topology, &f->switches[LEAF1],
					  &topology_host(f->topology, 0)->ports[0]);
	if (bytes == 0)
		bytes = 4 * headroom;
	assert_int_equal(buffer->limit, bytes / cell);
	assert_int_equal(buffer->xoff, buffer->limit - 1 - headroom / cell);
	assert_int_equal(buffer->xon, buffer->xoff / 2);
	fabric_destroy(f);
	fixture_free(&place);
	packet_pool_destroy(packets);
}

static void
test_what_it_holds(void **state)
{
	(void)state;
	expect_buffer(PLACE "attach: {h1: {netns: a}}\n", 1000000);
	expect_buffer(PLACE "attach: {h1: {netns: a, buffer: 3MB}}\n", 3000000);
	// A link so long that 1 MB does not hold enough.
	expect_buffer("fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: "
		      "2},\n links: {host: {rate: 400G, delay: 20us}}}\n"
		      "switch: {preset: spectrum-x, buffer: {size: 64MB}}\n"
		      "attach: {h1: {netns: a}}\n",
		      0);
}

// With packets for less, it holds less, but never so little that nothing may come behind an XOFF.
static void
test_memory_makes_it_smaller(void **state)
{
	static const bool attached[4] = {true};
	static const uint64_t most[] = {0, 2000000, 400000, 1};
	struct packet_pool *packets;
	struct fixture place;
	struct fabric *f;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 2048), 0);
	for (unsigned i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		const struct edge_buffer *buffer;
		uint64_t headroom, bytes = most[i];

		f = make_limited(&place, packets, PLACE "attach: {h1: {netns: a}}\n", attached,
				 (struct fabric_packets){.nic_bytes = most[i]});
		buffer = &f->edges[0]->link[0].buffer;
		headroom = tables_headroom_needed(f->topology, &f->switches[LEAF1],
						  &topology_host(f->topology, 0)->ports[0]);
		if (bytes == 0 || bytes > 1000000)
			bytes = 1000000;
		if (bytes == 1)
			bytes = 2 * headroom;
		assert_int_equal(buffer->limit, bytes / f->tables[LEAF1]->cell);
		assert_true(buffer->xoff != 0);
		fabric_destroy(f);
		fixture_free(&place);
	}
	packet_pool_destroy(packets);
}

static uint64_t
depth_of(const struct fabric *f, uint32_t host, uint64_t buffer_bytes)
{
	const struct config_attach attach = {.nic = true, .buffer_bytes = buffer_bytes};
	struct fabric_edge_link link;

	assert_int_equal(fabric_plan_edge_link(f, host, 0, &attach, &link), 0);
	return (uint64_t)link.buffer.limit * f->tables[LEAF1]->cell;
}

// While the fabric runs, a NIC holds what there are packets for: of the file's entry or, elsewhere,
// by default, whatever a NIC of the file may hold.
static void
test_later_ones_hold_what_was_planned(void **state)
{
	static const bool attached[4] = {true};
	struct fabric_packets limits = {.nic_bytes = 5760000, .later_nic_bytes = 960000};
	struct packet_pool *packets;
	struct fabric_nic_most most;
	struct fixture place;
	struct fabric *f;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 2048), 0);
	f = make_limited(&place, packets, PLACE "attach: {h1: {netns: a, buffer: 50MB}}\n",
			 attached, limits);
	most = fabric_nic_most(f, 0, 0);
	assert_int_equal(most.bytes, 5760000);
	assert_int_equal(most.wanted_bytes, 50000000);
	assert_int_equal(depth_of(f, 0, 50000000), 5760000);
	assert_int_equal(depth_of(f, 0, 1920000), 1920000);
	most = fabric_nic_most(f, 2, 0);
	assert_int_equal(most.bytes, 960000);
	assert_int_equal(most.wanted_bytes, 1000000);
	assert_int_equal(depth_of(f, 2, 50000000), 960000);
	assert_int_equal(depth_of(f, 2, 0), 960000);
	assert_int_equal(depth_of(f, 2, 192000), 192000);
	fabric_destroy(f);
	fixture_free(&place);
	// With memory for more, no more than the default was counted.
	limits.later_nic_bytes = 5760000;
	f = make_limited(&place, packets, PLACE "attach: {h1: {netns: a, buffer: 50MB}}\n",
			 attached, limits);
	assert_int_equal(fabric_nic_most(f, 2, 0).bytes, 1000000);
	fabric_destroy(f);
	fixture_free(&place);
	packet_pool_destroy(packets);
}

// Tables that are made anew have the host's side too.
static void
test_new_tables(void **state)
{
	static const bool attached[4] = {true};
	struct packet_pool *packets;
	struct tables *old = NULL;
	struct diag diag = {0};
	struct fixture place;
	struct fabric *f;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 2048), 0);
	f = make(&place, packets, PLACE "attach: {h1: {netns: a}}\n", attached);
	assert_int_equal(fabric_rebuild_tables(f, HOST(1), &old, &diag), 0);
	assert_non_null(old);
	assert_int_equal(f->tables[HOST(1)]->port_count, 2);
	tables_destroy(old);
	diag_free(&diag);
	fabric_destroy(f);
	fixture_free(&place);
	packet_pool_destroy(packets);
}

// A host that is attached while the fabric runs: an edge NIC stands for it and has its link's
// settings; the simulated NIC waits on wires of its own.
static void
test_standing_in(void **state)
{
	static const bool attached[4] = {true};
	const struct config_attach attach = {.nic = true,
					     .buffer_bytes = 3000000,
					     .reorder = true,
					     .reorder_window = 8,
					     .reorder_timeout_ps = PS_PER_US};
	struct fabric_edge_link link;
	struct packet_pool *packets;
	struct diag diag = {0};
	struct fixture place;
	struct node *nic, *edge;
	struct tables *tables;
	struct fabric *f;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 2048), 0);
	f = make(&place, packets, PLACE "attach: {h1: {netns: a}}\n", attached);
	nic = f->nodes[HOST(3)];
	tables = f->tables[HOST(3)];
	assert_null(fabric_stand_in_node(f, 2));
	assert_int_equal(fabric_create_stand_in(f, 2, &diag), 0);
	edge = fabric_stand_in_node(f, 2);
	assert_false(fabric_has_edge(f, HOST(3)));
	assert_ptr_equal(f->nodes[HOST(3)], nic);
	assert_int_equal(edge->port_count, 2);
	assert_int_equal(edge->index, HOST(3));
	assert_false(edge->ports[0].up || edge->ports[1].up);
	assert_non_null(edge->ports[0].out);

	fabric_swap_stand_in(f, 2);
	assert_true(fabric_has_edge(f, HOST(3)));
	assert_ptr_equal(f->nodes[HOST(3)], edge);
	assert_ptr_equal(f->edges[2], edge->edge);
	assert_ptr_equal(fabric_stand_in_node(f, 2), nic);
	assert_int_equal(f->tables[HOST(3)]->port_count, 2);
	assert_int_equal(f->swaps[2], 1);
	assert_string_equal(f->names[HOST(3)].ports[1].name, "host1");
	assert_string_equal(f->names[HOST(3)].ports[0].peer, "leaf2.swp1");
	assert_non_null(f->nics[2]);
	assert_int_equal(f->edges[2]->link[0].buffer.limit, 1000000 / f->tables[LEAF1]->cell);
	assert_int_equal(fabric_plan_edge_link(f, 2, 0, &attach, &link), 0);
	assert_int_equal(link.buffer.limit, 3000000 / f->tables[LEAF1]->cell);
	assert_non_null(link.reorder);
	assert_null(edge_set_link(edge, 0, &link.buffer, link.reorder, 0));
	assert_ptr_equal(edge->ports[0].reorder, reorder_counters(link.reorder));

	fabric_swap_stand_in(f, 2);
	assert_ptr_equal(f->nodes[HOST(3)], nic);
	assert_ptr_equal(f->tables[HOST(3)], tables);
	assert_false(fabric_has_edge(f, HOST(3)));
	assert_int_equal(f->swaps[2], 2);
	fabric_destroy_stand_in(f, 2);
	assert_null(fabric_stand_in_node(f, 2));
	// Another one, which is still aside when the fabric ends.
	assert_int_equal(fabric_create_stand_in(f, 2, &diag), 0);
	diag_free(&diag);
	fabric_destroy(f);
	fixture_free(&place);
	packet_pool_destroy(packets);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where_there_is_one),
		cmocka_unit_test(test_none_in_virtual_time),
		cmocka_unit_test(test_what_it_holds),
		cmocka_unit_test(test_memory_makes_it_smaller),
		cmocka_unit_test(test_later_ones_hold_what_was_planned),
		cmocka_unit_test(test_new_tables),
		cmocka_unit_test(test_standing_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
