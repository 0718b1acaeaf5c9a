// SPDX-License-Identifier: BSD-3-Clause
// Each problem is made on an interface of a private namespace, found, mended by what the line says,
// and gone.
#include "control/io/host/check_interface.h"

#include "control/io/host/link.h"
#include "control/io/host/netlink.h"
#include "control/io/host/netns.h"
#include "control/io/host/offload.h"

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

struct lines {
	char text[8][512];
	unsigned count;
};

static bool have_namespace;

static void
keep(const char *line, void *arg)
{
	struct lines *lines = arg;

	assert_true(lines->count < 8);
	snprintf(lines->text[lines->count++], sizeof(lines->text[0]), "%s", line);
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
	_Alignas(NETLINK_ALIGN) char buffer[NETLINK_BYTES];
	struct nlmsghdr *request = netlink_message(buffer, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct nlattr *info;
	struct netlink nl;

	mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(request, IFLA_IFNAME, "x");
	mnl_attr_put_u32(request, IFLA_MTU, mtu);
	info = mnl_attr_nest_start(request, IFLA_LINKINFO);
	mnl_attr_put_strz(request, IFLA_INFO_KIND, "veth");
	mnl_attr_nest_end(request, info);
	assert_int_equal(netlink_open(&nl), 0);
	assert_int_equal(netlink_talk(&nl, request, NULL, NULL), 0);
	netlink_close(&nl);
}

static void
offloads_are_named_with_their_command(void **state)
{
	struct host_check check = {.interface = "x", .af_xdp = true, .mtu_max = 1700};
	struct lines lines = {.count = 0};

	(void)state;
	need_root();
	make_veth(1500);
	assert_int_equal(link_set_up("x"), 0);
	assert_int_equal(host_check_interface(&check, keep, &lines), 1);
	assert_int_equal(lines.count, 1);
	assert_non_null(strstr(lines.text[0], "x: offloads are on"));
	assert_non_null(strstr(lines.text[0], "ethtool -K x tx off gso off tso off"));
	// What the command does.
	assert_int_equal(offload_clear("x", (1u << OFFLOAD_COUNT) - 1), 0);
	assert_int_equal(host_check_interface(&check, keep, &lines), 0);
	assert_int_equal(link_delete("x"), 0);
}

static void
mtu_and_state_are_named(void **state)
{
	struct host_check check = {.interface = "x", .af_xdp = true, .mtu_max = 1700};
	struct lines lines = {.count = 0};

	(void)state;
	need_root();
	make_veth(9000);
	assert_int_equal(offload_clear("x", (1u << OFFLOAD_COUNT) - 1), 0);
	assert_int_equal(host_check_interface(&check, keep, &lines), 2);
	assert_string_equal(
		lines.text[0],
		"x: MTU 9000 is more than the 1700 the port carries: ip link set x mtu 1700");
	assert_string_equal(lines.text[1], "x: it is down: ip link set x up");
	assert_int_equal(link_delete("x"), 0);
}

static int
make_bridge_over_x(void)
{
	_Alignas(NETLINK_ALIGN) char buffer[NETLINK_BYTES];
	struct nlmsghdr *request = netlink_message(buffer, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct link_info bridge;
	struct nlattr *info;
	struct netlink nl;
	int error;

	mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(request, IFLA_IFNAME, "br7");
	info = mnl_attr_nest_start(request, IFLA_LINKINFO);
	mnl_attr_put_strz(request, IFLA_INFO_KIND, "bridge");
	mnl_attr_nest_end(request, info);
	assert_int_equal(netlink_open(&nl), 0);
	error = netlink_talk(&nl, request, NULL, NULL);
	if (error == 0 && link_get("br7", &bridge) == 0) {
		request = netlink_message(buffer, RTM_NEWLINK, 0);
		mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
		mnl_attr_put_strz(request, IFLA_IFNAME, "x");
		mnl_attr_put_u32(request, IFLA_MASTER, (uint32_t)bridge.index);
		error = netlink_talk(&nl, request, NULL, NULL);
	}
	netlink_close(&nl);
	return error;
}

static void
a_bridge_is_named(void **state)
{
	struct host_check check = {.interface = "x"};
	struct lines lines = {.count = 0};

	(void)state;
	need_root();
	make_veth(1500);
	assert_int_equal(offload_clear("x", (1u << OFFLOAD_COUNT) - 1), 0);
	assert_int_equal(link_set_up("x"), 0);
	if (make_bridge_over_x() == -EOPNOTSUPP) {
		link_delete("x");
		skip(); // a kernel without bridges
	}
	assert_int_equal(host_check_interface(&check, keep, &lines), 1);
	assert_string_equal(lines.text[0], "x: it is a port of bridge br7, which never passes PFC "
					   "frames: ip link set x nomaster");
	assert_int_equal(link_delete("br7"), 0);
	assert_int_equal(host_check_interface(&check, keep, &lines), 0);
	assert_int_equal(link_delete("x"), 0);
}

static void
what_is_not_there_is_said(void **state)
{
	struct host_check check = {.interface = "no-such-iface"};
	struct lines lines = {.count = 0};

	(void)state;
	assert_int_equal(host_check_interface(&check, keep, &lines), -ENODEV);
	assert_int_equal(lines.count, 1);
	assert_non_null(strstr(lines.text[0], "no-such-iface: no such interface"));
	check.netns = "roost-no-such-namespace";
	assert_int_equal(host_check_interface(&check, keep, &lines), -ENOENT);
	assert_non_null(strstr(lines.text[1], "no namespace roost-no-such-namespace"));
	check.netns = NULL;
	check.interface = "a-name-that-is-too-long";
	assert_int_equal(host_check_interface(&check, keep, &lines), -ENODEV);
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
		cmocka_unit_test(mtu_and_state_are_named),
		cmocka_unit_test(a_bridge_is_named),
		cmocka_unit_test(what_is_not_there_is_said),
	};

	return cmocka_run_group_tests(tests, start, NULL);
}
