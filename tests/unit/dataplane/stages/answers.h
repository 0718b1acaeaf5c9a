// SPDX-License-Identifier: BSD-3-Clause
// Tables of a leaf that answers, for tests and the fuzz target.
#pragma once

#include "tests/unit/dataplane/harness.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t answers_own4[4] = {172, 16, 0, 1};
static const uint8_t answers_own6[16] = {0xfd, [7] = 1, [13] = 1};
static const uint8_t answers_gateway4[4] = {169, 254, 0, 1};
static const uint8_t answers_gateway6[16] = {0xfe, 0x80, [15] = 1};

// harness_tables() of ports with hosts behind them; three answers at once, then one a microsecond.
static inline struct tables *
answers_tables(uint16_t ports)
{
	struct tables *t = harness_tables(ports);
	struct answer_profile *a = &t->answers;

	*a = (struct answer_profile){
		.icmp = true, .arp = true, .interval = PS_PER_US, .burst = 2 * PS_PER_US};
	memcpy(a->ip4, answers_own4, 4);
	memcpy(a->ip6, answers_own6, 16);
	memcpy(a->gateway4, answers_gateway4, 4);
	memcpy(a->gateway6, answers_gateway6, 16);
	a->link_local = calloc(ports, sizeof(*a->link_local));
	assert_non_null(a->link_local);
	for (unsigned int i = 0; i < ports; i++) {
		a->link_local[i][0] = 0xfe;
		a->link_local[i][1] = 0x80;
		a->link_local[i][15] = (uint8_t)(i + 2);
		t->ports[i].edge = true;
	}
	return t;
}
