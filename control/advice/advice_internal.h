// SPDX-License-Identifier: BSD-3-Clause
// What advice is made of; private to control/advice/.
#pragma once

#include "advice.h"

#include <stddef.h>

// Each adds its warnings and returns 0 or -ENOMEM.
int advice_short_headroom(const struct fabric *f, struct diag *diag);
int advice_late_marking(const struct fabric *f, struct diag *diag);
int advice_short_pauses(const struct fabric *f, struct diag *diag);
int advice_idle_rates(const struct fabric *f, struct diag *diag);
int advice_link_mismatch(const struct fabric *f, struct diag *diag);
int advice_priority_mismatch(const struct fabric *f, struct diag *diag);
int advice_paused_cnp(const struct fabric *f, struct diag *diag);
int advice_unprotected_data(const struct fabric *f, struct diag *diag);
int advice_idle_pins(const struct fabric *f, struct diag *diag);
int advice_deadlock(const struct fabric *f, struct diag *diag);

// Bit per priority that a switch never drops for want of space: its group is lossless and flow
// control serves it.
uint8_t advice_lossless(const struct switch_config *settings);

// Where the file sets the first that it sets of these keys of a switch, "qos.trust buffer.size";
// line 0: nowhere.
struct diag_pos advice_pos(const struct fabric *f, uint32_t node, const char *keys_format, ...)
	__attribute__((format(printf, 3, 4)));
// The last in the file of those that it sets.
struct diag_pos advice_last(const struct fabric *f, uint32_t node, const char *keys_format, ...)
	__attribute__((format(printf, 3, 4)));
// Where it says by what a port tells the priority of packets with this DSCP.
struct diag_pos advice_map_pos(const struct fabric *f, uint32_t node, uint16_t port, unsigned dscp);
// The one of two that stands later in the file.
struct diag_pos advice_later(struct diag_pos a, struct diag_pos b);

// The priority of an untagged packet that comes in by a port of this profile.
static inline uint8_t
advice_priority(const struct port_profile *profile, uint8_t dscp)
{
	return profile->trust_dscp ? profile->dscp_to_priority[dscp] : profile->port_priority;
}

// What is wrong with ports in the same way: at one place in the file, with the same figures, which
// are reported at the first of them.
struct advice_finding {
	struct diag_pos pos;
	uint64_t figures[3]; // what they are is the finder's
	struct topo_ref first;
	uint32_t others;
};

struct advice_findings {
	struct advice_finding *items;
	uint32_t count;
};

// Adds a finding, or one port more to the finding that is the same. The caller frees the items.
// Returns 0 or -ENOMEM.
int advice_add_finding(struct advice_findings *all, const struct advice_finding *one);

// " and 3 other ports" for 3; nothing for 0.
#define ADVICE_OTHERS 48
const char *advice_others(uint32_t count, const char *one, const char *many,
			  char text[static ADVICE_OTHERS]);

// ---- where packets can go -----------------------------------------------------------------------

// A link between switches in one direction is the port that it leaves by: reach_link(). For every
// link, the links by which packets that came along it are sent on, whatever their destination. What
// packets of one destination wear matters to where they go, so that they are followed by steps: a
// link, and what is worn along it, wear * link_count + link.
struct reach {
	const struct topology *topology;
	uint32_t *first;            // by switch: the link of its first port
	uint32_t *owner;            // by link: the switch that it leaves
	uint32_t link_count;        // with ports that lead to no switch, which are never reached
	struct reach_ports *onward; // by link: ports of the switch at its end
	struct encap *encaps;       // of the destination followed; [0] is ENCAP_NONE
	uint32_t encap_count, encap_room;
	uint32_t *seen;  // by step, as many as encap_room: the destination that reached it last
	uint32_t *queue; // of steps
	uint32_t *loop;  // links along which packets of `looping` come round again
	uint32_t loop_length; // 0: there is none
	struct config_prefix looping;
};

struct reach_destination {
	const uint8_t *address;
	bool ip6;
};

struct reach_ports {
	uint64_t bits[PORTS_MAX / 64];
};

static inline uint32_t
reach_link(const struct reach *r, uint32_t node, uint16_t port)
{
	return r->first[node] + port;
}

// The port that a link leaves by.
static inline const struct topo_port *
reach_port(const struct reach *r, uint32_t link)
{
	uint32_t node = r->owner[link];

	return &r->topology->nodes[node].ports[link - r->first[node]];
}

int reach_create(struct reach *r, const struct topology *topology);
void reach_destroy(struct reach *r);
// Follows every host's addresses, and `extra` more, from wherever hosts are, by the tables of all
// switches; notes the first routing loop. Returns 0 or -ENOMEM.
int reach_follow(struct reach *r, const struct tables *const *tables,
		 const struct config_prefix *extra, uint32_t extra_count);

// A loop of one destination among the steps that it takes. Returns how many links it has, which go
// to `loop` (room for link_count) in order; 0 without one; or -ENOMEM.
int reach_find_loop(struct reach *r, const struct tables *const *tables,
		    const struct reach_destination *d, const uint32_t *steps, uint32_t count,
		    uint32_t *loop);

// The group that a switch's VRF sends the destination to, or LPM_NONE.
uint32_t reach_look_up(const struct tables *t, uint16_t vrf, const struct reach_destination *d);

// Where a destination's packets go from the end of a step, and from a switch's VRF. Returns 0 with
// *group NULL for nowhere, *wear what they wear then; or -ENOMEM.
int reach_next_hop(struct reach *r, const struct tables *const *tables, uint32_t step,
		   const struct reach_destination *d, const struct next_hop_group **group,
		   uint32_t *encap_index);
int reach_first_hop(struct reach *r, const struct tables *t, uint16_t vrf,
		    const struct reach_destination *d, const struct next_hop_group **group,
		    uint32_t *encap_index);

// A cycle among links whose ends both are in `members` (by switch): its links in order. Returns
// how many, 0 without one, or -ENOMEM. cycle has room for link_count.
int reach_find_cycle(const struct reach *r, const bool *members, uint32_t *cycle);
