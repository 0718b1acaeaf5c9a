// SPDX-License-Identifier: BSD-3-Clause
#include "netdevs.h"

#include "control/io/host/link.h"

#include <errno.h>
#include <string.h>

#define NETDEVS_FIRST 1000u // devices that users number begin with 0

void
netdevs_name(struct lab_device *d, const struct topo_port *port)
{
	d->netdev = port->netdev;
	snprintf(d->spec, sizeof(d->spec), "net_af_xdp%u,iface=%s", NETDEVS_FIRST + port->number,
		 port->netdev);
}

static const struct config_port *
written_port(const struct lab *lab, uint16_t number)
{
	const struct config_single *s = &lab->config->single;
	unsigned i = 0;

	while (s->ports[i].number != number)
		i++;
	return &s->ports[i];
}

static int
ask(struct lab *lab, struct lab_device *d, struct lab_report *report)
{
	struct topo_port *port = &lab->topology->nodes[d->node].ports[d->port];
	const struct config_port *written = written_port(lab, port->number);
	struct link_info info;
	int error = link_get(d->netdev, &info);

	if (error != 0) {
		snprintf(report->err, report->err_size, "%s: netdev %s: %s", d->name, d->netdev,
			 error == -ENODEV ? "no such interface in this namespace"
					  : strerror(-error));
		return error;
	}
	if (!written->mtu_written)
		port->mtu = info.mtu;
	memcpy(port->mac, info.mac, sizeof(port->mac));
	d->mtu = port->mtu;
	return 0;
}

int
netdevs_ask(struct lab *lab, struct lab_report *report)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < lab->device_count; i++)
		if (lab->devices[i].netdev != NULL)
			rc = ask(lab, &lab->devices[i], report);
	return rc;
}
