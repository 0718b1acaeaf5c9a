// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/roce/congestion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t
window_of(uint64_t size_bytes, uint64_t bdp_bytes)
{
	const struct congestion_path path = {.byte_time = time_byte_time(100000000000),
					     .path_mtu = 4096,
					     .bdp_bytes = bdp_bytes};
	const struct window_parameters parameters = {.size_bytes = size_bytes};
	struct congestion_reading r;
	struct congestion c;

	congestion_start(&c, &congestion_window, &path, &parameters);
	assert_int_equal(c.timer_at, PS_NEVER);
	assert_int_equal(c.byte_time, 0);
	congestion_window.read(&c, 0, &r);
	assert_true(r.rate_bps == 100e9 && r.target_bps == 100e9 && r.alpha == 0);
	return c.window_bytes;
}

static void
test_sizes(void **state)
{
	(void)state;
	assert_int_equal(window_of(100000, 50000), 100000);
	assert_int_equal(window_of(1, 50000), 4096);      // one packet at least
	assert_int_equal(window_of(0, 50000), 13 * 4096); // 12.2 packets fill the path
	assert_int_equal(window_of(0, 4096), 4096);
	assert_int_equal(window_of(0, 0), UINT64_MAX); // nothing is known of the path
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
