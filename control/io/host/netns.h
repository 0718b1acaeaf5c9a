// SPDX-License-Identifier: BSD-3-Clause
// Network namespaces, named as iproute2 names them (/var/run/netns/NAME), so that `ip netns` sees
// ours and we see its. All need root. Only the calling thread enters and leaves a namespace.
#pragma once

#include "control/base/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Makes the namespace for a fabric and brings its loopback up, whose alias names the fabric before
// the namespace has its name. An existing one is used unchanged. `created`: whether it was made
// here. Returns 0, or -errno with an error in diag.
int netns_create(const char *name, const char *fabric, bool *created, struct diag *diag);

// Removes the name; the namespace goes when its last process does. Returns 0, -ENOENT or -errno.
int netns_delete(const char *name);
// The same of a namespace that was made for a fabric of that name. Another one that has taken its
// name since stays. Returns also -EPERM.
int netns_delete_own(const char *name, const char *fabric);

// Opens one that was made for a fabric of that name. Returns as netns_open(), and -EPERM for
// another one.
int netns_open_own(const char *name, const char *fabric);

// Opens a namespace by name or by its path in /proc, or this thread's own for NULL. Returns a
// descriptor for the caller to close, or -errno (-ENOENT: no such name; -EINVAL: not a name, or a
// file that is no namespace).
int netns_open(const char *name);

// Which namespace a name stands for: it may be deleted, and another one take its name. Of those
// that exist at the same time no two have the same numbers, but those of one that is gone are used
// again; the cookie is not, as long as the machine runs.
struct netns_id {
	dev_t device;
	ino_t inode;     // 0: none
	uint64_t cookie; // 0: the kernel has none (before Linux 5.14)
};

// Whether two descriptors are of the same one.
bool netns_is_same(int a, int b);

// Returns 0, -ENOENT or -errno.
int netns_identify(const char *name, struct netns_id *id);
// Whether both are the same one.
bool netns_same(const struct netns_id *a, const struct netns_id *b);
// The same of a name, by the numbers only: one system call. -ENOENT: the name stands for none; 0 or
// 1.
int netns_has_moved(const char *name, const struct netns_id *id);

// Runs `fn` inside the namespace and comes back. A negative `netns_fd` is the present one.
// Returns what fn returned, or -errno when the namespace cannot be entered.
int netns_run(int netns_fd, int (*fn)(void *arg), void *arg);

// Moves the process into a namespace of its own without a name. It disappears with the process,
// however that ends, with every veth pair that has an end in it. Before any other thread is
// started. `previous`: set to a descriptor of the namespace it was in; the caller closes it.
// Returns 0 or -errno.
int netns_enter_private(int *previous);

// Becomes a command inside the namespace, as `ip netns exec` does it (with /sys of that namespace,
// and the files of /etc/netns/NAME). Returns only on failure: -errno with an error in diag that
// says what failed.
int host_exec(const char *name, char *const argv[], struct diag *diag);
