// SPDX-License-Identifier: BSD-3-Clause
// Other addresses for captured packets, so that what was seen in one network can be sent into
// another: IPv4 and IPv6 prefixes, MAC addresses. Checksums and the ICRC follow (rewrite.c).
#pragma once

#include "control/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rewrite_prefix {
	uint8_t version; // 4 or 6
	uint8_t length;
	uint8_t from[16], to[16];
};

struct rewrite_mac {
	uint8_t from[6], to[6];
};

// Zeroed changes nothing.
struct rewrite {
	struct rewrite_prefix *prefixes; // the longest first
	size_t prefix_count;
	struct rewrite_mac *macs;
	size_t mac_count;
	bool mac_to_port; // unicast destinations without a row become the port's MAC
};

// Adds a rule: "203.0.113.0/24=10.0.1.0/24", "2001:db8:1::/48=fd00:1::/48", one address without a
// length, "00:1c:73:aa:bb:cc=02:00:00:00:00:01", or "mac=port". Returns 0, or -EINVAL with the
// error in diag.
int rewrite_add(struct rewrite *w, const char *text, struct diag *diag);

// Whether there is a rule.
bool rewrite_any(const struct rewrite *w);

// Rewrites a frame in place. port_mac: of the port that it will enter.
void rewrite_frame(const struct rewrite *w, const uint8_t port_mac[6], uint8_t *frame,
		   size_t count);

void rewrite_clear(struct rewrite *w);
