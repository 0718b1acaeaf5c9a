// SPDX-License-Identifier: BSD-3-Clause
// The device ports of a live fabric; private to control/live/.
#pragma once

#include "lab.h"

// Lists the device ports that the file asks for: attached hosts and `dev:` of a lone switch's
// ports. Returns 0, -EINVAL with errors in diag, or -ENOMEM.
int devices_list(struct lab *lab, struct lab_report *report);

// Packets that the devices hold on to, the largest frame they must carry, and whether they need a
// pool in one chunk.
unsigned devices_packets_held(const struct lab *lab, bool *one_chunk);
uint32_t devices_mtu_max(const struct lab *lab);

// Makes namespaces and veths, and names wrong settings of interfaces that the user gave. Returns 0
// or -errno with one line in err; devices_close() undoes what was made.
int devices_prepare(struct lab *lab, struct lab_report *report);

// Opens them all and joins each to its port by two wires. The fabric exists. Returns 0 or -errno
// with one line in err.
int devices_open(struct lab *lab, struct lab_report *report);

// Gives an attached host's interface the addresses that it has now; `had`: those before. Returns 0,
// also for one that is not ours to change, or -errno with one line in err.
int devices_readdress(const struct lab *lab, uint32_t host, const struct slice_port *had, char *err,
		      size_t err_size);

void devices_close(struct lab *lab);
