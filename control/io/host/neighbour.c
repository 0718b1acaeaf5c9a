// SPDX-License-Identifier: BSD-3-Clause
#include "neighbour.h"

#include "request.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#define USABLE (NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT)

static uint8_t
family_of(uint8_t version)
{
	return version == 4 ? AF_INET : AF_INET6;
}

static size_t
bytes_of(uint8_t version)
{
	return version == 4 ? 4 : 16;
}

// ---- neighbours --------------------------------------------------------------------------------

static struct ndmsg *
start(struct request *r, uint16_t flags, uint16_t type, unsigned interface)
{
	struct ndmsg *header = request_start(r, type, flags, sizeof(*header));

	header->ndm_ifindex = (int)interface;
	return header;
}

struct found {
	uint8_t *mac;
	int rc;
};

static int
take_mac(const struct nlattr *attr, void *arg)
{
	struct found *found = arg;

	if (mnl_attr_get_type(attr) == NDA_LLADDR && mnl_attr_get_payload_len(attr) == 6) {
		memcpy(found->mac, mnl_attr_get_payload(attr), 6);
		found->rc = 0;
	}
	return MNL_CB_OK;
}

static int
take_neighbour(const struct nlmsghdr *answer, void *arg)
{
	const struct ndmsg *header = mnl_nlmsg_get_payload(answer);

	if (answer->nlmsg_type == RTM_NEWNEIGH &&
	    mnl_nlmsg_get_payload_len(answer) >= sizeof(*header) && header->ndm_state & USABLE)
		mnl_attr_parse(answer, sizeof(*header), take_mac, arg);
	return MNL_CB_OK;
}

int
neighbour_get(unsigned interface, uint8_t version, const uint8_t *address, uint8_t mac[6])
{
	struct found found = {mac, -ENOENT};
	struct request r;
	int rc;

	start(&r, 0, RTM_GETNEIGH, interface)->ndm_family = family_of(version);
	mnl_attr_put(r.message, NDA_DST, bytes_of(version), address);
	rc = request_send(&r, take_neighbour, &found);
	return rc != 0 ? rc : found.rc;
}

int
neighbour_resolve(unsigned interface, uint8_t version, const uint8_t *address)
{
	struct request r;
	struct ndmsg *header = start(&r, NLM_F_CREATE | NLM_F_REPLACE, RTM_NEWNEIGH, interface);

	header->ndm_family = family_of(version);
	header->ndm_state = NUD_NONE;
	header->ndm_flags = NTF_USE;
	mnl_attr_put(r.message, NDA_DST, bytes_of(version), address);
	return request_send(&r, NULL, NULL);
}

// ---- routes ------------------------------------------------------------------------------------

struct route {
	unsigned interface;
	uint8_t source[16];
	size_t address_bytes;
};

static int
take_route_attribute(const struct nlattr *attr, void *arg)
{
	struct route *route = arg;

	if (mnl_attr_get_type(attr) == RTA_OIF && mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
		route->interface = mnl_attr_get_u32(attr);
	if (mnl_attr_get_type(attr) == RTA_PREFSRC &&
	    mnl_attr_get_payload_len(attr) == route->address_bytes)
		memcpy(route->source, mnl_attr_get_payload(attr), route->address_bytes);
	return MNL_CB_OK;
}

static int
take_route(const struct nlmsghdr *answer, void *arg)
{
	if (answer->nlmsg_type == RTM_NEWROUTE &&
	    mnl_nlmsg_get_payload_len(answer) >= sizeof(struct rtmsg))
		mnl_attr_parse(answer, sizeof(struct rtmsg), take_route_attribute, arg);
	return MNL_CB_OK;
}

int
neighbour_route(uint8_t version, const uint8_t *address, unsigned *interface, uint8_t source[16])
{
	struct route route = {.address_bytes = bytes_of(version)};
	struct request r;
	struct rtmsg *header = request_start(&r, RTM_GETROUTE, 0, sizeof(*header));
	int rc;

	header->rtm_family = family_of(version);
	header->rtm_dst_len = (uint8_t)(8 * route.address_bytes);
	mnl_attr_put(r.message, RTA_DST, route.address_bytes, address);
	rc = request_send(&r, take_route, &route);
	if (rc != 0)
		return rc;
	if (route.interface == 0)
		return -ENETUNREACH;
	*interface = route.interface;
	memcpy(source, route.source, sizeof(route.source));
	return 0;
}
