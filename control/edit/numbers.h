// SPDX-License-Identifier: BSD-3-Clause
// Revisions by number: which there are in a directory, and what their files are called.
#pragma once

#include <stdint.h>

#define NUMBERS_NAME 24 // "4294967295.yaml"

// The name of a revision's file.
void numbers_name(uint32_t number, char name[static NUMBERS_NAME]);
// The numbers of all revisions in an open directory, ascending, for free(); other names are passed
// over. Returns 0 or -errno.
int numbers_list(int directory, uint32_t **out, unsigned *count);
