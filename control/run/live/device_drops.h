// SPDX-License-Identifier: BSD-3-Clause
// Packets that a device or the kernel under it has lost, by reason: what no node's counters see.
// One row a reason: its name as users see it, advice, and how it is read from what the device
// counts.
#pragma once

#include "live_fabric.h"

// X(id, name, what is read, advice)
// `s`: device_stats; `p`: live_port; `k`: link_info, of the interface under the device; `h`: of the
// host's end of a veth that Roost has made.
//
// A veth counts what an AF_XDP socket had no room for among the packets it dropped on receiving.
#define DEVICE_DROPS(X)                                                                            \
	X(RING_FULL, "device-ring-full", s->rx_missed,                                             \
	  "the fabric read too slowly and a device's ring was full: add workers or raise the "     \
	  "dilation")                                                                              \
	X(NO_PACKET, "device-no-packet", s->rx_no_mbuf,                                            \
	  "devices received faster than their packets came free: lower the load, or add workers")  \
	X(RECEIVE_ERROR, "device-receive-error", s->rx_errors,                                     \
	  "frames that the driver refused, for example because they are larger than a packet: "    \
	  "lower the MTU of the sender's interface")                                               \
	X(CHAINED, "device-chained", s->rx_chained,                                                \
	  "received frames larger than a packet: lower the MTU of the sender's interface")         \
	X(KERNEL_RECEIVE, "device-kernel-receive",                                                 \
	  k->rx_dropped > s->rx_missed ? k->rx_dropped - s->rx_missed : 0,                         \
	  "the kernel dropped them before the fabric could read them: look at `ethtool -S`")       \
	X(KERNEL_SEND, "device-kernel-send", k->tx_dropped + k->tx_errors,                         \
	  "the kernel dropped what the fabric sent: the host or its interface takes packets too "  \
	  "slowly")                                                                                \
	X(HOST_SEND, "device-host-send", h->tx_dropped,                                            \
	  "the host sent faster than its interface was read, or more than the MTU of the link: "   \
	  "pace it, or lower its MTU")                                                             \
	X(CARRIER_LOSS, "device-carrier-loss", s->carrier_lost,                                    \
	  "datagrams with frames did not arrive: look for loss between the two machines, and for " \
	  "dropped fragments")                                                                     \
	X(CARRIER_DUPLICATE, "device-carrier-duplicate", s->carrier_duplicates,                    \
	  "datagrams arrived twice: look for loops between the two machines")                      \
	X(CARRIER_EARLY, "device-carrier-early", s->carrier_early,                                 \
	  "frames arrived while the link was down at this end: start traffic when both ends are "  \
	  "up")                                                                                    \
	X(CARRIER_SEND, "device-carrier-send", s->carrier_refused,                                 \
	  "the kernel refused to send datagrams: look at routes and firewalls")                    \
	X(OVERSIZED, "device-oversized", __atomic_load_n(&p->oversized, __ATOMIC_RELAXED),         \
	  "packets larger than the device carries: lower the MTU of the port or of the sender")    \
	X(UNSENDABLE, "device-unsendable", __atomic_load_n(&p->unsendable, __ATOMIC_RELAXED),      \
	  "packets whose payload was never generated, or did not fit: send from a device instead") \
	X(CUT_OFF, "device-cut-off", __atomic_load_n(&p->cut_off, __ATOMIC_RELAXED),               \
	  "packets that waited for a device whose link went down: look at the log")

enum device_drop {
#define X(id, name, read, advice) DEVICE_DROP_##id,
	DEVICE_DROPS(X)
#undef X
		DEVICE_DROP_COUNT,
};

struct device_drops {
	uint64_t of[DEVICE_DROP_COUNT];
};

const char *device_drop_name(enum device_drop reason);
const char *device_drop_advice(enum device_drop reason);

// What has been lost since the fabric came up. Control thread.
void device_drops_read(const struct live_fabric *live, const struct device_port *d,
		       struct device_drops *out);

// The device has just been opened: what its interface has counted before is not the fabric's.
void device_drops_start(const struct live_fabric *live, struct device_port *d);
// It is about to be closed: what it has counted is kept.
void device_drops_keep(const struct live_fabric *live, struct device_port *d);

// Logs what is new since the last call, one line for each device and reason.
void device_drops_log(struct live_fabric *live, struct device_port *d);

// A host is detached, and its device is closed: the port keeps what the device has lost. What is
// attached to the port next goes on counting from there. Without a device these do nothing.
void device_drops_detach(struct live_fabric *live, struct device_port *d);
void device_drops_attach(struct live_fabric *live, struct device_port *d);
void device_drops_free(struct live_fabric *live); // what ports have kept

// What the present device of a port, and all before it, have lost.
struct device_drops_port {
	uint32_t node;
	uint16_t port;
	struct device_drops now;
	struct device_drops *notified; // what subscribers have been notified of (notify.c)
};

typedef void (*device_drops_fn)(const struct device_drops_port *lost, void *arg);

// Calls fn for each port that has a device, or has had one. Control thread.
void device_drops_each(const struct live_fabric *live, device_drops_fn fn, void *arg);
