// SPDX-License-Identifier: BSD-3-Clause
// https://www.tcpdump.org/linktypes.html has the numbers and what the headers mean.
#include "link_type.h"

#include "dataplane/base/headers.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>

#define ETHERTYPE_MIN 0x0600 // below: a length, or a kind of frame of Linux's own
#define BROADCAST 1          // the packet type of cooked captures (packet(7))

enum form {
	FORM_NONE,
	FORM_LOOPBACK, // 4 bytes: the address family of the system that captured
	FORM_IP,
	FORM_COOKED,
	FORM_COOKED2,
};

// clang-format off
static const struct {
	uint16_t link;
	const char *name;
	enum form form;
	const char *remedy;
} rows[] = {
	{0, "NULL", FORM_LOOPBACK, NULL},
	{108, "LOOP", FORM_LOOPBACK, NULL},
	{101, "RAW", FORM_IP, NULL},
	{228, "IPV4", FORM_IP, NULL},
	{229, "IPV6", FORM_IP, NULL},
	{113, "LINUX_SLL", FORM_COOKED, NULL},
	{276, "LINUX_SLL2", FORM_COOKED2, NULL},
	{105, "IEEE802_11", FORM_NONE, "capture on the wired side of the access point"},
	{119, "PRISM_HEADER", FORM_NONE, "capture on the wired side of the access point"},
	{127, "IEEE802_11_RADIO", FORM_NONE, "capture on the wired side of the access point"},
	{163, "IEEE802_11_RADIO_AVS", FORM_NONE, "capture on the wired side of the access point"},
	{192, "PPI", FORM_NONE, "capture on the wired side of the access point"},
	{9, "PPP", FORM_NONE, "capture on an Ethernet interface behind the link"},
	{50, "PPP_SERIAL", FORM_NONE, "capture on an Ethernet interface behind the link"},
	{51, "PPP_ETHER", FORM_NONE, "capture on an Ethernet interface behind the link"},
	{104, "C_HDLC", FORM_NONE, "capture on an Ethernet interface behind the link"},
	{239, "NFLOG", FORM_NONE, "capture on the interface itself, such as tcpdump -i eth0"},
	{LINK_TYPE_INFINIBAND, "INFINIBAND", FORM_NONE, "only a switch with link-layer: infiniband takes it"},
	{LINK_TYPE_ERF, "ERF", FORM_NONE, "of InfiniBand, only a switch with link-layer: infiniband takes it"},
	{270, "IPOIB", FORM_NONE, "capture on an Ethernet interface"},
};
// clang-format on

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static size_t
find_row(uint16_t link)
{
	size_t i = 0;

	while (i < ROWS && rows[i].link != link)
		i++;
	return i;
}

const char *
link_type_name(uint16_t link)
{
	size_t i = find_row(link);
	const char *name = i < ROWS ? rows[i].name : pcap_datalink_val_to_name(link);

	return name != NULL ? name : "unknown";
}

// The EtherType of an IP packet, by its version.
static uint16_t
type_of_ip(const uint8_t *ip, uint32_t count)
{
	if (count == 0)
		return 0;
	return ip[0] >> 4 == 4 ? HEADER_TYPE_IP4 : ip[0] >> 4 == 6 ? HEADER_TYPE_IP6 : 0;
}

// What a header in front of a packet says.
struct header {
	uint32_t bytes;
	uint16_t type; // EtherType; below ETHERTYPE_MIN: none
	bool broadcast;
	const uint8_t *source; // NULL: unknown
};

static struct header
read_header(enum form form, const uint8_t *data, uint32_t count)
{
	struct header h = {0};
	const uint8_t *address;
	unsigned int address_bytes, kind;

	if (form == FORM_IP || form == FORM_LOOPBACK) {
		h.bytes = form == FORM_IP ? 0 : 4;
		h.type = count > h.bytes ? type_of_ip(data + h.bytes, count - h.bytes) : 0;
		return h;
	}
	h.bytes = form == FORM_COOKED ? 16 : 20;
	if (count < h.bytes)
		return h;
	h.type = header_get16(form == FORM_COOKED ? data + 14 : data);
	kind = form == FORM_COOKED ? header_get16(data) : data[10];
	address_bytes = form == FORM_COOKED ? header_get16(data + 4) : data[11];
	address = form == FORM_COOKED ? data + 6 : data + 12;
	h.broadcast = kind == BROADCAST;
	h.source = address_bytes == 6 ? address : NULL;
	return h;
}

int
link_type_convert(uint16_t link, const uint8_t *data, uint32_t count, const uint8_t mac[6],
		  uint8_t *to, char why[static LINK_TYPE_WHY_MAX])
{
	size_t row = find_row(link);
	struct header h;

	if (row == ROWS || rows[row].form == FORM_NONE) {
		snprintf(why, LINK_TYPE_WHY_MAX,
			 "link type %s (%u), must be EN10MB (Ethernet), cooked (LINUX_SLL, "
			 "LINUX_SLL2), RAW or loopback; %s",
			 link_type_name(link), link,
			 row < ROWS ? rows[row].remedy : "capture on an Ethernet interface");
		return -EINVAL;
	}
	h = read_header(rows[row].form, data, count);
	if (h.type < ETHERTYPE_MIN) {
		snprintf(why, LINK_TYPE_WHY_MAX,
			 "link type %s (%u): neither IP nor another EtherType; remove it (editcap "
			 "IN OUT NUMBER), or capture on an Ethernet interface",
			 rows[row].name, link);
		return -EINVAL;
	}
	memset(to, 0xff, 6);
	if (!h.broadcast)
		memcpy(to, mac, 6);
	memset(to + 6, 0, 6);
	if (h.source != NULL && !(h.source[0] & 1))
		memcpy(to + 6, h.source, 6);
	header_put16(to + 12, h.type);
	memcpy(to + HEADER_ETHERNET_BYTES, data + h.bytes, count - h.bytes);
	return (int)(HEADER_ETHERNET_BYTES + count - h.bytes);
}

// The header of an ERF record, and what says how long the packet was (Wireshark's wiretap/erf.c):
// extensions of 8 bytes follow as long as the highest bit of the type, then of each one, is set.
#define ERF_HEADER_BYTES 16u
#define ERF_EXTENSION_BYTES 8u
#define ERF_INFINIBAND 21
#define ERF_MORE 0x80

int
link_type_find_infiniband(uint16_t link, const uint8_t *data, uint32_t count)
{
	uint32_t at = ERF_HEADER_BYTES;
	bool more;

	if (link == LINK_TYPE_INFINIBAND)
		return 0;
	if (link != LINK_TYPE_ERF || count < ERF_HEADER_BYTES ||
	    (data[8] & ~ERF_MORE) != ERF_INFINIBAND)
		return -EINVAL;
	for (more = data[8] & ERF_MORE; more; at += ERF_EXTENSION_BYTES) {
		if (at + ERF_EXTENSION_BYTES > count)
			return -EINVAL;
		more = data[at] & ERF_MORE;
	}
	return (int)at;
}
