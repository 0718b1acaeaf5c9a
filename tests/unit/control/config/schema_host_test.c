// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static void
the_defaults_are_the_documented_ones(void **state)
{
	struct config *c = load_good(FABRIC);
	struct host_config h;

	(void)state;
	assert_int_equal(config_host(c, "h1", &h), 0);
	assert_int_equal(h.recovery, CONFIG_RECOVERY_GO_BACK_N);
	assert_int_equal(h.placement, CONFIG_PLACEMENT_IN_ORDER);
	assert_int_equal(h.congestion, CONFIG_CONGESTION_NONE);
	assert_int_equal(h.path_mtu, 0);
	assert_int_equal(h.ack_every, 1);
	assert_int_equal(h.priority, 3);
	assert_int_equal(h.dscp, -1);
	assert_int_equal(h.ack_dscp, -1);
	assert_int_equal(h.cnp_dscp, 48);
	assert_int_equal(h.cnp_interval_ps, 50000000);
	assert_int_equal(h.rto_ps, 1000000000);
	assert_int_equal(h.reorder_window, 1024);
	assert_int_equal(h.reorder_timeout_ps, 100000000);
	assert_int_equal(h.ip_version, 4);
	assert_int_equal(h.qps, 1);
	assert_int_equal(h.start_jitter_ps, 0);
	assert_int_equal(h.clock_ppm, 0);
	assert_int_equal(h.header_bytes, -1);
	assert_int_equal(h.ack_bytes, -1);
	config_free(c);
}

static void
values(void **state)
{
	struct config *c = load_good(
		FABRIC "hosts: {recovery: go-back-n, placement: out-of-order, congestion: none, "
		       "path-mtu: 1024,\n"
		       "  ack-every: 16, priority: 4, dscp: 10, ack-dscp: 11, reorder-window: 8,\n"
		       "  reorder-timeout: 9us, qps: 2, start-jitter: 1us, clock-ppm: 100, "
		       "drain-rate: none,\n"
		       "  header-bytes: 48B, ack-bytes: 60B}\n");
	struct host_config h;

	(void)state;
	assert_int_equal(config_host(c, "h1", &h), 0);
	assert_int_equal(h.placement, CONFIG_PLACEMENT_OUT_OF_ORDER);
	assert_int_equal(h.path_mtu, 1024);
	assert_int_equal(h.ack_every, 16);
	assert_int_equal(h.dscp, 10);
	assert_int_equal(h.ack_dscp, 11);
	assert_int_equal(h.header_bytes, 48);
	assert_int_equal(h.ack_bytes, 60);
	assert_int_equal(h.clock_ppm, 100);
	assert_int_equal(h.start_jitter_ps, 1000000);
	config_free(c);
}

static void
mistakes(void **state)
{
	(void)state;
	expect_messages(FABRIC "hosts: {path-mtu: 1000}\n",
			"warning: f.yaml:2:19: hosts.path-mtu: 1000 is none of RoCE's five (256, "
			"512, 1024, 2048, "
			"4096)\n");
	expect_messages(
		FABRIC "hosts: {path-mtu: 9000}\n",
		"f.yaml:2:19: hosts.path-mtu: 9000 is out of range: 256 to 4096, or auto\n");
	expect_messages(
		FABRIC "hosts: {dscp: 64, ip: 5, congestion: dcqcn, recovery: selective}\n",
		"f.yaml:2:15: hosts.dscp: 64 is out of range: 0 to 63, or auto\n"
		"f.yaml:2:23: hosts.ip: \"5\" is not one of 4, 6\n"
		"f.yaml:2:38: hosts.congestion: dcqcn is known, but not available in this version\n"
		"f.yaml:2:55: hosts.recovery: selective is known, but not available in this "
		"version\n");
	expect_messages(
		FABRIC
		"h2: {drain-rate: 10G, stall: {every: 1ms}, pause-storm: {}, header-bytes: 48}\n",
		"f.yaml:2:6: h2.drain-rate: known, but not available in this version\n"
		"f.yaml:2:23: h2.stall: known, but not available in this version\n"
		"f.yaml:2:44: h2.pause-storm: known, but not available in this version\n"
		"f.yaml:2:75: h2.header-bytes: 48 has no unit: write it with B, KB, MB, GB, KiB, "
		"MiB or "
		"GiB, or auto\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_are_the_documented_ones),
		cmocka_unit_test(values),
		cmocka_unit_test(mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
