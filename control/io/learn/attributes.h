// SPDX-License-Identifier: BSD-3-Clause
// The attributes of a netlink message (netlink(7)), by type. Nothing here keeps anything; any
// thread.
#pragma once

#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

#define ATTRIBUTES_MAX 64 // more than any type that is looked at

struct learn_address {
	uint8_t version;   // 4 or 6; 0: none
	uint8_t bytes[16]; // network byte order; zeros behind an IPv4 address
	uint8_t zeros[3];  // no padding: hops are compared as bytes
};

// They point into what was parsed. NULL: not there; of a type that comes twice, the last.
struct attributes {
	const struct nlattr *by_type[ATTRIBUTES_MAX];
};

// Those in `bytes` bytes. Returns 0, or -EBADMSG where one does not fit.
int attributes_parse(const void *from, size_t bytes, struct attributes *out);
// Those behind a message's own header of `header` bytes; -EBADMSG also where that does not fit.
int attributes_parse_message(const struct nlmsghdr *message, size_t header, struct attributes *out);

// A value of exactly this size; one that is not there leaves `to` alone. Returns 0 or -EBADMSG.
int attributes_take(const struct attributes *a, unsigned type, void *to, size_t bytes);
// The same for an address of a family (AF_INET, AF_INET6).
int attributes_take_address(const struct attributes *a, unsigned type, unsigned family,
			    struct learn_address *to);
// 4 or 6; 0: another family.
uint8_t attributes_version(unsigned family);
