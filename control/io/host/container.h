// SPDX-License-Identifier: BSD-3-Clause
// Finding containers and processes by what users call them.
#pragma once

#include "control/base/diag.h"

// Opens the network namespace of a container: that of the process that Docker or Podman names as its
// own, or, where neither is installed, one of /run/netns, where containerlab links it. `name` has
// only letters, digits, "_", "." and "-". The program of Docker runs in this thread's network
// namespace. Returns a descriptor for the caller to close, or -errno with an error in diag.
// Takes up to 10 s.
int container_open_netns(const char *name, struct diag *diag);

// Opens the network namespace of a process. Returns as above.
int process_open_netns(int pid, struct diag *diag);
