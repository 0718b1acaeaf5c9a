// SPDX-License-Identifier: BSD-3-Clause
// What a switch says of its own, about packets that it does not forward: ICMP errors and echo
// replies, ARP and neighbour discovery. All of it begins where a packet has got a reason to be
// dropped, so that a packet that is forwarded pays nothing. See answer.c for the rules.
#pragma once

#include "stage.h"
#include "dataplane/base/headers.h"

#define ANSWER_TTL 64        // of what a node says, as in Linux
#define ANSWER_DSCP_ERROR 48 // CS6, internetwork control: RFC 1812 section 4.3.2.5
#define ANSWER_ICMP_BYTES 8u

enum answer_icmp4 {
	ICMP4_ECHO_REPLY = 0,
	ICMP4_UNREACHABLE = 3,
	ICMP4_ECHO = 8,
	ICMP4_TIME_EXCEEDED = 11,
};

enum answer_icmp6 {
	ICMP6_UNREACHABLE = 1,
	ICMP6_TOO_BIG = 2,
	ICMP6_TIME_EXCEEDED = 3,
	ICMP6_PARAMETER = 4,
	ICMP6_ECHO = 128,
	ICMP6_ECHO_REPLY = 129,
	ICMP6_SOLICITATION = 135,
	ICMP6_ADVERTISEMENT = 136,
	ICMP6_REDIRECT = 137,
};

// An IP packet that may be answered, as far as that matters. A node's thread.
struct answer_question {
	const uint8_t *ip;  // its header
	const uint8_t *mac; // the frame's addresses: destination, source
	uint32_t bytes;     // of the IP packet that are there
	uint32_t length;    // of the IP packet
	uint32_t l4;        // what is behind the IP headers begins there; 0: not known
	uint8_t protocol;   // of that
	bool ip6;
	bool fragment; // the first one
};

// An answer: a packet, or NULL.
struct answer {
	struct rte_mbuf *packet;
	bool on_link; // leaves by the port that the question came by, else by its route
};

// What goes into an ICMP error.
struct answer_error {
	enum answer_kind kind;
	const uint8_t *source; // of its version of IP
	uint32_t mtu;          // with ANSWER_TOO_BIG
	bool on_link;
};

// Decides about a packet that a switch drops for the reason `verdict`, and makes its answer.
// Returns the reason to drop it for, or STAGE_CONSUMED: the packet was for the switch itself; it
// stays the caller's. The node's worker.
int answer_refused(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now,
		   struct answer *out);

// Admits an answer to the port that the question came by, past stages that concern what is routed.
// Returns STAGE_NEXT, or the reason to drop it for.
int answer_admit(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// ---- parts of it --------------------------------------------------------------------------------

// True when the rate leaves room for another answer, which then counts. `due`: when the next of
// this bucket would be due.
bool answer_allowed(const struct answer_profile *a, ps_t *due, ps_t now);

// A packet of the pool for an answer of `length` bytes from the Ethernet header on, with no
// contents; NULL: there is none, which is counted. `m`: the question.
struct rte_mbuf *answer_start(struct node *n, struct port *in, struct rte_mbuf *m, uint32_t length);

// Finds an IP packet's parts. `m`: with a header of this version at l3_off. False: nothing may be
// said about it: a fragment but the first, or one whose headers are not all there.
bool answer_look(struct rte_mbuf *m, struct answer_question *q);
// Whether it is an ICMP error (or may be one), about which nothing is said.
bool answer_is_error(const struct answer_question *q);
// Whether it is a whole echo request with the right checksum.
bool answer_is_echo(const struct answer_question *q);

// The reply to an echo request, and an error; NULL as answer_start().
struct rte_mbuf *answer_make_echo(struct node *n, struct port *in, struct rte_mbuf *m,
				  const struct answer_question *q, bool on_link);
struct rte_mbuf *answer_make_error(struct node *n, struct port *in, struct rte_mbuf *m,
				   const struct answer_question *q, const struct answer_error *e);

// The checksum of `bytes` of ICMPv6 at `at` in the IPv6 packet at `ip`, as it is stored; what is in
// its field counts.
uint16_t answer_icmp6_checksum(const uint8_t *ip, const uint8_t *at, uint32_t bytes);

// Whether an address is answered for at a port: `own`, or where `proxy` is set one that is routed
// to another port.
struct answer_owner {
	bool own;
	bool proxy;
};
typedef struct answer_owner answer_owns_fn(const void *context, bool ip6, const uint8_t *address);

// An ARP frame, its ARP header at l3_off. Returns STAGE_CONSUMED, or DROP_TO_SWITCH when nobody
// here answers for the address; `verdict` for what is no ARP of IPv4 over Ethernet.
int answer_arp(struct node *n, struct port *in, struct rte_mbuf *m, int verdict,
	       answer_owns_fn *owns, const void *context, struct answer *out);
// The same of a neighbour solicitation; `verdict` when it is none or not valid.
int answer_solicitation(struct node *n, struct port *in, struct rte_mbuf *m, int verdict,
			answer_owns_fn *owns, const void *context, struct answer *out);
