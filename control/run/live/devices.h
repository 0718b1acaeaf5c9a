// SPDX-License-Identifier: BSD-3-Clause
// The device ports of a live fabric; private to control/live/.
#pragma once

#include "live_fabric.h"

// Lists the device ports that the file asks for. Returns 0, or -EINVAL with errors in diag.
int devices_list(struct live_fabric *live, struct live_report *report);

// Makes namespaces and veths, and names wrong settings of interfaces that the user gave. Returns 0
// or -errno with one line in err; devices_close() undoes what was made.
int devices_prepare(struct live_fabric *live, struct live_report *report);

// Opens them all and joins each to its port by two wires. The fabric exists. Returns 0 or -errno
// with one line in err.
int devices_open(struct live_fabric *live, struct live_report *report);

// Gives an attached host's interface the addresses that it has now; `had`: those before. Returns 0,
// also for one that is not ours to change, or -errno with one line in err.
int devices_readdress(const struct live_fabric *live, uint32_t host, const struct tenant_port *had,
		      char *err, size_t err_size);

void devices_close(struct live_fabric *live);

// ---- devices_netdev.c: ports that are Linux interfaces (`netdev:`) -------------------------------

// Reads the MTU and MAC of those interfaces, before the fabric is made. Returns 0, or -ENODEV or
// -errno with one line in err.
int devices_query_netdevs(struct live_fabric *live, struct live_report *report);
