// SPDX-License-Identifier: BSD-3-Clause
// A device port's far side: a DPDK ethdev opened from a user's `dev:` string. See device.c.
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct carrier_report;
struct device_quirks;
struct pool_options;
struct rte_mempool;
struct steering;
struct udp_device;

#define DEVICE_NAME_MAX 64
#define DEVICE_SPEC_MAX 1024

struct device {
	uint16_t port_id;
	uint16_t frame_max;     // bytes without FCS: what may be handed to device_tx_burst()
	uint64_t rx_chained;    // worker: rw, control: ro; frames in chains, dropped
	struct udp_device *udp; // in place of a port of DPDK; NULL: none

	// Control only.
	const struct device_quirks *quirks;
	struct rte_mempool *pool;
	int netns_fd;               // of our own; -1: the process's namespace
	int control_fd;             // socket of that namespace; -1: no Linux interface
	int index;                  // of the interface
	int xsk_fd;                 // AF_XDP socket of the driver; -1: none
	int packet_fd;              // packet socket of the driver; -1: none
	uint64_t packet_dropped;    // for want of room in that socket's ring
	uint64_t bpf[16];           // ids of what the driver has opened of BPF for it; 0: none
	struct steering *steering;  // of a port with the kernel beside it; NULL: none
	bool probed;                // made by hot plug, to be unplugged
	bool found;                 // port_id is its port, to be stopped and closed
	bool reconnects;            // QUIRK_RECONNECT, and it is the end that connects
	char name[DEVICE_NAME_MAX]; // "net_af_xdp0", "0000:03:00.0"
	char interface[IFNAMSIZ];
};

struct device_options {
	const char *spec;         // "net_af_xdp0,iface=x", "0000:03:00.0", ...
	struct rte_mempool *pool; // of pool.h, with PACKET_META_BYTES of private area
	uint16_t mtu;             // IP MTU that the port has to carry
	int netns_fd;             // namespace of its interface; negative: the caller's. Not closed
	bool steered;             // net_af_xdp: Linux keeps what is meant for it (xdp/steer.bpf.c)
};

// Whether a device of that spec can be opened and carry frames of that IP MTU in packets of such a
// pool, as far as its driver and arguments show; the interface is not checked. Returns 0 or
// -EINVAL with one line in `err`. Any thread, EAL need not run.
int device_check(const char *spec, uint16_t mtu, const struct pool_options *pool, char *err,
		 size_t err_bytes);

// The bytes behind the headroom that packets have in a pool for frames of that IP MTU.
unsigned device_room(unsigned mtu);
// The largest IP MTU that a device of that spec carries in such packets; UINT16_MAX where its
// driver sets no limit, or is unknown. Any thread, EAL need not run.
unsigned device_mtu_max(const char *spec);

struct device_stats {
	uint64_t rx_packets;
	uint64_t rx_bytes;
	uint64_t rx_missed; // dropped before us for want of a buffer or a place in the ring
	uint64_t rx_errors;
	uint64_t rx_no_mbuf; // the pool was empty
	uint64_t rx_chained;
	uint64_t tx_packets; // may count failed sends where the driver says so (QUIRK_TX_UNCOUNTED)
	uint64_t tx_bytes;
	uint64_t tx_errors; // refused: they stayed with the caller
	// Of datagrams alone (udp.h).
	uint64_t carrier_lost, carrier_duplicates, carrier_early, carrier_refused;
	uint64_t carrier_late;
	uint64_t round_trip_ns, round_trip_min_ns; // 0: not known
	uint64_t delay_variation_ns, delay_variation_max_ns;
};

// Opens and starts a device with one rx and one tx queue, promiscuous. All of it or nothing.
// Returns 0; -EINVAL, -ENODEV, -EEXIST, -EBUSY, -ENOMEM or -EIO with one line in `err`.
// Control thread, EAL running.
int device_open(struct device **out, const struct device_options *options, char *err,
		size_t err_bytes);

// Stops and removes it; its packets are back in the pool, but for a few that the kernel had under
// way. NULL is fine. Control thread, no worker uses it any more.
void device_close(struct device *device);

enum device_link {
	DEVICE_LINK_UP,
	DEVICE_LINK_DOWN,
	DEVICE_LINK_GONE, // its interface was deleted, or is in another namespace: close it
};

// The state of a device's link: of its interface in Linux or, where it has none, as the driver
// says. Control thread.
enum device_link device_link(const struct device *device);

// The MAC address that its interface has now. Returns 0, or -errno where it has no interface.
// Control thread.
int device_mac(const struct device *device, uint8_t mac[static 6]);

// Has the far end of a link in datagrams see it as down although both hear each other, or no longer
// so. Nothing for other devices. Control thread.
void device_hold(struct device *device, bool held);
// Has such a device report these bytes to its far end, again and again, as many of them as fit.
// Returns how many that is; 0 for other devices. Control thread.
size_t device_report(struct device *device, const void *bytes, size_t length);
// The far end's last report, while both hear each other. Returns when it was sent, on the far end's
// clock, or 0 if there is none. Control thread.
uint64_t device_heard(const struct device *device, struct carrier_report *report);

// Has a device without an interface, whose link is down, look for its far end again: a memif client
// does so only when it is started. Returns 0, also where the driver needs nothing, or -errno.
// Control thread, no worker uses it.
int device_reconnect(struct device *device);

// Packets that a device of that spec holds on to, on top of what its users hold; 0 for an unknown
// driver.
// `one_chunk`: set when it needs a pool in one chunk, left alone otherwise. Any thread.
unsigned device_packets_held(const char *spec, bool *one_chunk);

// What the ethdev and the kernel under it counted since it was opened. Returns 0 or -errno. Control
// thread.
int device_stats(struct device *device, struct device_stats *stats);

// Calls `fn` with every further counter of driver and interface. Returns 0 or -errno. Control
// thread.
int device_counters(const struct device *device,
		    void (*fn)(const char *name, uint64_t value, void *arg), void *arg);
