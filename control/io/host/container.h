// SPDX-License-Identifier: BSD-3-Clause
// Finding containers and processes by what users call them.
#pragma once

#include "control/base/diag.h"

// Opens the network namespace of a container: that of the process that Docker or Podman names as
// its own, or, where neither is installed, one of /run/netns, where containerlab links it. `name`
// has only letters, digits, "_", "." and "-". The program of Docker runs in this thread's network
// namespace. Returns a descriptor for the caller to close, or -errno with an error in diag. Takes
// up to 10 s.
int container_open_netns(const char *name, struct diag *diag);

// Looks for the process of a container in the background. Names as above; the programs run in the
// network namespace of the thread that polls.
struct container_search;
struct container_search *container_search_start(const char *name);
// Goes on, without waiting. Returns the process; -EAGAIN until it is known; or another -errno with
// an error in diag, also when called again.
int container_search_poll(struct container_search *s, struct diag *diag);
// Ends the program that runs. NULL is fine.
void container_search_end(struct container_search *s);

// Opens the network namespace of a process. Returns as above.
int process_open_netns(int pid, struct diag *diag);
