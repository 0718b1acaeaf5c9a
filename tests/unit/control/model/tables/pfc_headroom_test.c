// SPDX-License-Identifier: BSD-3-Clause
// SONiC's headroom formula against the rows that it reproduces of sonic-buildimage's
// device/mellanox/x86_64-nvidia_sn5600-r0/ACS-SN5600/pg_profile_lookup.ini (cell 192, MTU 9100,
// lossless MTU 1500, all packets small), and against figures computed from sonic-swss's
// cfgmgr/buffer_headroom_mellanox.lua.
#include "control/model/tables/pfc_headroom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define G UINT64_C(1000000000)

static uint64_t
formula(uint64_t gbps, uint64_t metres, uint32_t lossless_mtu, uint32_t small_percent)
{
	const struct headroom_input in = {
		.rate_bps = gbps * G,
		.cable_mm = metres * 1000,
		.mtu = 9100,
		.lossless_mtu = lossless_mtu,
		.small_packets_ppm = small_percent * 10000,
		.cell = 192,
	};

	return headroom_formula(&in).xoff;
}

static void
test_device_rows(void **state)
{
	static const struct {
		uint64_t gbps, metres, xoff;
	} rows[] = {
		{100, 5, 113664},  {100, 40, 126976},  {100, 300, 225280}, {400, 5, 231424},
		{400, 40, 283648}, {400, 300, 677888}, {800, 40, 362496},  {800, 300, 1150976},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(formula(rows[i].gbps, rows[i].metres, 1500, 100), rows[i].xoff);
}

static void
test_template_rows(void **state)
{
	(void)state;
	assert_int_equal(formula(100, 40, 1024, 50), 53248);
	assert_int_equal(formula(400, 40, 1024, 50), 117760);
	assert_int_equal(formula(100, 5, 1024, 50), 47104);
	assert_int_equal(formula(25, 5, 1024, 50), 20480);
}

// 133120 of the row 100G 5m is 113664 of XOFF and 19456 of XON.
static void
test_xon(void **state)
{
	(void)state;
	assert_int_equal(formula(100, 5, 1500, 100) + HEADROOM_XON_BYTES, 133120);
}

// A rate without a row takes the fallback of 3.8 KB: 1500 + 3 x (9100 + 819.2 + 3891.2 + 120 ns of
// it), no cable, is 43231.2 + 540 at 12 Gb/s, 43 KB rounded up.
static void
test_other_rate(void **state)
{
	(void)state;
	assert_int_equal(formula(12, 0, 1500, 100), 43 * 1024);
}

// 10 Gb/s, 1 us away, MTU 1500, two tags: 2 x (1522 + 24) + 84 + 2500 = 5676 bytes pass on the
// wire. In cells of one byte frames of 1522 fill the most, 5676 x 1522 / 1546; in cells of 192
// those of 60 do, a cell for each 84 bytes. Beside them stands the frame that called for the pause.
static void
test_needed(void **state)
{
	const struct headroom_input in = {
		.rate_bps = 10 * G, .mtu = 1500, .lossless_mtu = 1500, .cell = 1};
	const struct headroom_input wide = {
		.rate_bps = 10 * G, .mtu = 1500, .lossless_mtu = 1500, .cell = 192};
	uint64_t needed = headroom_needed(&in, 1000000, 0, 24).needed;

	(void)state;
	assert_int_equal(needed, 5588 + 1522);
	// Latency at both ends counts as length does.
	assert_int_equal(headroom_needed(&in, 400000, 600000, 24).needed, needed);
	assert_int_equal(headroom_needed(&wide, 1000000, 0, 24).needed, (68 + 8) * 192);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_rows), cmocka_unit_test(test_template_rows),
		cmocka_unit_test(test_xon),         cmocka_unit_test(test_other_rate),
		cmocka_unit_test(test_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
