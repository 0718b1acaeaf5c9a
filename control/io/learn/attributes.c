// SPDX-License-Identifier: BSD-3-Clause
// The bytes may be anybody's (FPM is TCP): every length is held against what there is, attributes
// against the message, nested ones against their container, values against their type.
#include "attributes.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <string.h>
#include <sys/socket.h>

int
attributes_parse(const void *from, size_t bytes, struct attributes *out)
{
	const char *at = from, *end = at + bytes;

	memset(out, 0, sizeof(*out));
	while (at < end) {
		const struct nlattr *attr = (const struct nlattr *)at;
		uint16_t type;

		if (!mnl_attr_ok(attr, (int)(end - at)))
			return -EBADMSG;
		type = mnl_attr_get_type(attr);
		if (type < ATTRIBUTES_MAX)
			out->by_type[type] = attr;
		at += MNL_ALIGN(attr->nla_len);
	}
	return 0;
}

int
attributes_parse_message(const struct nlmsghdr *message, size_t header, struct attributes *out)
{
	size_t bytes = message->nlmsg_len - MNL_NLMSG_HDRLEN;

	if (bytes < header)
		return -EBADMSG;
	header = MNL_ALIGN(header);
	return attributes_parse((const char *)mnl_nlmsg_get_payload(message) + header,
				bytes > header ? bytes - header : 0, out);
}

int
attributes_take(const struct attributes *a, unsigned type, void *to, size_t bytes)
{
	const struct nlattr *attr = a->by_type[type];

	if (attr == NULL)
		return 0;
	if (mnl_attr_get_payload_len(attr) != bytes)
		return -EBADMSG;
	memcpy(to, mnl_attr_get_payload(attr), bytes);
	return 0;
}

uint8_t
attributes_version(unsigned family)
{
	return family == AF_INET ? 4 : family == AF_INET6 ? 6 : 0;
}

int
attributes_take_address(const struct attributes *a, unsigned type, unsigned family,
			struct learn_address *to)
{
	if (a->by_type[type] == NULL)
		return 0;
	to->version = attributes_version(family);
	return to->version == 0 ? -EBADMSG
				: attributes_take(a, type, to->bytes, to->version == 4 ? 4 : 16);
}
