// SPDX-License-Identifier: BSD-3-Clause
// What root may do is divided into capabilities (capabilities(7)). A live fabric keeps those that
// it needs to attach hosts and to drive devices, and gives up the others for good.
#pragma once

#include "control/base/diag.h"

#include <stdbool.h>

// Takes from the process, and from every program that it will execute, all capabilities that a
// live fabric does not need, and the means to gain privileges by executing a file. Of a process
// that has fewer than it needs, it keeps those that it has. `pci`: the fabric has a NIC on PCI.
// Capabilities belong to a thread: called before another one is started, which inherits them.
// Returns 0, or -errno with an error in diag.
int capabilities_drop(bool pci, struct diag *diag);

// Whether the calling thread may use one now. capability: CAP_NET_ADMIN of linux/capability.h.
bool capabilities_have(unsigned int capability);

// Whether those of this process hold in a user namespace only (user_namespaces(7)): there, Linux
// loads no XDP program for it and limits the memory that it may lock.
bool capabilities_in_user_namespace(void);
