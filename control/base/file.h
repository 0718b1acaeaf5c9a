// SPDX-License-Identifier: BSD-3-Clause
// Reading a file, and writing one so that a reader finds all of the old or all of the new.
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The path of a file that the configuration names: beside the configuration's own file if it exists
// there, otherwise as written. For free().
char *file_beside(const char *config_file, const char *name);

// Where a user's programs keep their state: "$XDG_STATE_HOME/roost", or "~/.local/state/roost". For
// free(); NULL if neither XDG_STATE_HOME nor HOME is an absolute path.
char *file_state_directory(void);

// Makes a directory and those above it, which get the mode `above`, unless they exist, and has them
// on disk. Returns 0 or -errno.
int file_make_directories(const char *path, mode_t mode, mode_t above);

// From now on, file_read() in this process refuses pipes, because it would wait for the user who
// replaced a file with one. For processes with a thread that must not block.
void file_refuse_pipes(void);
// Reads all of a file, which may be a pipe; stops once there are more than `max` bytes. Returns 0
// with *out for free() and its length, or -errno (-ENOTSUP: a pipe after file_refuse_pipes()).
int file_read(const char *path, size_t max, char **out, size_t *out_length);

// The same of a regular file in an open directory (AT_FDCWD: `name` is a path). Follows no link and
// waits for nobody, so that a file that others can replace is safe to read. Returns also -ELOOP or
// -EINVAL if it is not a regular file.
int file_read_at(int directory, const char *name, size_t max, char **out, size_t *out_length);

struct file_part {
	const char *text;
	size_t length;
};

// The name under which the new NAME is written: ".NAME.new". Returns 0 or -ENAMETOOLONG.
int file_temporary_name(char temporary[static NAME_MAX + 1], const char *name);

// Has a file that another writer has closed on disk. Returns 0 or -errno.
int file_sync(int directory, const char *temporary);

// Whose a file is, and what others may do with it. FILE_OWN: that of this process.
#define FILE_OWN UINT32_MAX
struct file_rights {
	mode_t mode;
	uid_t owner;
	gid_t group;
};

// Writes a new file `temporary` of a directory and has it on disk; nothing else is touched. Without
// the right to give files away, it is this process's. Returns 0, or -errno with the temporary gone.
int file_prepare(int directory, const char *temporary, const struct file_rights *rights,
		 const struct file_part *parts, unsigned count);
// Replaces `name` with it, or makes it `name`, and has that on disk: the rename is the
// instant at which it is so. Returns 0, or -errno.
int file_commit(int directory, const char *temporary, const char *name);

// Both for a path, which may be a symbolic link to the file that is meant. What was there stays as
// PATH~, and the new file has its mode and owner. Returns 0 with *kept telling whether there was
// anything, or -errno with PATH as it was: -EEXIST where it is there and is neither a regular file
// nor a directory.
int file_replace(const char *path, const struct file_part *parts, unsigned count, int *kept);
