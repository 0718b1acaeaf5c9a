// SPDX-License-Identifier: BSD-3-Clause
// Finds settings of a Linux interface with which a fabric would lose or damage packets unnoticed:
// - checksum and segmentation offload: the sender leaves checksums to a NIC that does not exist,
//   and sends frames of 64 KB;
// - GRO and LRO: received frames are merged into frames larger than any link carries;
// - VLAN offload: the tag is not in the frame, so XDP and packet sockets do not see it;
// - an MTU above what the driver carries: AF_XDP drops such frames uncounted;
// - a bridge: it consumes frames to 01:80:c2:00:00:01, so PFC never arrives;
// - several receive channels, or another XDP program: AF_XDP receives only a part of the packets.
// Nothing is changed, because the host is the user's.
#include "check_interface.h"

#include "link.h"
#include "netns.h"
#include "offload.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHECK_TEXT_MAX 256
#define CHECK_OFFLOADS ((1u << OFFLOAD_COUNT) - 1 - (1u << OFFLOAD_RX_CHECKSUM))

struct check_run {
	const struct host_check *check;
	FILE *to;
	int problems;
};

// One line: "roost: warning: INTERFACE: what is wrong: [ip netns exec NS ]command".
static void __attribute__((format(printf, 3, 4)))
check_report(struct check_run *run, const char *problem, const char *format, ...)
{
	const struct host_check *check = run->check;
	va_list list;

	fprintf(run->to, "roost: warning: %s: %s: ", check->interface, problem);
	if (check->netns != NULL)
		fprintf(run->to, "ip netns exec %s ", check->netns);
	va_start(list, format);
	vfprintf(run->to, format, list);
	va_end(list);
	fputc('\n', run->to);
	run->problems++;
}

static void
check_offloads(struct check_run *run)
{
	char command[CHECK_TEXT_MAX] = "";
	size_t used = 0;
	uint32_t on;

	if (offload_get(run->check->interface, &on) != 0)
		return; // no answer: it has none
	for (enum offload i = 0; i < OFFLOAD_COUNT; i++) {
		if (on & CHECK_OFFLOADS & (1u << i))
			used += (size_t)snprintf(command + used, sizeof(command) - used, " %s off",
						 offload_name(i));
	}
	if (used > 0)
		check_report(run, "offloads are on: packets reach the fabric unfinished, or merged",
			     "ethtool -K %s%s", run->check->interface, command);
}

static void
check_link(struct check_run *run, const struct link_info *info)
{
	const struct host_check *check = run->check;
	char problem[CHECK_TEXT_MAX];
	unsigned channels;

	if (check->mtu_max != 0 && info->mtu > check->mtu_max) {
		snprintf(problem, sizeof(problem), "MTU %u is more than the %u the port carries",
			 info->mtu, check->mtu_max);
		check_report(run, problem, "ip link set %s mtu %u", check->interface,
			     check->mtu_max);
	}
	if (strcmp(info->master_kind, "bridge") == 0) {
		snprintf(problem, sizeof(problem),
			 "it is a port of bridge %s, which never passes PFC frames", info->master);
		check_report(run, problem, "ip link set %s nomaster", check->interface);
	}
	if (!check->af_xdp)
		return;
	if (info->xdp)
		check_report(run, "an XDP program is attached already", "ip link set %s xdp off",
			     check->interface);
	if (offload_rx_channels(check->interface, &channels) == 0 && channels > 1) {
		snprintf(problem, sizeof(problem),
			 "it spreads packets over %u channels, the port reads one", channels);
		check_report(run, problem, "ethtool -L %s combined 1", check->interface);
	}
}

// In the interface's namespace.
static int
check_run(void *arg)
{
	struct check_run *run = arg;
	struct link_info info;
	int error = link_get(run->check->interface, &info);

	if (error != 0)
		return error;
	check_link(run, &info);
	check_offloads(run);
	return run->problems;
}

int
host_check_interface(const struct host_check *check, FILE *to)
{
	struct check_run run = {.check = check, .to = to};
	int fd = check->netns != NULL ? netns_open(check->netns) : -1;
	int result;

	if (check->netns != NULL && fd < 0)
		return fd;
	result = netns_run(fd, check_run, &run);
	if (fd >= 0)
		close(fd);
	return result;
}
