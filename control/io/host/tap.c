// SPDX-License-Identifier: BSD-3-Clause
#include "tap.h"

#include "link.h"
#include "offload.h"

#include "dataplane/device/interface.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Makes an interface that goes with the descriptor, which is returned, or -errno.
static int
make(const char *name)
{
	struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_TUN_EXCL};
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC), error;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (ioctl(fd, TUNSETIFF, &request) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

// The settings that keep Linux from sending into the interface by itself, and a virtual machine's
// frames whole.
static int
set_up(const struct tap_options *o)
{
	int fd = interface_socket();
	int error = fd < 0 ? fd : interface_set_mtu(fd, o->name, (int)o->mtu);

	if (fd >= 0)
		close(fd);
	if (error == 0)
		error = link_set_ipv6(o->name, "disable_ipv6", "1");
	if (error == 0)
		error = offload_clear(o->name, (1u << OFFLOAD_COUNT) - 1);
	return error != 0 ? error : link_set_up(o->name);
}

static bool
is_of(const struct link_info *info, const char *fabric)
{
	const char *owner = link_fabric(info);

	return owner != NULL && strcmp(owner, fabric) == 0;
}

int
tap_create(const struct tap_options *o, struct diag *diag)
{
	struct link_info info;
	int fd, error;

	if (link_get(o->name, &info) == 0 && !is_of(&info, o->fabric))
		return diag_fail(
			diag, EEXIST,
			"tap %s: there is an interface of that name already: choose another, "
			"or ip link del %s",
			o->name, o->name);
	fd = info.index != 0 ? -1 : make(o->name);
	if (fd < 0 && info.index == 0)
		return diag_fail(diag, -fd, "tap %s: cannot be made: %s", o->name,
				 fd == -ENOENT ? "there is no /dev/net/tun: modprobe tun"
					       : strerror(-fd));
	// It stays without this process only once its alias says whose it is.
	error = link_set_fabric(o->name, o->fabric);
	if (error == 0)
		error = set_up(o);
	if (error == 0 && fd >= 0 && ioctl(fd, TUNSETPERSIST, 1) != 0)
		error = -errno;
	if (fd >= 0)
		close(fd);
	if (error == 0)
		return 0;
	link_delete(o->name);
	return diag_fail(diag, -error, "tap %s: cannot be set up: %s", o->name, strerror(-error));
}

bool
tap_delete(const char *name, const char *fabric)
{
	struct link_info info;

	return link_get(name, &info) == 0 && is_of(&info, fabric) && link_delete(name) == 0;
}
