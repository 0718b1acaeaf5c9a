// SPDX-License-Identifier: BSD-3-Clause
// What the old tables delivered goes on being delivered until nothing is under way any more.
#include "control/tenants/change_internal.h"

#include "tests/unit/control/fabric/bench.h"
#include "dataplane/stages/stale_tenant.h"

static const uint8_t h1[4] = {10, 0, 1, 1}, h3[4] = {10, 0, 2, 1};

// The port by which a switch sends what it looks up in a VRF; -1: nowhere.
static int
leads_to(const struct bench *b, uint32_t node, uint16_t vrf, const uint8_t address[4])
{
	const struct tables *t = b->f->tables[node];
	uint32_t group;

	if (vrf == VRF_NONE || vrf >= t->vrf_count || t->vrfs[vrf].ip4 == NULL)
		return -1;
	group = lpm_lookup4(t->vrfs[vrf].ip4, address);
	if (group == LPM_NONE || t->groups[group].count == 0)
		return -1;
	return t->next_hops[t->groups[group].first].port;
}

// What comes by VNI 5001 still finds h3, and nobody can send there any more.
static void
test_leaving(void **state)
{
	struct bench b;
	const struct tables *t;
	uint16_t red, by_vni;

	(void)state;
	start(&b, SLICED);
	red = vrf_of(&b, "red");
	assert_int_equal(leads_to(&b, LEAF2, red, h3), 0);
	set(&b, "tenants.red.hosts", "[h1]");
	assert_int_equal(b.f->epoch, 2);
	t = b.f->tables[LEAF2];
	assert_int_equal(t->epoch, 2);
	by_vni = tunnel_find_vni(t->tunnels, 5001);
	assert_int_not_equal(by_vni, red);
	assert_int_equal(leads_to(&b, LEAF2, by_vni, h3), 0);
	assert_int_equal(t->vrfs[by_vni].tenant, t->vrfs[red].tenant);
	assert_int_equal(leads_to(&b, LEAF2, red, h3), -1);
	assert_int_equal(leads_to(&b, LEAF1, red, h3), -1);
	// What red still has is found there as well.
	by_vni = tunnel_find_vni(b.f->tables[LEAF1]->tunnels, 5001);
	assert_int_equal(leads_to(&b, LEAF1, by_vni, h1), 0);
	assert_true(drains_open(b.f));
	assert_int_equal(drains_next(b.f), 0);
	assert_int_equal(look(&b), 0);
	assert_string_equal(b.told, "tenant rest: h3 from red; 0 packets drained, 0 dropped");
	assert_false(drains_open(b.f));
	assert_null(b.f->drains);
	assert_int_equal(drains_next(b.f), PS_NEVER);
	assert_int_equal(tunnel_find_vni(b.f->tables[LEAF1]->tunnels, 5001), red);
	assert_int_equal(
		leads_to(&b, LEAF2, tunnel_find_vni(b.f->tables[LEAF2]->tunnels, 5001), h3), -1);
	stop(&b);
}

// From plain to VXLAN and back: hosts that do not move are found by the encapsulation of their
// packets.
static void
test_first_and_last(void **state)
{
	const struct config_edit none = {.kind = CONFIG_EDIT_UNSET, .key = "tenants"};
	struct bench b;
	uint16_t underlay;

	(void)state;
	start(&b, PLACE);
	set(&b, "tenants.red", "{hosts: [h1, h2], vni: 5001}");
	underlay = b.f->tables[LEAF2]->ports[2].vrf;
	assert_int_not_equal(underlay, TOPOLOGY_VRF_DEFAULT);
	assert_int_equal(leads_to(&b, LEAF2, underlay, h3), 0);
	assert_int_equal(leads_to(&b, LEAF2, TOPOLOGY_VRF_DEFAULT, h3), -1);
	assert_int_equal(leads_to(&b, SPINE, b.f->tables[SPINE]->ports[0].vrf, h3), 1);
	assert_int_equal(look(&b), 0);
	assert_int_equal(b.f->tables[LEAF2]->ports[2].vrf, TOPOLOGY_VRF_DEFAULT);
	assert_int_equal(leads_to(&b, SPINE, TOPOLOGY_VRF_DEFAULT, h3), -1);
	assert_int_equal(edit(&b, &none, 1, NULL), 0);
	// Until the last has come what is admitted is still told from what was before.
	assert_non_null(b.f->tables[LEAF2]->tunnels);
	assert_int_equal(
		leads_to(&b, LEAF1, tunnel_find_vni(b.f->tables[LEAF1]->tunnels, 5001), h1), 0);
	assert_int_equal(look(&b), 0);
	assert_null(b.f->tables[LEAF2]->tunnels);
	assert_int_equal(leads_to(&b, LEAF2, TOPOLOGY_VRF_DEFAULT, h3), 0);
	stop(&b);
}

static struct rte_mbuf *
put_packet(struct bench *b, uint32_t wire, const uint8_t source[4], const uint8_t destination[4],
	   uint16_t epoch)
{
	struct rte_mbuf *m = packet_alloc(b->packets);
	uint8_t *data;

	packet_init_frame(m, 0, 60);
	data = packet_data(m);
	memset(data, 0, 60);
	data[0] = 2;
	data[12] = 0x08;
	data[14] = 0x45;
	memcpy(data + 26, source, 4);
	memcpy(data + 30, destination, 4);
	packet_meta(m)->epoch = epoch;
	packet_meta(m)->l3_off = 14;
	packet_meta(m)->in_port = 0;
	packet_meta(m)->vrf = vrf_of(b, "red");
	assert_int_equal(wire_put(b->f->wires[wire], m, 1), 0);
	return m;
}

// Whether the second leaf would drop it.
static bool
is_dropped(const struct bench *b, struct rte_mbuf *m)
{
	const struct tables *t = b->f->tables[LEAF2];

	return t->stale_hosts != NULL && stale_hosts_match(t->stale_hosts, t, m);
}

// The wire from the spine to a leaf.
static uint32_t
down_to(const struct bench *b, uint32_t leaf)
{
	const struct topo_port *port = &b->f->topology->nodes[leaf].ports[2];

	return 2 * port->link + (b->f->topology->links[port->link].a.node == leaf);
}

// Looks come less and less often, and the last is when time is up: then what is left of h3 is
// dropped, and of others nothing.
static void
test_time_is_up(void **state)
{
	static const uint8_t other[4] = {10, 0, 2, 2};
	struct rte_mbuf *stuck, *stays;
	unsigned looks = 0;
	struct bench b;
	uint32_t wire;

	(void)state;
	start(&b, SLICED);
	wire = down_to(&b, LEAF2);
	stuck = put_packet(&b, wire, h1, h3, 1);
	stays = put_packet(&b, wire, other, h1, 1);
	put_packet(&b, wire, h1, h3, 2); // of the new tables, whoever's it is
	b.now = 5 * PS_PER_MS + 1;
	set(&b, "tenants.red.hosts", "[h1]");
	for (; drains_next(b.f) < 15 * PS_PER_MS + 1; looks++) {
		assert_true(drains_next(b.f) > b.now || looks == 0);
		b.now = drains_next(b.f);
		assert_int_equal(look(&b), 0);
		assert_true(drains_open(b.f));
		assert_null(b.f->tables[LEAF2]->stale_hosts);
	}
	assert_true(looks > 10 && looks < 100);
	assert_int_equal(drains_next(b.f), 15 * PS_PER_MS + 1);
	b.now = drains_next(b.f);
	assert_int_equal(look(&b), 0);
	assert_non_null(b.f->tables[LEAF2]->stale_hosts);
	assert_true(is_dropped(&b, stuck));
	assert_false(is_dropped(&b, stays));
	assert_true(drains_open(b.f)); // it is there yet
	assert_ptr_equal(wire_take(b.f->wires[wire]), stuck);
	packet_free(b.packets, stuck);
	b.now = drains_next(b.f);
	assert_int_equal(look(&b), 0);
	assert_false(drains_open(b.f));
	assert_non_null(b.f->drains); // of others some are under way
	assert_ptr_equal(wire_take(b.f->wires[wire]), stays);
	packet_free(b.packets, stays);
	b.now = drains_next(b.f);
	assert_int_equal(look(&b), 0);
	assert_null(b.f->drains);
	assert_null(b.f->tables[LEAF2]->stale_hosts);
	stop(&b);
}

// A VNI that another tenant has in the same change delivers to that one alone, at once.
static void
test_taken_at_once(void **state)
{
	const struct config_edit edits[] = {
		{.kind = CONFIG_EDIT_UNSET, .key = "tenants.red"},
		{.kind = CONFIG_EDIT_SET,
		 .key = "tenants.green",
		 .value = "{hosts: [h4], vni: 5001}"},
	};
	struct rte_mbuf *m;
	struct bench b;

	(void)state;
	start(&b, SLICED);
	m = put_packet(&b, down_to(&b, LEAF2), h1, h3, 1);
	assert_int_equal(edit(&b, edits, 2, NULL), 0);
	assert_int_equal(tunnel_find_vni(b.f->tables[LEAF2]->tunnels, 5001), vrf_of(&b, "green"));
	assert_int_equal(leads_to(&b, LEAF2, vrf_of(&b, "green"), h3), -1);
	assert_true(is_dropped(&b, m));
	// While that is so red keeps its place, and then gives it up.
	assert_int_not_equal(vrf_of(&b, "red"), UINT16_MAX);
	packet_free(b.packets, wire_take(b.f->wires[down_to(&b, LEAF2)]));
	assert_int_equal(look(&b), 0);
	assert_int_equal(vrf_of(&b, "red"), UINT16_MAX);
	assert_null(b.f->drains);
	stop(&b);
}

// A place that was left twice is free when the packets of both times have gone.
static void
test_left_twice(void **state)
{
	const struct config_edit gone = {.kind = CONFIG_EDIT_UNSET, .key = "tenants.blue"};
	struct bench b;
	uint32_t wire;
	int place;

	(void)state;
	start(&b, SLICED);
	wire = down_to(&b, LEAF2);
	place = topology_find_tenant(b.place.topology, "blue");
	put_packet(&b, wire, h1, h3, 1);
	put_packet(&b, wire, h1, h3, 3);
	assert_int_equal(edit(&b, &gone, 1, NULL), 0);
	set(&b, "tenants.blue", "{hosts: [h2], vni: 5002}");
	assert_int_equal(topology_find_tenant(b.place.topology, "blue"), place);
	assert_int_equal(edit(&b, &gone, 1, NULL), 0);
	packet_free(b.packets, wire_take(b.f->wires[wire]));
	assert_int_equal(look(&b), 0);
	assert_non_null(b.f->drains);
	assert_null(b.f->drains->next);
	assert_int_equal(topology_find_tenant(b.place.topology, "blue"), place);
	assert_int_not_equal(vrf_of(&b, "blue"), UINT16_MAX);
	packet_free(b.packets, wire_take(b.f->wires[wire]));
	b.now = drains_next(b.f);
	assert_int_equal(look(&b), 0);
	assert_null(b.f->drains);
	assert_true(topology_find_tenant(b.place.topology, "blue") < 0);
	assert_int_equal(vrf_of(&b, "blue"), UINT16_MAX);
	stop(&b);
}

// What a user called a change is told with who has moved, once.
static void
test_told_once(void **state)
{
	const struct config_edit one = {
		.kind = CONFIG_EDIT_SET, .key = "tenants.red.hosts", .value = "[h1]"};
	struct config_edit other = one;
	struct bench b;

	(void)state;
	start(&b, SLICED);
	start_events(&b);
	assert_false(events_name_change(b.e, "nothing"));
	assert_int_equal(events_edit(b.e, &one, 1, NULL, NULL, &b.place.diag), 0);
	assert_true(events_name_change(b.e, "set tenants.red.hosts [h1]"));
	assert_false(events_name_change(b.e, "again"));
	assert_int_equal(events_apply(b.e, b.now, &b.place.diag), 0);
	assert_string_equal(b.told, "set tenants.red.hosts [h1]: tenant rest: h3 from red; 0 "
				    "packets drained, 0 dropped");
	assert_false(events_name_change(b.e, "later"));
	// Of one that moves nobody nothing is told.
	other.key = "tenants.red.buffer";
	other.value = "{guaranteed: 64KB}";
	assert_int_equal(events_edit(b.e, &other, 1, NULL, NULL, &b.place.diag), 0);
	assert_false(events_name_change(b.e, "set tenants.red.buffer {guaranteed: 64KB}"));
	stop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaving),    cmocka_unit_test(test_first_and_last),
		cmocka_unit_test(test_time_is_up), cmocka_unit_test(test_taken_at_once),
		cmocka_unit_test(test_left_twice), cmocka_unit_test(test_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
