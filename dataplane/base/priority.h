// SPDX-License-Identifier: BSD-3-Clause
// Which priority a packet has.
#pragma once

#include "packet.h"
#include "tables.h"

#include <rte_common.h>

static __rte_always_inline uint8_t
priority_by(const struct port_profile *profile, const struct packet_meta *meta, uint8_t dscp)
{
	if (meta->flags & PACKET_TAGGED && profile->trust_pcp &&
	    (profile->pcp_first || !profile->trust_dscp))
		return profile->pcp_to_priority[meta->pcp];
	if (likely(profile->trust_dscp))
		return profile->dscp_to_priority[dscp];
	return profile->port_priority;
}

// The priority of a packet by the marks with which it came in by a port of this profile.
static __rte_always_inline uint8_t
priority_of_packet(const struct port_profile *profile, const struct packet_meta *meta)
{
	return priority_by(profile, meta, meta->dscp);
}

// That of a packet which came in IP-in-IP, also if it came under other tables than these: all
// packets of its flow get the same. Where IP-in-IP ends no more, none of them comes any more.
static inline uint8_t
priority_of_ipip(const struct tables *t, const struct port_profile *profile,
		 const struct packet_meta *meta)
{
	if (t->ipip == NULL)
		return priority_by(profile, meta, meta->inner_dscp);
	if (t->ipip->maps_dscp)
		return t->ipip->dscp_to_priority[meta->outer_dscp];
	return priority_by(profile, meta, t->ipip->pipe ? meta->inner_dscp : meta->outer_dscp);
}

// The same at a switch where IP-in-IP may end.
static __rte_always_inline uint8_t
priority_with_ipip(const struct tables *t, const struct port_profile *profile,
		   const struct packet_meta *meta)
{
	if (unlikely(meta->flags & PACKET_IPIP))
		return priority_of_ipip(t, profile, meta);
	return priority_of_packet(profile, meta);
}
