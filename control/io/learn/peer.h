// SPDX-License-Identifier: BSD-3-Clause
// Who has the other end of a local TCP connection. peer.c says what the kernel is asked. Control
// thread.
#pragma once

#include <sys/types.h>

struct learn_peers {
	int diag;   // NETLINK_SOCK_DIAG, of the namespace it was opened in
	int tcp[2]; // /proc/net/tcp and tcp6 of that namespace, where the kernel lacks inet_diag
};

// Opens it in the present namespace. Never fails: without any of them all peers are unknown.
void learn_peers_open(struct learn_peers *p);
void learn_peers_close(struct learn_peers *p);

// The user who made the socket at the other end of an accepted connection. Returns 0, or -ENOENT if
// that end is on another machine or in another namespace, or has been closed.
int learn_peers_user(const struct learn_peers *p, int fd, uid_t *out);
