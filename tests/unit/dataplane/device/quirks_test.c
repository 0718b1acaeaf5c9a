// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/device/quirks.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
finds_drivers_by_the_name_before_the_number(void **state)
{
	(void)state;
	assert_string_equal(quirks_find("net_af_xdp12,iface=x")->driver, "net_af_xdp");
	assert_string_equal(quirks_find("net_pcap0,rx_pcap=a1,tx_pcap=b2")->driver, "net_pcap");
	assert_string_equal(quirks_find("net_null")->driver, "net_null");
	assert_string_equal(quirks_find("0000:03:00.0")->driver, "");
	assert_string_equal(quirks_find("03:00.1,arg=1")->driver, "");
	assert_null(quirks_find("net_af_xd0"));
	assert_null(quirks_find("net_af_xdpp0"));
	assert_null(quirks_find(""));
	assert_null(quirks_find(",iface=x"));
	assert_null(quirks_find("0000:03:00"));
	assert_null(quirks_find("1234567890123456789012345678901234567890"));
}

static void
suggests_the_nearest_driver(void **state)
{
	(void)state;
	assert_string_equal(quirks_suggest("net_af_xpd0,iface=x"), "net_af_xdp");
	assert_string_equal(quirks_suggest("af_xdp0"), "net_af_xdp");
	assert_string_equal(quirks_suggest("tap1"), "net_tap");
	assert_string_equal(quirks_suggest("net_afpacket0"), "net_af_packet");
	assert_null(quirks_suggest("swp17,peer=spine1"));
	assert_null(quirks_suggest(""));
	assert_null(quirks_suggest("a_name_far_longer_than_any_driver_has_ever_had0"));
}

static void
adds_the_arguments_that_a_driver_needs(void **state)
{
	char out[256];

	(void)state;
	assert_int_equal(quirks_complete(quirks_find("net_af_xdp0"), "net_af_xdp0,iface=x", 2048,
					 out, sizeof(out)),
			 0);
	assert_string_equal(out, "net_af_xdp0,iface=x,busy_budget=0");
	assert_int_equal(
		quirks_complete(quirks_find("net_null0"), "net_null0", 2048, out, sizeof(out)), 0);
	assert_string_equal(out, "net_null0");
	// A packet's room in whole 64 B; a block is 256 frames, so whole pages.
	assert_int_equal(quirks_complete(quirks_find("net_af_packet0"), "net_af_packet0,iface=x",
					 2050, out, sizeof(out)),
			 0);
	assert_string_equal(out,
			    "net_af_packet0,iface=x,framesz=2048,blocksz=524288,qdisc_bypass=1");
	assert_int_equal(quirks_complete(quirks_find("net_memif0"), "net_memif0,role=server", 4400,
					 out, sizeof(out)),
			 0);
	assert_string_equal(out, "net_memif0,role=server,bsize=4352,socket-abstract=no");
}

static void
leaves_what_the_user_gave(void **state)
{
	char out[256];

	(void)state;
	assert_int_equal(quirks_complete(quirks_find("net_af_xdp0"),
					 "net_af_xdp0,busy_budget=32,iface=x", 2048, out,
					 sizeof(out)),
			 0);
	assert_string_equal(out, "net_af_xdp0,busy_budget=32,iface=x");
	// The driver's own block size goes with a frame size of the user's.
	assert_int_equal(quirks_complete(quirks_find("net_af_packet0"),
					 "net_af_packet0,iface=x,framesz=1024", 2048, out,
					 sizeof(out)),
			 0);
	assert_string_equal(out, "net_af_packet0,iface=x,framesz=1024,qdisc_bypass=1");
	// "bsize" inside another key or value is not that key.
	assert_int_equal(quirks_complete(quirks_find("net_memif0"),
					 "net_memif0,xbsize=1,secret=bsize", 2048, out,
					 sizeof(out)),
			 0);
	assert_string_equal(out, "net_memif0,xbsize=1,secret=bsize,bsize=2048,socket-abstract=no");
}

static void
refuses_what_would_overrun_a_packet(void **state)
{
	char out[256];

	(void)state;
	assert_int_equal(quirks_complete(quirks_find("net_af_packet0"),
					 "net_af_packet0,framesz=2049", 2048, out, sizeof(out)),
			 -ERANGE);
	assert_int_equal(quirks_complete(quirks_find("net_af_packet0"),
					 "net_af_packet0,iface=x,qpairs=2", 2048, out, sizeof(out)),
			 -EDOM);
	// The driver takes the last.
	assert_int_equal(quirks_complete(quirks_find("net_af_packet0"),
					 "net_af_packet0,framesz=2048,framesz=2049", 2048, out,
					 sizeof(out)),
			 -ERANGE);
	assert_int_equal(quirks_complete(quirks_find("net_af_packet0"),
					 "net_af_packet0,qpairs=1,qpairs=4", 2048, out,
					 sizeof(out)),
			 -EDOM);
	assert_int_equal(quirks_complete(quirks_find("net_memif0"), "net_memif0,bsize=9000", 2048,
					 out, sizeof(out)),
			 -ERANGE);
	assert_int_equal(
		quirks_complete(quirks_find("net_af_xdp0"), "net_af_xdp0,iface=x", 2048, out, 25),
		-ENAMETOOLONG);
	assert_int_equal(
		quirks_complete(quirks_find("net_af_xdp0"), "net_af_xdp0,iface=x", 2048, out, 10),
		-ENAMETOOLONG);
}

static void
knows_the_largest_frame(void **state)
{
	(void)state;
	// AF_XDP: the kernel keeps 256 B ahead of the frame.
	assert_int_equal(quirks_frame_max(quirks_find("net_af_xdp0"), 2048), 1792);
	// af_packet: 66 B of a ring's frame are the kernel's.
	assert_int_equal(quirks_frame_max(quirks_find("net_af_packet0"), 2060), 2048 - 66);
	assert_int_equal(quirks_frame_max(quirks_find("net_null0"), 2050), 2050);
	assert_int_equal(quirks_frame_max(quirks_find("net_af_xdp0"), 200), 0);
}

static void
finds_arguments(void **state)
{
	size_t length;

	(void)state;
	assert_memory_equal(quirks_argument("net_tap0,iface=abc,mac=fixed", "iface", &length),
			    "abc", 3);
	assert_int_equal(length, 3);
	assert_non_null(quirks_argument("net_tap0,iface=", "iface", &length));
	assert_int_equal(length, 0);
	assert_null(quirks_argument("net_tap0,iface", "iface", &length));
	assert_null(quirks_argument("iface=abc", "iface", &length));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_drivers_by_the_name_before_the_number),
		cmocka_unit_test(suggests_the_nearest_driver),
		cmocka_unit_test(adds_the_arguments_that_a_driver_needs),
		cmocka_unit_test(leaves_what_the_user_gave),
		cmocka_unit_test(refuses_what_would_overrun_a_packet),
		cmocka_unit_test(knows_the_largest_frame),
		cmocka_unit_test(finds_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
