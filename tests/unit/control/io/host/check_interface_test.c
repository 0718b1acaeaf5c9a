// SPDX-License-Identifier: BSD-3-Clause
// Each problem is made on an interface of a private namespace, found, mended by what the line says,
// and gone.
#include "control/io/host/check_interface.h"

#include "control/io/host/link.h"
#include "control/io/host/netns.h"
#include "control/io/host/offload.h"
#include "control/io/host/request.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static bool have_namespace;

// The lines of a check, valid until the next one.
static const char *
problems_of(const struct host_check *check, int count)
{
	static char text[4096];
	FILE *to = fmemopen(text, sizeof(text), "w");

	assert_non_null(to);
	memset(text, 0, sizeof(text));
	assert_int_equal(host_check_interface(check, to), count);
	fclose(to);
	return text;
}

static void
need_root(void)
{
	if (!have_namespace)
		skip();
}

// Makes an interface "x" with all of a veth's offloads, MTU as given.
static void
make_veth(unsigned mtu)
{
	struct nlattr *info;
	struct request r;

	request_start(&r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(r.message, IFLA_IFNAME, "x");
	mnl_attr_put_u32(r.message, IFLA_MTU, mtu);
	info = mnl_attr_nest_start(r.message, IFLA_LINKINFO);
	mnl_attr_put_strz(r.message, IFLA_INFO_KIND, "veth");
	mnl_attr_nest_end(r.message, info);
	assert_int_equal(request_send(&r, NULL, NULL), 0);
}

static void
offloads_are_named_with_their_command(void **state)
{
	struct host_check check = {.interface = "x", .af_xdp = true, .mtu_max = 1700};
	const char *text;

	(void)state;
	need_root();
	make_veth(1500);
	assert_int_equal(link_set_up("x"), 0);
	text = problems_of(&check, 1);
	assert_non_null(strstr(text, "roost: warning: x: offloads are on"));
	assert_non_null(strstr(text, "ethtool -K x tx off gso off tso off"));
	// What the command does.
	assert_int_equal(offload_clear("x", (1u << OFFLOAD_COUNT) - 1), 0);
	assert_string_equal(problems_of(&check, 0), "");
	assert_int_equal(link_delete("x"), 0);
}

static void
an_mtu_is_named(void **state)
{
	struct host_check check = {.interface = "x", .af_xdp = true, .mtu_max = 1700};

	(void)state;
	need_root();
	make_veth(9000);
	assert_int_equal(offload_clear("x", (1u << OFFLOAD_COUNT) - 1), 0);
	assert_string_equal(problems_of(&check, 1),
			    "roost: warning: x: MTU 9000 is more than the 1700 the port carries: "
			    "ip link set x mtu 1700\n");
	assert_int_equal(link_delete("x"), 0);
}

static int
make_bridge_over_x(void)
{
	struct link_info bridge;
	struct nlattr *info;
	struct request r;
	int error;

	request_start(&r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(r.message, IFLA_IFNAME, "br7");
	info = mnl_attr_nest_start(r.message, IFLA_LINKINFO);
	mnl_attr_put_strz(r.message, IFLA_INFO_KIND, "bridge");
	mnl_attr_nest_end(r.message, info);
	error = request_send(&r, NULL, NULL);
	if (error == 0 && link_get("br7", &bridge) == 0) {
		request_start(&r, RTM_NEWLINK, 0, sizeof(struct ifinfomsg));
		mnl_attr_put_strz(r.message, IFLA_IFNAME, "x");
		mnl_attr_put_u32(r.message, IFLA_MASTER, (uint32_t)bridge.index);
		error = request_send(&r, NULL, NULL);
	}
	return error;
}

static void
a_bridge_is_named(void **state)
{
	struct host_check check = {.interface = "x"};

	(void)state;
	need_root();
	make_veth(1500);
	assert_int_equal(offload_clear("x", (1u << OFFLOAD_COUNT) - 1), 0);
	assert_int_equal(link_set_up("x"), 0);
	if (make_bridge_over_x() == -EOPNOTSUPP) {
		link_delete("x");
		skip(); // a kernel without bridges
	}
	assert_string_equal(problems_of(&check, 1),
			    "roost: warning: x: it is a port of bridge br7, which never passes PFC "
			    "frames: ip link set x nomaster\n");
	assert_int_equal(link_delete("br7"), 0);
	assert_string_equal(problems_of(&check, 0), "");
	assert_int_equal(link_delete("x"), 0);
}

static void
what_is_absent_is_an_error(void **state)
{
	struct host_check check = {.interface = "no-such-iface"};

	(void)state;
	assert_string_equal(problems_of(&check, -ENODEV), "");
	check.netns = "roost-no-such-namespace";
	assert_string_equal(problems_of(&check, -ENOENT), "");
	check.netns = NULL;
	check.interface = "a-name-that-is-too-long";
	assert_string_equal(problems_of(&check, -ENODEV), "");
}

static int
start(void **state)
{
	int previous;

	(void)state;
	if (geteuid() != 0)
		return 0;
	if (netns_enter_private(&previous) != 0)
		return -1;
	close(previous);
	have_namespace = true;
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offloads_are_named_with_their_command),
		cmocka_unit_test(an_mtu_is_named),
		cmocka_unit_test(a_bridge_is_named),
		cmocka_unit_test(what_is_absent_is_an_error),
	};

	return cmocka_run_group_tests(tests, start, NULL);
}
