// SPDX-License-Identifier: BSD-3-Clause
// What a node says of its own: the kinds of packets that it makes in answer to one that came in
// (stages/answer.h), and why it stayed silent. This list is the only place that knows them.
#pragma once

// X(id, name, help)
#define ANSWER_KINDS(X)                                                                        \
	X(ECHO_REPLY, "echo-reply", "ping, to the switch itself or a gateway")                 \
	X(TIME_EXCEEDED, "time-exceeded", "about a packet whose TTL or hop limit ran out")     \
	X(TOO_BIG, "too-big", "fragmentation needed, or packet too big, with the MTU")         \
	X(NET_UNREACHABLE, "net-unreachable", "no route, or no next hop that is up")           \
	X(HOST_UNREACHABLE, "host-unreachable", "the host's link is down, or its MAC unknown") \
	X(PROTOCOL_UNREACHABLE, "protocol-unreachable",                                        \
	  "to the switch itself, neither ICMP, UDP nor TCP")                                   \
	X(PORT_UNREACHABLE, "port-unreachable", "to the switch itself, where nobody listens")  \
	X(ARP_REPLY, "arp-reply", "ARP")                                                       \
	X(NEIGHBOUR_ADVERTISEMENT, "neighbour-advertisement", "neighbour discovery of IPv6")   \
	X(SUPPRESSED, "suppressed",                                                            \
	  "not sent: beyond the rate of `switch.icmp`, or the packet pool is empty")           \
	X(NO_WAY_BACK, "no-way-back", "not sent: no route to the source")

enum answer_kind {
#define X(id, name, help) ANSWER_##id,
	ANSWER_KINDS(X)
#undef X
		ANSWER_COUNT,
};

// Those before it are packets.
#define ANSWER_PACKETS ANSWER_SUPPRESSED

// The name of a kind, as in counters.json.
const char *answer_kind_name(enum answer_kind kind);
// What it is about, in one line.
const char *answer_kind_help(enum answer_kind kind);
