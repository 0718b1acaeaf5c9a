// SPDX-License-Identifier: BSD-3-Clause
// Where a command writes its results.
#pragma once

#include <stddef.h>

// Makes the directory unless it is there; its parent must be. Returns 0, or -errno with one line in
// err.
int directory_make(const char *path, char *err, size_t err_size);
