// SPDX-License-Identifier: BSD-3-Clause
// A live fabric from the command line. Errors go to stderr; each returns an exit status.
#pragma once

#include "instance.h"

// Brings a fabric up in a process of its own and returns when it forwards packets.
int live_up(const struct live_command *command);
// The same in this process, until it is interrupted.
int live_run(const struct live_command *command);
// Takes the fabric down and removes what live_up() made. name: NULL if only one is up.
int live_down(const char *name);
// Runs a command, whose words end with NULL, in the namespace of an attached host. Returns only if
// the command could not be started.
int live_exec(const char *fabric, const char *host, char **command);
