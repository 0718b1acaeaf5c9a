// SPDX-License-Identifier: BSD-3-Clause
// The part of opening a device that concerns Linux rather than DPDK: the interface under the driver
// and its AF_XDP socket. Private to device.c. Control thread, in the device's namespace.
#pragma once

#include "device.h"
#include "interface.h"

// Where the one line about an error goes: "SPEC: what is wrong".
struct device_error {
	char *text;
	size_t bytes;
	const char *spec;
};

// Writes the line. Returns `error`.
int device_fail(const struct device_error *e, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

// Writes the interface that `spec` names. Returns 0 or -EINVAL with a line in `e`.
int device_name_interface(const struct device_quirks *quirks, char name[static IFNAMSIZ],
			  const struct device_error *e);

// Finds the interface that the driver will sit on, checks it and readies it.
// Returns 0 or -errno with a line in `e`.
int device_prepare_interface(struct device *device, const struct device_options *options,
			     const struct device_error *e);

// Removes the socket file `path` that a process which was killed has left: the driver would find
// its name taken. One that somebody listens at stays.
void device_remove_stale_socket(const char *path);

// Adds the program that steers frames to `spec`. Returns the descriptor that the driver's path to
// it hangs on, to be closed when the driver has read it, or -errno with a line in `e`.
int device_add_steering(char *spec, size_t spec_bytes, const struct device_error *e);

// Takes charge of that program, which the driver has attached. Returns 0 or -errno with a line in
// `e`.
int device_take_steering(struct device *device, const struct device_error *e);

// Of BPF: maps, programs and their types, of all ports.
#define DEVICE_BPF_MAX (32 * RTE_MAX_ETHPORTS)

// The sockets of a family that were open at some time.
struct device_sockets {
	int fds[RTE_MAX_ETHPORTS];
	unsigned count;
	struct interface_bpf bpf[DEVICE_BPF_MAX]; // that were
	unsigned bpf_count;
};

// To be called before the driver opens its socket; may wait up to 100 ms for the last one to go.
void device_xsk_before(struct device_sockets *sockets);

// The socket that is open now and was not before; -1 without one.
int device_xsk_new(const struct device_sockets *before);

// The same of packet sockets: the one that is bound to the device's interface.
void device_packet_before(struct device_sockets *sockets);
int device_packet_new(const struct device_sockets *before, int index);

// What of BPF is open now and was not before, by its ids: at most `room`, which are zero else.
void device_bpf_new(const struct device_sockets *before, uint64_t *ids, unsigned room);

// Closes the socket if the driver left it open.
void device_xsk_close(int fd);
// The same of BPF: libxdp 1.3 leaves the map open in which it counts sockets, and the driver all of
// a program that it was given, also if it could not attach that.
void device_bpf_close(const uint64_t *ids, unsigned count);
