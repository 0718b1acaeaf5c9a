// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as an FPM stream, in pieces, and as rtnetlink messages of the kernel's: nothing is read
// beyond them, what is decoded is in bounds, and whatever was said the rib adds up and resolves.
#include "control/io/learn/fpm.h"
#include "control/io/learn/resolve.h"

#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct topo_port ports[] = {{.name = "swp1"}, {.name = "swp2"}};
static const struct topo_node place = {.port_count = 2, .ports = ports};

static void
require(int truth)
{
	if (!truth)
		abort();
}

static void
say(struct rib *rib, enum rib_source source, const struct nlmsghdr *message, bool dumped)
{
	static struct learn_message m;

	if (learn_decode(message, RT_TABLE_MAIN, &m) != 0)
		return;
	require(m.way.count <= LEARN_HOPS_MAX);
	require(m.kind != LEARN_ROUTE || m.prefix.length <= (m.prefix.version == 4 ? 32 : 128));
	require(rib_apply(rib, source, &m, dumped) == 0);
}

static void
take(void *context, const struct nlmsghdr *message)
{
	say(context, RIB_FPM, message, false);
}

// Pieces of as many bytes as the first one says.
static void
stream(struct rib *rib, const uint8_t *data, size_t size)
{
	size_t piece = size != 0 ? data[0] + 1u : 1, done = 0, held = 0;
	const char *why;

	while (done + held < size) {
		long used;

		held = done + held + piece < size ? held + piece : size - done;
		used = fpm_take_frames(data + done, held, take, rib, &why);
		if (used < 0)
			return;
		require((size_t)used <= held);
		done += (size_t)used;
		held -= (size_t)used;
	}
}

// Each message behind a byte that says what to do with it and two for its length.
static void
messages(struct rib *rib, const uint8_t *data, size_t size)
{
	while (size > 3) {
		size_t length = (size_t)data[1] << 8 | data[2];
		struct nlmsghdr *copy;

		if (data[0] & 2)
			rib_begin(rib, RIB_NETLINK);
		length = length < size - 3 ? length : size - 3;
		if (length < sizeof(*copy))
			return;
		copy = malloc(length); // of exactly this size, for the sanitizer
		require(copy != NULL);
		memcpy(copy, data + 3, length);
		copy->nlmsg_len = (uint32_t)length;
		say(rib, RIB_NETLINK, copy, data[0] & 1);
		free(copy);
		if (data[0] & 4)
			rib_end(rib, RIB_NETLINK);
		data += 3 + length;
		size -= 3 + length;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct resolve_vrf vrf = {.encap = CONFIG_ENCAP_PLAIN};
	const struct resolve_hooks hooks = {0};
	struct route_list list = {0};
	struct rib *rib = rib_create(&place);

	if (size != 0 && data[0] & 0x80)
		stream(rib, data + 1, size - 1);
	else
		messages(rib, data, size);
	resolve_routes(rib, &vrf, &hooks, &list);
	require(rib->listed == rib->prefixes && rib->added == 0);
	for (uint32_t i = 0; i < list.count; i++) {
		uint32_t group = list.routes[i].group;

		require(group == ROUTES_BLACKHOLE || group < list.group_count);
		require(group == ROUTES_BLACKHOLE || list.groups[group].count <= GROUP_MEMBERS_MAX);
	}
	routes_clear(&list);
	rib_end(rib, RIB_FPM);
	rib_destroy(rib);
	return 0;
}
