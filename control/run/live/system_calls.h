// SPDX-License-Identifier: BSD-3-Clause
// Which system calls a live fabric may still make (seccomp(2)): a bound on what someone could do
// who takes the process over.
#pragma once

#include <stdbool.h>

// Has system calls that a switch never needs fail with EPERM from now on, in all threads of the
// process and in every program that it executes. `pci`: the fabric has a NIC on PCI. Returns 0, or
// -errno if the kernel takes no filter.
int system_calls_limit(bool pci);
