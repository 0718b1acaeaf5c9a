// SPDX-License-Identifier: BSD-3-Clause
// A change of settings reaches all nodes that it touches, or, when it cannot hold somewhere, none.
#include "control/tenants/change.h"

#include "tests/unit/control/model/topology/fixture.h"
#include "dataplane/node/adopt.h"

#define PLACE                                                                               \
	"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}}\n" \
	"switch: {preset: spectrum-x, buffer: {size: 16MB}}\n"
#define SWITCHES 3
#define NODES 7

struct changed {
	struct fixture place;
	struct packet_pool *packets;
	struct packet_pool *pools[NODES];
	struct fabric *f;
	struct tables *before[NODES];
	unsigned retired;
};

static void
start_with(struct changed *c, const char *text, uint64_t buffers_bytes)
{
	struct fabric_options options = {
		.pools = c->pools, .seed = 1, .packets = {.buffers_bytes = buffers_bytes}};

	*c = (struct changed){0};
	fixture_load(&c->place, text);
	assert_int_equal(packet_pool_create(&c->packets, 64), 0);
	for (unsigned i = 0; i < NODES; i++)
		c->pools[i] = c->packets;
	assert_int_equal(
		fabric_create(&c->f, c->place.config, c->place.topology, &options, &c->place.diag),
		0);
	memcpy(c->before, c->f->tables, sizeof(c->before));
}

static void
start(struct changed *c, const char *text)
{
	start_with(c, text, 0);
}

static void
stop(struct changed *c)
{
	fabric_destroy(c->f);
	packet_pool_destroy(c->packets);
	fixture_free(&c->place);
}

// Nothing runs: nobody holds what is not in force. All nodes have the new tables by then.
static void
retire(void *context, struct tables **old, uint32_t count)
{
	struct changed *c = context;

	for (unsigned i = 0; i < NODES; i++) {
		for (uint32_t k = 0; k < count; k++)
			assert_ptr_not_equal(c->f->nodes[i]->tables, old[k]);
		node_take_tables(c->f->nodes[i], 0);
		assert_ptr_equal(c->f->nodes[i]->current, c->f->tables[i]);
	}
	c->retired += count;
	for (uint32_t k = 0; k < count; k++)
		tables_destroy(old[k]);
}

static void
at_nodes(void *context, void (*run)(struct node *node, ps_t now, void *arg), void *arg)
{
	struct changed *c = context;

	for (unsigned i = 0; i < NODES; i++)
		run(c->f->nodes[i], 0, arg);
}

static int
edit_all(struct changed *c, const struct config_edit *edits, unsigned count,
	 const struct change_commit *commit)
{
	const struct fabric_hooks hooks = {.retire = retire, .at_nodes = at_nodes, .context = c};
	const struct change_env env = {.fabric = c->f, .hooks = &hooks};

	return change_edit(&env, edits, count, commit, &c->place.diag);
}

static int
set(struct changed *c, const char *key, const char *value)
{
	const struct config_edit edit = {.kind = CONFIG_EDIT_SET, .key = key, .value = value};

	return edit_all(c, &edit, 1, NULL);
}

static void
test_all_that_it_touches(void **state)
{
	struct changed c;

	(void)state;
	start(&c, PLACE);
	assert_int_equal(set(&c, "switch.qos.tc.3.ecn.min", "100KB"), 0);
	assert_int_equal(c.retired, NODES);
	for (unsigned i = 0; i < SWITCHES; i++) {
		assert_int_equal(c.f->switches[i].classes[3].ecn.min_bytes, 100000);
		assert_int_equal(c.f->tables[i]->ports[0].profile->tc[3].ecn.min_bytes, 100000);
	}
	// leaf1 (the first switch) and its hosts h1 and h2, which follow it; nobody else.
	memcpy(c.before, c.f->tables, sizeof(c.before));
	c.retired = 0;
	assert_int_equal(set(&c, "leaf1.qos.port-priority", "5"), 0);
	assert_int_equal(c.retired, 3);
	for (unsigned i = 0; i < NODES; i++) {
		assert_int_equal(c.f->tables[i] != c.before[i], i == 0 || i == 3 || i == 4);
		assert_int_equal(c.f->tables[i]->ports[0].profile->port_priority,
				 i == 0 || i == 3 || i == 4 ? 5 : 0);
	}
	// What changes nothing replaces nothing.
	c.retired = 0;
	assert_int_equal(set(&c, "leaf.qos.port-priority", "5"), 0);
	assert_int_equal(c.retired, 1 + 2);
	c.retired = 0;
	assert_int_equal(set(&c, "leaf.qos.port-priority", "5"), 0);
	assert_int_equal(c.retired, 0);
	stop(&c);
}

static void
assert_refused(struct changed *c, const char *key, const char *value, const char *message)
{
	struct switch_config settings;

	assert_int_equal(set(c, key, value), -EINVAL);
	assert_true(fixture_says(&c->place, message));
	assert_int_equal(c->retired, 0);
	assert_memory_equal(c->before, c->f->tables, sizeof(c->before));
	for (unsigned i = 0; i < SWITCHES; i++) {
		const struct topo_node *node = &c->f->topology->nodes[i];

		assert_ptr_equal(c->f->nodes[i]->tables, c->before[i]);
		assert_int_equal(config_switch(c->f->config, node->name, node->role, &settings), 0);
		assert_memory_equal(&settings, &c->f->switches[i], sizeof(settings));
	}
}

// The spine's buffer is the one that is too small: it comes after the leaves, which would hold.
static void
test_none_when_one_cannot(void **state)
{
	struct changed c;

	(void)state;
	start(&c, PLACE "spine: {buffer: {size: 300KB}}\n");
	assert_refused(
		&c, "switch.qos.pg.3.headroom", "200KB",
		"qos.pg.3.headroom: on spine1 the buffer's 300000 B do not hold the 400128 B of "
		"headroom");
	assert_refused(&c, "switch.qos.tc.0.min-rate", "100000000001", "has no unit");
	assert_refused(
		&c, "leaf2.qos.tc.0.min-rate", "101G",
		"qos.tc.0.min-rate: on leaf2 101G promised to 1 class are more than the 100G");
	assert_refused(&c, "switch.buffer.cell", "96",
		       "switch.buffer.cell: cannot change while leaf1 runs (it is 192 B)");
	assert_refused(&c, "spine1.latency", "1us",
		       "spine1.latency: cannot change while spine1 runs (it is 0 ps)");
	assert_refused(&c, "spine.qos.ports", "{swp9: {max-rate: 1G}}",
		       "qos.ports: no switch that reads this section has port swp9");
	// It is as if nothing had been tried.
	assert_int_equal(set(&c, "switch.qos.tc.3.ecn.min", "100KB"), 0);
	assert_int_equal(c.retired, NODES);
	stop(&c);
}

// A file may leave a pool's size to its default and have too much in all; a change may not add to
// it.
static void
test_excess(void **state)
{
	struct changed c;

	(void)state;
	start(&c, PLACE "leaf: {buffer: {pools: {ingress-lossless: {size: 7900KB}}}}\n");
	assert_refused(&c, "leaf.buffer.pools.ingress-lossless.size", "7950KB",
		       "more than the buffer of 16000000 B");
	assert_int_equal(set(&c, "leaf.buffer.pools.ingress-lossless.size", "7850KB"), 0);
	assert_int_equal(c.retired, 2 + 4);
	stop(&c);
}

// Lists are kept once: settings with some are known to be the same.
static void
test_lists(void **state)
{
	struct changed c;

	(void)state;
	start(&c, PLACE "leaf1: {qos: {ports: {swp1: {max-rate: 50G}}, "
			"histograms: [{queue: swp1.3}, {latency: swp1.3}]}}\n");
	assert_int_equal(set(&c, "leaf1.qos.tc.3.weight", "50"), 0); // as it is
	assert_int_equal(set(&c, "switch.qos.port-priority", "0"), 0);
	assert_int_equal(c.retired, 0);
	assert_int_equal(set(&c, "spine.qos.tc.3.weight", "10"), 0);
	assert_int_equal(c.retired, 1);
	assert_int_equal(set(&c, "leaf1.qos.ports", "{swp1: {max-rate: 40G}}"), 0);
	assert_int_equal(c.retired, 1 + 1 + 2);
	assert_int_equal(c.place.diag.count, 0);
	stop(&c);
}

static void
assert_trims(const struct changed *c, bool trims)
{
	for (unsigned i = 0; i < SWITCHES; i++)
		assert_int_equal(c->f->nodes[i]->current->trims, trims);
}

// Where one may trim packets all carry them: before it does, and whatever is changed after.
static void
test_trimmed_packets(void **state)
{
	static const char trim[] = "{trim: {size: 256B, dscp: 11, tc: 0, eligible-tc: [1]}}";
	struct changed c;
	struct tables *old;

	(void)state;
	start(&c, PLACE);
	assert_int_equal(set(&c, "leaf1.qos.tc.3.weight", "10"), 0);
	assert_trims(&c, false);
	c.retired = 0;
	assert_int_equal(set(&c, "spine1.qos", trim), 0);
	assert_int_equal(c.retired, SWITCHES + 1); // all of them first, and then the spine
	assert_trims(&c, true);
	assert_int_equal(c.f->nodes[SWITCHES - 1]->current->trim.size, 256);
	assert_int_equal(c.f->nodes[0]->current->trim.size, 0);
	c.retired = 0;
	assert_int_equal(set(&c, "leaf2.qos", trim), 0);
	assert_int_equal(c.retired, 1 + 2); // itself and its hosts
	assert_int_equal(set(&c, "spine1.qos", "{}"), 0);
	assert_int_equal(set(&c, "leaf2.qos", "{}"), 0);
	assert_int_equal(set(&c, "switch.qos.tc.3.weight", "20"), 0);
	assert_false(config_trims(c.f->config));
	assert_int_equal(c.f->nodes[SWITCHES - 1]->current->trim.size, 0);
	assert_int_equal(fabric_rebuild_tables(c.f, 0, &old, &c.place.diag), 0);
	retire(&c, &old, 1);
	assert_trims(&c, true);
	stop(&c);
}

// A spine's 16 MB and the leaves' two make 48 MB.
static void
test_packets_for_buffers(void **state)
{
	struct changed c;

	(void)state;
	start_with(&c, PLACE, 50000000);
	assert_int_equal(set(&c, "spine.buffer.size", "18MB"), 0);
	memcpy(c.before, c.f->tables, sizeof(c.before));
	c.retired = 0;
	assert_refused(
		&c, "leaf1.buffer.size", "17MB",
		"leaf1.buffer.size: the buffers of all switches would be 51000000 B, but the "
		"fabric came up with memory for packets of 50000000 B");
	assert_int_equal(set(&c, "leaf.buffer.size", "15MB"), 0);
	assert_int_equal(set(&c, "leaf1.buffer.size", "17MB"), 0);
	stop(&c);
	// What was too much from the start may become less.
	start_with(&c, PLACE, 40000000);
	assert_int_equal(set(&c, "leaf.buffer.size", "15MB"), 0);
	stop(&c);
}

static void
test_overridden(void **state)
{
	struct changed c;

	(void)state;
	start(&c, PLACE "leaf: {qos: {tc: {3: {max-rate: 50G}}}}\n"
			"spine1: {qos: {tc: {3: {max-rate: 40G}}}}\n");
	assert_int_equal(set(&c, "spine.qos.tc.3.max-rate", "10G"), 0);
	assert_int_equal(c.place.diag.warnings, 1);
	assert_true(fixture_says(&c.place, "t.yaml: spine.qos.tc.3.max-rate: no switch changes: "
					   "`spine1` (line 4) overrides it"));
	assert_int_equal(set(&c, "leaf2.qos.tc.3.max-rate", "60G"), 0);
	assert_int_equal(set(&c, "leaf1.qos.tc.3.max-rate", "60G"), 0);
	assert_int_equal(set(&c, "leaf.qos.tc.3.max-rate", "60G"), 0); // so it is
	assert_int_equal(c.place.diag.warnings, 1);
	c.retired = 0;
	assert_int_equal(set(&c, "leaf.qos.tc.3.max-rate", "70G"), 0);
	assert_int_equal(c.retired, 0);
	assert_true(fixture_says(&c.place, "`leaf1` (set live) overrides it"));
	stop(&c);
}

static int
check(struct changed *c)
{
	const struct config *config = c->f->config;
	const struct config_event *sets[8];

	for (unsigned i = 0; i < config->event_count; i++)
		sets[i] = &config->events[i];
	return change_check(&(struct change_env){.fabric = c->f}, sets, config->event_count,
			    &c->place.diag);
}

// Events are tried one upon the other, and leave nothing behind.
static void
test_events(void **state)
{
	struct switch_config settings;
	struct changed c;

	(void)state;
	start(&c, PLACE "events:\n"
			"  - {at: 1us, set: leaf.buffer.size, to: 1MB}\n"
			"  - {at: 2us, set: leaf1.qos.pg.3.headroom, to: 300KB}\n"
			"  - {at: 3us, set: leaf1.qos.tc.3.ecn.min, to: 1KB}\n");
	assert_int_equal(check(&c), 0);
	stop(&c);
	start(&c, PLACE "events:\n"
			"  - {at: 1us, set: leaf.buffer.size, to: 1MB}\n"
			"  - {at: 2us, set: leaf1.qos.pg.3.headroom, to: 400KB}\n"
			"  - {at: 3us, set: leaf1.qos.tc.3.ecn.min, to: 1KB}\n");
	assert_int_equal(check(&c), -EINVAL);
	assert_int_equal(c.place.diag.errors, 1);
	assert_true(fixture_says(
		&c.place,
		"t.yaml:5:20: qos.pg.3.headroom: on leaf1 the buffer's 1000000 B do not hold the "
		"1200384 B of headroom"));
	assert_memory_equal(c.before, c.f->tables, sizeof(c.before));
	assert_int_equal(config_switch(c.f->config, "leaf1", CONFIG_ROLE_LEAF, &settings), 0);
	assert_int_equal(settings.buffer_bytes, 16000000);
	stop(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_that_it_touches),
		cmocka_unit_test(test_none_when_one_cannot),
		cmocka_unit_test(test_excess),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_trimmed_packets),
		cmocka_unit_test(test_packets_for_buffers),
		cmocka_unit_test(test_overridden),
		cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
