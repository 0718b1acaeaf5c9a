// SPDX-License-Identifier: BSD-3-Clause
// The process stands in a private namespace, as a fabric does, with the pair's other end in a named
// one. The last test opens the pair with AF_XDP and moves packets both ways.
#include "control/io/host/veth.h"

#include "control/io/host/check_interface.h"
#include "control/io/host/link.h"
#include "control/io/host/netns.h"
#include "control/io/host/offload.h"
#include "dataplane/device/burst.h"
#include "dataplane/device/eal.h"
#include "dataplane/device/pool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <net/if_arp.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define PACKETS 8192
#define MTU 1500
#define PORT 4791
#define BURST 200

// The af_xdp driver never frees its UMEM's description; for builds with the leak sanitizer.
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
	return "leak:xsk_umem__create\n";
}

static char netns[64];
static int netns_fd = -1;
static const uint8_t host_mac[6] = {2, 0, 0, 0, 1, 1};
static const uint8_t switch_mac[6] = {2, 0, 0, 0, 0, 1};

static int
make_pair(bool ipv6, struct diag *diag)
{
	const struct veth_address addresses[] = {
		{AF_INET, {10, 1, 0, 2}, 24},
		{AF_INET6, {0xfd, 0, [15] = 2}, 64},
	};
	const struct veth_route routes[] = {
		{{AF_INET, {0}, 0}, {AF_INET, {10, 1, 0, 1}, 32}},
		{{AF_INET6, {0xfd}, 8}, {AF_INET6, {0xfd, 0, [15] = 1}, 128}},
	};
	struct veth_options options = {
		.netns_fd = netns_fd,
		.netns = netns,
		.host_name = "eth1",
		.switch_name = "leaf1.swp1",
		.fabric = "lab",
		.mtu = MTU,
		.addresses = addresses,
		.address_count = ipv6 ? 2 : 1,
		.routes = routes,
		.route_count = ipv6 ? 2 : 1,
	};

	memcpy(options.host_mac, host_mac, 6);
	memcpy(options.switch_mac, switch_mac, 6);
	return veth_create(&options, diag);
}

static void
need_root(void)
{
	if (netns_fd < 0)
		skip();
}

static int
look_at_host(void *arg)
{
	char text[64] = "";
	uint32_t on = ~0u;
	FILE *file;

	assert_int_equal(link_get("eth1", arg), 0);
	assert_int_equal(offload_get("eth1", &on), 0);
	assert_int_equal(on, 0);
	file = fopen("/proc/sys/net/ipv6/conf/eth1/disable_ipv6", "re");
	if (file != NULL) {
		assert_non_null(fgets(text, sizeof(text), file));
		fclose(file);
		assert_string_equal(text, "1\n");
	}
	return 0;
}

static void
both_ends_are_as_a_fabric_needs_them(void **state)
{
	const struct host_check check = {.interface = "eth1", .netns = netns, .mtu_max = MTU};
	struct link_info host, ours;
	struct diag diag = {0};

	(void)state;
	need_root();
	assert_int_equal(make_pair(false, &diag), 0);
	assert_int_equal(netns_run(netns_fd, look_at_host, &host), 0);
	assert_int_equal(link_get("leaf1.swp1", &ours), 0);
	assert_string_equal(host.kind, "veth");
	assert_int_equal(host.mtu, MTU);
	assert_int_equal(ours.mtu, MTU);
	assert_true(host.up && ours.up);
	assert_int_equal(host_check_interface(&check, stderr), 0);
	assert_int_equal(link_delete("leaf1.swp1"), 0);
	assert_int_equal(link_get("leaf1.swp1", &ours), -ENODEV);
}

static int
make_foreign_eth1(void *arg)
{
	struct veth_options options = {
		.netns_fd = *(int *)arg,
		.netns = netns,
		.host_name = "foreign",
		.fabric = "other",
		.switch_name = "eth1",
		.host_mac = {2, 9},
		.switch_mac = {2, 8},
		.mtu = MTU,
	};
	struct diag diag = {0};

	return veth_create(&options, &diag);
}

static int
delete_eth1(void *arg)
{
	(void)arg;
	return link_delete("eth1");
}

static void
an_interface_of_that_name_is_left_alone(void **state)
{
	int here = netns_open(NULL);
	struct link_info info;
	struct diag diag = {0};

	(void)state;
	need_root();
	assert_int_equal(netns_run(netns_fd, make_foreign_eth1, &here), 0);
	assert_int_equal(make_pair(false, &diag), -EEXIST);
	assert_non_null(strstr(diag_first_error(&diag), "link del eth1"));
	assert_non_null(strstr(diag_first_error(&diag), netns));
	assert_int_equal(link_get("leaf1.swp1", &info), -ENODEV);
	assert_int_equal(netns_run(netns_fd, delete_eth1, NULL), 0);
	close(here);
	diag_free(&diag);
}

static void
a_pair_that_cannot_be_finished_is_not_there(void **state)
{
	const struct veth_address bad = {AF_INET, {10, 1, 0, 2}, 77};
	const struct veth_options options = {
		.netns_fd = netns_fd,
		.netns = netns,
		.host_name = "eth1",
		.switch_name = "swp9",
		.fabric = "lab",
		.host_mac = {2},
		.switch_mac = {2, 1},
		.mtu = MTU,
		.addresses = &bad,
		.address_count = 1,
	};
	struct link_info info;
	struct diag diag = {0};

	(void)state;
	need_root();
	assert_int_not_equal(veth_create(&options, &diag), 0);
	assert_non_null(strstr(diag_first_error(&diag), "adding its address"));
	assert_int_equal(link_get("swp9", &info), -ENODEV);
	diag_free(&diag);
}

// ---- packets through AF_XDP ---------------------------------------------------------------------

// There is no leaf that would answer ARP for the gateway.
static void
know_gateway(int fd)
{
	struct sockaddr_in gateway = {.sin_family = AF_INET};
	struct arpreq entry = {.arp_flags = ATF_COM | ATF_PERM, .arp_dev = "eth1"};

	inet_pton(AF_INET, "10.1.0.1", &gateway.sin_addr);
	memcpy(&entry.arp_pa, &gateway, sizeof(gateway));
	entry.arp_ha.sa_family = ARPHRD_ETHER;
	memcpy(entry.arp_ha.sa_data, switch_mac, 6);
	assert_int_equal(ioctl(fd, SIOCSARP, &entry), 0);
}

static int
open_udp(void *arg)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)arg;
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	know_gateway(fd);
	return fd;
}

// The next UDP packet that the fabric's end receives; the kernel may speak on its own in between.
static struct rte_mbuf *
receive_udp(struct device *device)
{
	for (int i = 0; i < 10000; i++) {
		struct rte_mbuf *m;

		if (device_rx_burst(device, &m, 1) == 0) {
			usleep(100);
			continue;
		}
		if (packet_meta(m)->data_len >= 42 && packet_data(m)[23] == IPPROTO_UDP)
			return m;
		rte_pktmbuf_free(m);
	}
	fail_msg("nothing came");
	return NULL;
}

// Swaps MAC addresses, IPv4 addresses and UDP ports; no checksum changes by that.
static void
turn_around(uint8_t *frame)
{
	uint8_t kept[6];

	memcpy(kept, frame, 6);
	memcpy(frame, frame + 6, 6);
	memcpy(frame + 6, kept, 6);
	memcpy(kept, frame + 26, 4);
	memcpy(frame + 26, frame + 30, 4);
	memcpy(frame + 30, kept, 4);
	memcpy(kept, frame + 34, 2);
	memcpy(frame + 34, frame + 36, 2);
	memcpy(frame + 36, kept, 2);
}

// Sends `count` datagrams of `bytes` from the host, one after the other, and has each come back.
static void
echo(struct device *device, int udp, unsigned count, size_t bytes)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	uint8_t sent[MTU], got[MTU];

	to.sin_addr.s_addr = htonl(0x0a090909); // somewhere behind the default route
	for (unsigned i = 0; i < count; i++) {
		struct pollfd ready = {.fd = udp, .events = POLLIN};
		struct rte_mbuf *m;

		memset(sent, (int)(i + 1), bytes);
		assert_int_equal(sendto(udp, sent, bytes, 0, (struct sockaddr *)&to, sizeof(to)),
				 bytes);
		m = receive_udp(device);
		assert_int_equal(packet_meta(m)->data_len, 42 + bytes);
		assert_memory_equal(packet_data(m), switch_mac, 6);
		assert_memory_equal(packet_data(m) + 6, host_mac, 6);
		assert_memory_equal(packet_data(m) + 42, sent, bytes);
		turn_around(packet_data(m));
		device_tx_prepare(m);
		assert_int_equal(device_tx_burst(device, &m, 1), 1);
		assert_int_equal(poll(&ready, 1, 5000), 1);
		assert_int_equal(recv(udp, got, sizeof(got), 0), bytes);
		assert_memory_equal(got, sent, bytes);
	}
}

static void
a_burst_is_not_lost(struct device *device, int udp)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	unsigned got = 0;
	uint32_t i;

	to.sin_addr.s_addr = htonl(0x0a090909);
	for (i = 0; i < BURST; i++)
		assert_int_equal(sendto(udp, &i, sizeof(i), 0, (struct sockaddr *)&to, sizeof(to)),
				 sizeof(i));
	for (got = 0; got < BURST; got++) {
		struct rte_mbuf *m = receive_udp(device);

		memcpy(&i, packet_data(m) + 42, sizeof(i));
		assert_int_equal(i, got); // in order, none missing
		rte_pktmbuf_free(m);
	}
}

static int
host_counters(void *arg)
{
	return link_get("eth1", arg);
}

static void
af_xdp_carries_packets_both_ways_without_loss(void **state)
{
	struct pool_options pool_options = {.name = "veth-test",
					    .packets = PACKETS,
					    .private_bytes = PACKET_META_BYTES,
					    .room = 2048,
					    .one_chunk = true};
	struct device_options options = {
		.spec = "net_af_xdp0,iface=leaf1.swp1", .mtu = MTU, .netns_fd = -1};
	struct link_info ours, host;
	struct device_stats stats;
	struct device *device;
	struct diag diag = {0};
	char err[256];
	int udp;

	(void)state;
	need_root();
	assert_int_equal(make_pair(true, &diag), 0);
	assert_int_equal(pool_create(&options.pool, &pool_options, err, sizeof(err)), 0);
	if (device_open(&device, &options, err, sizeof(err)) != 0)
		fail_msg("%s", err);
	assert_int_equal(device->frame_max, 1792);
	udp = netns_run(netns_fd, open_udp, NULL);
	echo(device, udp, 50, 1);
	echo(device, udp, 50, MTU - 28);
	a_burst_is_not_lost(device, udp);

	assert_int_equal(device_stats(device, &stats), 0);
	assert_int_equal(stats.rx_missed + stats.rx_errors + stats.rx_no_mbuf + stats.tx_errors, 0);
	assert_int_equal(stats.tx_packets, 100);
	assert_int_equal(link_get("leaf1.swp1", &ours), 0);
	assert_int_equal(netns_run(netns_fd, host_counters, &host), 0);
	assert_int_equal(ours.rx_dropped + ours.tx_dropped + host.rx_dropped + host.tx_dropped, 0);
	assert_true(ours.xdp);
	close(udp);

	device_close(device);
	assert_int_equal(link_get("leaf1.swp1", &ours), 0);
	assert_false(ours.xdp);
	// What the driver does not release by itself does not stand in the way of the next.
	if (device_open(&device, &options, err, sizeof(err)) != 0)
		fail_msg("%s", err);
	udp = netns_run(netns_fd, open_udp, NULL);
	echo(device, udp, 1, 100);
	close(udp);
	device_close(device);
	pool_destroy(options.pool);
	assert_int_equal(link_delete("leaf1.swp1"), 0);
}

static int
start(void **state)
{
	struct eal_options eal = {.prefix = netns, .hugepages = EAL_HUGEPAGES_OFF, .memory_mb = 64};
	struct diag diag = {0};
	char err[256] = "";
	bool created;
	int previous;

	(void)state;
	snprintf(netns, sizeof(netns), "roost-veth-test-%d", (int)getpid());
	if (geteuid() != 0)
		return 0;
	if (netns_enter_private(&previous) != 0 ||
	    netns_create(netns, "demo", &created, &diag) != 0 ||
	    eal_start(&eal, err, sizeof(err)) != 0) {
		print_error("%s%s\n", diag_first_error(&diag), err);
		return -1;
	}
	close(previous);
	netns_fd = netns_open(netns);
	return netns_fd < 0;
}

static int
stop(void **state)
{
	(void)state;
	if (netns_fd < 0)
		return 0;
	eal_stop();
	close(netns_fd);
	return netns_delete(netns);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_are_as_a_fabric_needs_them),
		cmocka_unit_test(an_interface_of_that_name_is_left_alone),
		cmocka_unit_test(a_pair_that_cannot_be_finished_is_not_there),
		cmocka_unit_test(af_xdp_carries_packets_both_ways_without_loss),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
