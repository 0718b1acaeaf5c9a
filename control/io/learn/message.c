// SPDX-License-Identifier: BSD-3-Clause
// Each type of message has its header and its attributes. A message in which something does not fit
// is refused as a whole. The bytes may come from anybody (FPM is TCP): every length is checked,
// attributes against the message, nested ones against their container, values against their type.
#include "message.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

// ---- attributes ---------------------------------------------------------------------------------

int
attributes_parse(const void *from, size_t bytes, struct attributes *out)
{
	const char *end = (const char *)from + bytes;
	const struct nlattr *attr = from;

	memset(out, 0, sizeof(*out));
	for (; (const char *)attr < end; attr = mnl_attr_next(attr)) {
		if (!mnl_attr_ok(attr, (int)(end - (const char *)attr)))
			return -EBADMSG;
		if (mnl_attr_get_type(attr) < ATTRIBUTES_MAX)
			out->by_type[mnl_attr_get_type(attr)] = attr;
	}
	return 0;
}

int
attributes_parse_message(const struct nlmsghdr *message, size_t header, struct attributes *out)
{
	size_t bytes = mnl_nlmsg_get_payload_len(message), aligned = MNL_ALIGN(header);

	if (bytes < header)
		return -EBADMSG;
	return attributes_parse(mnl_nlmsg_get_payload_offset(message, header),
				bytes > aligned ? bytes - aligned : 0, out);
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

// ---- routes -------------------------------------------------------------------------------------

// RTA_VIA: a gateway of another family than the route's (RFC 5549).
static int
take_via(const struct attributes *a, struct learn_address *to)
{
	const struct nlattr *attr = a->by_type[RTA_VIA];
	size_t bytes;
	uint16_t family;

	if (attr == NULL)
		return 0;
	bytes = mnl_attr_get_payload_len(attr);
	if (bytes < sizeof(family))
		return -EBADMSG;
	memcpy(&family, mnl_attr_get_payload(attr), sizeof(family));
	bytes -= sizeof(family);
	to->version = attributes_version(family);
	if (to->version == 0 || bytes != (to->version == 4 ? 4 : 16))
		return -EBADMSG;
	memcpy(to->bytes, (const char *)mnl_attr_get_payload(attr) + sizeof(family), bytes);
	return 0;
}

// One next hop, of a route or of a part of its RTA_MULTIPATH. One that needs an encapsulation has
// no device.
static int
take_hop(const struct attributes *a, unsigned family, struct learn_hop *hop)
{
	if (attributes_take_address(a, RTA_GATEWAY, family, &hop->gateway) != 0 ||
	    take_via(a, &hop->gateway) != 0 || attributes_take(a, RTA_OIF, &hop->device, 4) != 0)
		return -EBADMSG;
	if (a->by_type[RTA_ENCAP] != NULL || a->by_type[RTA_NEWDST] != NULL)
		hop->device = 0;
	return 0;
}

static struct learn_hop *
add_hop(struct learn_way *way)
{
	uint32_t index = way->count < LEARN_HOPS_MAX ? way->count : LEARN_HOPS_MAX - 1;
	struct learn_hop *hop = &way->hops[index];

	way->count = index + 1;
	memset(hop, 0, sizeof(*hop));
	hop->weight = 1;
	return hop;
}

static int
take_multipath(const struct nlattr *attr, unsigned family, struct learn_way *way)
{
	const char *at = mnl_attr_get_payload(attr);
	const char *end = at + mnl_attr_get_payload_len(attr);

	while (at < end) {
		const struct rtnexthop *part = (const struct rtnexthop *)at;
		struct attributes inner;
		struct learn_hop *hop;

		if ((size_t)(end - at) < sizeof(*part) || part->rtnh_len < sizeof(*part) ||
		    part->rtnh_len > end - at)
			return -EBADMSG;
		if (attributes_parse(at + sizeof(*part), part->rtnh_len - sizeof(*part), &inner) !=
		    0)
			return -EBADMSG;
		hop = add_hop(way);
		hop->device = (uint32_t)part->rtnh_ifindex;
		hop->weight = part->rtnh_hops + 1u;
		if (take_hop(&inner, family, hop) != 0)
			return -EBADMSG;
		at += RTNH_ALIGN(part->rtnh_len);
	}
	return 0;
}

static bool
has_host_bits(const struct config_prefix *prefix)
{
	unsigned bytes = prefix->version == 4 ? 4 : 16;

	for (unsigned bit = prefix->length; bit < 8 * bytes; bit++)
		if (prefix->address[bit / 8] & 0x80 >> bit % 8)
			return true;
	return false;
}

static int
take_prefix(const struct attributes *a, const struct rtmsg *route, struct config_prefix *prefix)
{
	unsigned bytes = route->rtm_family == AF_INET ? 4 : 16;

	prefix->version = attributes_version(route->rtm_family);
	prefix->length = route->rtm_dst_len;
	if (prefix->length > 8 * bytes || (prefix->length != 0 && a->by_type[RTA_DST] == NULL) ||
	    attributes_take(a, RTA_DST, prefix->address, bytes) != 0 || has_host_bits(prefix))
		return -EBADMSG;
	return 0;
}

static int
take_way(const struct attributes *a, const struct rtmsg *route, struct learn_message *out)
{
	struct learn_way *way = &out->way;
	uint32_t id = 0;

	if (attributes_take(a, RTA_NH_ID, &id, 4) != 0)
		return -EBADMSG;
	if (id != 0) {
		add_hop(way)->id = id;
		return 0;
	}
	if (a->by_type[RTA_MULTIPATH] != NULL)
		return take_multipath(a->by_type[RTA_MULTIPATH], route->rtm_family, way);
	if (a->by_type[RTA_OIF] == NULL && a->by_type[RTA_GATEWAY] == NULL &&
	    a->by_type[RTA_VIA] == NULL)
		return 0;
	return take_hop(a, route->rtm_family, add_hop(way));
}

static bool
is_relevant(const struct rtmsg *route, bool gone)
{
	if (attributes_version(route->rtm_family) == 0 || route->rtm_src_len != 0 ||
	    route->rtm_tos != 0 || route->rtm_flags & RTM_F_CLONED)
		return false;
	switch (route->rtm_type) {
	case RTN_UNICAST:
	case RTN_BLACKHOLE:
	case RTN_UNREACHABLE:
	case RTN_PROHIBIT:
	case RTN_THROW:
		return true;
	default:
		return gone && route->rtm_type == RTN_UNSPEC; // zebra withdraws without a type
	}
}

static int
decode_route(const void *header, const struct attributes *a, struct learn_message *out)
{
	const struct rtmsg *route = header;
	uint32_t table = route->rtm_table;

	if (attributes_take(a, RTA_TABLE, &table, 4) != 0)
		return -EBADMSG;
	if (table != out->table || !is_relevant(route, out->gone))
		return 0;
	if (take_prefix(a, route, &out->prefix) != 0 ||
	    attributes_take(a, RTA_PRIORITY, &out->metric, 4) != 0)
		return -EBADMSG;
	out->kind = LEARN_ROUTE;
	// No table follows this one, so `throw` drops too.
	out->way.blackhole = route->rtm_type != RTN_UNICAST && route->rtm_type != RTN_UNSPEC;
	return out->way.blackhole ? 0 : take_way(a, route, out);
}

// Weights have 8 bits, or 16 if the kernel uses the byte that was reserved.
static int
take_group(const struct nlattr *attr, struct learn_way *way)
{
	size_t bytes = mnl_attr_get_payload_len(attr);
	const char *at = mnl_attr_get_payload(attr);
	struct nexthop_grp entry;

	if (bytes == 0 || bytes % sizeof(entry) != 0)
		return -EBADMSG;
	for (size_t i = 0; i < bytes / sizeof(entry) && way->count < LEARN_HOPS_MAX; i++) {
		struct learn_hop *hop = add_hop(way);

		memcpy(&entry, at + i * sizeof(entry), sizeof(entry));
		if (entry.id == 0)
			return -EBADMSG;
		hop->id = entry.id;
		hop->weight = 1u + entry.weight + ((uint32_t)entry.resvd1 << 8);
	}
	return 0;
}

static int
decode_nexthop(const void *header, const struct attributes *a, struct learn_message *out)
{
	const struct nhmsg *nexthop = header;
	struct learn_hop *hop;

	if (attributes_take(a, NHA_ID, &out->id, 4) != 0 || out->id == 0)
		return -EBADMSG;
	if (a->by_type[NHA_FDB] != NULL)
		return 0;
	out->kind = LEARN_NEXTHOP;
	out->way.blackhole = a->by_type[NHA_BLACKHOLE] != NULL;
	if (out->gone || out->way.blackhole)
		return 0;
	if (a->by_type[NHA_GROUP] != NULL)
		return take_group(a->by_type[NHA_GROUP], &out->way);
	hop = add_hop(&out->way);
	if (attributes_take_address(a, NHA_GATEWAY, nexthop->nh_family, &hop->gateway) != 0 ||
	    attributes_take(a, NHA_OIF, &hop->device, 4) != 0)
		return -EBADMSG;
	if (a->by_type[NHA_ENCAP] != NULL)
		hop->device = 0;
	return 0;
}

#define NEIGHBOUR_USABLE \
	(NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT | NUD_NOARP)

static bool
is_station(const uint8_t mac[6])
{
	static const uint8_t none[6];

	return !(mac[0] & 1) && memcmp(mac, none, 6) != 0;
}

static int
decode_neighbour(const void *header, const struct attributes *a, struct learn_message *out)
{
	const struct ndmsg *neighbour = header;
	const struct nlattr *mac = a->by_type[NDA_LLADDR];

	if (attributes_version(neighbour->ndm_family) == 0 || neighbour->ndm_flags & NTF_PROXY)
		return 0;
	if (a->by_type[NDA_DST] == NULL ||
	    attributes_take_address(a, NDA_DST, neighbour->ndm_family, &out->address) != 0)
		return -EBADMSG;
	out->kind = LEARN_NEIGHBOUR;
	out->device = (uint32_t)neighbour->ndm_ifindex;
	out->state = neighbour->ndm_state;
	// Interfaces that are not Ethernet have addresses of other lengths.
	if (mac != NULL && mnl_attr_get_payload_len(mac) == sizeof(out->mac))
		memcpy(out->mac, mnl_attr_get_payload(mac), sizeof(out->mac));
	out->usable = neighbour->ndm_state & NEIGHBOUR_USABLE && is_station(out->mac);
	return 0;
}

static int
decode_link(const void *header, const struct attributes *a, struct learn_message *out)
{
	const struct ifinfomsg *link = header;
	const struct nlattr *name = a->by_type[IFLA_IFNAME];

	if (link->ifi_family != AF_UNSPEC) // a bridge's ports, or IPv6's settings
		return 0;
	if (name != NULL) {
		if (mnl_attr_get_payload_len(name) > sizeof(out->name) ||
		    mnl_attr_validate(name, MNL_TYPE_NUL_STRING) < 0)
			return -EBADMSG;
		memcpy(out->name, mnl_attr_get_payload(name), mnl_attr_get_payload_len(name));
	}
	out->kind = LEARN_LINK;
	out->device = (uint32_t)link->ifi_index;
	out->usable = link->ifi_flags & IFF_UP && link->ifi_flags & IFF_LOWER_UP;
	return 0;
}

static int
decode_address(const void *header, const struct attributes *a, struct learn_message *out)
{
	const struct ifaddrmsg *address = header;

	if (attributes_version(address->ifa_family) == 0)
		return 0;
	// On a point-to-point interface, IFA_ADDRESS is the other end's.
	if (attributes_take_address(a, a->by_type[IFA_LOCAL] != NULL ? IFA_LOCAL : IFA_ADDRESS,
				    address->ifa_family, &out->address) != 0 ||
	    out->address.version == 0)
		return -EBADMSG;
	out->kind = LEARN_ADDRESS;
	out->device = address->ifa_index;
	return 0;
}

// Types come in fours: new, delete, get, set.
static const struct {
	uint16_t type;
	uint8_t header; // bytes of the message's own header
	int (*decode)(const void *header, const struct attributes *a, struct learn_message *out);
} decoders[] = {
	{RTM_NEWROUTE, sizeof(struct rtmsg), decode_route},
	{RTM_NEWNEXTHOP, sizeof(struct nhmsg), decode_nexthop},
	{RTM_NEWNEIGH, sizeof(struct ndmsg), decode_neighbour},
	{RTM_NEWLINK, sizeof(struct ifinfomsg), decode_link},
	{RTM_NEWADDR, sizeof(struct ifaddrmsg), decode_address},
};

int
learn_decode(const struct nlmsghdr *message, uint32_t table, struct learn_message *out)
{
	struct attributes a;

	// The hops are not cleared: they are most of it, and few are used.
	memset(out, 0, offsetof(struct learn_message, way.hops));
	if (message->nlmsg_len < MNL_NLMSG_HDRLEN)
		return -EBADMSG;
	out->replaces = message->nlmsg_flags & NLM_F_REPLACE;
	out->appends = message->nlmsg_flags & NLM_F_APPEND;
	out->gone = message->nlmsg_type % 4 == 1;
	out->table = table;
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++) {
		if (message->nlmsg_type - out->gone != decoders[i].type)
			continue;
		if (attributes_parse_message(message, decoders[i].header, &a) != 0)
			return -EBADMSG;
		return decoders[i].decode(mnl_nlmsg_get_payload(message), &a, out);
	}
	return 0;
}
