// SPDX-License-Identifier: BSD-3-Clause
// rtnetlink messages made by hand, for the tests of control/io/learn.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/io/learn/message.h"

#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

struct made {
	_Alignas(8) uint8_t bytes[65536];
	uint32_t length;
};

static inline const struct nlmsghdr *
made_message(const struct made *m)
{
	return (const struct nlmsghdr *)m->bytes;
}

static inline void
made_bytes(struct made *m, const void *bytes, uint32_t count)
{
	if (count != 0)
		memcpy(m->bytes + m->length, bytes, count);
	m->length += count;
	while (m->length % 4 != 0)
		m->bytes[m->length++] = 0;
	((struct nlmsghdr *)m->bytes)->nlmsg_len = m->length;
}

static inline void
made_start(struct made *m, uint16_t type, uint16_t flags, const void *header, uint32_t count)
{
	const struct nlmsghdr start = {.nlmsg_type = type, .nlmsg_flags = flags};

	m->length = 0;
	made_bytes(m, &start, sizeof(start));
	made_bytes(m, header, count);
}

static inline void
made_attr(struct made *m, uint16_t type, const void *value, uint16_t count)
{
	const struct rtattr attr = {.rta_len = (uint16_t)(sizeof(attr) + count), .rta_type = type};

	made_bytes(m, &attr, sizeof(attr));
	made_bytes(m, value, count);
}

static inline void
made_number(struct made *m, uint16_t type, uint32_t value)
{
	made_attr(m, type, &value, sizeof(value));
}

// An attribute with others in it: begun, and ended with what made_nest() returned.
static inline uint32_t
made_nest(struct made *m, uint16_t type)
{
	const struct rtattr attr = {.rta_type = type};
	uint32_t at = m->length;

	made_bytes(m, &attr, sizeof(attr));
	return at;
}

static inline void
made_end(struct made *m, uint32_t at)
{
	uint16_t length = (uint16_t)(m->length - at);

	memcpy(m->bytes + at, &length, sizeof(length));
}

// The start of an IPv4 route of table main.
static inline void
made_route4(struct made *m, uint16_t type, uint16_t flags, uint32_t address, uint8_t length)
{
	const struct rtmsg route = {.rtm_family = AF_INET,
				    .rtm_dst_len = length,
				    .rtm_table = RT_TABLE_MAIN,
				    .rtm_protocol = RTPROT_BGP,
				    .rtm_type = RTN_UNICAST};
	const uint8_t bytes[4] = {(uint8_t)(address >> 24), (uint8_t)(address >> 16),
				  (uint8_t)(address >> 8), (uint8_t)address};

	made_start(m, type, flags, &route, sizeof(route));
	if (length != 0)
		made_attr(m, RTA_DST, bytes, 4);
}

// One part of an RTA_MULTIPATH, by an IPv4 gateway.
static inline void
made_hop(struct made *m, uint32_t device, uint8_t hops, const uint8_t gateway[4])
{
	const struct rtnexthop part = {
		.rtnh_len = sizeof(part) + 8, .rtnh_hops = hops, .rtnh_ifindex = (int)device};

	made_bytes(m, &part, sizeof(part));
	made_attr(m, RTA_GATEWAY, gateway, 4);
}
