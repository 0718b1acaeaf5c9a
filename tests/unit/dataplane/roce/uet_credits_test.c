// SPDX-License-Identifier: BSD-3-Clause
//
// Credit from the receiver of Ultra Ethernet Transport: how flows share it, and what makes up for
// losses.

#include "uet_pair.h"

// Three flows share the line as the receiver grants it: a packet each at once, then in turn.
static void
test_credits(void **state)
{
	static struct world x;
	unsigned int packets[3] = {0};
	uint32_t qpns[3];

	(void)state;
	prepare(&x);
	x.w.config[A].uet.credits = x.w.config[B].uet.credits = true;
	start(&x, 100000);
	qpns[0] = x.qpn;
	for (unsigned int i = 1; i < 3; i++)
		qpns[i] = pair_add_flow(
			&x.w, (struct nic_flow){.path_mtu = 1000,
						.bytes = 100000,
						.endpoint.first_psn = FIRST_PSN - 4096 * i});
	pair_run(&x.w, 50 * PS_PER_MS);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(pair_result(&x.w, qpns[i]).repetitions, 1);
		assert_int_equal(pair_result(&x.w, qpns[i]).timeouts, 0);
	}
	assert_int_equal(x.forth.count, 300);
	// After 150 packets each has sent 50, but for a grant.
	for (unsigned int i = 0; i < 150; i++)
		packets[(FIRST_PSN + 4095 - x.forth.entries[i].psn) / 4096]++;
	for (unsigned int i = 0; i < 3; i++)
		assert_in_range(packets[i], 46, 54);
	pair_stop(&x.w);
}

// A message that begins on an idle queue pair asks for credit at once.
static void
test_credits_ask(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	x.w.config[A].uet.credits = x.w.config[B].uet.credits = true;
	x.w.config[A].rto = 10 * PS_PER_MS;
	x.repeat = 20;
	start(&x, 50000);
	pair_run(&x.w, 50 * PS_PER_MS);
	assert_int_equal(pair_result(&x.w, x.qpn).repetitions, 20);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 0);
	// Not even a twentieth of the timeout for each.
	assert_true(pair_result(&x.w, x.qpn).completed < 10 * PS_PER_MS);
	pair_stop(&x.w);
}

// Credits are lost on the way.
static void
test_lost_credits(void **state)
{
	static struct world x;

	(void)state;
	for (unsigned int lost = 0; lost < 12; lost++) {
		prepare(&x);
		x.w.config[A].uet.credits = x.w.config[B].uet.credits = true;
		start(&x, 20000);
		x.back.deeds[lost] = DROP;
		expect_complete(&x, 20);
		pair_stop(&x.w);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_credits),
		cmocka_unit_test(test_lost_credits),
		cmocka_unit_test(test_credits_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
