// SPDX-License-Identifier: BSD-3-Clause
// What a live fabric would leave behind if it were killed, written beside its socket so that the
// next `up` or `down` can clean up: the namespaces that it makes. Control thread.
#pragma once

#include "live_fabric.h"

// Writes the file of a fabric that is about to come up; path: its socket's. Returns 0, or -errno
// with one line in err.
int state_write(const struct live_fabric *live, const char *socket_path, char *err,
		size_t err_size);

// Removes the file.
void state_remove(const char *socket_path);

// If a fabric of that socket left its file without serving its socket any more, removes what it
// made, and the file. Returns true if there was something to clean up.
bool state_clean(const char *socket_path);
