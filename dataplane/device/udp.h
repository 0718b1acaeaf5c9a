// SPDX-License-Identifier: BSD-3-Clause
// A device whose frames travel in UDP datagrams to another process, on this machine or another:
// "net_udp0,local=192.0.2.1:47900,remote=192.0.2.2:47900". See udp.c.
#pragma once

#include "carrier.h"
#include "device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct udp_device;

// What the datagrams have cost, since it was opened.
struct udp_stats {
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	uint64_t lost, duplicates, early, malformed, late;
	uint64_t ring_full;  // dropped by the kernel because the socket was not read in time
	uint64_t tx_refused; // dropped because the kernel refused to send them
	uint64_t round_trip_ns, round_trip_min_ns; // of hellos; 0: not known
	// By how much datagrams took longer than the fastest one: the mean, and the most.
	uint64_t delay_variation_ns, delay_variation_max_ns;
};

// Whether a spec names two addresses of one IP version with ports. Returns 0, or -EINVAL with one
// line in `why`. Any thread.
int udp_check(const char *spec, char *why, size_t why_bytes);

// Opens the socket in the thread's network namespace. frame_max: the largest frame to be received.
// Returns 0 or -errno with one line in `why`. Control thread.
int udp_open(struct udp_device **out, const char *spec, struct rte_mempool *pool,
	     uint16_t frame_max, char *why, size_t why_bytes);
// Says goodbye to the far end. NULL is fine. Control thread, no worker uses it.
void udp_close(struct udp_device *u);

// Sends a hello, if it is time for one, and says whether both ends hear each other. Control thread.
bool udp_link(struct udp_device *u);
// From now on hellos say, or no longer, that the far end is not heard. Control thread.
void udp_hold(struct udp_device *u, bool held);
// What hellos report from now on, as much of it as fits into a frame. Returns how many bytes that
// is. Control thread.
size_t udp_report(struct udp_device *u, const void *bytes, size_t length);
// carrier_heard(), while both ends hear each other; else 0. Control thread.
uint64_t udp_heard(const struct udp_device *u, struct carrier_report *out);
void udp_stats(struct udp_device *u, struct udp_stats *out);
