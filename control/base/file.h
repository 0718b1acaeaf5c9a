// SPDX-License-Identifier: BSD-3-Clause
// Files that a configuration consists of or names. Control thread.
#pragma once

#include <stddef.h>

// The path of a file that the configuration names: beside the configuration's own file if it exists
// there, otherwise as written. For free().
char *file_beside(const char *config_file, const char *name);

// Reads all of a file, which may be a pipe; stops once there are more than `max` bytes. Returns 0
// with *out for free() and its length, or -errno.
int file_read(const char *path, size_t max, char **out, size_t *out_length);
