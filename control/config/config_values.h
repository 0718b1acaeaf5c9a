// SPDX-License-Identifier: BSD-3-Clause
// The words of a configuration: places in the file, names, and values with more than one form.
#pragma once

#include "control/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CONFIG_PRIORITIES 8
#define CONFIG_DSCPS 64
#define CONFIG_NAME_MAX 32 // characters of a fabric's, node's, tenant's or VRF's name
#define CONFIG_GRADES_MAX 15
#define CONFIG_CPUS_MAX 256
#define CONFIG_PPM 1000000u // 100 %

// Something the file names (a host, a port, a queue, a link): existence is checked by who knows.
struct config_name {
	char *text;
	const char *range; // as written, of a name from a range of hosts; else NULL
	struct diag_pos pos;
};

struct config_names {
	struct config_name *items;
	unsigned count;
};

// The last name of the range that the i-th name is from, or i: one error is enough for a range.
static inline unsigned
config_range_last(const struct config_names *names, unsigned i)
{
	while (names->items[i].range != NULL && i + 1 < names->count &&
	       names->items[i + 1].range == names->items[i].range)
		i++;
	return i;
}

// Where that may be written instead of names.
static inline bool
config_means_all(const struct config_names *names)
{
	return names->count == 1 && strcmp(names->items[0].text, "all") == 0;
}

enum config_role {
	CONFIG_ROLE_LEAF,
	CONFIG_ROLE_SPINE,
	CONFIG_ROLE_SUPER_SPINE, // above the spines of several pods
	CONFIG_ROLE_HOST,
};

enum config_amount_kind {
	CONFIG_AMOUNT_BYTES,     // value: bytes
	CONFIG_AMOUNT_PERCENT,   // value: parts per million
	CONFIG_AMOUNT_UNLIMITED, // no value
	CONFIG_AMOUNT_AUTO,      // computed by a later stage
	CONFIG_AMOUNT_NONE,      // switched off
	CONFIG_AMOUNT_ALPHA,     // value: CONFIG_ALPHA_ONE + the exponent (0 is 1/128, 13 is 64)
};

#define CONFIG_ALPHA_ONE 7 // the value of a CONFIG_AMOUNT_ALPHA that is 1

struct config_amount {
	enum config_amount_kind kind;
	uint64_t value;
};

// What bounds a group's or queue's use of the shared part of its pool.
enum config_limit_kind {
	CONFIG_LIMIT_AUTO,  // only before merging is finished
	CONFIG_LIMIT_ZERO,  // alpha 0
	CONFIG_LIMIT_ALPHA, // alpha = 2^shift
	CONFIG_LIMIT_UNLIMITED,
	CONFIG_LIMIT_STATIC,
};

struct config_limit {
	enum config_limit_kind kind;
	int8_t shift;          // LIMIT_ALPHA: -7 .. 6
	uint64_t static_bytes; // LIMIT_STATIC
};

// What a map of numbers lists in the file; all else is what `default:` says.
struct config_listed {
	uint64_t bits; // bit n: entry n
	uint8_t value;
	bool set; // there is a `default:`
};

struct config_prefix {
	uint8_t version; // 4 or 6
	uint8_t length;
	uint8_t address[16]; // network byte order, the first 4 for IPv4; no host bits set
};

struct config_mac {
	uint8_t bytes[6];
	bool set;
};

struct config_address {
	uint8_t version;   // 4 or 6; 0: none
	uint8_t bytes[16]; // network byte order, the first 4 for IPv4
	struct diag_pos pos;
};

// A link's properties as written or inherited; delay and cable always agree (198,000,000 m/s).
struct config_link {
	uint64_t rate_bps; // 0: as fast as the device takes (`rate: device`)
	uint64_t delay_ps;
	uint64_t cable_mm;
	uint32_t mtu;      // bytes of IP packet; 0: what the hosts' MTU and encapsulation need
	uint32_t loss_ppm; // of the packets, either way
	struct diag_pos pos;
};

// A route's next hop: a neighbour node in a fabric (`via: [spine1]`,
// `[{node: spine1, weight: 2}]`), a port and the MAC behind it on one switch
// (`via: [{port: swp2, mac: ...}]`), or the far end of a tunnel (`via: [{vtep: 172.16.0.2, mac:
// ...}]`, in a fabric `[{vtep: leaf2}]`), which VRF `default` has a route to.
struct config_via {
	struct config_name node; // of the three the text of one is there
	struct config_name port;
	struct config_name vtep; // an address, or a leaf
	unsigned port_number;
	struct config_mac mac; // of a vtep its router's
	uint32_t vni;          // of a vtep; 0: the route's VRF's
	uint32_t weight;       // against the route's other next hops
};

struct config_route {
	struct diag_pos pos;
	struct config_name vrf;
	struct config_prefix prefix;
	struct diag_pos prefix_pos;
	struct config_via *via; // none: a withdrawn route in an event, a blackhole in `routes:`
	unsigned via_count;
};
