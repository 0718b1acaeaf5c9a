// SPDX-License-Identifier: BSD-3-Clause
// Ports that are Linux interfaces (`netdev:`), which the kernel goes on using: AF_XDP with the
// program that steers frames (dataplane/device/xdp). A setting of such a port that the file leaves
// out comes from its interface.
#include "devices.h"

#include "control/io/host/link.h"

#include <errno.h>
#include <string.h>

static int
query(struct live_fabric *live, struct device_port *d, struct live_report *report)
{
	struct topo_port *port = &live->topology->nodes[d->node].ports[d->port];
	struct link_info info;
	int error = link_get(d->netdev, &info);

	if (error != 0) {
		snprintf(report->err, report->err_size, "%s: netdev %s: %s", d->name, d->netdev,
			 error == -ENODEV ? "no such interface in this namespace"
					  : strerror(-error));
		return error;
	}
	if (d->mtu == 0)
		d->mtu = port->mtu = info.mtu;
	memcpy(port->mac, info.mac, sizeof(port->mac));
	return 0;
}

int
devices_query_netdevs(struct live_fabric *live, struct live_report *report)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < live->device_count; i++)
		if (live->devices[i].netdev != NULL)
			rc = query(live, &live->devices[i], report);
	return rc;
}
