// SPDX-License-Identifier: BSD-3-Clause
// A pause storm: a broken NIC that pauses its link without need (Guo et al.: RDMA over Commodity
// Ethernet at Scale, SIGCOMM 2016, section 4.3). Worker, but for storm_init().
#pragma once

#include "xoff.h"

struct storm_config {
	ps_t from;          // the first XOFF
	ps_t to;            // the XON, later
	uint8_t priorities; // bit per priority
};

struct storm {
	struct storm_config config;
	ps_t next_at; // when it begins or ends; PS_NEVER when it is over
};

static inline void
storm_init(struct storm *s, const struct storm_config *config)
{
	*s = (struct storm){.config = *config, .next_at = config->from};
}

// What is to be paused once next_at has come, at `now`. Moves next_at on.
static inline uint8_t
storm_turn(struct storm *s, ps_t now)
{
	s->next_at = now < s->config.to ? s->config.to : PS_NEVER;
	return now < s->config.to ? s->config.priorities : 0;
}
