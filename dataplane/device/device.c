// SPDX-License-Identifier: BSD-3-Clause
// Opening a device is hot-plugging its driver, then the usual configure, queue set-up and start, in the network
// namespace of the interface it sits on. Two things make it more than that:
//
// - Drivers differ in what they get wrong; quirks.c lists it and this file acts on it.
// - Drivers explain themselves in several log lines. These are caught (log_capture.c) and the last becomes part
//   of one error: "net_af_xdp0,iface=veth7: no interface veth7 in this namespace".
//
// Threads: everything here is the control thread's but device_rx_burst() and device_tx_burst() (device.h), which
// belong to the one worker that owns the port.
#include "device.h"

#include "interface.h"
#include "log_capture.h"
#include "pool.h"
#include "quirks.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_errno.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEVICE_RING 1024           // descriptors, where the driver has no wish of its own
#define DEVICE_FRAME_OVERHEAD 18   // Ethernet header and one tag

#define DEVICE_XSK_LINGER_NS 100000000

static struct timespec xsk_closed; // control: rw; when an AF_XDP socket was last closed

struct device_error {
	char *text;
	size_t bytes;
	const char *spec;
};

static int __attribute__((format(printf, 3, 4)))
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

static int
device_fail_unknown(const struct device_error *e)
{
	const char *near = quirks_suggest(e->spec);

	if (near != NULL)
		return device_fail(e, -EINVAL, "no such port driver; did you mean %s0?", near);
	return device_fail(e, -EINVAL, "neither a port driver's name (net_af_xdp0, net_memif0, net_tap0, "
				       "net_pcap0, ...) nor a PCI address (0000:03:00.0)");
}

// The pool must suit the driver, and the frames of the MTU the pool.
static int
device_check_pool(struct device *d, const struct device_options *o, const struct device_error *e)
{
	unsigned room = rte_pktmbuf_data_room_size(o->pool) - RTE_PKTMBUF_HEADROOM;
	unsigned frame_max = quirks_frame_max(d->quirks, room);
	unsigned needed = o->mtu + DEVICE_FRAME_OVERHEAD;

	if (rte_pktmbuf_priv_size(o->pool) != PACKET_META_BYTES)
		return device_fail(e, -EINVAL, "its packets have no room for metadata");
	if (d->quirks->element_max != 0 && pool_element_bytes(o->pool) > d->quirks->element_max)
		return device_fail(e, -EINVAL, "%s takes packets of at most %u bytes in memory, these have %zu",
				   d->quirks->driver, d->quirks->element_max, pool_element_bytes(o->pool));
	if ((d->quirks->flags & QUIRK_ONE_CHUNK) && o->pool->nb_mem_chunks != 1)
		return device_fail(e, -EINVAL, "%s needs its packets in one piece of memory, these are in %u",
				   d->quirks->driver, o->pool->nb_mem_chunks);
	if (needed > frame_max)
		return device_fail(e, -EINVAL, "carries frames of at most %u bytes, MTU %u needs %u", frame_max,
				   o->mtu, needed);
	d->frame_max = (uint16_t)frame_max;
	return 0;
}

// Finds the Linux interface that the driver will sit on and readies it. In the interface's namespace.
static int
device_prepare_interface(struct device *d, const struct device_options *o, const struct device_error *e)
{
	size_t length = 0;
	const char *value = quirks_argument(o->spec, "iface", &length);
	int mtu, error;

	if (value == NULL && (d->quirks->flags & QUIRK_MAKES_INTERFACE))
		return device_fail(e, -EINVAL, "which interface should it make? add ,iface=NAME");
	if (value == NULL)
		return device_fail(e, -EINVAL, "which interface? add ,iface=NAME");
	if (length == 0 || length >= sizeof(d->interface))
		return device_fail(e, -EINVAL, "an interface's name has 1 to %zu characters",
				   sizeof(d->interface) - 1);
	memcpy(d->interface, value, length);
	d->control_fd = interface_socket();
	if (d->control_fd < 0)
		return device_fail(e, d->control_fd, "%s", strerror(-d->control_fd));
	error = interface_index(d->control_fd, d->interface, &d->index);
	if (d->quirks->flags & QUIRK_MAKES_INTERFACE) {
		if (error == 0)
			return device_fail(e, -EEXIST, "there is an interface %s already: choose another name",
					   d->interface);
		return 0;
	}
	if (error != 0)
		return device_fail(e, -ENODEV, "no interface %s in this namespace", d->interface);
	mtu = interface_mtu(d->control_fd, d->interface);
	if ((d->quirks->flags & QUIRK_INTERFACE_MTU) && mtu >= 0 && mtu < o->mtu)
		return device_fail(e, -EINVAL, "%s has MTU %d: ip link set %s mtu %u", d->interface, mtu,
				   d->interface, o->mtu);
	if ((d->quirks->flags & QUIRK_XDP) && interface_xdp_program(d->index) != 0)
		return device_fail(e, -EBUSY, "an XDP program is attached to %s: ip link set %s xdp off",
				   d->interface, d->interface);
	if (d->quirks->flags & QUIRK_INTERFACE_UP) {
		error = interface_set_up(d->control_fd, d->interface);
		if (error != 0)
			return device_fail(e, error, "cannot bring %s up: %s", d->interface, strerror(-error));
	}
	return 0;
}

// The port of the device named `name`. net_ring gives its port a name of its own, hence not by the port's name.
static int
device_find_port(const char *name, uint16_t *port_id)
{
	struct rte_eth_dev_info info;
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port) {
		if (rte_eth_dev_info_get(port, &info) == 0 && strcmp(rte_dev_name(info.device), name) == 0) {
			*port_id = port;
			return 0;
		}
	}
	return -ENODEV;
}

// What a library said, or else its error number. Many drivers return a bare -1, which is no EPERM.
static const char *
device_reason(const char *said, int error)
{
	if (said[0] != '\0')
		return said;
	return error == -1 ? "the driver refuses it; look at its arguments" : strerror(-error);
}

static const char *
device_bus(const struct device *d)
{
	return d->quirks->driver[0] == '\0' ? "pci" : "vdev";
}

static int
device_plug(struct device *d, const struct device_options *o, const struct device_error *e)
{
	unsigned room = rte_pktmbuf_data_room_size(o->pool) - RTE_PKTMBUF_HEADROOM;
	char completed[DEVICE_SPEC_MAX];
	struct log_capture log;
	const char *arguments;
	const char *said;
	int error = quirks_complete(d->quirks, o->spec, room, completed, sizeof(completed));

	if (error == -ERANGE)
		return device_fail(e, -EINVAL, "%s is larger than a packet, which holds %u bytes",
				   d->quirks->arguments[0].key, room);
	if (error != 0)
		return device_fail(e, -EINVAL, "longer than %d characters", DEVICE_SPEC_MAX - 1);
	if (device_find_port(d->name, &d->port_id) == 0) {
		// EAL itself probed what its start was given on PCI.
		if (strcmp(device_bus(d), "pci") == 0)
			return 0;
		return device_fail(e, -EEXIST, "%s is open already: give it another number", d->name);
	}
	arguments = strchr(completed, ',');
	log_capture_begin(&log);
	error = rte_eal_hotplug_add(device_bus(d), d->name, arguments != NULL ? arguments + 1 : "");
	said = log_capture_end(&log);
	if (error != 0)
		error = device_fail(e, -EIO, "%s", device_reason(said, error));
	else
		d->probed = true;
	log_capture_free(&log);
	if (error == 0 && device_find_port(d->name, &d->port_id) != 0)
		error = device_fail(e, -EIO, "the driver made no port");
	return error;
}

static int
device_setup_queues(const struct device *d, const struct rte_eth_dev_info *info, struct rte_mempool *pool)
{
	uint16_t rx_ring = info->default_rxportconf.ring_size;
	uint16_t tx_ring = info->default_txportconf.ring_size;
	int error;

	if (rx_ring == 0)
		rx_ring = DEVICE_RING;
	if (tx_ring == 0)
		tx_ring = DEVICE_RING;
	error = rte_eth_dev_adjust_nb_rx_tx_desc(d->port_id, &rx_ring, &tx_ring);
	if (error == 0)
		error = rte_eth_rx_queue_setup(d->port_id, 0, rx_ring, SOCKET_ID_ANY, NULL, pool);
	if (error == 0)
		error = rte_eth_tx_queue_setup(d->port_id, 0, tx_ring, SOCKET_ID_ANY, NULL);
	return error;
}

// Configures and starts a port that is plugged in. What fails is told by the library that failed.
static int
device_configure(struct device *d, const struct device_options *o)
{
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;
	int error = rte_eth_dev_info_get(d->port_id, &info);

	if (error != 0)
		return error;
	if (d->quirks->flags & QUIRK_ETHDEV_MTU)
		conf.rxmode.mtu = o->mtu;
	error = rte_eth_dev_configure(d->port_id, 1, 1, &conf);
	if (error == 0 && (d->quirks->flags & QUIRK_ETHDEV_MTU))
		error = rte_eth_dev_set_mtu(d->port_id, o->mtu);
	if (error == 0 || error == -ENOTSUP)
		error = device_setup_queues(d, &info, o->pool);
	if (error == 0 && (d->quirks->flags & QUIRK_MAKES_INTERFACE))
		error = interface_set_mtu(d->control_fd, d->interface, o->mtu);
	if (error == 0)
		error = rte_eth_dev_start(d->port_id);
	if (error != 0)
		return error;
	// Not every driver knows it; those that do not receive everything.
	error = rte_eth_promiscuous_enable(d->port_id);
	return error == -ENOTSUP ? 0 : error;
}

// The AF_XDP socket that is there now and was not before; -1 without one.
static int
device_new_xsk(const int *before, unsigned count)
{
	int now[RTE_MAX_ETHPORTS + 1];
	unsigned now_count = interface_list_xsk(now, RTE_MAX_ETHPORTS + 1);

	for (unsigned i = 0; i < now_count; i++) {
		unsigned j = 0;

		while (j < count && before[j] != now[i])
			j++;
		if (j == count)
			return now[i];
	}
	return -1;
}

// The kernel lets go of a closed socket's queue a moment later; opened again within it, the device would be busy.
static void
device_await_xsk(void)
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

// In the device's namespace.
static int
device_start(struct device *d, const struct device_options *o, const struct device_error *e)
{
	int sockets[RTE_MAX_ETHPORTS];
	unsigned socket_count = 0;
	struct log_capture log;
	const char *said;
	int error;

	if (d->quirks->flags & QUIRK_XDP) {
		device_await_xsk();
		socket_count = interface_list_xsk(sockets, RTE_MAX_ETHPORTS);
	}
	log_capture_begin(&log);
	error = device_configure(d, o);
	said = log_capture_end(&log);
	if (error != 0)
		error = device_fail(e, error == -ENOMEM ? error : -EIO, "%s", device_reason(said, error));
	log_capture_free(&log);
	if (d->quirks->flags & QUIRK_XDP)
		d->xsk_fd = device_new_xsk(sockets, socket_count);
	return error;
}

// In the device's namespace.
static int
device_bring_up(struct device *d, const struct device_options *o, const struct device_error *e)
{
	int error = 0;

	if (d->quirks->flags & QUIRK_INTERFACE)
		error = device_prepare_interface(d, o, e);
	if (error == 0)
		error = device_plug(d, o, e);
	if (error == 0)
		error = device_start(d, o, e);
	return error;
}

// Closes the socket if the driver left it open.
static void
device_close_xsk(const struct device *d)
{
	int sockets[RTE_MAX_ETHPORTS];
	unsigned count = interface_list_xsk(sockets, RTE_MAX_ETHPORTS);

	for (unsigned i = 0; i < count; i++) {
		if (sockets[i] == d->xsk_fd)
			close(d->xsk_fd);
	}
	clock_gettime(CLOCK_MONOTONIC, &xsk_closed);
}

// In the device's namespace, whatever part of it is up.
static void
device_take_down(struct device *d)
{
	struct log_capture log;

	if (!d->probed)
		return;
	// What a driver regrets on its way out changes nothing for the user.
	log_capture_begin(&log);
	rte_eth_promiscuous_disable(d->port_id);
	rte_eth_dev_stop(d->port_id);
	rte_eth_dev_close(d->port_id);
	rte_eal_hotplug_remove(device_bus(d), d->name);
	log_capture_end(&log);
	log_capture_free(&log);
	if (d->xsk_fd >= 0)
		device_close_xsk(d);
}

static void
device_free(struct device *d)
{
	if (d->control_fd >= 0)
		close(d->control_fd);
	if (d->netns_fd >= 0)
		close(d->netns_fd);
	free(d);
}

int
device_open(struct device **out, const struct device_options *o, char *err, size_t err_bytes)
{
	const struct device_error e = {err, err_bytes, o->spec};
	const struct device_quirks *quirks = quirks_find(o->spec);
	size_t name_length = strcspn(o->spec, ",");
	struct device *d;
	int error, previous;

	if (quirks == NULL)
		return device_fail_unknown(&e);
	if (name_length >= DEVICE_NAME_MAX || o->spec[name_length - 1] < '0' || o->spec[name_length - 1] > '9')
		return device_fail(&e, -EINVAL, "a device's name is its driver and a number: %s0", quirks->driver);
	d = aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN(sizeof(*d), RTE_CACHE_LINE_SIZE));
	if (d == NULL)
		return device_fail(&e, -ENOMEM, "no memory");
	*d = (struct device){
		.quirks = quirks,
		.netns_fd = -1,
		.control_fd = -1,
		.xsk_fd = -1,
	};
	memcpy(d->name, o->spec, name_length);
	error = device_check_pool(d, o, &e);
	if (error != 0)
		goto fail;
	if (o->netns_fd >= 0) {
		d->netns_fd = fcntl(o->netns_fd, F_DUPFD_CLOEXEC, 3);
		error = d->netns_fd < 0 ? -errno : 0;
	}
	if (error == 0)
		error = interface_enter_netns(d->netns_fd, &previous);
	if (error != 0) {
		device_fail(&e, error, "cannot enter its network namespace: %s", strerror(-error));
		goto fail;
	}
	error = device_bring_up(d, o, &e);
	if (error != 0)
		device_take_down(d);
	if (interface_leave_netns(previous) != 0)
		abort(); // going on in the wrong namespace would configure the wrong interfaces
	if (error != 0)
		goto fail;
	*out = d;
	return 0;
fail:
	device_free(d);
	return error;
}

void
device_close(struct device *d)
{
	int previous;

	if (d == NULL)
		return;
	// A namespace that cannot be entered any more is one whose interface is gone with it.
	if (interface_enter_netns(d->netns_fd, &previous) != 0)
		previous = -1;
	device_take_down(d);
	if (interface_leave_netns(previous) != 0)
		abort(); // as above
	device_free(d);
}

unsigned
device_packets_held(const char *spec, bool *one_chunk)
{
	const struct device_quirks *quirks = quirks_find(spec);

	if (quirks == NULL)
		return 0;
	if (quirks->flags & QUIRK_ONE_CHUNK)
		*one_chunk = true;
	return quirks->packets_held;
}

int
device_stats(const struct device *d, struct device_stats *stats)
{
	struct rte_eth_stats eth;
	uint64_t dropped;
	int error = rte_eth_stats_get(d->port_id, &eth);

	if (error != 0)
		return error;
	*stats = (struct device_stats){
		.rx_packets = eth.ipackets,
		.rx_bytes = eth.ibytes,
		.rx_missed = eth.imissed,
		.rx_errors = eth.ierrors,
		.rx_no_packet = eth.rx_nombuf,
		.rx_chained = d->rx_chained,
		.tx_packets = eth.opackets,
		.tx_bytes = eth.obytes,
		.tx_errors = eth.oerrors,
	};
	// The driver leaves out what found its ring full.
	if (d->xsk_fd >= 0 && interface_xsk_dropped(d->xsk_fd, &dropped) == 0)
		stats->rx_missed = dropped;
	return 0;
}

static int
device_driver_counters(const struct device *d, void (*fn)(const char *name, uint64_t value, void *arg), void *arg)
{
	int count = rte_eth_xstats_get_names(d->port_id, NULL, 0);
	struct rte_eth_xstat_name *names = NULL;
	struct rte_eth_xstat *values = NULL;
	int error = 0;

	if (count <= 0)
		return count;
	names = calloc((size_t)count, sizeof(*names));
	values = calloc((size_t)count, sizeof(*values));
	if (names == NULL || values == NULL) {
		error = -ENOMEM;
	} else if (rte_eth_xstats_get_names(d->port_id, names, (unsigned)count) != count ||
		   rte_eth_xstats_get(d->port_id, values, (unsigned)count) != count) {
		error = -EIO;
	}
	for (int i = 0; error == 0 && i < count; i++)
		fn(names[values[i].id].name, values[i].value, arg);
	free(names);
	free(values);
	return error;
}

int
device_counters(const struct device *d, void (*fn)(const char *name, uint64_t value, void *arg), void *arg)
{
	int error = device_driver_counters(d, fn, arg);

	if (error == 0 && d->control_fd >= 0)
		error = interface_counters(d->control_fd, d->interface, fn, arg);
	return error;
}
