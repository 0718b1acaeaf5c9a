// SPDX-License-Identifier: BSD-3-Clause
// The files of revisions, their names and the comments at their top; private to control/edit/. A
// file begins with
//
//	# roost revision 12
//	# at 2025-11-21T18:33:00Z
//	# by root (0)
//	# what set tenants.green.hosts [h5, h6]
//	# file /root/lab.yaml
//	# bytes 1234
//	# part east
//
// The number of bytes tells a file that was cut short. Without the last line all of the fabric ran.
#pragma once

#include "store.h"

#define HEADER_MAX (STORE_USER_MAX + STORE_WHAT_MAX + STORE_FILE_MAX + 256)

// Writes the comments. Control characters become question marks. Returns their length.
size_t header_write(const struct store_revision *revision, char out[static HEADER_MAX]);
// Reads the comments at the beginning of a file's text. Returns their length, or -EBADMSG.
ssize_t header_read(struct store_revision *out, const char *text, size_t length);

#define NUMBERS_NAME 24 // "4294967295.yaml"

// The name of a revision's file.
void numbers_name(uint32_t number, char name[static NUMBERS_NAME]);
// The numbers of all revisions in an open directory, ascending, for free(); other names are
// ignored. Returns 0 or -errno.
int numbers_list(int directory, uint32_t **out, unsigned *count);
