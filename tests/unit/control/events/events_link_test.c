// SPDX-License-Identifier: BSD-3-Clause
// Links that a user changes between two events, and returns to what the file says.
#include "control/events/events.h"

#include "control/fabric/fabric.h"
#include "tests/unit/control/fabric/bench.h"

#define FABRIC                                                                              \
	"fabric:\n"                                                                         \
	"  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n"         \
	"  links: {host: {rate: 100G, delay: 300ns}, fabric: {rate: 100G, delay: 500ns}}\n" \
	"switch: {preset: spectrum-x, buffer: {size: 16MB}}\n"                              \
	"leaf: {routing: {convergence: 100us}}\n"                                           \
	"leaf2: {latency: 200ns}\n"                                                         \
	"events:\n"                                                                         \
	"  - {at: 50us, link: leaf1-spine1, delay: 400ns, for: 1us}\n"
#define SPINE1 2
#define LINK "leaf1-spine1"

static ps_t window, lookahead;

static void
note_window(void *context, ps_t to_window, ps_t to_lookahead)
{
	(void)context;
	window = to_window;
	lookahead = to_lookahead;
}

static void
begin(struct bench *b)
{
	struct fabric_hooks hooks;

	window = lookahead = 0;
	start(b, FABRIC);
	hooks = hooks_of(b);
	hooks.set_window = note_window;
	assert_int_equal(events_create(&b->e, b->f, &hooks, &b->place.diag), 0);
}

static uint32_t
link_of(const struct bench *b, const char *name)
{
	uint32_t link;

	assert_int_equal(topology_find_link(b->f->topology, name, &link), 0);
	return link;
}

static void
change(struct bench *b, struct config_event event, const char *name)
{
	event.link.text = (char *)(uintptr_t)name;
	if (events_change_link(b->e, &event, &b->place.diag) != 0)
		diag_print(&b->place.diag, stderr);
	assert_int_equal(b->place.diag.errors, 0);
}

static void
clear(struct bench *b, const char *name)
{
	assert_int_equal(events_clear_link(b->e, link_of(b, name), &b->place.diag), 0);
}

static void
refuse(struct bench *b, struct config_event event, const char *name, const char *why)
{
	struct diag diag = {0};

	event.link.text = (char *)(uintptr_t)name;
	assert_int_equal(events_change_link(b->e, &event, &diag), -EINVAL);
	assert_non_null(strstr(diag_first_error(&diag), why));
	diag_free(&diag);
}

static const struct port *
port_of(const struct bench *b, const char *name)
{
	struct topo_ref ref;

	assert_int_equal(topology_find_port(b->f->topology, name, &ref), 0);
	return &b->f->nodes[ref.node]->ports[ref.port];
}

static void
test_down_up(void **state)
{
	static const uint8_t h3[4] = {10, 0, 2, 1};
	const struct config_event down = {.changes = CONFIG_LINK_STATE},
				  up = {.changes = CONFIG_LINK_STATE, .up = true};
	struct bench b;
	uint32_t group;

	(void)state;
	begin(&b);
	b.now = 10 * PS_PER_US;
	change(&b, down, LINK);
	assert_false(port_of(&b, "leaf1.swp3")->up);
	assert_false(port_of(&b, "spine1.swp1")->up);
	assert_true(port_of(&b, "spine1.swp1")->out->down);
	assert_true(b.f->link_down[link_of(&b, LINK)]);
	assert_int_equal(fabric_link_values(b.f, link_of(&b, LINK)).changes, CONFIG_LINK_STATE);
	group = lpm_lookup4(b.f->tables[LEAF1]->vrfs[0].ip4, h3);
	assert_int_equal(b.f->tables[LEAF1]->groups[group].count, 2); // it has not noticed yet
	assert_int_equal(events_next(b.e), 50 * PS_PER_US);
	b.now = 40 * PS_PER_US;
	change(&b, down, LINK); // it is down already: the delay goes on
	b.now = 50 * PS_PER_US;
	assert_int_equal(events_apply(b.e, b.now, &b.place.diag), 0);
	b.now = 51 * PS_PER_US;
	assert_int_equal(events_apply(b.e, b.now, &b.place.diag), 0);
	assert_int_equal(events_next(b.e), 110 * PS_PER_US);
	b.now = 110 * PS_PER_US;
	assert_int_equal(events_apply(b.e, b.now, &b.place.diag), 0);
	group = lpm_lookup4(b.f->tables[LEAF1]->vrfs[0].ip4, h3);
	assert_int_equal(b.f->tables[LEAF1]->groups[group].count, 1);
	change(&b, up, LINK);
	assert_true(port_of(&b, "leaf1.swp3")->up);
	assert_int_equal(fabric_link_values(b.f, link_of(&b, LINK)).changes, 0);
	b.now = 210 * PS_PER_US;
	assert_int_equal(events_apply(b.e, b.now, &b.place.diag), 0);
	group = lpm_lookup4(b.f->tables[LEAF1]->vrfs[0].ip4, h3);
	assert_int_equal(b.f->tables[LEAF1]->groups[group].count, 2);
	stop(&b);
}

static void
test_faults_and_rate(void **state)
{
	const struct config_event loss = {.changes = CONFIG_LINK_LOSS, .loss_ppm = 1000},
				  bits = {.changes = CONFIG_LINK_BIT_ERRORS,
					  .bit_error_rate = UINT64_C(1000000000)},
				  rate = {.changes = CONFIG_LINK_RATE | CONFIG_LINK_CORRUPT,
					  .rate_bps = 50 * UINT64_C(1000000000),
					  .corrupt_ppm = 500},
				  same = {.changes = CONFIG_LINK_RATE,
					  .rate_bps = 100 * UINT64_C(1000000000)};
	const struct wire *out;
	struct bench b;
	uint32_t link;

	(void)state;
	begin(&b);
	link = link_of(&b, LINK);
	out = port_of(&b, "leaf1.swp3")->out;
	change(&b, loss, LINK);
	change(&b, rate, LINK);
	assert_int_equal(fabric_link_values(b.f, link).changes,
			 CONFIG_LINK_LOSS | CONFIG_LINK_RATE | CONFIG_LINK_CORRUPT);
	assert_int_equal(out->loss, fabric_wire_loss(1000));
	assert_int_equal(out->corrupt, fabric_wire_loss(500));
	assert_true(out->special);
	assert_int_equal(b.f->tables[LEAF1]->ports[2].profile->byte_time,
			 time_byte_time(50 * UINT64_C(1000000000)));
	assert_int_equal(b.f->tables[SPINE1]->ports[0].profile->byte_time,
			 time_byte_time(50 * UINT64_C(1000000000)));
	change(&b, same, LINK);
	assert_int_equal(fabric_link_values(b.f, link).changes,
			 CONFIG_LINK_LOSS | CONFIG_LINK_CORRUPT);
	change(&b, rate, LINK);
	change(&b, bits, LINK);
	assert_int_equal(out->bit_errors, 18446744074); // 1e-9 of 2^64
	clear(&b, LINK);
	assert_int_equal(out->bit_errors, 0);
	clear(&b, LINK); // nothing is left to do
	assert_int_equal(fabric_link_values(b.f, link).changes, 0);
	assert_false(out->special);
	assert_int_equal(b.f->tables[LEAF1]->ports[2].profile->byte_time,
			 time_byte_time(100 * UINT64_C(1000000000)));
	stop(&b);
}

// Every link has bit errors: they alone do not make switches prefer other links.
static void
test_degraded(void **state)
{
	const struct config_event bits = {.changes = CONFIG_LINK_BIT_ERRORS,
					  .bit_error_rate = UINT64_C(1000000000000000)},
				  none = {.changes = CONFIG_LINK_BIT_ERRORS},
				  corrupt = {.changes = CONFIG_LINK_CORRUPT, .corrupt_ppm = 1};
	const struct node *leaf;
	struct bench b;

	(void)state;
	begin(&b);
	leaf = b.f->nodes[LEAF1];
	change(&b, bits, LINK);
	assert_true(port_of(&b, "leaf1.swp3")->out->special);
	assert_int_equal(leaf->port_penalty[2] & PATH_DEGRADED, 0);
	change(&b, none, LINK); // the fault ends
	assert_false(port_of(&b, "leaf1.swp3")->out->special);
	assert_int_equal(fabric_link_values(b.f, link_of(&b, LINK)).changes, 0);
	change(&b, corrupt, LINK);
	assert_int_equal(leaf->port_penalty[2] & PATH_DEGRADED, PATH_DEGRADED);
	clear(&b, LINK);
	assert_int_equal(leaf->port_penalty[2] & PATH_DEGRADED, 0);
	stop(&b);
}

// The window is that of the shortest delay in force, or that an event of the file will set.
static void
test_window(void **state)
{
	struct config_event delay = {.changes = CONFIG_LINK_DELAY, .delay_ps = 100 * PS_PER_NS};
	struct bench b;

	(void)state;
	begin(&b);
	assert_int_equal(b.f->window, 300 * PS_PER_NS);
	assert_int_equal(b.f->lookahead, 300 * PS_PER_NS);
	change(&b, delay, "leaf2-spine1");
	assert_int_equal(port_of(&b, "leaf2.swp3")->out->delay, 100 * PS_PER_NS);
	assert_int_equal(port_of(&b, "spine1.swp2")->out->delay, 300 * PS_PER_NS); // and latency
	assert_int_equal(window, 100 * PS_PER_NS);
	assert_int_equal(lookahead, 100 * PS_PER_NS);
	delay.delay_ps = 50 * PS_PER_NS;
	change(&b, delay, "h1-leaf1");
	assert_int_equal(window, 50 * PS_PER_NS);
	assert_int_equal(lookahead, 50 * PS_PER_NS);
	clear(&b, "h1-leaf1");
	assert_int_equal(lookahead, 100 * PS_PER_NS);
	delay.delay_ps = 10 * PS_PER_US;
	change(&b, delay, "leaf2-spine1");
	assert_int_equal(window, 300 * PS_PER_NS);
	clear(&b, "leaf2-spine1");
	assert_int_equal(window, 300 * PS_PER_NS);
	assert_int_equal(b.f->window, 300 * PS_PER_NS);
	stop(&b);
}

static void
test_refusals(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	refuse(&b, (struct config_event){.changes = CONFIG_LINK_STATE}, "leaf1-spin1",
	       "there is no link leaf1-spin1; did you mean leaf1-spine1?");
	refuse(&b, (struct config_event){.changes = CONFIG_LINK_DELAY}, LINK,
	       "delay: the delay must be above 0");
	assert_int_equal(window, 0);
	stop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_down_up),  cmocka_unit_test(test_faults_and_rate),
		cmocka_unit_test(test_degraded), cmocka_unit_test(test_window),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
