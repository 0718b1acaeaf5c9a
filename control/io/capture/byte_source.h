// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file, decompressed while they are read if the file begins as gzip or zstd does:
// its name does not count. Memory stays small however large the content becomes.
#pragma once

#include "control/base/diag.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct byte_source;

// Opens a file. Returns 0; -errno of the file system; -EISDIR; -EINVAL: compressed in another way.
// On failure *out is NULL and diag says why, beginning with the path.
int byte_source_open(struct byte_source **out, const char *path, struct diag *diag);

// Reads `count` bytes, fewer only at the end. Returns how many; -EIO when reading failed, or
// -EINVAL for damaged compressed data, with byte_source_fault().
ssize_t byte_source_read(struct byte_source *source, void *to, size_t count);

// What was wrong, without the path. Belongs to the source.
const char *byte_source_fault(const struct byte_source *source);

// NULL is fine.
void byte_source_close(struct byte_source *source);
