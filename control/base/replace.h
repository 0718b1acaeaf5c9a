// SPDX-License-Identifier: BSD-3-Clause
// Writing a file so that a reader finds all of the old or all of the new.
#pragma once

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

struct replace_part {
	const char *text;
	size_t length;
};

// The name under which the new NAME is written: ".NAME.new". Returns 0 or -ENAMETOOLONG.
int replace_temporary_name(char temporary[static NAME_MAX + 1], const char *name);

// Has a file that another writer has closed on disk. Returns 0 or -errno.
int replace_sync(int directory, const char *temporary);

// Writes a new file `temporary` of a directory and has it on disk; nothing else is touched. Returns
// 0, or -errno with the temporary gone.
int replace_prepare(int directory, const char *temporary, mode_t mode,
		    const struct replace_part *parts, unsigned count);
// Puts it in the place of `name`, or makes it `name`, and has that on disk: the rename is the
// instant at which it is so. Returns 0, or -errno.
int replace_commit(int directory, const char *temporary, const char *name);

// Both for a path, which may be a symbolic link to the file that is meant. What was there stays as
// PATH~. Returns 0 with *kept telling whether there was anything, or -errno with PATH as it was:
// -EEXIST where it is there and is neither a regular file nor a directory.
int replace_file(const char *path, const struct replace_part *parts, unsigned count, int *kept);
