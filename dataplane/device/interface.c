// SPDX-License-Identifier: BSD-3-Clause
#include "interface.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define INTERFACE_COUNTERS_MAX 4096 // a driver that claims more is not believed

int
interface_enter_netns(int netns_fd, int *previous)
{
	int error;

	*previous = -1;
	if (netns_fd < 0)
		return 0;
	*previous = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (*previous < 0)
		return -errno;
	if (setns(netns_fd, CLONE_NEWNET) == 0)
		return 0;
	error = -errno;
	close(*previous);
	*previous = -1;
	return error;
}

int
interface_leave_netns(int previous)
{
	int error = 0;

	if (previous < 0)
		return 0;
	if (setns(previous, CLONE_NEWNET) != 0)
		error = -errno;
	close(previous);
	return error;
}

int
interface_socket(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static int
interface_ioctl(int fd, unsigned long request, const char *name, struct ifreq *request_data)
{
	if (strlen(name) >= IFNAMSIZ)
		return -ENODEV;
	snprintf(request_data->ifr_name, IFNAMSIZ, "%s", name);
	return ioctl(fd, request, request_data) < 0 ? -errno : 0;
}

int
interface_index(int fd, const char *name, int *index)
{
	struct ifreq request = {0};
	int error = interface_ioctl(fd, SIOCGIFINDEX, name, &request);

	*index = request.ifr_ifindex;
	return error;
}

int
interface_mtu(int fd, const char *name)
{
	struct ifreq request = {0};
	int error = interface_ioctl(fd, SIOCGIFMTU, name, &request);

	return error != 0 ? error : request.ifr_mtu;
}

int
interface_set_mtu(int fd, const char *name, int mtu)
{
	struct ifreq request = {.ifr_mtu = mtu};

	return interface_ioctl(fd, SIOCSIFMTU, name, &request);
}

int
interface_mac(int fd, const char *name, uint8_t mac[static 6])
{
	struct ifreq request = {0};
	int error = interface_ioctl(fd, SIOCGIFHWADDR, name, &request);

	if (error == 0)
		memcpy(mac, request.ifr_hwaddr.sa_data, 6);
	return error;
}

int
interface_flags(int fd, int index, char *name, unsigned *flags)
{
	struct ifreq request = {.ifr_ifindex = index};

	if (ioctl(fd, SIOCGIFNAME, &request) < 0)
		return -errno;
	memcpy(name, request.ifr_name, IFNAMSIZ);
	if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return -errno;
	*flags = (unsigned short)request.ifr_flags;
	return 0;
}

int
interface_set_up(int fd, const char *name)
{
	struct ifreq request = {0};
	int error = interface_ioctl(fd, SIOCGIFFLAGS, name, &request);

	if (error != 0 || (request.ifr_flags & IFF_UP))
		return error;
	request.ifr_flags |= IFF_UP;
	return interface_ioctl(fd, SIOCSIFFLAGS, name, &request);
}

int
interface_ethtool(int fd, const char *name, void *data)
{
	struct ifreq request = {.ifr_data = data};

	return interface_ioctl(fd, SIOCETHTOOL, name, &request);
}

int
interface_counters(int fd, const char *name, interface_counter_fn fn, void *arg)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	struct ethtool_gstrings *names = NULL;
	struct ethtool_stats *values = NULL;
	int error = interface_ethtool(fd, name, &info);

	if (error != 0 || info.n_stats == 0 || info.n_stats > INTERFACE_COUNTERS_MAX)
		return error;
	names = calloc(1, sizeof(*names) + (size_t)info.n_stats * ETH_GSTRING_LEN);
	values = calloc(1, sizeof(*values) + info.n_stats * sizeof(values->data[0]));
	if (names == NULL || values == NULL) {
		error = -ENOMEM;
		goto out;
	}
	*names = (struct ethtool_gstrings){ETHTOOL_GSTRINGS, ETH_SS_STATS, info.n_stats};
	*values = (struct ethtool_stats){ETHTOOL_GSTATS, info.n_stats};
	error = interface_ethtool(fd, name, names);
	if (error == 0)
		error = interface_ethtool(fd, name, values);
	for (uint32_t i = 0;
	     error == 0 && i < names->len && i < values->n_stats && i < info.n_stats; i++) {
		char text[ETH_GSTRING_LEN + 1] = "";

		memcpy(text, names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		fn(text, values->data[i], arg);
	}
out:
	free(names);
	free(values);
	return error;
}

static bool
interface_is_of(int fd, int family)
{
	int domain = 0;
	socklen_t bytes = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) == 0 && domain == family;
}

// Calls `take` for every descriptor of the process until it has taken `max`. Returns how many it
// took.
static unsigned
interface_take_fds(bool (*take)(int fd, unsigned at, void *arg), void *arg, unsigned max)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	unsigned count = 0;

	if (directory == NULL)
		return 0;
	// "." and ".." are 0: never a descriptor of ours.
	while (count < max && (entry = readdir(directory)) != NULL)
		count += take(atoi(entry->d_name), count, arg);
	closedir(directory);
	return count;
}

struct interface_sockets {
	int family;
	int *fds;
};

static bool
interface_take_socket(int fd, unsigned at, void *arg)
{
	const struct interface_sockets *sockets = arg;

	if (!interface_is_of(fd, sockets->family))
		return false;
	sockets->fds[at] = fd;
	return true;
}

unsigned
interface_list_sockets(int family, int *fds, unsigned max)
{
	struct interface_sockets sockets = {family, fds};

	return interface_take_fds(interface_take_socket, &sockets, max);
}

// The id of what a descriptor of BPF stands for, or 0.
static uint32_t
interface_bpf_id(int fd, bool btf)
{
	struct bpf_btf_info types = {0};
	// Maps and programs begin alike: type, id.
	struct bpf_map_info other = {0};
	uint32_t bytes = btf ? sizeof(types) : sizeof(other);

	if (bpf_obj_get_info_by_fd(fd, btf ? (void *)&types : (void *)&other, &bytes) != 0)
		return 0;
	return btf ? types.id : other.id;
}

static bool
interface_take_bpf(int fd, unsigned at, void *arg)
{
	static const char *const kinds[] = {"anon_inode:btf", "anon_inode:bpf-map",
					    "anon_inode:bpf-prog"};
	struct interface_bpf *objects = arg;
	char path[64], target[64] = "";
	uint64_t kind = 0;
	uint32_t id;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, target, sizeof(target) - 1) <= 0)
		return false;
	while (kind < 3 && strcmp(target, kinds[kind]) != 0)
		kind++;
	id = kind < 3 ? interface_bpf_id(fd, kind == 0) : 0;
	objects[at] = (struct interface_bpf){fd, kind << 32 | id};
	return id != 0;
}

unsigned
interface_list_bpf(struct interface_bpf *objects, unsigned max)
{
	return interface_take_fds(interface_take_bpf, objects, max);
}

int
interface_xsk_dropped(int xsk, uint64_t *dropped)
{
	struct xdp_statistics statistics;
	socklen_t bytes = sizeof(statistics);

	memset(&statistics, 0, sizeof(statistics));
	if (getsockopt(xsk, SOL_XDP, XDP_STATISTICS, &statistics, &bytes) != 0)
		return -errno;
	*dropped = statistics.rx_dropped + statistics.rx_ring_full;
	return 0;
}

int
interface_of_packet_socket(int fd)
{
	struct sockaddr_ll address = {0};
	socklen_t bytes = sizeof(address);

	return getsockname(fd, (struct sockaddr *)&address, &bytes) == 0 ? address.sll_ifindex : 0;
}

int
interface_packet_dropped(int fd, uint64_t *dropped)
{
	struct tpacket_stats statistics = {0};
	socklen_t bytes = sizeof(statistics);

	if (getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &statistics, &bytes) != 0)
		return -errno;
	*dropped += statistics.tp_drops;
	return 0;
}

void
interface_packet_resume(int fd)
{
	int error = 0;
	socklen_t bytes = sizeof(error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error != 0)
		(void)send(fd, NULL, 0, MSG_DONTWAIT);
}

uint32_t
interface_xdp_program(int index)
{
	uint32_t id = 0;

	return bpf_xdp_query_id(index, 0, &id) == 0 ? id : 0;
}

int
interface_try_xdp(int index)
{
	static const struct bpf_insn pass[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "roost_try", "GPL", pass, 2, NULL);
	int error;

	if (fd < 0)
		return fd;
	error = bpf_xdp_attach(index, fd, XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);
	if (error == 0)
		error = bpf_xdp_detach(index, 0, NULL);
	close(fd);
	return error;
}
