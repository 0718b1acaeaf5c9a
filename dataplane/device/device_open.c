// SPDX-License-Identifier: BSD-3-Clause
// Opening a device is hot-plugging its driver, then the usual configure, queue set-up and start, in
// the network namespace of the interface it sits on. Two things make it more than that:
//
// - Drivers differ in what they get wrong; quirks.c lists it and this file acts on it.
// - Drivers explain themselves in several log lines. These are caught (log_capture.c) and one
//   becomes part of one error: "net_af_xdp0,iface=veth7: no interface veth7 in this namespace".
//
// Threads: everything here is the control thread's but device_rx_burst() and device_tx_burst()
// (device.h), which belong to the one worker that owns the port.
#include "device.h"

#include "device_check.h"
#include "device_linux.h"
#include "interface.h"
#include "log_capture.h"
#include "pool.h"
#include "pool_loan.h"
#include "quirks.h"
#include "udp.h"
#include "xsk_packets.h"
#include "dataplane/device/xdp/steering.h"

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICE_MEMIF_SOCKET "/run/memif.sock" // the driver's default
#define DEVICE_RING 1024 // descriptors, where the driver has no wish of its own

// The same of a pool that exists.
static int
device_check_pool(struct device *d, const struct device_options *o, const struct device_error *e)
{
	struct device_packets packets = {
		.room = rte_pktmbuf_data_room_size(o->pool) - RTE_PKTMBUF_HEADROOM,
		.element_bytes = (unsigned)pool_element_bytes(o->pool),
	};

	if (rte_pktmbuf_priv_size(o->pool) != PACKET_META_BYTES)
		return device_fail(e, -EINVAL, "its packets have no room for metadata");
	if ((d->quirks->flags & QUIRK_ONE_CHUNK) && !pool_is_packed(o->pool))
		return device_fail(e, -EINVAL, "%s needs its packets in one piece of memory",
				   d->quirks->driver);
	d->frame_max = (uint16_t)quirks_frame_max(d->quirks, packets.room);
	return device_check_frames(d->quirks, &packets, o->mtu, e);
}

// The port of the device named `name`. net_ring gives its port a name of its own, hence not by the
// port's name.
static int
device_find_port(const char *name, uint16_t *port_id)
{
	struct rte_eth_dev_info info;
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port) {
		if (rte_eth_dev_info_get(port, &info) == 0 &&
		    strcmp(rte_dev_name(info.device), name) == 0) {
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

// memif: clients connect to the socket of a server, which only waits.
static bool
device_is_server(const char *spec)
{
	size_t length = 0;
	const char *role = quirks_argument(spec, "role", &length);

	return role != NULL &&
	       (strncmp(role, "server", length) == 0 || strncmp(role, "master", length) == 0);
}

static void
device_clear_socket(const char *spec)
{
	size_t length = 0;
	const char *path = quirks_argument(spec, "socket", &length);
	char copy[DEVICE_SPEC_MAX];

	if (!device_is_server(spec))
		return;
	snprintf(copy, sizeof(copy), "%.*s", (int)length, path != NULL ? path : "");
	device_remove_stale_socket(path != NULL ? copy : DEVICE_MEMIF_SOCKET);
}

static int
device_open_udp(struct device *d, const struct device_options *o, const struct device_error *e)
{
	char why[DEVICE_WHY_MAX];
	int rc = udp_open(&d->udp, o->spec, o->pool, d->frame_max, why, sizeof(why));

	return rc == 0 ? 0 : device_fail(e, rc, "%s", why);
}

static int
device_plug(struct device *d, const char *completed, const struct device_error *e)
{
	struct log_capture log;
	const char *arguments;
	const char *said;
	int error;

	if (device_find_port(d->name, &d->port_id) == 0) {
		// EAL itself probed what its start was given on PCI.
		if (strcmp(device_bus(d), "pci") == 0) {
			d->found = true;
			return 0;
		}
		return device_fail(e, -EEXIST, "%s is open already: give it another number",
				   d->name);
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
	d->found = error == 0 && device_find_port(d->name, &d->port_id) == 0;
	if (error == 0 && !d->found)
		error = device_fail(e, -EIO, "the driver made no port");
	return error;
}

static int
device_setup_queues(const struct device *d, const struct rte_eth_dev_info *info,
		    struct rte_mempool *pool)
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

// Configures and starts a port that is plugged in. The library that fails reports why.
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

// In the device's namespace.
static int
device_start(struct device *d, const struct device_options *o, const struct device_error *e)
{
	struct device_sockets before = {.count = 0};
	struct log_capture log;
	const char *said;
	int error;

	if (d->quirks->flags & QUIRK_XDP)
		device_xsk_before(&before);
	log_capture_begin(&log);
	error = device_configure(d, o);
	said = log_capture_end(&log);
	if (error != 0)
		error = device_fail(e, error == -ENOMEM ? error : -EIO, "%s",
				    device_reason(said, error));
	log_capture_free(&log);
	if (d->quirks->flags & QUIRK_XDP) {
		d->xsk_fd = device_xsk_new(&before);
		device_bpf_new(&before, d->bpf, RTE_DIM(d->bpf));
	}
	if (error == 0 && o->steered)
		error = device_take_steering(d, e);
	return error;
}

// In the device's namespace.
static int
device_bring_up(struct device *d, const struct device_options *o, const struct device_error *e)
{
	struct device_sockets before = {.count = 0};
	char completed[DEVICE_SPEC_MAX];
	int object = -1, error = 0;

	if (d->quirks->flags & QUIRK_INTERFACE)
		error = device_prepare_interface(d, o, e);
	if (error == 0)
		error = device_complete(d->quirks,
					rte_pktmbuf_data_room_size(o->pool) - RTE_PKTMBUF_HEADROOM,
					completed, e);
	if (error == 0 && o->steered) {
		object = device_add_steering(completed, sizeof(completed), e);
		error = object < 0 ? object : 0;
	}
	if (error == 0 && (d->quirks->flags & QUIRK_RECONNECT))
		device_clear_socket(o->spec);
	if (d->quirks->flags & QUIRK_PACKET_SOCKET)
		device_packet_before(&before);
	if (error == 0)
		error = device_plug(d, completed, e);
	if (error == 0 && (d->quirks->flags & QUIRK_PACKET_SOCKET))
		d->packet_fd = device_packet_new(&before, d->index);
	if (error == 0)
		error = device_start(d, o, e);
	if (error == 0 && (d->quirks->flags & QUIRK_MAKES_INTERFACE))
		error = interface_index(d->control_fd, d->interface, &d->index);
	if (object >= 0)
		close(object); // the driver has read it
	return error;
}

// In the device's namespace, whatever part of it is up.
static void
device_take_down(struct device *d)
{
	struct xsk_packets packets = {.list = NULL};
	struct log_capture log;

	udp_close(d->udp);
	if (d->xsk_fd >= 0)
		xsk_packets_collect(&packets, d->xsk_fd, d->pool);
	// What a driver regrets on its way out changes nothing for the user.
	log_capture_begin(&log);
	steering_release(d->steering); // before the driver tries to detach it: it has a link
	if (d->found) {
		rte_eth_promiscuous_disable(d->port_id);
		rte_eth_dev_stop(d->port_id);
		rte_eth_dev_close(d->port_id);
	}
	if (d->probed)
		rte_eal_hotplug_remove(device_bus(d), d->name);
	log_capture_end(&log);
	log_capture_free(&log);
	if (d->xsk_fd >= 0)
		device_xsk_close(d->xsk_fd);
	device_bpf_close(d->bpf, RTE_DIM(d->bpf));
	xsk_packets_free(&packets);
}

// Leaves nothing open, and no packet in the hands of its driver, when it fails. In the device's
// namespace.
static int
device_try(struct device *d, const struct device_options *o, const struct device_error *e)
{
	bool lent = d->quirks->flags & QUIRK_ONE_CHUNK;
	int error;

	if (lent && pool_loan_begin(o->pool) != 0)
		return device_fail(e, -ENOMEM, "no memory");
	error = d->quirks->flags & QUIRK_UDP ? device_open_udp(d, o, e) : device_bring_up(d, o, e);
	if (error != 0)
		device_take_down(d);
	if (lent)
		pool_loan_end(error != 0);
	return error;
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
	const struct device_quirks *quirks;
	struct device *d;
	int previous, error = device_find_driver(&quirks, &e);

	if (error != 0)
		return error;
	d = aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN(sizeof(*d), RTE_CACHE_LINE_SIZE));
	if (d == NULL)
		return device_fail(&e, -ENOMEM, "no memory");
	*d = (struct device){
		.quirks = quirks,
		.pool = o->pool,
		.netns_fd = -1,
		.control_fd = -1,
		.xsk_fd = -1,
		.packet_fd = -1,
		.reconnects = quirks->flags & QUIRK_RECONNECT && !device_is_server(o->spec),
	};
	memcpy(d->name, o->spec, strcspn(o->spec, ","));
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
	error = device_try(d, o, &e);
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
