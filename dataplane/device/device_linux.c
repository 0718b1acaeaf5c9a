// SPDX-License-Identifier: BSD-3-Clause
#include "device_linux.h"

#include "interface.h"
#include "log_capture.h"
#include "quirks.h"
#include "dataplane/device/xdp/steering.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define DEVICE_XSK_LINGER_NS 100000000
#define DEVICE_WHY_MAX 256

static struct timespec xsk_closed; // control: rw; when an AF_XDP socket was last closed

int
device_fail(const struct device_error *e, int error, const char *format, ...)
{
	int used = snprintf(e->text, e->bytes, "%s: ", e->spec);
	va_list list;

	va_start(list, format);
	if (used >= 0 && (size_t)used < e->bytes)
		vsnprintf(e->text + used, e->bytes - (size_t)used, format, list);
	va_end(list);
	return error;
}

// A driver that cannot attach its program never gives the packets back that it holds by then, and
// does not say why. The kernel does: the MTU of a veth, or of its far end, may be too large. For a
// veth this costs nothing; a NIC may take its link down, and is not tried.
static int
device_try_program(const struct device *d, const struct device_error *e)
{
	struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};
	struct log_capture log;
	const char *said, *message;
	int error;

	if (interface_ethtool(d->control_fd, d->interface, &driver) != 0 ||
	    strcmp(driver.driver, "veth") != 0)
		return 0;
	log_capture_begin(&log);
	error = interface_try_xdp(d->index);
	said = log_capture_end(&log);
	message = strstr(said, "message: ");
	if (error != 0)
		device_fail(e, -EIO, "no XDP program can be attached to %s: %s", d->interface,
			    message != NULL ? message + strlen("message: ") : strerror(-error));
	log_capture_free(&log);
	return error != 0 ? -EIO : 0;
}

// No other XDP program may be on the interface.
static int
device_check_program(const struct device *d, const struct device_options *o,
		     const struct device_error *e)
{
	char why[DEVICE_WHY_MAX];
	int error;

	if (!o->steered && interface_xdp_program(d->index) != 0)
		return device_fail(e, -EBUSY,
				   "an XDP program is attached to %s: ip link set %s xdp off",
				   d->interface, d->interface);
	error = o->steered ? steering_make_room(d->index, why, sizeof(why)) : 0;
	if (error != 0)
		return device_fail(e, error, "%s: %s", d->interface, why);
	return device_try_program(d, e);
}

int
device_name_interface(const struct device_quirks *quirks, char name[static IFNAMSIZ],
		      const struct device_error *e)
{
	size_t length = 0;
	const char *value = quirks_argument(e->spec, "iface", &length);

	if (value == NULL && (quirks->flags & QUIRK_MAKES_INTERFACE))
		return device_fail(e, -EINVAL, "which interface should it make? add ,iface=NAME");
	if (value == NULL)
		return device_fail(e, -EINVAL, "which interface? add ,iface=NAME");
	if (length == 0 || length >= IFNAMSIZ)
		return device_fail(e, -EINVAL, "an interface's name has 1 to %d characters",
				   IFNAMSIZ - 1);
	snprintf(name, IFNAMSIZ, "%.*s", (int)length, value);
	return 0;
}

int
device_prepare_interface(struct device *d, const struct device_options *o,
			 const struct device_error *e)
{
	int mtu, error = device_name_interface(d->quirks, d->interface, e);

	if (error != 0)
		return error;
	d->control_fd = interface_socket();
	if (d->control_fd < 0)
		return device_fail(e, d->control_fd, "%s", strerror(-d->control_fd));
	error = interface_index(d->control_fd, d->interface, &d->index);
	if (d->quirks->flags & QUIRK_MAKES_INTERFACE) {
		if (error == 0)
			return device_fail(e, -EEXIST,
					   "there is an interface %s already: choose another name",
					   d->interface);
		return 0;
	}
	if (error != 0)
		return device_fail(e, -ENODEV, "no interface %s in this namespace", d->interface);
	mtu = interface_mtu(d->control_fd, d->interface);
	if ((d->quirks->flags & QUIRK_INTERFACE_MTU) && mtu >= 0 && mtu < o->mtu)
		return device_fail(e, -EINVAL, "%s has MTU %d: ip link set %s mtu %u", d->interface,
				   mtu, d->interface, o->mtu);
	error = d->quirks->flags & QUIRK_XDP ? device_check_program(d, o, e) : 0;
	if (error != 0)
		return error;
	if (d->quirks->flags & QUIRK_INTERFACE_UP) {
		error = interface_set_up(d->control_fd, d->interface);
		if (error != 0)
			return device_fail(e, error, "cannot bring %s up: %s", d->interface,
					   strerror(-error));
	}
	return 0;
}

void
device_remove_stale_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat file;
	int fd;

	if (strlen(path) >= sizeof(address.sun_path) || lstat(path, &file) != 0 ||
	    !S_ISSOCK(file.st_mode))
		return;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 &&
	    errno == ECONNREFUSED)
		unlink(path);
	close(fd);
}

int
device_add_steering(char *spec, size_t spec_bytes, const struct device_error *e)
{
	char path[STEERING_PATH_MAX];
	size_t length = strlen(spec);
	int fd = steering_open_object(path);
	int used;

	if (fd < 0)
		return device_fail(e, fd, "no memory for its XDP program: %s", strerror(-fd));
	used = snprintf(spec + length, spec_bytes - length, ",xdp_prog=%s", path);
	if (used >= 0 && (size_t)used < spec_bytes - length)
		return fd;
	close(fd);
	return device_fail(e, -EINVAL, "longer than %zu characters", spec_bytes - 1);
}

int
device_take_steering(struct device *d, const struct device_error *e)
{
	char why[DEVICE_WHY_MAX];
	int error = steering_take(&d->steering, d->index, why, sizeof(why));

	return error == 0 ? 0 : device_fail(e, error, "%s: %s", d->interface, why);
}

// The kernel lets go of a closed socket's queue a moment later; opened again within it, the device
// would be busy.
static void
device_xsk_await(void)
{
	struct timespec now, wait;
	uint64_t since_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	since_ns = (uint64_t)(now.tv_sec - xsk_closed.tv_sec) * 1000000000 + (uint64_t)now.tv_nsec -
		   (uint64_t)xsk_closed.tv_nsec;
	if (since_ns >= DEVICE_XSK_LINGER_NS)
		return;
	wait = (struct timespec){.tv_nsec = (long)(DEVICE_XSK_LINGER_NS - since_ns)};
	nanosleep(&wait, NULL);
}

static void
device_list_sockets(struct device_sockets *sockets, int family)
{
	sockets->count = interface_list_sockets(family, sockets->fds, RTE_MAX_ETHPORTS);
}

static bool
device_had_socket(const struct device_sockets *before, int fd)
{
	for (unsigned i = 0; i < before->count; i++)
		if (before->fds[i] == fd)
			return true;
	return false;
}

void
device_xsk_before(struct device_sockets *sockets)
{
	device_xsk_await();
	device_list_sockets(sockets, AF_XDP);
	sockets->bpf_count = interface_list_bpf(sockets->bpf, DEVICE_BPF_MAX);
}

int
device_xsk_new(const struct device_sockets *before)
{
	int now[RTE_MAX_ETHPORTS + 1];
	unsigned count = interface_list_sockets(AF_XDP, now, RTE_MAX_ETHPORTS + 1);

	for (unsigned i = 0; i < count; i++)
		if (!device_had_socket(before, now[i]))
			return now[i];
	return -1;
}

void
device_packet_before(struct device_sockets *sockets)
{
	device_list_sockets(sockets, AF_PACKET);
}

int
device_packet_new(const struct device_sockets *before, int index)
{
	int now[RTE_MAX_ETHPORTS + 1];
	unsigned count = interface_list_sockets(AF_PACKET, now, RTE_MAX_ETHPORTS + 1);

	for (unsigned i = 0; i < count; i++)
		if (!device_had_socket(before, now[i]) &&
		    interface_of_packet_socket(now[i]) == index)
			return now[i];
	return -1;
}

void
device_xsk_close(int fd)
{
	struct device_sockets open;

	device_list_sockets(&open, AF_XDP);
	if (device_had_socket(&open, fd))
		close(fd);
	clock_gettime(CLOCK_MONOTONIC, &xsk_closed);
}

void
device_bpf_new(const struct device_sockets *before, uint64_t *ids, unsigned room)
{
	struct interface_bpf now[DEVICE_BPF_MAX];
	unsigned count = interface_list_bpf(now, DEVICE_BPF_MAX), found = 0;

	for (unsigned i = 0; i < count && found < room; i++) {
		unsigned j = 0;

		while (j < before->bpf_count && before->bpf[j].id != now[i].id)
			j++;
		if (j == before->bpf_count)
			ids[found++] = now[i].id;
	}
}

void
device_bpf_close(const uint64_t *ids, unsigned count)
{
	struct interface_bpf now[DEVICE_BPF_MAX];
	unsigned open = ids[0] != 0 ? interface_list_bpf(now, DEVICE_BPF_MAX) : 0;

	for (unsigned i = 0; i < open; i++)
		for (unsigned k = 0; k < count; k++)
			if (now[i].id == ids[k])
				close(now[i].fd);
}
