// SPDX-License-Identifier: BSD-3-Clause
// What views collect of nodes and ports.
#include "asked.h"

#include "dataplane/base/llr.h"

#include <errno.h>

static const struct show_state nothing;

static json_t *
answer_to(struct fixture *f, const char *what, const char *port)
{
	return answer_with(f, &nothing, what, port);
}

static void
test_interface_tells_what_a_port_is(void **state)
{
	struct fixture *f = *state;
	json_t *out;

	f->profile.preamble = 8;
	f->profile.fcs = 4;
	f->profile.gap = 12;
	out = answer_to(f, "interface", "leaf1.swp2");
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 1);
	assert_text_at(out, "nodes/leaf1/ports/swp2/state", "up");
	assert_text_at(out, "nodes/leaf1/ports/swp2/peer", "h2.eth1");
	assert_text_at(out, "nodes/leaf1/ports/swp2/vrf", "red");
	assert_text_at(out, "nodes/leaf1/ports/swp2/tenant", "red");
	assert_text_at(out, "nodes/leaf1/ports/swp2/mac", "02:01:00:00:00:02");
	assert_integer_at(out, "nodes/leaf1/ports/swp2/mtu", 4200);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/overhead_bytes", 24);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/rate_bps", UINT64_C(100000000000));
	assert_integer_at(out, "nodes/leaf1/ports/swp2/rx_packets", 0);
	fixture_at(out, "nodes/leaf1/ports/swp2/queue/[7]");
	json_decref(out);
	out = answer_to(f, "interface", "leaf1.swp3");
	assert_true(json_is_null(fixture_at(out, "nodes/leaf1/ports/swp3/tenant")));
	assert_text_at(out, "nodes/leaf1/ports/swp3/vrf", "default");
	json_decref(out);
}

static void
test_pools_are_of_switches(void **state)
{
	struct fixture *f = *state;
	json_t *out = answer_to(f, "pool", NULL);

	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_integer_at(out, "nodes/leaf1/pools/headroom/size", 500 * 192);
	assert_null(json_object_get(fixture_at(out, "nodes/leaf1"), "tenants"));
	json_decref(out);
	out = answer_to(f, "pool", "h1");
	fixture_at(out, "nodes/h1/pools");
	json_decref(out);
}

// What a tenant holds of each pool, and the most that it may: by alpha 1 of what is free, or
// without end.
static void
test_tenants_and_their_shares(void **state)
{
	struct fixture *f = *state;
	struct buffer *b = &f->leaf->buffer;
	json_t *out;

	out = answer_to(f, "tenant", NULL);
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_null(json_object_get(fixture_at(out, "nodes/leaf1/tenants/red"), "pools"));
	json_decref(out);
	f->leaf_tables.tenant_buffers = true;
	f->leaf_tables.pools[POOL_INGRESS_LOSSY].shared = 1000;
	b->pools[POOL_INGRESS_LOSSY].shared_use = 300;
	b->tenants[0].used = 80;
	b->tenants[0].pool_used[POOL_INGRESS_LOSSY] = 80;
	b->tenants[0].guarantee[POOL_INGRESS_LOSSY] = 20;
	f->tenants[0].share[POOL_INGRESS_LOSSLESS].fixed = THRESHOLD_UNLIMITED;
	out = answer_to(f, "tenant", "leaf1");
	assert_integer_at(out, "nodes/leaf1/tenants/red/used", 80 * 192);
	assert_integer_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossy/used", 80 * 192);
	assert_integer_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossy/guaranteed", 100 * 192);
	assert_integer_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossy/guaranteed_used",
			  20 * 192);
	assert_integer_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossy/share", 700 * 192);
	assert_true(json_is_null(
		fixture_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossless/share")));
	json_decref(out);
	assert_int_equal(ask_with(f, &nothing,
				  json_pack("{s:s,s:s}", "what", "tenant", "port", "leaf1.swp1"),
				  &out),
			 -EINVAL);
	assert_string_equal(why, "tenant: there is no node leaf1.swp1");
}

static void
test_pauses_in_force(void **state)
{
	struct fixture *f = *state;
	struct port *p = &f->leaf->ports[0];
	json_t *out;

	p->rx_pause[3].since = 4 * PS_PER_US;
	p->pause_until[3] = 6 * PS_PER_US;
	p->rx_pause[4].since = 4 * PS_PER_US;
	p->pause_until[4] = 5 * PS_PER_US;
	p->tx_pause[5].since = 2 * PS_PER_US;
	p->tx_pause[PAUSE_LINK] = (struct pause_clock){.since = 3 * PS_PER_US,
						       .last_start = 3 * PS_PER_US,
						       .last_end = PS_NEVER,
						       .transitions = 1};
	out = answer_to(f, "pfc", "leaf1.swp1");
	assert_true(json_is_true(fixture_at(out, "nodes/leaf1/ports/swp1/pfc_rx_paused/[3]")));
	assert_true(json_is_false(fixture_at(out, "nodes/leaf1/ports/swp1/pfc_rx_paused/[4]")));
	assert_true(json_is_true(fixture_at(out, "nodes/leaf1/ports/swp1/pfc_tx_paused/[5]")));
	assert_true(json_is_false(fixture_at(out, "nodes/leaf1/ports/swp1/pause_rx_paused")));
	assert_true(json_is_true(fixture_at(out, "nodes/leaf1/ports/swp1/pause_tx_paused")));
	assert_integer_at(out, "nodes/leaf1/ports/swp1/pause_tx_last_start_ns", 3000);
	assert_integer_at(out, "nodes/leaf1/ports/swp1/pause_tx_transitions", 1);
	assert_int_equal(
		json_integer_value(fixture_at(out, "nodes/leaf1/ports/swp1/pause_tx_last_end_ns")),
		-1);
	json_decref(out);
}

static void
test_histograms_of_switches(void **state)
{
	struct fixture *f = *state;
	json_t *out = answer_to(f, "histogram", NULL);

	assert_int_equal(json_array_size(fixture_at(out, "nodes/leaf1/histograms")), 0);
	assert_null(json_object_get(fixture_at(out, "nodes"), "h1"));
	json_decref(out);
}

static void
test_drops_come_with_advice(void **state)
{
	struct fixture *f = *state;
	json_t *out;

	f->leaf->ports[0].drops[DROP_NO_ROUTE] = 12;
	f->nic->ports[0].drops[DROP_NOT_FOR_HOST] = 1;
	out = answer_to(f, "drops", NULL);
	assert_integer_at(out, "nodes/leaf1/ports/swp1/drops/no-route", 12);
	assert_int_equal(json_object_size(fixture_at(out, "advice")), 2);
	assert_text_at(out, "advice/no-route", drop_advice(DROP_NO_ROUTE));
	json_decref(out);
	out = answer_to(f, "drops", "h1");
	assert_int_equal(json_object_size(fixture_at(out, "advice")), 1);
	json_decref(out);
}

// The counters by their names, beside the states; nothing of ports without link-level retry.
static void
test_link_level_retry(void **state)
{
	struct llr_frame frames[4] = {0};
	struct llr llr = {.tx_state = LLR_TX_REPLAY,
			  .rx_state = LLR_RX_NACK_SENT,
			  .first = UINT32_MAX,
			  .next = 2,
			  .frames = frames,
			  .mask = 3,
			  .outstanding = 4000,
			  .sets_tx[LLR_NACK] = 2,
			  .tx_replay = 5,
			  .tx_again = 7,
			  .rx_bad = 9,
			  .wait = {.since = 4 * PS_PER_US}};
	struct fixture *f = *state;
	struct wire *wire;
	json_t *out = answer_to(f, "llr", NULL);

	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 0);
	json_decref(out);
	assert_int_equal(wire_create(&wire, 1, false, 0), 0);
	f->leaf->ports[1].llr = &llr;
	f->leaf->ports[1].out = wire;
	out = answer_to(f, "llr", NULL);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 1);
	assert_text_at(out, "nodes/leaf1/ports/swp2/tx", "replay");
	assert_text_at(out, "nodes/leaf1/ports/swp2/rx", "nack-sent");
	assert_integer_at(out, "nodes/leaf1/ports/swp2/frames", 3);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/llr_outstanding", 4000);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/llr_tx_nack", 2);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/llr_tx_replay", 5);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/llr_tx_again", 7);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/llr_rx_bad", 9);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/llr_wait_ns", 1000);
	assert_null(json_object_get(fixture_at(out, "nodes/leaf1/ports/swp2"), "rx_packets"));
	json_decref(out);
	f->leaf->ports[1].llr = NULL;
	f->leaf->ports[1].out = NULL;
	wire_destroy(wire);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_interface_tells_what_a_port_is),
		T(test_pools_are_of_switches),
		T(test_tenants_and_their_shares),
		T(test_pauses_in_force),
		T(test_histograms_of_switches),
		T(test_drops_come_with_advice),
		T(test_link_level_retry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
