// SPDX-License-Identifier: BSD-3-Clause
// Where a command writes its results.
#pragma once

#include <stddef.h>

// Makes the directory unless it is there; its parent must be. Returns 0, or -errno with one line in
// err.
int directory_make(const char *path, char *err, size_t err_size);

// Whether a file of this name can be written in the directory, which is there; nothing is changed.
// Who asks for all files before the first is opened leaves nothing half done. Returns 0, or -errno
// with one line in err.
int directory_check_file(const char *path, const char *name, char *err, size_t err_size);
