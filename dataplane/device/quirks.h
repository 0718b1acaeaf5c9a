// SPDX-License-Identifier: BSD-3-Clause
// What is peculiar to each of DPDK's port drivers, in one table (quirks.c).
#pragma once

#include <stddef.h>
#include <stdint.h>

enum quirk_flags {
	QUIRK_ONE_CHUNK = 1 << 0,       // the packet pool must be one packed memory chunk
	QUIRK_ETHDEV_MTU = 1 << 1,      // rte_eth_dev_set_mtu() does what it says
	QUIRK_INTERFACE = 1 << 2,       // sits on a Linux interface (iface=)
	QUIRK_INTERFACE_UP = 1 << 3,    // which must be up before the driver opens it
	QUIRK_INTERFACE_MTU = 1 << 4,   // whose MTU must be large enough before
	QUIRK_MAKES_INTERFACE = 1 << 5, // or which it makes, in the namespace it is opened in
	QUIRK_XDP = 1 << 6,             // leaves its AF_XDP socket open when it is closed
	QUIRK_TX_BLOCKS = 1 << 7,       // a full transmit ring makes the worker wait
	QUIRK_TX_UNCOUNTED = 1 << 8,    // packets it failed to send count as sent
	QUIRK_HOLDS = 1 << 9,           // what is not read makes its sender wait
	QUIRK_RECONNECT = 1 << 10,      // looks for a far end that was lost only when it is started
	QUIRK_PACKET_SOCKET = 1 << 11,  // keeps what its packet socket has dropped to itself
	QUIRK_UDP = 1 << 12,            // no driver of DPDK, but udp.c
};

enum quirk_value {
	QUIRK_VALUE_NONE,
	QUIRK_VALUE_TEXT,  // as it stands
	QUIRK_VALUE_ROOM,  // what a packet holds, in whole 64 B; the user's may not be larger
	QUIRK_VALUE_BLOCK, // 256 times that, and only where the user gave no framesz
	QUIRK_VALUE_ONLY,  // not added; the user's may be nothing else
};

struct quirk_argument {
	const char *key;
	enum quirk_value kind;
	const char *text;
};

#define QUIRK_ARGUMENTS 4

struct device_quirks {
	const char *driver;    // the name of its vdevs without the number; "" for devices on PCI
	unsigned flags;        // enum quirk_flags
	uint16_t rx_reserve;   // bytes of a packet's room that a frame cannot use
	uint16_t element_max;  // bytes of a pool's element, header included; 0: any
	uint16_t packets_held; // packets the driver holds on to at most
	// Added where the user did not give that key, but for QUIRK_VALUE_ONLY.
	struct quirk_argument arguments[QUIRK_ARGUMENTS];
};

// The row for a vdev ("net_af_xdp3", or a whole "net_af_xdp3,iface=x") or a PCI address.
// NULL when the driver is not known. Any thread.
const struct device_quirks *quirks_find(const char *spec);

// The known driver that `spec` most resembles, for "did you mean"; NULL when none is near.
const char *quirks_suggest(const char *spec);

// Writes `spec` with the arguments that the driver needs and the user did not give.
// `room`: bytes a packet holds behind its headroom. Returns 0, -ENAMETOOLONG, -ERANGE when the
// user gave a size larger than that (a driver would write past the packet's end), or -EDOM when a
// value is not the only one that is possible. Any thread.
int quirks_complete(const struct device_quirks *quirks, const char *spec, unsigned room, char *out,
		    size_t out_bytes);

// The largest frame, in bytes without FCS, that the driver carries with packets of that room. Any
// thread.
unsigned quirks_frame_max(const struct device_quirks *quirks, unsigned room);

// The value of argument `key` in `spec` and its length; NULL when it is not there. Any thread.
const char *quirks_argument(const char *spec, const char *key, size_t *length);
