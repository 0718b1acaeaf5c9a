// SPDX-License-Identifier: BSD-3-Clause
// Tenants change whole or not at all; what the old tables delivered goes on being delivered until
// nothing is under way any more.
#include "control/fabric/drain.h"

#include "control/fabric/networks.h"
#include "dataplane/stages/moved.h"
#include "tests/unit/control/topology/fixture.h"

#include <errno.h>

#define PLACE                                                                               \
	"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts_per_leaf: 2}}\n" \
	"switch: {preset: spectrum-x, buffer: {size: 16MB}}\n"
#define SLICED                                        \
	PLACE "tenants:\n"                            \
	      "  red: {hosts: [h1, h3], vni: 5001}\n" \
	      "  blue: {hosts: [h2], vni: 5002}\n"
#define LEAF1 0
#define LEAF2 1
#define SPINE 2
#define NODES 7

static const uint8_t h1[4] = {10, 0, 1, 1}, h3[4] = {10, 0, 2, 1};

struct bench {
	struct fixture place;
	struct packet_pool *packets;
	struct packet_pool *pools[NODES];
	struct fabric *f;
	ps_t now;
	char told[256];
	unsigned readdressed;
};

static void
start(struct bench *b, const char *text)
{
	struct fabric_options options = {.pools = b->pools, .seed = 1};

	*b = (struct bench){0};
	fixture_load(&b->place, text);
	assert_int_equal(packet_pool_create(&b->packets, 256), 0);
	for (unsigned i = 0; i < NODES; i++)
		b->pools[i] = b->packets;
	assert_int_equal(
		fabric_create(&b->f, b->place.config, b->place.topology, &options, &b->place.diag),
		0);
}

static void
stop(struct bench *b)
{
	fabric_destroy(b->f);
	packet_pool_destroy(b->packets);
	fixture_free(&b->place);
}

static void
retire(void *context, struct tables **old, uint32_t count)
{
	struct bench *b = context;

	for (unsigned i = 0; i < NODES; i++)
		node_take_tables(b->f->nodes[i], b->now);
	for (uint32_t k = 0; k < count; k++)
		tables_destroy(old[k]);
}

static void
at_nodes(void *context, void (*run)(struct node *node, ps_t now, void *arg), void *arg)
{
	struct bench *b = context;

	for (unsigned i = 0; i < NODES; i++)
		run(b->f->nodes[i], b->now, arg);
}

static void
tell(void *context, ps_t now, const char *words)
{
	struct bench *b = context;

	(void)now;
	snprintf(b->told, sizeof(b->told), "%s", words);
}

static void
readdress(void *context, uint32_t host, const struct slice_port *had)
{
	struct bench *b = context;

	(void)had;
	b->readdressed |= 1u << host;
}

static const struct events_hooks the_hooks = {
	.retire = retire, .at_nodes = at_nodes, .tell = tell, .readdress = readdress};

static int
edit(struct bench *b, const struct config_edit *edits, unsigned count,
     const struct change_commit *commit)
{
	struct events_hooks hooks = the_hooks;
	const struct change_env env = {.fabric = b->f, .hooks = &hooks, .now = b->now};

	hooks.context = b;
	return change_edit(&env, edits, count, commit, &b->place.diag);
}

static int
look(struct bench *b)
{
	struct events_hooks hooks = the_hooks;
	const struct change_env env = {.fabric = b->f, .hooks = &hooks, .now = b->now};

	hooks.context = b;
	return drains_look(&env, &b->place.diag);
}

static void
set(struct bench *b, const char *key, const char *value)
{
	const struct config_edit one = {.kind = CONFIG_EDIT_SET, .key = key, .value = value};

	if (edit(b, &one, 1, NULL) != 0)
		config_diag_print(&b->place.diag, stderr);
	assert_int_equal(b->place.diag.errors, 0);
}

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

static uint16_t
vrf_of(const struct bench *b, const char *name)
{
	return (uint16_t)topology_find_vrf(b->f->topology, name);
}

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

// From plain to VXLAN and back: hosts that do not move are found by what their packets wore.
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

	return t->moved != NULL && moved_finds(t->moved, t, m);
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
		assert_null(b.f->tables[LEAF2]->moved);
	}
	assert_true(looks > 10 && looks < 100);
	assert_int_equal(drains_next(b.f), 15 * PS_PER_MS + 1);
	b.now = drains_next(b.f);
	assert_int_equal(look(&b), 0);
	assert_non_null(b.f->tables[LEAF2]->moved);
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
	assert_null(b.f->tables[LEAF2]->moved);
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

static ps_t
tell_time(void *context)
{
	return ((const struct bench *)context)->now;
}

// What a user called a change is told with who has moved, once.
static void
test_told_once(void **state)
{
	const struct config_edit one = {
		.kind = CONFIG_EDIT_SET, .key = "tenants.red.hosts", .value = "[h1]"};
	struct config_edit other = one;
	struct events_hooks hooks = the_hooks;
	struct events *e;
	struct bench b;

	(void)state;
	start(&b, SLICED);
	hooks.context = &b;
	hooks.clock = tell_time;
	assert_int_equal(events_create(&e, b.f, &hooks, &b.place.diag), 0);
	assert_false(events_name_edit(e, "nothing"));
	assert_int_equal(events_edit(e, &one, 1, NULL, NULL, &b.place.diag), 0);
	assert_true(events_name_edit(e, "set tenants.red.hosts [h1]"));
	assert_false(events_name_edit(e, "again"));
	assert_int_equal(events_apply(e, b.now, &b.place.diag), 0);
	assert_string_equal(b.told, "set tenants.red.hosts [h1]: tenant rest: h3 from red; 0 "
				    "packets drained, 0 dropped");
	assert_false(events_name_edit(e, "later"));
	// Of one that moves nobody nothing is told.
	other.key = "tenants.red.buffer";
	other.value = "{guaranteed: 64KB}";
	assert_int_equal(events_edit(e, &other, 1, NULL, NULL, &b.place.diag), 0);
	assert_false(events_name_edit(e, "set tenants.red.buffer {guaranteed: 64KB}"));
	events_destroy(e);
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
	const struct config_edit bad[] = {good[0], {.kind = CONFIG_EDIT_UNSET, .key = "tenants.red"}};
	struct bench b;

	(void)state;
	start(&b, SLICED "leaf2: {learn: [{vrf: red, netns: leaf2-red}]}\n");
	assert_int_equal(edit(&b, bad, 2, NULL), -EINVAL);
	assert_int_equal(b.place.diag.errors, 1);
	assert_string_equal(b.place.diag.messages[b.place.diag.count - 1].text,
			    "t.yaml: tenants.red: leaf2 learns its routes (line 6): it cannot go "
			    "while the fabric runs");
	assert_null(b.f->drains);
	assert_true(topology_find_vrf(b.place.topology, "blue") >= 0);
	assert_int_equal(edit(&b, good, 2, NULL), 0);
	assert_true(topology_find_vrf(b.place.topology, "red") >= 0);
	stop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_or_not_at_all),
		cmocka_unit_test(test_leaving),
		cmocka_unit_test(test_first_and_last),
		cmocka_unit_test(test_time_is_up),
		cmocka_unit_test(test_taken_at_once),
		cmocka_unit_test(test_addresses_and_places),
		cmocka_unit_test(test_epochs),
		cmocka_unit_test(test_gone_at_once),
		cmocka_unit_test(test_left_twice),
		cmocka_unit_test(test_told_once),
		cmocka_unit_test(test_learning_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
