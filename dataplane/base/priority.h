// SPDX-License-Identifier: BSD-3-Clause
// Which priority a packet has.
#pragma once

#include "packet.h"
#include "tables.h"

#include <rte_common.h>

// The priority of a packet by the marks with which it came in by a port of this profile.
static __rte_always_inline uint8_t
priority_of_packet(const struct port_profile *profile, const struct packet_meta *meta)
{
	if (meta->flags & PACKET_TAGGED && profile->trust_pcp &&
	    (profile->pcp_first || !profile->trust_dscp))
		return profile->pcp_to_priority[meta->pcp];
	if (likely(profile->trust_dscp))
		return profile->dscp_to_priority[meta->dscp];
	return profile->port_priority;
}
