// SPDX-License-Identifier: BSD-3-Clause
// A gzip file as a stream.
#pragma once

#include <stdio.h>

// Opens a new file; what is written to the stream is compressed, fast rather than small. Returns
// NULL with errno, which fclose() sets too if not all could be written.
FILE *gzip_open(const char *path);
