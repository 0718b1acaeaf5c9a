// SPDX-License-Identifier: BSD-3-Clause
// What a change makes worse is told, and only that. (That every kind of advice comes when it is
// due, and not otherwise, is tested with whole files.)
#include "control/advice/advice.h"

#include "control/tenants/change.h"
#include "tests/unit/control/model/topology/fixture.h"
#include "dataplane/node/adopt.h"

#define PLACE                                                                               \
	"fabric: {topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2}}\n" \
	"switch: {preset: spectrum-x, buffer: {size: 4MB}}\n"
#define NODES 3

static void
retire(void *context, struct tables **old, uint32_t count)
{
	struct fabric *f = context;

	for (unsigned i = 0; i < NODES; i++)
		if (f->nodes[i]->current != f->nodes[i]->tables)
			node_adopt_tables(f->nodes[i], f->nodes[i]->tables);
	for (uint32_t i = 0; i < count; i++)
		tables_destroy(old[i]);
}

// Returns how many warnings the change adds; `message` is in one of them.
static unsigned
set(struct fabric *f, const char *key, const char *value, const char *message)
{
	const struct fabric_hooks hooks = {.retire = retire, .context = f};
	const struct change_env env = {.fabric = f, .hooks = &hooks};
	const struct config_edit edit = {.kind = CONFIG_EDIT_SET, .key = key, .value = value};
	struct fixture told = {0};
	struct diag before = {0};
	unsigned count;

	advice_give(f, &before);
	assert_int_equal(change_edit(&env, &edit, 1, NULL, &told.diag), 0);
	assert_int_equal(told.diag.count, 0);
	advice_give_new(f, &before, &told.diag);
	count = told.diag.count;
	assert_int_equal(told.diag.warnings, count);
	assert_true(message == NULL || fixture_says(&told, message));
	diag_free(&before);
	diag_free(&told.diag);
	return count;
}

static void
test_only_what_is_new(void **state)
{
	struct packet_pool *packets, *pools[NODES];
	struct fabric_options options = {.pools = pools, .seed = 1};
	struct fixture place;
	struct fabric *f;

	(void)state;
	fixture_load(&place, PLACE);
	assert_int_equal(packet_pool_create(&packets, 64), 0);
	for (unsigned i = 0; i < NODES; i++)
		pools[i] = packets;
	assert_int_equal(fabric_create(&f, place.config, place.topology, &options, &place.diag), 0);
	// ECN at 1.5 MB is too late for 4 MB from the start: no news.
	assert_int_equal(set(f, "switch.qos.tc.3.weight", "10", NULL), 0);
	assert_int_equal(set(f, "switch.qos.pg.3.headroom", "10KB",
			     "t.yaml: qos.pg.3.headroom: 10176 B are less than"),
			 2); // that; and ECN's depth is another now
	assert_int_equal(set(f, "switch.qos.tc.3.weight", "20", NULL), 0);
	assert_int_equal(
		set(f, "switch.qos.priority-to-tc.6", "3", "hosts.cnp.dscp: CNPs (DSCP 48"), 1);
	assert_int_equal(set(f, "switch.qos.priority-to-tc.6", "6", NULL), 0);
	fabric_destroy(f);
	packet_pool_destroy(packets);
	fixture_free(&place);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_is_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
