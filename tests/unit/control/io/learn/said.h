// SPDX-License-Identifier: BSD-3-Clause
// What sources say to a rib, for the tests of its files.
#pragma once

#include "messages.h"

#include "control/io/learn/rib.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

static inline void
say(struct rib *rib, enum rib_source source, struct learn_message m, bool dumped)
{
	assert_int_equal(rib_apply(rib, source, &m, dumped), 0);
}

// "10.9.0.0/16"
static inline struct config_prefix
prefix_of(const char *text)
{
	struct config_prefix prefix = {.version = strchr(text, ':') == NULL ? 4 : 6};
	char address[INET6_ADDRSTRLEN];
	unsigned length;

	assert_int_equal(sscanf(text, "%45[^/]/%u", address, &length), 2);
	prefix.length = (uint8_t)length;
	assert_int_equal(
		inet_pton(prefix.version == 4 ? AF_INET : AF_INET6, address, prefix.address), 1);
	return prefix;
}

// A route by an interface.
static inline struct learn_message
route_to(const char *prefix, uint32_t metric, uint32_t device)
{
	struct learn_message m = {
		.kind = LEARN_ROUTE, .prefix = prefix_of(prefix), .metric = metric};

	m.way.count = 1;
	m.way.hops[0] = (struct learn_hop){.device = device, .weight = 1};
	return m;
}

static inline struct learn_message
gone(struct learn_message m)
{
	m.gone = true;
	return m;
}
