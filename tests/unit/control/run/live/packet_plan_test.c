// SPDX-License-Identifier: BSD-3-Clause
// How many packets a live fabric has: of two files that differ in one thing, by how much that
// changes.
#include "control/run/live/live_fabric.h"

#include "tests/unit/control/model/topology/fixture.h"

#define SWITCHES                                                                            \
	"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4},\n" \
	"         links: {host: {rate: 100G, delay: 500ns}}}\n"                             \
	"switch: {preset: spectrum-x, buffer: {size: 4MB, cell: 192}}\n"
#define MANY                                                                                 \
	"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 32},\n" \
	"         links: {host: {rate: 100G, delay: 500ns}}}\n"                              \
	"switch: {preset: spectrum-x, buffer: {size: 4MB, cell: 192}}\n"
#define RAILS                                                                                   \
	"fabric: {topology: {kind: rail, leaves: 2, rails: 2, spines: 1, hosts-per-leaf: 2}}\n" \
	"switch: {preset: spectrum-x, buffer: {size: 4MB, cell: 192}}\n"
#define ATTACH(of_h1)                                                                        \
	"attach: {h1: {netns: a" of_h1 "}, h2: {netns: b}, h3: {netns: c}, h4: {netns: d}, " \
	"h5: {netns: e}, h6: {netns: f}, h7: {netns: g}, h8: {netns: h}}\n"
#define QUEUES 16u // of an edge NIC: of each priority, each way
#define MB UINT64_C(1000000)

struct plan {
	struct packet_plan plan;
	char notes[512], error[512];
	int rc;
};

static struct plan
plan_of(const char *text, uint64_t memory_bytes)
{
	struct plan p = {0};
	struct fixture place;
	struct live_fabric live;
	struct diag diag = {0};

	fixture_load(&place, text);
	topology_apply_attach(place.topology);
	live = (struct live_fabric){.config = place.config,
				    .topology = place.topology,
				    .worker_count = 1,
				    .notes = fmemopen(p.notes, sizeof(p.notes), "w")};
	place.config->live.packet_memory_auto = false;
	place.config->live.packet_memory_bytes = memory_bytes;
	assert_int_equal(devices_list(&live, &diag), 0);
	p.rc = packet_plan_make(&live, &p.plan, &diag);
	fclose(live.notes);
	if (p.rc != 0)
		snprintf(p.error, sizeof(p.error), "%s", diag_first_error(&diag));
	free(live.devices);
	free(live.attached);
	diag_free(&diag);
	fixture_free(&place);
	return p;
}

static uint64_t
small_for(uint64_t bytes)
{
	return QUEUES * (bytes / 192);
}

static uint64_t
large_for(uint64_t bytes)
{
	return QUEUES * (bytes / (PACKET_STORE_SMALL_FRAME + 1));
}

// A NIC has packets for all that it can hold, and a larger one more of them.
static void
test_every_cell_of_a_nic_has_a_packet(void **state)
{
	struct plan without = plan_of(SWITCHES ATTACH(", nic: off"), 16000 * MB);
	struct plan with = plan_of(SWITCHES ATTACH(""), 16000 * MB);
	struct plan larger = plan_of(SWITCHES ATTACH(", buffer: 3MB"), 16000 * MB);

	(void)state;
	assert_int_equal(with.plan.store.small - without.plan.store.small, small_for(MB));
	assert_int_equal(with.plan.store.large - without.plan.store.large, large_for(MB));
	assert_int_equal(larger.plan.store.small - without.plan.store.small, small_for(3 * MB));
	assert_int_equal(larger.plan.store.large - without.plan.store.large, large_for(3 * MB));
	// What switches have is the same, and so is what devices have.
	assert_int_equal(with.plan.waiting.count[0], without.plan.waiting.count[0]);
	assert_int_equal(with.plan.devices.packets, without.plan.devices.packets);
	assert_false(with.plan.waiting.capped);
	assert_string_equal(with.notes, "");
	assert_true(with.plan.waiting.nic_bytes >= MB);
}

// Hosts that a command may attach later are counted as if the file did.
static void
test_hosts_that_may_be_attached_are_counted(void **state)
{
	struct plan all = plan_of(SWITCHES ATTACH(""), 16000 * MB);
	struct plan none = plan_of(SWITCHES, 16000 * MB);

	(void)state;
	assert_int_equal(all.plan.store.small, none.plan.store.small);
	assert_int_equal(none.plan.waiting.later_nic_bytes, MB);
}

// What the file gives one host is not what those hold that come later: for them less is counted.
static void
test_a_large_buffer_of_the_file_is_its_own(void **state)
{
	struct plan p = plan_of(SWITCHES "attach: {h1: {netns: a, buffer: 50MB}}\n", 64000 * MB);
	struct plan none = plan_of(SWITCHES, 64000 * MB);

	(void)state;
	assert_true(p.plan.waiting.nic_bytes >= 50 * MB);
	assert_int_equal(p.plan.waiting.later_nic_bytes, MB);
	assert_int_equal(p.plan.store.small - none.plan.store.small,
			 small_for(50 * MB) - small_for(MB));
}

// Of a host with several links, those that the file does not attach may be attached too.
static void
test_every_link_of_a_host_is_counted(void **state)
{
	struct plan one = plan_of(RAILS "attach: {h1.eth1: {netns: a}}\n", 16000 * MB);
	struct plan none = plan_of(RAILS, 16000 * MB);

	(void)state;
	assert_int_equal(one.plan.store.small, none.plan.store.small);
}

// They take nothing from a NIC of the file, and share what it leaves.
static void
test_those_that_come_later_get_what_is_left(void **state)
{
	uint64_t memory = 3000 * MB, held;
	struct plan p = plan_of(MANY "attach: {h1: {netns: a}}\n", memory);
	struct plan off = plan_of(MANY "attach: {h1: {netns: a, nic: off}}\n", memory);

	(void)state;
	assert_int_equal(p.rc, 0);
	assert_string_equal(p.notes, "");
	assert_true(p.plan.waiting.nic_bytes >= MB);
	held = p.plan.waiting.later_nic_bytes;
	assert_true(held < MB / 2 && held > 1);
	assert_true(off.plan.waiting.later_nic_bytes > held);
	assert_int_equal(p.plan.waiting.count[0], off.plan.waiting.count[0]);
	assert_true(packet_store_bytes(&p.plan.store) + pool_bytes(&p.plan.devices) <= memory);
}

// NICs hold less where memory is short, before switches do. One that holds little anyway keeps
// that.
static void
test_short_memory_makes_nics_smaller(void **state)
{
	struct plan p = plan_of(SWITCHES ATTACH(", buffer: 128KB"), 800 * MB);
	uint64_t most = p.plan.waiting.nic_bytes, held = 0;
	struct plan without = plan_of(SWITCHES, 800 * MB);

	(void)state;
	assert_int_equal(p.rc, 0);
	assert_false(p.plan.waiting.capped);
	assert_true(most < MB && most > 131072);
	assert_non_null(strstr(p.notes, "NICs of attached hosts hold "));
	assert_non_null(strstr(p.notes, " instead of 1 MB: `live.packet-memory` allows 800 MB"));
	assert_true(packet_store_bytes(&p.plan.store) + pool_bytes(&p.plan.devices) <= 800 * MB);
	held = small_for(128000) + 7 * small_for(most);
	assert_int_equal(without.plan.store.small -
				 8 * small_for(without.plan.waiting.later_nic_bytes),
			 p.plan.store.small - held);
}

// With still less, switches and NICs both do.
static void
test_shorter_memory_is_shared(void **state)
{
	struct plan p = plan_of(SWITCHES ATTACH(""), 300 * MB);

	(void)state;
	assert_int_equal(p.rc, 0);
	assert_true(p.plan.waiting.capped);
	assert_true(p.plan.waiting.nic_bytes < MB / 2);
	assert_non_null(strstr(p.notes, "switches pause or drop"));
	assert_non_null(strstr(p.notes, "NICs of attached hosts hold "));
	assert_true(packet_store_bytes(&p.plan.store) + pool_bytes(&p.plan.devices) <= 300 * MB);
}

static void
test_too_little_counts_the_least_of_nics(void **state)
{
	struct plan with = plan_of(SWITCHES ATTACH(""), MB);
	struct plan without = plan_of(SWITCHES ATTACH(", nic: off"), MB);

	(void)state;
	assert_int_equal(with.rc, -ENOMEM);
	assert_int_equal(without.rc, -ENOMEM);
	assert_non_null(strstr(with.error, "live.packet-memory: 1 MB is too little"));
	assert_string_not_equal(with.error, without.error);
}

// What the error says is needed is enough, and a hundredth less is not.
static void
test_too_little_says_how_much_is_enough(void **state)
{
	struct plan p = plan_of(SWITCHES ATTACH(""), MB);
	const char *said = strstr(p.error, " need ");
	uint64_t needed;

	(void)state;
	assert_non_null(said);
	assert_non_null(strstr(said, " MB even if"));
	needed = (uint64_t)(strtod(said + strlen(" need "), NULL) * 1e6 + 0.5);
	assert_int_equal(plan_of(SWITCHES ATTACH(""), needed).rc, 0);
	assert_int_equal(plan_of(SWITCHES ATTACH(""), needed - needed / 100).rc, -ENOMEM);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_cell_of_a_nic_has_a_packet),
		cmocka_unit_test(test_hosts_that_may_be_attached_are_counted),
		cmocka_unit_test(test_a_large_buffer_of_the_file_is_its_own),
		cmocka_unit_test(test_every_link_of_a_host_is_counted),
		cmocka_unit_test(test_those_that_come_later_get_what_is_left),
		cmocka_unit_test(test_short_memory_makes_nics_smaller),
		cmocka_unit_test(test_shorter_memory_is_shared),
		cmocka_unit_test(test_too_little_counts_the_least_of_nics),
		cmocka_unit_test(test_too_little_says_how_much_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
