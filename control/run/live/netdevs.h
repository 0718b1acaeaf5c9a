// SPDX-License-Identifier: BSD-3-Clause
// Ports that are Linux interfaces (`netdev:`), which the kernel goes on using: AF_XDP with the
// program that steers frames (dataplane/device/xdp). What the file does not say of such a port, its
// interface does. Private to control/live/.
#pragma once

#include "lab.h"

// Makes a device port of a port's interface.
void netdevs_name(struct lab_device *device, const struct topo_port *port);

// Asks the interfaces for the MTU and the MAC that the ports will have. Before the fabric is made.
// Returns 0, or -ENODEV or -errno with one line in err.
int netdevs_ask(struct lab *lab, struct lab_report *report);
