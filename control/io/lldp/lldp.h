// SPDX-License-Identifier: BSD-3-Clause
// LLDPDUs of IEEE 802.1AB, with the TLVs of DCBX (IEEE 802.1Q-2018, annex D.2.8 to D.2.11): built
// from and parsed into plain data. Frames come from outside: the parser checks everything, and
// makes texts safe for terminals and JSON. Any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LLDP_FRAME_MAX 1514 // without FCS
#define LLDP_TEXT_MAX 256   // with its NUL
#define LLDP_ID_MAX 255
#define LLDP_APPLICATIONS_MAX 16
#define LLDP_CLASSES 8 // traffic classes, and priorities

enum lldp_chassis_subtype { LLDP_CHASSIS_MAC = 4, LLDP_CHASSIS_ADDRESS = 5 };
enum lldp_port_subtype { LLDP_PORT_MAC = 3, LLDP_PORT_ADDRESS = 4, LLDP_PORT_INTERFACE = 5 };

// Bits of capabilities.
enum lldp_capability {
	LLDP_CAPABLE_BRIDGE = 1 << 2,
	LLDP_CAPABLE_ROUTER = 1 << 4,
	LLDP_CAPABLE_STATION = 1 << 7,
};

struct lldp_id {
	uint8_t subtype; // of a chassis or of a port
	uint8_t length;
	uint8_t bytes[LLDP_ID_MAX];
};

enum lldp_algorithm { LLDP_STRICT = 0, LLDP_CREDIT_SHAPER = 1, LLDP_ETS = 2, LLDP_VENDOR = 255 };

struct lldp_ets {
	bool present, willing, credit_shaper;
	uint8_t classes; // most traffic classes, 1 to 8
	uint8_t priority_to_class[LLDP_CLASSES];
	uint8_t bandwidth[LLDP_CLASSES]; // percent
	uint8_t algorithm[LLDP_CLASSES]; // enum lldp_algorithm, or another number
};

struct lldp_pfc {
	bool present, willing, bypass; // macsec bypass capability (MBC)
	uint8_t classes;               // how many may have PFC at once
	uint8_t enabled;               // bit per priority
};

enum lldp_selector {
	LLDP_ETHERTYPE = 1,
	LLDP_TCP = 2,
	LLDP_UDP = 3,
	LLDP_TCP_UDP = 4,
	LLDP_DSCP = 5
};

struct lldp_application {
	uint8_t priority;
	uint8_t selector; // enum lldp_selector, or another number of 3 bits
	uint16_t protocol;
};

// The contents of an LLDPDU. Optional texts are empty if it has none.
struct lldp_pdu {
	struct lldp_id chassis, port;
	uint16_t ttl; // seconds; 0: the sender shuts LLDP down
	char port_description[LLDP_TEXT_MAX];
	char system_name[LLDP_TEXT_MAX];
	char system_description[LLDP_TEXT_MAX];
	uint16_t capabilities, enabled; // enum lldp_capability
	bool has_ip4, has_ip6;          // management addresses, the first of each version
	uint8_t ip4[4], ip6[16];
	struct lldp_ets ets; // configuration
	struct lldp_pfc pfc;
	struct lldp_application applications[LLDP_APPLICATIONS_MAX];
	unsigned application_count;
};

// Builds the frame, with ETS both as configuration and as recommendation; with ttl 0, only the
// mandatory TLVs. `source`: the port's MAC. Returns its length; TLVs that do not fit are left out.
size_t lldp_build(const struct lldp_pdu *pdu, const uint8_t source[static 6],
		  uint8_t frame[static LLDP_FRAME_MAX]);

// Parses a frame, Ethernet header included. Returns 0, or -EBADMSG if the standard has the LLDPDU
// discarded: a mandatory TLV is missing, twice there or out of order, or a TLV exceeds the frame. A
// TLV whose own contents are invalid is skipped.
int lldp_parse(const uint8_t *frame, size_t length, struct lldp_pdu *out);

// An identifier as text: "02:02:00:00:00:00", "eth1", "10.0.0.1". Return text.
const char *lldp_chassis_text(const struct lldp_id *id, char text[static LLDP_TEXT_MAX]);
const char *lldp_port_text(const struct lldp_id *id, char text[static LLDP_TEXT_MAX]);

// The name of a capability, the N of bit 1 << N: "router"; NULL: it has none.
const char *lldp_capability_name(unsigned bit);
// The name of a selector: "udp"; NULL: it has none.
const char *lldp_selector_name(uint8_t selector);

// Whether two PDUs come from the same port of the same system.
bool lldp_same_sender(const struct lldp_pdu *a, const struct lldp_pdu *b);
