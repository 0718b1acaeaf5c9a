// SPDX-License-Identifier: BSD-3-Clause
// What can be said of a device before it is opened: its driver, what it needs of the packets, and
// what the driver will be given. EAL need not run.
#include "device_check.h"

#include "pool.h"
#include "quirks.h"
#include "udp.h"

#include <rte_mbuf.h>

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define DEVICE_FRAME_OVERHEAD 18 // Ethernet header and one tag
#define DEVICE_FRAME_EXTRA 288   // the same, and what AF_XDP keeps
#define DEVICE_ROOM_MIN 2048

int
device_find_driver(const struct device_quirks **out, const struct device_error *e)
{
	size_t length = strcspn(e->spec, ",");
	const char *near;

	*out = quirks_find(e->spec);
	if (*out != NULL) {
		if (length < DEVICE_NAME_MAX && isdigit((unsigned char)e->spec[length - 1]))
			return 0;
		return device_fail(e, -EINVAL, "a device's name is its driver and a number: %s0",
				   (*out)->driver);
	}
	near = quirks_suggest(e->spec);
	if (near != NULL)
		return device_fail(e, -EINVAL, "no such port driver; did you mean %s0?", near);
	return device_fail(e, -EINVAL,
			   "neither a port driver's name (net_af_xdp0, net_memif0, net_tap0, "
			   "net_pcap0, ...) nor a PCI address (0000:03:00.0)");
}

unsigned
device_room(unsigned mtu)
{
	unsigned room = mtu + DEVICE_FRAME_EXTRA;

	return room > DEVICE_ROOM_MIN ? room : DEVICE_ROOM_MIN;
}

// The largest MTU of a driver that limits the elements of a pool.
static unsigned
device_element_mtu_max(const struct device_quirks *quirks)
{
	struct pool_options pool = {.private_bytes = PACKET_META_BYTES};
	unsigned mtu = quirks->element_max;

	do
		pool.room = device_room(--mtu);
	while (pool_planned_element_bytes(&pool) > quirks->element_max);
	return mtu;
}

unsigned
device_mtu_max(const char *spec)
{
	const struct device_quirks *quirks = quirks_find(spec);

	return quirks != NULL && quirks->element_max != 0 ? device_element_mtu_max(quirks)
							  : UINT16_MAX;
}

int
device_check_frames(const struct device_quirks *quirks, const struct device_packets *packets,
		    unsigned mtu, const struct device_error *e)
{
	unsigned frame_max = quirks_frame_max(quirks, packets->room);
	unsigned needed = mtu + DEVICE_FRAME_OVERHEAD;

	if (quirks->element_max != 0 && packets->element_bytes > quirks->element_max)
		return device_fail(
			e, -EINVAL,
			"%s carries an MTU of at most %u, and so must every port beside it",
			quirks->driver, device_element_mtu_max(quirks));
	if (needed > frame_max)
		return device_fail(
			e, -EINVAL, "carries an MTU of at most %u here, not %u: set a smaller mtu",
			frame_max > DEVICE_FRAME_OVERHEAD ? frame_max - DEVICE_FRAME_OVERHEAD : 0,
			mtu);
	return 0;
}

int
device_complete(const struct device_quirks *quirks, unsigned room, char out[static DEVICE_SPEC_MAX],
		const struct device_error *e)
{
	int error = quirks_complete(quirks, e->spec, room, out, DEVICE_SPEC_MAX);

	if (error == -ERANGE)
		return device_fail(e, -EINVAL, "%s is larger than a packet, which holds %u bytes",
				   quirks->arguments[0].key, room);
	if (error == -EDOM)
		return device_fail(e, -EINVAL,
				   "one queue is received, so packets in others would be lost: "
				   "leave qpairs out");
	if (error != 0)
		return device_fail(e, -EINVAL, "longer than %d characters", DEVICE_SPEC_MAX - 1);
	return 0;
}

static int
device_check_udp(const struct device_error *e)
{
	char why[DEVICE_WHY_MAX];

	return udp_check(e->spec, why, sizeof(why)) == 0 ? 0 : device_fail(e, -EINVAL, "%s", why);
}

int
device_check(const char *spec, uint16_t mtu, const struct pool_options *pool, char *err,
	     size_t err_bytes)
{
	const struct device_error e = {err, err_bytes, spec};
	const struct device_packets packets = {
		.room = pool->room,
		.element_bytes = (unsigned)pool_planned_element_bytes(pool),
	};
	char interface[IFNAMSIZ], completed[DEVICE_SPEC_MAX];
	const struct device_quirks *quirks;
	int error = device_find_driver(&quirks, &e);

	if (error == 0)
		error = device_check_frames(quirks, &packets, mtu, &e);
	if (error == 0 && (quirks->flags & QUIRK_INTERFACE))
		error = device_name_interface(quirks, interface, &e);
	if (error == 0 && (quirks->flags & QUIRK_UDP))
		error = device_check_udp(&e);
	return error != 0 ? error : device_complete(quirks, packets.room, completed, &e);
}

unsigned
device_packets_held(const char *spec, bool *one_chunk)
{
	const struct device_quirks *quirks = quirks_find(spec);

	if (quirks == NULL)
		return 0;
	if (quirks->flags & QUIRK_ONE_CHUNK)
		*one_chunk = true;
	return quirks->packets_held;
}
