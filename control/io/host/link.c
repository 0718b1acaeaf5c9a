// SPDX-License-Identifier: BSD-3-Clause
#include "link.h"

#include "request.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static struct ifinfomsg *
link_start(struct request *request, uint16_t type, const char *name)
{
	struct ifinfomsg *header = request_start(request, type, 0, sizeof(*header));

	mnl_attr_put_strz(request->message, IFLA_IFNAME, name);
	return header;
}

// The number of an attribute; 0 if it has another size.
static uint32_t
link_number(const struct nlattr *attr)
{
	return mnl_attr_validate(attr, MNL_TYPE_U32) >= 0 ? mnl_attr_get_u32(attr) : 0;
}

static void
link_copy(char *out, size_t bytes, const struct nlattr *attr)
{
	if (mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		snprintf(out, bytes, "%s", mnl_attr_get_str(attr));
}

static int
link_on_kind(const struct nlattr *attr, void *arg)
{
	struct link_info *info = arg;

	if (mnl_attr_get_type(attr) == IFLA_INFO_KIND)
		link_copy(info->kind, sizeof(info->kind), attr);
	else if (mnl_attr_get_type(attr) == IFLA_INFO_SLAVE_KIND)
		link_copy(info->master_kind, sizeof(info->master_kind), attr);
	return MNL_CB_OK;
}

static int
link_on_xdp(const struct nlattr *attr, void *arg)
{
	struct link_info *info = arg;

	if (mnl_attr_get_type(attr) == IFLA_XDP_ATTACHED &&
	    mnl_attr_validate(attr, MNL_TYPE_U8) >= 0)
		info->xdp = mnl_attr_get_u8(attr) != XDP_ATTACHED_NONE;
	return MNL_CB_OK;
}

static void
link_copy_counters(struct link_info *info, const struct nlattr *attr)
{
	struct rtnl_link_stats64 stats;
	size_t bytes = mnl_attr_get_payload_len(attr);

	memset(&stats, 0, sizeof(stats));
	memcpy(&stats, mnl_attr_get_payload(attr), bytes < sizeof(stats) ? bytes : sizeof(stats));
	info->rx_packets = stats.rx_packets;
	info->tx_packets = stats.tx_packets;
	info->rx_dropped = stats.rx_dropped + stats.rx_missed_errors;
	info->tx_dropped = stats.tx_dropped;
	info->rx_errors = stats.rx_errors;
	info->tx_errors = stats.tx_errors;
}

static int
link_on_attr(const struct nlattr *attr, void *arg)
{
	struct link_info *info = arg;

	switch (mnl_attr_get_type(attr)) {
	case IFLA_MTU:
		info->mtu = link_number(attr);
		break;
	case IFLA_ADDRESS:
		if (mnl_attr_get_payload_len(attr) == sizeof(info->mac))
			memcpy(info->mac, mnl_attr_get_payload(attr), sizeof(info->mac));
		break;
	case IFLA_MASTER:
		if (if_indextoname(link_number(attr), info->master) == NULL)
			snprintf(info->master, sizeof(info->master), "%u", link_number(attr));
		break;
	case IFLA_CARRIER_DOWN_COUNT:
		info->carrier_downs = link_number(attr);
		break;
	case IFLA_IFALIAS:
		link_copy(info->alias, sizeof(info->alias), attr);
		break;
	case IFLA_LINKINFO:
		mnl_attr_parse_nested(attr, link_on_kind, info);
		break;
	case IFLA_XDP:
		mnl_attr_parse_nested(attr, link_on_xdp, info);
		break;
	case IFLA_STATS64:
		link_copy_counters(info, attr);
		break;
	default:
		break;
	}
	return MNL_CB_OK;
}

int
link_read(const struct nlmsghdr *answer, struct link_info *info)
{
	const struct ifinfomsg *header = mnl_nlmsg_get_payload(answer);

	if (mnl_nlmsg_get_payload_len(answer) < sizeof(*header))
		return MNL_CB_OK;
	info->index = header->ifi_index;
	info->up = header->ifi_flags & IFF_UP;
	info->running = info->up && header->ifi_flags & IFF_RUNNING;
	return mnl_attr_parse(answer, sizeof(*header), link_on_attr, info);
}

static int
link_on_answer(const struct nlmsghdr *answer, void *arg)
{
	return link_read(answer, arg);
}

int
link_get(const char *name, struct link_info *info)
{
	struct request request;

	memset(info, 0, sizeof(*info));
	if (strlen(name) >= IF_NAMESIZE)
		return -ENODEV;
	link_start(&request, RTM_GETLINK, name);
	return request_send(&request, link_on_answer, info);
}

int
link_set_fabric(const char *name, const char *fabric)
{
	struct request request;
	char alias[sizeof(((struct link_info *)NULL)->alias)];

	snprintf(alias, sizeof(alias), LINK_ALIAS "%s", fabric);
	link_start(&request, RTM_NEWLINK, name);
	mnl_attr_put_strz(request.message, IFLA_IFALIAS, alias);
	return request_send(&request, NULL, NULL);
}

const char *
link_fabric(const struct link_info *info)
{
	size_t skip = strlen(LINK_ALIAS);

	return strncmp(info->alias, LINK_ALIAS, skip) == 0 ? info->alias + skip : NULL;
}

int
link_set_ipv6(const char *name, const char *key, const char *value)
{
	char path[128];
	size_t length = strlen(value);
	int error = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/%s", name, key);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (write(fd, value, length) != (ssize_t)length)
		error = -errno;
	close(fd);
	return error;
}

static int
link_set(const char *name, unsigned flags)
{
	struct request request;
	struct ifinfomsg *header = link_start(&request, RTM_NEWLINK, name);

	header->ifi_flags = flags;
	header->ifi_change = IFF_UP;
	return request_send(&request, NULL, NULL);
}

int
link_set_up(const char *name)
{
	return link_set(name, IFF_UP);
}

int
link_set_down(const char *name)
{
	return link_set(name, 0);
}

// One of this thread's network namespace, mounted nowhere: what /sys shows may be of another.
static int
open_sysfs(void)
{
	int context = fsopen("sysfs", FSOPEN_CLOEXEC), fd, error;

	if (context < 0)
		return -errno;
	fd = fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0
		     ? fsmount(context, FSMOUNT_CLOEXEC, 0)
		     : -1;
	error = -errno;
	close(context);
	return fd >= 0 ? fd : error;
}

static DIR *
open_directory(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;

	if (directory == NULL && fd >= 0)
		close(fd);
	return directory;
}

int
link_has_upper(const char *name)
{
	const struct dirent *entry;
	char path[64];
	int found = 0, sysfs;
	DIR *directory;

	if (strlen(name) >= IF_NAMESIZE)
		return -ENODEV;
	sysfs = open_sysfs();
	if (sysfs < 0)
		return sysfs;
	snprintf(path, sizeof(path), "class/net/%s", name);
	directory = open_directory(sysfs, path);
	if (directory == NULL)
		found = errno == ENOENT ? -ENODEV : -errno;
	while (directory != NULL && found == 0 && (entry = readdir(directory)) != NULL)
		found = strncmp(entry->d_name, "upper_", strlen("upper_")) == 0;
	if (directory != NULL)
		closedir(directory);
	close(sysfs);
	return found;
}

int
link_detach_xdp(const char *name)
{
	struct request request;
	struct nlattr *xdp;

	link_start(&request, RTM_NEWLINK, name);
	xdp = mnl_attr_nest_start(request.message, IFLA_XDP);
	mnl_attr_put_u32(request.message, IFLA_XDP_FD, (uint32_t)-1);
	mnl_attr_nest_end(request.message, xdp);
	return request_send(&request, NULL, NULL);
}

int
link_delete(const char *name)
{
	struct request request;

	link_start(&request, RTM_DELLINK, name);
	return request_send(&request, NULL, NULL);
}
