// SPDX-License-Identifier: BSD-3-Clause
// What device/ asks of the Linux interface that a port driver sits on. A socket belongs for ever to
// the network namespace it was made in, so one made when the device is opened reaches the interface
// from anywhere.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*interface_counter_fn)(const char *name, uint64_t value, void *arg);

// Moves this thread into a namespace and back. `previous`: set to the namespace it was in, -1 if
// `netns_fd` is negative (stay). Both return 0 or -errno.
int interface_enter_netns(int netns_fd, int *previous);
int interface_leave_netns(int previous);

// A socket for the functions below, of this thread's namespace; -errno without one. Closed by the
// caller.
int interface_socket(void);

// Returns 0 and the index, -ENODEV when the namespace has no such interface.
int interface_index(int fd, const char *name, int *index);

// Returns the MTU in bytes, or -errno.
int interface_mtu(int fd, const char *name);
int interface_set_mtu(int fd, const char *name, int mtu);

// Reads the MAC address. Returns 0 or -errno.
int interface_mac(int fd, const char *name, uint8_t mac[static 6]);

// Reads an interface's name (IFNAMSIZ characters) and flags (IFF_UP ...). Returns 0 or -ENODEV.
int interface_flags(int fd, int index, char *name, unsigned *flags);

// Brings the interface up. Returns 0 or -errno.
int interface_set_up(int fd, const char *name);

// An ethtool command (linux/ethtool.h) with its structure. Returns 0 or -errno.
int interface_ethtool(int fd, const char *name, void *data);

// Tells `fn` the driver's counters, as `ethtool -S` shows them. Returns 0 or -errno.
int interface_counters(int fd, const char *name, interface_counter_fn fn, void *arg);

// Lists the sockets of a family (AF_XDP, AF_PACKET) that this process has open, at most `max`.
// Returns how many.
unsigned interface_list_sockets(int family, int *fds, unsigned max);

// A map, a program or the types (BTF) of BPF that this process has open.
struct interface_bpf {
	int fd;
	uint64_t id; // no two have the same, of whatever kind; never 0
};

// Lists them, at most `max`. Returns how many.
unsigned interface_list_bpf(struct interface_bpf *objects, unsigned max);

// Packets the kernel dropped before that AF_XDP socket, for want of a buffer or of room in its
// ring.
int interface_xsk_dropped(int xsk, uint64_t *dropped);

// The interface that a packet socket is bound to; 0: none.
int interface_of_packet_socket(int fd);
// Adds to `dropped` the packets for which that socket had no room since the last call. Returns 0 or
// -errno.
int interface_packet_dropped(int fd, uint64_t *dropped);

// A packet socket keeps the error of its interface's last fall (ENETDOWN), and the kernel answers
// the next send with it instead of sending: takes that error away and sends what waits in its ring.
// Safe beside a worker that sends.
void interface_packet_resume(int fd);

// Attaches an XDP program to an interface of this thread's namespace and detaches it again. Returns
// 0, or -errno if that cannot be done.
int interface_try_xdp(int index);

// The id of the XDP program on an interface of this thread's namespace; 0 without one.
uint32_t interface_xdp_program(int index);
