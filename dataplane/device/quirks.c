// SPDX-License-Identifier: BSD-3-Clause
// The table of port drivers, as they are in DPDK 22.11. Each row says why. What holds for all of
// them is done for all: one rx and one tx queue (several receive queues reorder, and none of the
// drivers for Linux interfaces gains by them), single-segment mbufs that nobody else refers to
// (af_xdp sends an mbuf's own memory, so a clone's or an external buffer's would go out as
// garbage), no offloads.
#include "quirks.h"

#include <rte_pci.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUIRK_XDP_HEADROOM 256 // linux/bpf.h XDP_PACKET_HEADROOM
#define QUIRK_PAGE 4096
#define QUIRK_ROOM_UNIT 64
#define QUIRK_BLOCK_FRAMES 256 // times whole 16 B: whole pages
#define QUIRK_SUGGEST_DISTANCE 3
#define QUIRK_NAME_MAX 32

static const struct device_quirks quirks_table[] = {
	{
		// - Its UMEM is sized as if the pool were one packed chunk; mbufs outside are lost
		//   without a trace.
		// - An element (header, mbuf, metadata, data) is a UMEM chunk, at most a page. The
		//   kernel starts received data 256 B behind mbuf headroom. There is no
		//   multi-buffer, so that is the MTU.
		// - Busy polling (its default) makes every empty poll a system call, for a NAPI
		//   that on veth runs in the sender's context anyway.
		// - Closing it leaves the UMEM and so the socket bound to the interface, and
		//   forgets the mbufs in its rings (xsk_packets.c), as it does when opening it
		//   fails (pool_loan.c).
		// - Sending is a system call that retries while the far ring is full.
		// - 2048 mbufs sit in the fill ring from the start, up to 2048 wait in the tx ring.
		.driver = "net_af_xdp",
		.flags = QUIRK_ONE_CHUNK | QUIRK_INTERFACE | QUIRK_INTERFACE_UP |
			 QUIRK_INTERFACE_MTU | QUIRK_XDP | QUIRK_TX_BLOCKS,
		.rx_reserve = QUIRK_XDP_HEADROOM,
		.element_max = QUIRK_PAGE,
		.packets_held = 2 * 2048,
		.arguments = {{"busy_budget", QUIRK_VALUE_TEXT, "0"}},
	},
	{
		// - ethdev believes that frames end at 1518 B: a larger MTU must be set on the
		//   interface.
		// - Received frames are copied unchecked: framesz may not exceed a packet's room.
		//   66 B of it are the kernel's own. A block is a whole number of frames and of
		//   pages.
		// - Opened on an interface that is down it receives nothing, ever.
		// - A failed send of the kernel is not seen, and a full ring is waited for in
		//   poll().
		// - Without qdisc_bypass a qdisc may delay or drop behind its back.
		// - It never asks the kernel what found no room in its ring.
		// - With several queue pairs the kernel spreads what is received over their
		//   sockets, and a port reads one.
		.driver = "net_af_packet",
		.flags = QUIRK_INTERFACE | QUIRK_INTERFACE_UP | QUIRK_INTERFACE_MTU |
			 QUIRK_TX_BLOCKS | QUIRK_TX_UNCOUNTED | QUIRK_PACKET_SOCKET,
		.rx_reserve = 66,
		.arguments = {{"framesz", QUIRK_VALUE_ROOM, NULL},
			      {"blocksz", QUIRK_VALUE_BLOCK, NULL},
			      {"qdisc_bypass", QUIRK_VALUE_TEXT, "1"},
			      {"qpairs", QUIRK_VALUE_ONLY, "1"}},
	},
	{
		// - Stale chain flags corrupt packets that span buffers, so a buffer holds the
		//   largest frame.
		// - Abstract sockets do not cross network namespaces.
		// - ethdev believes in 1518 B, the rings carry whatever bsize allows.
		// - A client connects when it is started, and not again when the server restarts.
		.driver = "net_memif",
		.flags = QUIRK_HOLDS | QUIRK_RECONNECT,
		.packets_held = 2 * 1024,
		.arguments = {{"bsize", QUIRK_VALUE_ROOM, NULL},
			      {"socket-abstract", QUIRK_VALUE_TEXT, "no"}},
	},
	{
		// One system call a packet; the interface appears where the driver is opened; a
		// frame larger than a packet comes chained. What is not read waits in a ring of
		// 1,000 packets, behind which the kernel drops, whatever the qdisc (Linux 6.18).
		.driver = "net_tap",
		.flags = QUIRK_INTERFACE | QUIRK_MAKES_INTERFACE,
		.packets_held = 1024,
	},
	{
		// Frames of a file that do not fit a packet come chained. With infinite_rx=1 the
		// file stays in packets of the pool: as many as it has frames, above this.
		.driver = "net_pcap",
		.flags = QUIRK_HOLDS,
		.packets_held = 256,
	},
	{.driver = "net_null", .flags = QUIRK_ETHDEV_MTU},
	{.driver = "net_ring", .flags = QUIRK_HOLDS, .packets_held = 1024},
	// A socket of our own, which holds packets to receive into.
	{.driver = "net_udp", .flags = QUIRK_UDP, .packets_held = 64},
	{
		// A socket for QEMU: with a guest that takes packets slowly its ring fills and
		// sends are short.
		.driver = "net_vhost",
		.flags = QUIRK_HOLDS,
		.packets_held = 1024,
	},
	{
		// Drives /dev/vhost-net or a vhost-user socket; needs huge pages, because it shares
		// its memory.
		.driver = "net_virtio_user",
		.flags = QUIRK_HOLDS | QUIRK_ETHDEV_MTU,
		.packets_held = 2 * 1024,
	},
	{
		// A NIC.
		.driver = "",
		.flags = QUIRK_ETHDEV_MTU,
		.packets_held = 2 * 1024,
	},
};

#define QUIRKS_COUNT (sizeof(quirks_table) / sizeof(quirks_table[0]))

// The driver's part of a spec: without arguments and number.
static size_t
quirks_driver_length(const char *spec)
{
	size_t length = strcspn(spec, ",");

	while (length > 0 && spec[length - 1] >= '0' && spec[length - 1] <= '9')
		length--;
	return length;
}

static bool
quirks_is_pci(const char *spec)
{
	struct rte_pci_addr address;
	char text[QUIRK_NAME_MAX];
	size_t length = strcspn(spec, ",");

	if (length >= sizeof(text))
		return false;
	memcpy(text, spec, length);
	text[length] = '\0';
	return rte_pci_addr_parse(text, &address) == 0;
}

const struct device_quirks *
quirks_find(const char *spec)
{
	size_t length = quirks_is_pci(spec) ? 0 : quirks_driver_length(spec);

	if (length == 0 && !quirks_is_pci(spec))
		return NULL;
	for (size_t i = 0; i < QUIRKS_COUNT; i++) {
		const char *driver = quirks_table[i].driver;

		if (strlen(driver) == length && strncmp(driver, spec, length) == 0)
			return &quirks_table[i];
	}
	return NULL;
}

// Levenshtein distance of `a` (its first `a_length` characters, under QUIRK_NAME_MAX) and `b`.
static unsigned
quirks_distance(const char *a, size_t a_length, const char *b)
{
	unsigned row[QUIRK_NAME_MAX + 1];

	for (size_t i = 0; i <= a_length; i++)
		row[i] = (unsigned)i;
	for (size_t j = 1; b[j - 1] != '\0'; j++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)j;
		for (size_t i = 1; i <= a_length; i++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[i];
			if (row[i - 1] + 1 < best)
				best = row[i - 1] + 1;
			if (row[i] + 1 < best)
				best = row[i] + 1;
			row[i] = best;
		}
	}
	return row[a_length];
}

const char *
quirks_suggest(const char *spec)
{
	size_t length = quirks_driver_length(spec);
	// Up to a third of the letters may be wrong: "swp1" is no "tap1".
	unsigned nearest = 1 + (unsigned)(length / 3 < QUIRK_SUGGEST_DISTANCE
						  ? length / 3
						  : QUIRK_SUGGEST_DISTANCE);
	const char *found = NULL;

	if (length == 0 || length >= QUIRK_NAME_MAX)
		return NULL;
	for (size_t i = 0; i < QUIRKS_COUNT; i++) {
		const char *driver = quirks_table[i].driver;
		unsigned distance = driver[0] == '\0' ? nearest
						      : quirks_distance(spec, length, driver);
		// "af_xdp0" for "net_af_xdp0": the prefix is what people forget.
		unsigned bare = driver[0] == '\0' ? nearest
						  : quirks_distance(spec, length, driver + 4);

		if (bare < distance)
			distance = bare;
		if (distance < nearest) {
			nearest = distance;
			found = driver;
		}
	}
	return found;
}

const char *
quirks_argument(const char *spec, const char *key, size_t *length)
{
	size_t key_length = strlen(key);

	for (const char *comma = strchr(spec, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
		if (strncmp(comma + 1, key, key_length) == 0 && comma[1 + key_length] == '=') {
			const char *value = comma + key_length + 2;

			*length = strcspn(value, ",");
			return value;
		}
	}
	return NULL;
}

// Whether a driver can have the value: 0, -ERANGE or -EDOM (quirks_complete()).
static int
check_value(const struct quirk_argument *argument, const char *value, size_t length, unsigned room)
{
	if (argument->kind == QUIRK_VALUE_ROOM && strtoul(value, NULL, 10) > room)
		return -ERANGE;
	if (argument->kind == QUIRK_VALUE_ONLY &&
	    (strlen(argument->text) != length || strncmp(value, argument->text, length) != 0))
		return -EDOM;
	return 0;
}

// Of several values for one key the driver takes the last, so all of them are checked.
static int
check_values(const struct quirk_argument *argument, const char *spec, unsigned room)
{
	size_t length;
	int rc = 0;

	for (const char *value = quirks_argument(spec, argument->key, &length);
	     rc == 0 && value != NULL; value = quirks_argument(value, argument->key, &length))
		rc = check_value(argument, value, length, room);
	return rc;
}

int
quirks_complete(const struct device_quirks *quirks, const char *spec, unsigned room, char *out,
		size_t out_bytes)
{
	unsigned whole = room / QUIRK_ROOM_UNIT * QUIRK_ROOM_UNIT;
	int used = snprintf(out, out_bytes, "%s", spec);
	size_t length = 0;

	for (size_t i = 0; i < QUIRK_ARGUMENTS && used >= 0 && (size_t)used < out_bytes; i++) {
		const struct quirk_argument *argument = &quirks->arguments[i];
		size_t left = out_bytes - (size_t)used;
		int rc;

		if (argument->kind == QUIRK_VALUE_NONE)
			continue;
		rc = check_values(argument, spec, room);
		if (rc != 0)
			return rc;
		if (argument->kind == QUIRK_VALUE_ONLY ||
		    quirks_argument(spec, argument->key, &length) != NULL)
			continue;
		if (argument->kind == QUIRK_VALUE_TEXT)
			used += snprintf(out + used, left, ",%s=%s", argument->key, argument->text);
		else if (argument->kind == QUIRK_VALUE_ROOM)
			used += snprintf(out + used, left, ",%s=%u", argument->key, whole);
		else if (quirks_argument(spec, "framesz", &length) == NULL)
			used += snprintf(out + used, left, ",%s=%u", argument->key,
					 QUIRK_BLOCK_FRAMES * whole);
	}
	return used >= 0 && (size_t)used < out_bytes ? 0 : -ENAMETOOLONG;
}

unsigned
quirks_frame_max(const struct device_quirks *quirks, unsigned room)
{
	if (quirks->arguments[0].kind == QUIRK_VALUE_ROOM)
		room = room / QUIRK_ROOM_UNIT * QUIRK_ROOM_UNIT;
	return room > quirks->rx_reserve ? room - quirks->rx_reserve : 0;
}
