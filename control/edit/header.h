// SPDX-License-Identifier: BSD-3-Clause
// What stands above the YAML of a revision's file, as comments; private to control/store/.
//
//	# roost revision 12
//	# at 2025-11-21T18:33:00Z
//	# by root (0)
//	# what set tenants.green.hosts [h5, h6]
//	# file /root/lab.yaml
#pragma once

#include "store.h"
#include "dataplane/base/headers.h"

#define HEADER_MAX (STORE_USER_MAX + STORE_WHAT_MAX + STORE_FILE_MAX + 256)

// Writes it. Characters that a line cannot have become question marks. Returns its length.
size_t header_write(const struct store_revision *revision, char out[static HEADER_MAX]);

// Reads it from the beginning of a file's text. Returns its length, or -EBADMSG.
ssize_t header_read(struct store_revision *out, const char *text, size_t length);
