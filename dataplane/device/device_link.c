// SPDX-License-Identifier: BSD-3-Clause
// Drivers for Linux interfaces call their link up as long as they are started, so the interface is
// asked itself.
#include "device.h"

#include "interface.h"
#include "log_capture.h"
#include "udp.h"

#include <rte_ethdev.h>

#include <errno.h>
#include <net/if.h>

enum device_link
device_link(const struct device *d)
{
	char name[IFNAMSIZ];
	struct rte_eth_link link;
	unsigned flags;

	if (d->udp != NULL)
		return udp_link(d->udp) ? DEVICE_LINK_UP : DEVICE_LINK_DOWN;
	if (d->control_fd >= 0) {
		if (interface_flags(d->control_fd, d->index, name, &flags) != 0)
			return DEVICE_LINK_GONE;
		if (!(flags & IFF_UP) || !(flags & IFF_RUNNING))
			return DEVICE_LINK_DOWN;
		if (d->packet_fd >= 0)
			interface_packet_resume(d->packet_fd);
		return DEVICE_LINK_UP;
	}
	if (rte_eth_link_get_nowait(d->port_id, &link) != 0)
		return DEVICE_LINK_UP; // it does not know
	return link.link_status == RTE_ETH_LINK_UP ? DEVICE_LINK_UP : DEVICE_LINK_DOWN;
}

void
device_hold(struct device *d, bool held)
{
	if (d->udp != NULL)
		udp_hold(d->udp, held);
}

size_t
device_report(struct device *d, const void *bytes, size_t length)
{
	return d->udp != NULL ? udp_report(d->udp, bytes, length) : 0;
}

uint64_t
device_heard(const struct device *d, struct carrier_report *report)
{
	return d->udp != NULL ? udp_heard(d->udp, report) : 0;
}

int
device_mac(const struct device *d, uint8_t mac[static 6])
{
	return d->control_fd < 0 ? -ENODEV : interface_mac(d->control_fd, d->interface, mac);
}

int
device_reconnect(struct device *d)
{
	struct log_capture log;
	int error;

	if (!d->reconnects)
		return 0;
	// What the driver says about a far end that is not there yet is not news.
	log_capture_begin(&log);
	rte_eth_dev_stop(d->port_id);
	error = rte_eth_dev_start(d->port_id);
	log_capture_end(&log);
	log_capture_free(&log);
	return error;
}
