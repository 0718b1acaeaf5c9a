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
	assert_int_equal(h.congestion, CONGESTION_NONE);
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
	assert_int_equal(h.ip_second, 0);
	assert_int_equal(h.qps, 1);
	assert_int_equal(h.start_jitter_ps, 0);
	assert_int_equal(h.clock_ppm, 0);
	assert_int_equal(h.header_bytes, -1);
	assert_int_equal(h.ack_bytes, -1);
	assert_true(h.inside_rate_bps == 3600000000000);
	assert_int_equal(h.inside_delay_ps, 1000000);
	assert_false(h.pxn);
	assert_int_equal(h.drain_rate_bps, 0);
	assert_int_equal(h.drain_buffer_bytes, 1000000);
	assert_int_equal(h.stall.every_ps, 0);
	assert_int_equal(h.pause_storm.priorities, 0);
	config_free(c);
}

static void
the_defaults_of_congestion_control(void **state)
{
	struct config *c = load_good(FABRIC);
	struct host_config h;

	(void)state;
	assert_int_equal(config_host(c, "h1", &h), 0);
	assert_true(h.parameters.dcqcn.gain == 1.0 / 256);
	assert_int_equal(h.parameters.dcqcn.alpha_timer, 55000000);
	assert_int_equal(h.parameters.dcqcn.rate_timer, 55000000);
	assert_int_equal(h.parameters.dcqcn.byte_counter, 10000000);
	assert_int_equal(h.parameters.dcqcn.fast_recovery, 5);
	assert_int_equal(h.parameters.dcqcn.rate_ai_bps, 40000000);
	assert_int_equal(h.parameters.dcqcn.rate_hai_bps, 200000000);
	assert_int_equal(h.parameters.dcqcn.rate_min_bps, 10000000);
	assert_true(h.parameters.dcqcn_mlx.gain == 1.0 / 256);
	assert_int_equal(h.parameters.dcqcn_mlx.alpha_interval, 1000000);
	assert_int_equal(h.parameters.dcqcn_mlx.decrease_interval, 4000000);
	assert_int_equal(h.parameters.dcqcn_mlx.increase_timer, 300000000);
	assert_int_equal(h.parameters.dcqcn_mlx.fast_recovery, 1);
	assert_int_equal(h.parameters.dcqcn_mlx.rate_ai_bps, 0);
	assert_int_equal(h.parameters.dcqcn_mlx.rate_hai_bps, 0);
	assert_int_equal(h.parameters.dcqcn_mlx.rate_min_bps, 100000000);
	assert_false(h.parameters.dcqcn_mlx.clamp_target);
	assert_int_equal(h.parameters.window.size_bytes, 0);
	assert_int_equal(h.parameters.rtt.queue_target, 20000000);
	assert_int_equal(h.parameters.rtt.scaling_range, 20000000);
	assert_true(h.parameters.rtt.scaling_min == 1.0 / 10);
	assert_int_equal(h.parameters.rtt.scaling_max, 100);
	assert_true(h.parameters.rtt.increase == 1);
	assert_true(h.parameters.rtt.decrease == 4.0 / 5);
	assert_true(h.parameters.rtt.max_decrease == 1.0 / 2);
	assert_true(h.parameters.rtt.min_packets == 1.0 / 1000);
	assert_int_equal(h.parameters.rtt.max_window_bytes, 0);
	config_free(c);
}

// The transport decides what `auto` is.
static void
ultra_ethernet(void **state)
{
	struct config *c = load_good(
		FABRIC "hosts: {transport: uet, uet: {paths: 128, spray: reps, credits: on}}\n"
		       "h2: {congestion: none, uet: {ack-every: 1, grant: 8, unsolicited: 32}}\n"
		       "h3: {transport: roce}\n");
	struct host_config h;

	(void)state;
	assert_int_equal(config_host(c, "h1", &h), 0);
	assert_int_equal(h.transport, NIC_TRANSPORT_UET);
	assert_int_equal(h.congestion, CONGESTION_NSCC);
	assert_int_equal(h.sprayed[NIC_TRANSPORT_UET].paths, 128);
	assert_int_equal(h.uet.spray, ENTROPY_REPS);
	assert_int_equal(h.sprayed[NIC_TRANSPORT_UET].ack_every, 4);
	assert_true(h.uet.credits);
	assert_int_equal(h.uet.grant, 4);
	assert_int_equal(h.uet.unsolicited, 1);
	assert_int_equal(h.parameters.nscc.target_delay, 0);
	assert_int_equal(h.parameters.nscc.max_window_bytes, 0);
	assert_true(h.parameters.nscc.decrease == 0.8);
	assert_true(h.parameters.nscc.delay_gain == 1.0 / 80);
	assert_int_equal(h.parameters.nscc.fair_packets, 5);
	assert_int_equal(h.parameters.nscc.proportional_packets, 4);
	assert_true(h.parameters.nscc.fast_gain == 0.25);
	assert_true(h.parameters.nscc.periodic_gain == 0.15);
	assert_int_equal(h.parameters.nscc.adjust_packets, 8);
	assert_true(h.parameters.nscc.quick_adapt);
	assert_int_equal(h.parameters.nscc.quick_gate, 3);
	assert_int_equal(config_host(c, "h2", &h), 0);
	assert_int_equal(h.congestion, CONGESTION_NONE);
	assert_int_equal(h.sprayed[NIC_TRANSPORT_UET].paths, 128);
	assert_int_equal(h.sprayed[NIC_TRANSPORT_UET].ack_every, 1);
	assert_int_equal(h.uet.grant, 8);
	assert_int_equal(h.uet.unsolicited, 32);
	assert_int_equal(config_host(c, "h3", &h), 0);
	assert_int_equal(h.transport, NIC_TRANSPORT_ROCE);
	assert_int_equal(h.congestion, CONGESTION_NONE);
	config_free(c);
}

// A host's own section changes what it names and leaves the rest.
static void
values_of_congestion_control(void **state)
{
	struct config *c = load_good(
		FABRIC
		"hosts:\n"
		"  recovery: selective\n"
		"  congestion: dcqcn\n"
		"  dcqcn: {gain: 5/1024, alpha-timer: 60us, rate-timer: 70us, byte-counter: "
		"5MB, fast-recovery: 3,\n"
		"    rate-ai: 20M, rate-hai: 100M, min-rate: 1M}\n"
		"h2: {congestion: dcqcn-mlx, dcqcn: {gain: 1/16}, dcqcn-mlx: {gain: 1/1, "
		"alpha-interval: 2us,\n"
		"  decrease-interval: 8us, increase-timer: 900us, fast-recovery: 5, rate-ai: "
		"10M, rate-hai: 50M,\n"
		"  min-rate: 1G, clamp-target: on}}\n"
		"h3: {congestion: window, window: {size: 64KB}, recovery: go-back-0, dcqcn-mlx: "
		"{rate-ai: auto}}\n"
		"h4: {congestion: rtt, rtt: {queue-target: 30us, scaling-range: 0us, "
		"scaling-min: 1/4,\n"
		"  scaling-max: 4, increase: 1/8, decrease: 1/5, max-decrease: 1/3, min-window: "
		"1/50,\n"
		"  max-window: 5KB}}\n");
	struct host_config h;

	(void)state;
	assert_int_equal(config_host(c, "h1", &h), 0);
	assert_int_equal(h.recovery, CONFIG_RECOVERY_SELECTIVE);
	assert_int_equal(h.congestion, CONGESTION_DCQCN);
	assert_true(h.parameters.dcqcn.gain == 5.0 / 1024);
	assert_int_equal(h.parameters.dcqcn.alpha_timer, 60000000);
	assert_int_equal(h.parameters.dcqcn.rate_timer, 70000000);
	assert_int_equal(h.parameters.dcqcn.byte_counter, 5000000);
	assert_int_equal(h.parameters.dcqcn.fast_recovery, 3);
	assert_int_equal(h.parameters.dcqcn.rate_ai_bps, 20000000);
	assert_int_equal(h.parameters.dcqcn.rate_hai_bps, 100000000);
	assert_int_equal(h.parameters.dcqcn.rate_min_bps, 1000000);
	assert_int_equal(config_host(c, "h2", &h), 0);
	assert_int_equal(h.congestion, CONGESTION_DCQCN_MLX);
	assert_true(h.parameters.dcqcn.gain == 1.0 / 16);
	assert_int_equal(h.parameters.dcqcn.alpha_timer, 60000000);
	assert_true(h.parameters.dcqcn_mlx.gain == 1);
	assert_int_equal(h.parameters.dcqcn_mlx.alpha_interval, 2000000);
	assert_int_equal(h.parameters.dcqcn_mlx.decrease_interval, 8000000);
	assert_int_equal(h.parameters.dcqcn_mlx.increase_timer, 900000000);
	assert_int_equal(h.parameters.dcqcn_mlx.fast_recovery, 5);
	assert_int_equal(h.parameters.dcqcn_mlx.rate_ai_bps, 10000000);
	assert_int_equal(h.parameters.dcqcn_mlx.rate_hai_bps, 50000000);
	assert_int_equal(h.parameters.dcqcn_mlx.rate_min_bps, 1000000000);
	assert_true(h.parameters.dcqcn_mlx.clamp_target);
	assert_int_equal(config_host(c, "h3", &h), 0);
	assert_int_equal(h.congestion, CONGESTION_WINDOW);
	assert_int_equal(h.parameters.window.size_bytes, 64000);
	assert_int_equal(h.recovery, CONFIG_RECOVERY_GO_BACK_0);
	assert_int_equal(config_host(c, "h4", &h), 0);
	assert_int_equal(h.congestion, CONGESTION_RTT);
	assert_int_equal(h.parameters.rtt.queue_target, 30000000);
	assert_int_equal(h.parameters.rtt.scaling_range, 0);
	assert_true(h.parameters.rtt.scaling_min == 1.0 / 4);
	assert_int_equal(h.parameters.rtt.scaling_max, 4);
	assert_true(h.parameters.rtt.increase == 1.0 / 8);
	assert_true(h.parameters.rtt.decrease == 1.0 / 5);
	assert_true(h.parameters.rtt.max_decrease == 1.0 / 3);
	assert_true(h.parameters.rtt.min_packets == 1.0 / 50);
	assert_int_equal(h.parameters.rtt.max_window_bytes, 5000);
	config_free(c);
}

static void
values_of_mrc(void **state)
{
	struct config *c = load_good(FABRIC
				     "hosts: {transport: mrc}\n"
				     "h2: {mrc: {paths: 128, ack-every: 16, deny-planes: [1, 8], "
				     "probe-interval: 1ms},\n"
				     "  congestion: none}\n"
				     "h3: {mrc: {deny-planes: []}}\n");
	struct host_config h;

	(void)state;
	assert_int_equal(config_host(c, "h1", &h), 0);
	assert_int_equal(h.transport, NIC_TRANSPORT_MRC);
	assert_int_equal(h.congestion, CONGESTION_NSCC);
	assert_int_equal(h.sprayed[NIC_TRANSPORT_MRC].paths, 32);
	assert_int_equal(h.sprayed[NIC_TRANSPORT_MRC].ack_every, 4);
	assert_int_equal(h.mrc.denied, 0);
	assert_int_equal(h.mrc.probe_interval, 100000000);
	assert_int_equal(config_host(c, "h2", &h), 0);
	assert_int_equal(h.congestion, CONGESTION_NONE);
	assert_int_equal(h.sprayed[NIC_TRANSPORT_MRC].paths, 128);
	assert_int_equal(h.sprayed[NIC_TRANSPORT_MRC].ack_every, 16);
	assert_int_equal(h.mrc.denied, 0x81);
	assert_int_equal(h.mrc.probe_interval, 1000000000);
	assert_int_equal(config_host(c, "h3", &h), 0);
	assert_int_equal(h.mrc.denied, 0);
	config_free(c);
}

// A stall or storm is whole: `none` in a host's own section takes it back, a map replaces it.
static void
values_of_misbehaviour(void **state)
{
	struct config *c = load_good(
		FABRIC "hosts: {inside: {rate: 900G, delay: 2us}, pxn: on, drain-rate: 50G, "
		       "drain-buffer: 256KiB,\n"
		       "  stall: {every: 1ms, for: 100us}, pause-storm: {from: 1us, to: 2ms, "
		       "priority: [3, 4]}}\n"
		       "h2: {drain-rate: none, stall: none, pause-storm: none}\n"
		       "h3: {pause-storm: {to: 5us}, inside: {delay: 0ns}}\n");
	struct host_config h;

	(void)state;
	assert_int_equal(config_host(c, "h1", &h), 0);
	assert_int_equal(h.inside_rate_bps, 900000000000);
	assert_int_equal(h.inside_delay_ps, 2000000);
	assert_true(h.pxn);
	assert_int_equal(h.drain_rate_bps, 50000000000);
	assert_int_equal(h.drain_buffer_bytes, 262144);
	assert_int_equal(h.stall.every_ps, 1000000000);
	assert_int_equal(h.stall.for_ps, 100000000);
	assert_int_equal(h.pause_storm.from_ps, 1000000);
	assert_int_equal(h.pause_storm.to_ps, 2000000000);
	assert_int_equal(h.pause_storm.priorities, 1 << 3 | 1 << 4);
	assert_int_equal(config_host(c, "h2", &h), 0);
	assert_int_equal(h.drain_rate_bps, 0);
	assert_int_equal(h.stall.every_ps, 0);
	assert_int_equal(h.pause_storm.priorities, 0);
	assert_int_equal(config_host(c, "h3", &h), 0);
	assert_int_equal(h.pause_storm.from_ps, 0);
	assert_int_equal(h.pause_storm.to_ps, 5000000);
	assert_int_equal(h.pause_storm.priorities, 1 << 3);
	assert_int_equal(h.inside_rate_bps, 900000000000);
	assert_int_equal(h.inside_delay_ps, 0);
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

// The first of two versions is what simulated NICs use; either order is.
static void
both_versions_of_ip(void **state)
{
	struct config *c = load_good(FABRIC "hosts: {ip: [4, 6]}\nh2: {ip: 6}\nh3: {ip: [6, 4]}\n"
					    "h4: {ip: [4]}\n");
	static const struct {
		const char *host;
		uint8_t first, second;
		bool uses_ip6;
	} hosts[] = {
		{"h1", 4, 6, true}, {"h2", 6, 0, true}, {"h3", 6, 4, true}, {"h4", 4, 0, false}};
	struct host_config h;

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		assert_int_equal(config_host(c, hosts[i].host, &h), 0);
		assert_int_equal(h.ip_version, hosts[i].first);
		assert_int_equal(h.ip_second, hosts[i].second);
		assert_int_equal(config_host_uses_ip6(&h), hosts[i].uses_ip6);
	}
	config_free(c);
	expect_messages(FABRIC "hosts: {ip: [4, 4]}\nh1: {ip: [4, 6, 4]}\nh2: {ip: []}\n"
			       "h3: {ip: [6, 5]}\n",
			"f.yaml:2:17: hosts.ip: the list has 4 twice\n"
			"f.yaml:3:10: h1.ip: needs 4, 6, or both: [4, 6]\n"
			"f.yaml:4:10: h2.ip: needs 4, 6, or both: [4, 6]\n"
			"f.yaml:5:14: h3.ip: \"5\" is not one of 4, 6\n");
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
	expect_messages(FABRIC "hosts: {dscp: 64, ip: 5, congestion: dctcp, header-bytes: 48}\n",

			"f.yaml:2:15: hosts.dscp: 64 is out of range: 0 to 63, or auto\n"
			"f.yaml:2:23: hosts.ip: \"5\" is not one of 4, 6\n"
			"f.yaml:2:38: hosts.congestion: \"dctcp\" is not one of auto, none, "
			"dcqcn, dcqcn-mlx, window, nscc, rtt; did you mean \"dcqcn\"?\n"
			"f.yaml:2:59: hosts.header-bytes: 48 has no unit: write it with B, KB, MB, "
			"GB, KiB, MiB or GiB, or auto\n");
}

static void
mistakes_of_congestion_control(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "hosts:\n"
		       "  dcqcn: {gain: 0.5, alpha-timer: 55, byte-counter: 1KB, rate-ai: 0}\n"
		       "  dcqcn-mlx: {gain: 3/2, clamp-target: 1, min-rate: 9T, timer: 1us}\n"
		       "  window: {size: 0B}\n"
		       "h1: {dcqcn: {gain: /256}, dcqcn-mlx: {gain: 1/, rate-ai: none}, "
		       "window: 64KB}\n",

		"f.yaml:3:17: hosts.dcqcn.gain: \"0.5\" is not a fraction such as 1/256\n"
		"f.yaml:3:35: hosts.dcqcn.alpha-timer: 55 has no unit: write it with ps, ns, us, "
		"ms or s\n"
		"f.yaml:3:53: hosts.dcqcn.byte-counter: 1KB is out of range: 16KB to 1024GiB\n"
		"f.yaml:3:67: hosts.dcqcn.rate-ai: 0 has no unit: write it with K, M, G or T (bits "
		"per second)\n"
		"f.yaml:4:21: hosts.dcqcn-mlx.gain: 3/2 is out of range: 1 at most\n"
		"f.yaml:4:40: hosts.dcqcn-mlx.clamp-target: \"1\" is not true or false\n"
		"f.yaml:4:53: hosts.dcqcn-mlx.min-rate: 9T is out of range: 1M to 8T\n"
		"f.yaml:4:57: hosts.dcqcn-mlx.timer: unknown key\n"
		"f.yaml:5:18: hosts.window.size: 0B is out of range: 1B to 1024GiB, or auto\n"
		"f.yaml:6:20: h1.dcqcn.gain: \"/256\" is not a fraction such as 1/256\n"
		"f.yaml:6:45: h1.dcqcn-mlx.gain: \"1/\" is not a fraction such as 1/256\n"
		"f.yaml:6:58: h1.dcqcn-mlx.rate-ai: \"none\" is not a rate: write a number and K, "
		"M, G or T (bits per second), or auto\n"
		"f.yaml:6:73: h1.window: expected a map of keys and values, found one value\n");
}

static void
mistakes_of_misbehaviour(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "h1: {drain-rate: 1M, drain-buffer: 1KB, pxn: maybe}\n"
		       "h2: {stall: {every: 1ms}, pause-storm: {}}\n"
		       "h3: {stall: {every: 1ms, for: 1ms}, pause-storm: {from: 2us, to: 2us}}\n"
		       "h4: {stall: 1ms, pause-storm: {to: 1ms, priority: []}, inside: {rate: 0}}\n"
		       "hosts: {pause-storm: {to: 1ms, priority: 8}}\n",

		"f.yaml:2:18: h1.drain-rate: 1M is out of range: 10M to 8T, or none\n"
		"f.yaml:2:36: h1.drain-buffer: 1KB is out of range: 16KB to 1GiB\n"
		"f.yaml:2:46: h1.pxn: \"maybe\" is not true or false\n"
		"f.yaml:3:13: h2.stall: needs \"for\": how long it lasts\n"
		"f.yaml:3:40: h2.pause-storm: needs \"to\": the XON\n"
		"f.yaml:4:31: h3.stall: stalls of 1ms every 1ms: the receiver would never go on\n"
		"f.yaml:4:66: h3.pause-storm: ends at 2us, not after it begins at 2us\n"
		"f.yaml:5:13: h4.stall: expected a map of keys and values, found one value\n"
		"f.yaml:5:51: h4.pause-storm: a storm of no priority\n"
		"f.yaml:5:71: h4.inside.rate: 0 has no unit: write it with K, M, G or T (bits per "
		"second)\n"
		"f.yaml:6:42: hosts.pause-storm.priority: 8 is out of range: 0 to 7\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_defaults_are_the_documented_ones),
		cmocka_unit_test(the_defaults_of_congestion_control),
		cmocka_unit_test(ultra_ethernet),
		cmocka_unit_test(values),
		cmocka_unit_test(values_of_congestion_control),
		cmocka_unit_test(values_of_mrc),
		cmocka_unit_test(values_of_misbehaviour),
		cmocka_unit_test(both_versions_of_ip),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(mistakes_of_congestion_control),
		cmocka_unit_test(mistakes_of_misbehaviour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
