// SPDX-License-Identifier: BSD-3-Clause
// A unix stream socket that listens, and the file that stands for it.
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct listener {
	int fd;
	dev_t device; // of the socket's file
	ino_t inode;
	char path[108]; // sockaddr_un
};

// Listens on `path` with mode 0600. Its directory is made when it is missing; a socket there that
// nobody serves any more is replaced. Returns 0; -EADDRINUSE when somebody does; -ENAMETOOLONG or
// another -errno; then one line stands in err.
int listener_open(struct listener *l, const char *path, int backlog, char *err, size_t err_size);

// Closes it and removes the file, if it is still the same.
void listener_close(struct listener *l);

// Lets the members of a group connect too. Returns 0 or -errno.
int listener_open_to(struct listener *l, gid_t group);
