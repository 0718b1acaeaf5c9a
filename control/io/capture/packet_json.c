// SPDX-License-Identifier: BSD-3-Clause
#include "packet_json.h"

#include "dataplane/base/headers.h"
#include "dataplane/base/ib_headers.h"
#include "dataplane/base/roce_headers.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>

#define VXLAN_UDP_PORT 4789
#define VXLAN_BYTES 8
#define BTH_BYTES 12
#define TAGS_MAX 2
#define OPCODE_PAUSE 0x0001
#define OPCODE_PFC 0x0101

struct rest {
	const uint8_t *at;
	uint32_t count;
};

static bool
skip(struct rest *r, uint32_t count)
{
	if (r->count < count)
		return false;
	r->at += count;
	r->count -= count;
	return true;
}

static void
set(json_t *to, const char *key, uint64_t value)
{
	json_object_set_new(to, key, json_integer((json_int_t)value));
}

static void
set_text(json_t *to, const char *key, const char *value)
{
	json_object_set_new(to, key, json_string(value));
}

static void
set_mac(json_t *to, const char *key, const uint8_t *mac)
{
	char text[18];

	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	set_text(to, key, text);
}

static void
set_address(json_t *to, const char *key, int family, const uint8_t *address)
{
	char text[INET6_ADDRSTRLEN];

	set_text(to, key, inet_ntop(family, address, text, sizeof(text)));
}

static const char *
opcode_name(uint8_t opcode)
{
	static const char *const names[] = {
		[ROCE_OP_SEND_FIRST] = "SEND_FIRST",
		[ROCE_OP_SEND_MIDDLE] = "SEND_MIDDLE",
		[ROCE_OP_SEND_LAST] = "SEND_LAST",
		[ROCE_OP_SEND_LAST_IMM] = "SEND_LAST_IMM",
		[ROCE_OP_SEND_ONLY] = "SEND_ONLY",
		[ROCE_OP_SEND_ONLY_IMM] = "SEND_ONLY_IMM",
		[ROCE_OP_WRITE_FIRST] = "WRITE_FIRST",
		[ROCE_OP_WRITE_MIDDLE] = "WRITE_MIDDLE",
		[ROCE_OP_WRITE_LAST] = "WRITE_LAST",
		[ROCE_OP_WRITE_LAST_IMM] = "WRITE_LAST_IMM",
		[ROCE_OP_WRITE_ONLY] = "WRITE_ONLY",
		[ROCE_OP_WRITE_ONLY_IMM] = "WRITE_ONLY_IMM",
		[ROCE_OP_READ_REQUEST] = "READ_REQUEST",
		[ROCE_OP_READ_RESPONSE_FIRST] = "READ_RESPONSE_FIRST",
		[ROCE_OP_READ_RESPONSE_MIDDLE] = "READ_RESPONSE_MIDDLE",
		[ROCE_OP_READ_RESPONSE_LAST] = "READ_RESPONSE_LAST",
		[ROCE_OP_READ_RESPONSE_ONLY] = "READ_RESPONSE_ONLY",
		[ROCE_OP_ACK] = "ACK",
	};

	if (opcode == ROCE_OP_CNP)
		return "CNP";
	return opcode < sizeof(names) / sizeof(names[0]) ? names[opcode] : NULL;
}

static void
add_roce(json_t *to, struct rest r)
{
	const char *name;
	char number[16];

	if (r.count < BTH_BYTES)
		return;
	name = opcode_name(r.at[0]);
	snprintf(number, sizeof(number), "0x%02x", r.at[0]);
	set_text(to, "protocol", "roce");
	set_text(to, "opcode", name != NULL ? name : number);
	set(to, "qp", header_get32(r.at + 4) & ROCE_PSN_MASK);
	set(to, "psn", header_get32(r.at + 8) & ROCE_PSN_MASK);
	if (r.at[0] == ROCE_OP_ACK && r.count > BTH_BYTES)
		set(to, "syndrome", r.at[BTH_BYTES]);
}

static void add_ethernet(json_t *to, struct rest r, bool inside);

static void
add_ports(json_t *to, struct rest r, uint8_t protocol, bool inside)
{
	uint16_t dport;

	if (r.count < 4)
		return;
	dport = header_get16(r.at + 2);
	if (protocol == HEADER_PROTOCOL_UDP && dport == VXLAN_UDP_PORT && !inside &&
	    r.count >= HEADER_UDP_BYTES + VXLAN_BYTES + HEADER_ETHERNET_BYTES) {
		json_object_set(to, "tunnel_src", json_object_get(to, "src"));
		json_object_set(to, "tunnel_dst", json_object_get(to, "dst"));
		set(to, "vni", header_get32(r.at + HEADER_UDP_BYTES + 4) >> 8);
		skip(&r, HEADER_UDP_BYTES + VXLAN_BYTES);
		add_ethernet(to, r, true);
		return;
	}
	set(to, "sport", header_get16(r.at));
	set(to, "dport", dport);
	if (protocol == HEADER_PROTOCOL_UDP && dport == ROCE_UDP_PORT && skip(&r, HEADER_UDP_BYTES))
		add_roce(to, r);
}

static void
add_transport(json_t *to, struct rest r, uint8_t protocol, bool inside)
{
	switch (protocol) {
	case HEADER_PROTOCOL_UDP:
	case HEADER_PROTOCOL_TCP:
		set_text(to, "protocol", protocol == HEADER_PROTOCOL_UDP ? "udp" : "tcp");
		add_ports(to, r, protocol, inside);
		break;
	case HEADER_PROTOCOL_ICMP:
	case HEADER_PROTOCOL_ICMP6:
		set_text(to, "protocol", protocol == HEADER_PROTOCOL_ICMP ? "icmp" : "icmp6");
		if (r.count >= 1)
			set(to, "type", r.at[0]);
		break;
	default:
		set(to, "next", protocol);
		break;
	}
}

static void
add_ip4(json_t *to, struct rest r, bool inside)
{
	const uint8_t *ip = r.at;
	uint32_t length;

	set_text(to, "protocol", "ip");
	if (r.count < HEADER_IP4_BYTES)
		return;
	set_address(to, "src", AF_INET, ip + 12);
	set_address(to, "dst", AF_INET, ip + 16);
	set(to, "dscp", ip[1] >> 2);
	set(to, "ecn", ip[1] & 3);
	length = (ip[0] & 0x0fu) * 4;
	// Behind the first fragment there are no ports.
	if (length < HEADER_IP4_BYTES || (header_get16(ip + 6) & 0x1fff) != 0 || !skip(&r, length))
		return;
	add_transport(to, r, ip[9], inside);
}

static void
add_ip6(json_t *to, struct rest r, bool inside)
{
	const uint8_t *ip = r.at;
	uint32_t traffic_class;

	set_text(to, "protocol", "ip6");
	if (!skip(&r, HEADER_IP6_BYTES))
		return;
	traffic_class = header_get32(ip) >> 20 & 0xff;
	set_address(to, "src", AF_INET6, ip + 8);
	set_address(to, "dst", AF_INET6, ip + 24);
	set(to, "dscp", traffic_class >> 2);
	set(to, "ecn", traffic_class & 3);
	add_transport(to, r, ip[6], inside);
}

static void
add_pause(json_t *to, struct rest r)
{
	json_t *quanta = json_object();
	uint16_t opcode = r.count >= 2 ? header_get16(r.at) : 0;

	if (opcode == OPCODE_PAUSE && r.count >= 4) {
		set_text(to, "protocol", "pause");
		set(quanta, "link", header_get16(r.at + 2));
	}
	if (opcode == OPCODE_PFC && r.count >= 20) {
		set_text(to, "protocol", "pfc");
		for (unsigned int i = 0; i < 8; i++) {
			char priority[2] = {(char)('0' + i), '\0'};

			if (r.at[3] >> i & 1)
				set(quanta, priority, header_get16(r.at + 4 + 2 * i));
		}
	}
	json_object_set_new(to, "quanta", quanta);
}

static void
add_arp(json_t *to, struct rest r)
{
	set_text(to, "protocol", "arp");
	if (r.count < 28)
		return;
	set_address(to, "src", AF_INET, r.at + 14);
	set_address(to, "dst", AF_INET, r.at + 24);
}

static void
add_ethernet(json_t *to, struct rest r, bool inside)
{
	uint16_t type;

	if (!skip(&r, HEADER_ETHERNET_BYTES))
		return;
	set_mac(to, "dst", r.at - 14);
	set_mac(to, "src", r.at - 8);
	type = header_get16(r.at - 2);
	for (int i = 0; i < TAGS_MAX && header_is_tag(type); i++) {
		if (!skip(&r, HEADER_TAG_BYTES))
			return;
		set(to, "vlan", header_get16(r.at - 4) & 0x0fff);
		type = header_get16(r.at - 2);
	}
	switch (type) {
	case HEADER_TYPE_IP4:
		add_ip4(to, r, inside);
		break;
	case HEADER_TYPE_IP6:
		add_ip6(to, r, inside);
		break;
	case HEADER_TYPE_ARP:
		add_arp(to, r);
		break;
	case HEADER_TYPE_MAC_CONTROL:
		add_pause(to, r);
		break;
	case HEADER_TYPE_LLDP:
		set_text(to, "protocol", "lldp");
		break;
	default:
		set(to, "ethertype", type);
		break;
	}
}

void
packet_json_add(json_t *to, const uint8_t *data, uint32_t count)
{
	set_text(to, "protocol", "ethernet");
	add_ethernet(to, (struct rest){data, count}, false);
}

void
packet_json_add_infiniband(json_t *to, const uint8_t *data, uint32_t count)
{
	const struct ib_lrh *lrh = (const struct ib_lrh *)data;
	struct rest bth = {data, count};
	char text[16];

	set_text(to, "protocol", "infiniband");
	if (!skip(&bth, IB_LRH_BYTES))
		return;
	snprintf(text, sizeof(text), "lid %u", ib_lrh_slid(lrh));
	set_text(to, "src", text);
	snprintf(text, sizeof(text), "lid %u", ib_lrh_dlid(lrh));
	set_text(to, "dst", text);
	set(to, "sl", ib_lrh_sl(lrh));
	set(to, "vl", ib_lrh_vl(lrh));
	if ((lrh->sl_next & 3) != IB_NEXT_BTH || bth.count < sizeof(struct roce_bth))
		return;
	set(to, "pkey", roce_bth_pkey((const struct roce_bth *)bth.at));
	add_roce(to, bth);
	set_text(to, "protocol", "infiniband");
}
