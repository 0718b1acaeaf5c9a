// SPDX-License-Identifier: BSD-3-Clause
// One end of the pair is in the fabric's private namespace (netns_enter_private()), so that a pair
// never outlives its fabric; the other is in the host's. The settings:
// - one queue each way: AF_XDP reads one queue, and one queue keeps packets in order;
// - offloads off at both ends: there is no NIC to finish checksums, cut segments or insert tags;
// - a FIFO qdisc at the host's end: since Linux 6.16 a veth whose 256-entry ring is full stops a
//   qdisc instead of dropping, so a host that sends faster than the fabric waits in its own socket;
// - no neighbours: the leaf answers ARP and ND for the gateway;
// - no IPv6 if it is not used, otherwise no router solicitations and no duplicate address
//   detection:
//   the fabric would count them as drops.
#include "veth.h"

#include "link.h"
#include "netns.h"
#include "offload.h"
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define VETH_OFFLOADS_ALL ((1u << OFFLOAD_COUNT) - 1)
#define VETH_QDISC_PACKETS 10000
#define VETH_FABRIC_BYTES 64
#define VETH_GONE_TRIES 100
#define VETH_GONE_WAIT_NS 20000000

// The set-up of one pair, with the present step for an error.
struct veth_setup {
	const struct veth_options *options;
	const struct veth_address *old_addresses; // to be removed
	int index;                                // of the host's end
	bool restoring;                           // a route may be there
	const char *step;
	char why[sizeof(((struct request *)NULL)->why)]; // the kernel's words on it
	bool exists;                                     // an interface of that name
	char fabric[VETH_FABRIC_BYTES];                  // that it belongs to; empty: to none
};

static unsigned
veth_address_bytes(const struct veth_address *address)
{
	return address->family == AF_INET6 ? 16 : 4;
}

static bool
veth_wants_ipv6(const struct veth_options *o)
{
	for (unsigned i = 0; i < o->address_count; i++) {
		if (o->addresses[i].family == AF_INET6)
			return true;
	}
	return false;
}

static int
veth_set_ipv6(const char *interface, bool on)
{
	static const char *const quiet[][2] = {
		{"accept_dad", "0"},           {"accept_ra", "0"},
		{"router_solicitations", "0"}, {"addr_gen_mode", "1"}, // no link-local address
		{"disable_ipv6", "0"},
	};
	int error = 0;

	if (!on)
		return link_set_ipv6(interface, "disable_ipv6", "1");
	for (size_t i = 0; error == 0 && i < sizeof(quiet) / sizeof(quiet[0]); i++)
		error = link_set_ipv6(interface, quiet[i][0], quiet[i][1]);
	return error;
}

static void
veth_put_end(struct nlmsghdr *request, const char *name, const uint8_t mac[6], unsigned mtu)
{
	mnl_attr_put_strz(request, IFLA_IFNAME, name);
	mnl_attr_put(request, IFLA_ADDRESS, 6, mac);
	mnl_attr_put_u32(request, IFLA_MTU, mtu);
	mnl_attr_put_u32(request, IFLA_NUM_TX_QUEUES, 1);
	mnl_attr_put_u32(request, IFLA_NUM_RX_QUEUES, 1);
}

// Sends a request and keeps the kernel's words on it.
static int
veth_send(struct veth_setup *setup, struct request *request)
{
	int error = request_send(request, NULL, NULL);

	memcpy(setup->why, request->why, sizeof(setup->why));
	return error;
}

static int
veth_make_pair(struct veth_setup *setup)
{
	const struct veth_options *o = setup->options;
	struct request r;
	struct nlattr *info, *data, *peer;

	setup->step = "creating the veth pair";
	request_start(&r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, sizeof(struct ifinfomsg));
	veth_put_end(r.message, o->switch_name, o->switch_mac, o->mtu);
	info = mnl_attr_nest_start(r.message, IFLA_LINKINFO);
	mnl_attr_put_strz(r.message, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(r.message, IFLA_INFO_DATA);
	peer = mnl_attr_nest_start(r.message, VETH_INFO_PEER);
	// The peer's description is a link message of its own: header, then attributes.
	mnl_nlmsg_put_extra_header(r.message, sizeof(struct ifinfomsg));
	veth_put_end(r.message, o->host_name, o->host_mac, o->mtu);
	mnl_attr_put_u32(r.message, IFLA_NET_NS_FD, (uint32_t)o->netns_fd);
	mnl_attr_nest_end(r.message, peer);
	mnl_attr_nest_end(r.message, data);
	mnl_attr_nest_end(r.message, info);
	return veth_send(setup, &r);
}

// type: RTM_NEWADDR or RTM_DELADDR.
static int
veth_change_address(struct veth_setup *setup, uint16_t type, const struct veth_address *address)
{
	uint16_t flags = type == RTM_NEWADDR ? NLM_F_CREATE | NLM_F_REPLACE : 0;
	struct request r;
	struct ifaddrmsg *header = request_start(&r, type, flags, sizeof(*header));

	header->ifa_family = (uint8_t)address->family;
	header->ifa_prefixlen = (uint8_t)address->prefix_length;
	header->ifa_flags = address->family == AF_INET6 ? IFA_F_PERMANENT | IFA_F_NODAD
							: IFA_F_PERMANENT;
	header->ifa_index = (uint32_t)setup->index;
	mnl_attr_put(r.message, IFA_LOCAL, veth_address_bytes(address), address->bytes);
	mnl_attr_put(r.message, IFA_ADDRESS, veth_address_bytes(address), address->bytes);
	return veth_send(setup, &r);
}

static int
veth_add_addresses(struct veth_setup *setup)
{
	int error = 0;

	setup->step = "adding its address";
	for (unsigned i = 0; error == 0 && i < setup->options->address_count; i++)
		error = veth_change_address(setup, RTM_NEWADDR, &setup->options->addresses[i]);
	return error;
}

static int
veth_add_route(struct veth_setup *setup, const struct veth_route *route)
{
	const struct veth_address *destination = &route->destination, *gateway = &route->gateway;
	struct request r;
	struct rtmsg *header =
		request_start(&r, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, sizeof(*header));
	int error;

	setup->step = "adding its route";
	header->rtm_family = (uint8_t)gateway->family;
	header->rtm_dst_len = (uint8_t)destination->prefix_length;
	header->rtm_table = route->table != 0 ? route->table : RT_TABLE_MAIN;
	header->rtm_protocol = RTPROT_STATIC;
	header->rtm_type = RTN_UNICAST;
	header->rtm_flags = RTNH_F_ONLINK;
	if (destination->prefix_length > 0)
		mnl_attr_put(r.message, RTA_DST, veth_address_bytes(destination),
			     destination->bytes);
	mnl_attr_put(r.message, RTA_GATEWAY, veth_address_bytes(gateway), gateway->bytes);
	mnl_attr_put_u32(r.message, RTA_OIF, (uint32_t)setup->index);
	if (route->metric != 0)
		mnl_attr_put_u32(r.message, RTA_PRIORITY, route->metric);
	error = veth_send(setup, &r);
	return error == -EEXIST && setup->restoring ? 0 : error;
}

static int
veth_add_qdisc(struct veth_setup *setup)
{
	const struct tc_fifo_qopt limit = {.limit = VETH_QDISC_PACKETS};
	struct request r;
	struct tcmsg *header =
		request_start(&r, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, sizeof(*header));

	setup->step = "setting its queue discipline";
	header->tcm_ifindex = setup->index;
	header->tcm_parent = TC_H_ROOT;
	mnl_attr_put_strz(r.message, TCA_KIND, "pfifo");
	mnl_attr_put(r.message, TCA_OPTIONS, sizeof(limit), &limit);
	return veth_send(setup, &r);
}

// The host's end, but for addresses and routes.
static int
veth_ready_host(struct veth_setup *setup)
{
	const struct veth_options *o = setup->options;
	int error;

	setup->step = "setting its alias";
	error = link_set_fabric(o->host_name, o->fabric);
	if (error != 0)
		return error;
	setup->step = "setting its IPv6";
	error = veth_set_ipv6(o->host_name, veth_wants_ipv6(o));
	if (error != 0)
		return error;
	setup->step = "turning its offloads off";
	error = offload_clear(o->host_name, VETH_OFFLOADS_ALL);
	if (error == 0)
		error = veth_add_qdisc(setup);
	if (error != 0)
		return error;
	setup->step = "bringing it up";
	return link_set_up(o->host_name);
}

static int
veth_find_host(struct veth_setup *setup)
{
	setup->step = "looking it up";
	setup->index = (int)if_nametoindex(setup->options->host_name);
	return setup->index == 0 ? -errno : 0;
}

// In the host's namespace.
static int
veth_configure_host(void *arg)
{
	struct veth_setup *setup = arg;
	const struct veth_options *o = setup->options;
	int error = veth_find_host(setup);

	if (error == 0 && !setup->restoring)
		error = veth_ready_host(setup);
	if (error == 0)
		error = veth_add_addresses(setup);
	for (unsigned i = 0; error == 0 && i < o->route_count; i++)
		error = veth_add_route(setup, &o->routes[i]);
	return error;
}

// In the host's namespace.
static int
veth_swap_addresses(void *arg)
{
	struct veth_setup *setup = arg;
	int error = veth_find_host(setup);

	if (error == 0)
		error = veth_add_addresses(setup);
	for (unsigned i = 0; error == 0 && i < setup->options->address_count; i++) {
		setup->step = "removing its old address";
		error = veth_change_address(setup, RTM_DELADDR, &setup->old_addresses[i]);
		if (error == -EADDRNOTAVAIL)
			error = 0;
	}
	return error;
}

static int
veth_configure_switch(struct veth_setup *setup)
{
	const char *name = setup->options->switch_name;
	int error;

	setup->step = "setting up the fabric's end";
	error = veth_set_ipv6(name, false);
	if (error == 0)
		error = offload_clear(name, VETH_OFFLOADS_ALL);
	return error != 0 ? error : link_set_up(name);
}

// In the host's namespace. The pairs of a fabric that was killed disappear a moment later: waits
// for that. Returns 0 when the name is free.
static int
veth_await_name(void *arg)
{
	static const struct timespec wait = {.tv_nsec = VETH_GONE_WAIT_NS};
	struct veth_setup *setup = arg;
	struct link_info info;

	setup->step = "checking its name";
	for (int i = 0; i < VETH_GONE_TRIES; i++) {
		int error = link_get(setup->options->host_name, &info);

		if (error != 0)
			return error == -ENODEV ? 0 : error;
		setup->fabric[0] = '\0';
		if (link_fabric(&info) == NULL)
			break;
		snprintf(setup->fabric, sizeof(setup->fabric), "%s", link_fabric(&info));
		nanosleep(&wait, NULL);
	}
	setup->exists = true;
	return -EEXIST;
}

static int
veth_fail(const struct veth_setup *setup, int error, struct diag *diag)
{
	const struct veth_options *o = setup->options;

	if (setup->exists && setup->fabric[0] != '\0')
		return diag_fail(diag, -error,
				 "namespace %s: fabric %s has attached it: take that down, or name "
				 "another namespace",
				 o->netns, setup->fabric);
	if (setup->exists)
		return diag_fail(
			diag, -error,
			"namespace %s: there is an interface %s already: %s ip link del %s",
			o->netns, o->host_name, o->enter, o->host_name);
	return diag_fail(diag, -error, "namespace %s, %s: %s: %s%s%s", o->netns, o->host_name,
			 setup->step, strerror(-error), setup->why[0] != '\0' ? ": " : "",
			 setup->why);
}

int
veth_create(const struct veth_options *o, struct diag *diag)
{
	struct veth_setup setup = {.options = o, .step = "entering the namespace"};
	int error = netns_run(o->netns_fd, veth_await_name, &setup);

	if (error == 0)
		error = veth_make_pair(&setup);
	if (error != 0)
		return veth_fail(&setup, error, diag);
	error = veth_configure_switch(&setup);
	if (error == 0)
		error = netns_run(o->netns_fd, veth_configure_host, &setup);
	if (error == 0)
		return 0;
	link_delete(o->switch_name);
	return veth_fail(&setup, error, diag);
}

int
veth_readdress(const struct veth_options *o, const struct veth_address *old, struct diag *diag)
{
	struct veth_setup setup = {
		.options = o, .old_addresses = old, .step = "entering the namespace"};
	int error = netns_run(o->netns_fd, veth_swap_addresses, &setup);

	return error != 0 ? veth_fail(&setup, error, diag) : 0;
}

int
veth_restore(const struct veth_options *o, struct diag *diag)
{
	struct veth_setup setup = {
		.options = o, .restoring = true, .step = "entering the namespace"};
	int error = netns_run(o->netns_fd, veth_configure_host, &setup);

	return error != 0 ? veth_fail(&setup, error, diag) : 0;
}
