// SPDX-License-Identifier: BSD-3-Clause
// What the kinds of advice share; private to control/advice/.
#pragma once

#include "advice.h"

#include <stddef.h>

// Each adds its warnings.
void advice_short_headroom(const struct fabric *f, struct diag *diag);
void advice_short_credits(const struct fabric *f, struct diag *diag);
void advice_short_replay(const struct fabric *f, struct diag *diag);
void advice_late_marking(const struct fabric *f, struct diag *diag);
void advice_short_pauses(const struct fabric *f, struct diag *diag);
void advice_idle_rates(const struct fabric *f, struct diag *diag);
void advice_link_mismatch(const struct fabric *f, struct diag *diag);
void advice_priority_mismatch(const struct fabric *f, struct diag *diag);
void advice_paused_cnp(const struct fabric *f, struct diag *diag);
void advice_unprotected_data(const struct fabric *f, struct diag *diag);
void advice_untrimmed(const struct fabric *f, struct diag *diag);
void advice_idle_hosts(const struct fabric *f, struct diag *diag);
void advice_idle_pins(const struct fabric *f, struct diag *diag);
void advice_deadlock(const struct fabric *f, struct diag *diag);

// Bit per priority that a switch never drops for lack of buffer when it comes in at a port: its
// group is lossless there and flow control serves it.
uint8_t advice_lossless(const struct port_profile *profile);
// The same of any port of a switch.
uint8_t advice_lossless_somewhere(const struct tables *t);

// ---- places in the file -------------------------------------------------------------------------

// The position at which the file sets one of these keys of a switch, "qos.trust buffer.size": of
// the first that it sets in the order given, or of all that it sets the last in the file. Line 0:
// it sets none.
enum advice_which { ADVICE_FIRST_SET, ADVICE_LAST_IN_FILE };
struct diag_pos advice_pos(const struct fabric *f, uint32_t node, enum advice_which which,
			   const char *keys_format, ...) __attribute__((format(printf, 4, 5)));
// The position of the setting that gives packets with this DSCP their priority at a port.
struct diag_pos advice_map_pos(const struct fabric *f, uint32_t node, uint16_t port, unsigned dscp);
// The position of a key of a host: in its own section, or in `hosts`.
struct diag_pos advice_host_pos(const struct fabric *f, uint32_t host, const char *key);
// The later in the file of two.
struct diag_pos advice_later(struct diag_pos a, struct diag_pos b);

// "leaf", "spine" or "super-spine".
static inline const char *
advice_role(const struct fabric *f, uint32_t node)
{
	return config_role_name(f->topology->nodes[node].role);
}

// The priority of an untagged packet that arrives at a port with this profile.
static inline uint8_t
advice_priority(const struct port_profile *profile, uint8_t dscp)
{
	return profile->trust_dscp ? profile->dscp_to_priority[dscp] : profile->port_priority;
}

// "leaf-spine " at both ends of a link between a leaf and a spine; "" for a port of one switch.
#define ADVICE_KIND_MAX 40
void advice_link_kind(const struct fabric *f, uint32_t node, const struct topo_port *port,
		      char kind[static ADVICE_KIND_MAX]);
// Of the pipelines at both ends of a link together; a NIC takes no time.
ps_t advice_latencies(const struct fabric *f, uint32_t node, const struct topo_port *port);
// Of a part that is less than the whole: rounded, but never 100.
uint32_t advice_percent(uint64_t part, uint64_t whole);

// ---- findings -----------------------------------------------------------------------------------

// A problem that ports or links share: one warning names the first of them and counts the others.
struct advice_finding {
	struct diag_pos pos;
	char key[32];
	char text[240]; // '@' stands for the place and the number of others
	char place[TOPOLOGY_NAME_MAX];
	char detail[40]; // of the place, in the warning behind the number of others
	uint32_t others;
};

// Zero-initialised apart from the words; advice_report() frees it.
struct advice_findings {
	const char *one, *many; // "port", "ports"
	struct advice_finding *items;
	uint32_t count;
};

// Adds a finding, or counts it with a finding that has the same position, key and text. Returns the
// new finding, or NULL.
struct advice_finding *advice_note(struct advice_findings *all, struct diag_pos pos,
				   const char *key, const char *place, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
// Adds a warning for every finding and frees them.
void advice_report(struct advice_findings *all, const struct fabric *f, struct diag *diag);

// " and 3 other ports" for 3; nothing for 0.
#define ADVICE_OTHERS 48
const char *advice_others(uint32_t count, const char *one, const char *many,
			  char text[static ADVICE_OTHERS]);

// ---- where packets can go -----------------------------------------------------------------------

// A link between switches in one direction is known by the port that it leaves by: reach_link().
// For every link, `onward` has the ports by which packets that came along it are sent on, whatever
// their destination. Where a switch sends packets of one destination depends on the VRF in which
// they arrive and on their encapsulation, not on the port. So they are followed by steps: an
// arrival (a VRF of a switch, or its underlay, where tunnels end) and the encapsulation of what
// arrives there, encap * arrival_count + arrival.
struct reach {
	const struct topology *topology;
	const struct tables *const *tables; // by switch, of the last reach_follow()
	uint32_t *first;                    // by switch: the link of its first port
	uint32_t *owner;                    // by link: the switch that it leaves
	uint32_t link_count;        // with ports that lead to no switch and are never reached
	struct reach_ports *onward; // by link: ports of the switch at its end
	struct reach_arrival *arrivals;
	uint32_t *end; // by link: the arrival there, or TOPOLOGY_NONE if it leads to no switch
	uint32_t arrival_count;
	struct encap *encaps; // of the destination followed; [0] is ENCAP_NONE
	uint32_t encap_count, encap_room;
	struct reach_step *steps;     // encap_room * arrival_count
	uint32_t *queue;              // of steps
	uint32_t *loop;               // links of the first routing loop found
	uint32_t loop_length;         // 0: there is none
	struct config_prefix looping; // the destination that circulates there,
	uint16_t looping_lid;         // or its LID
};

struct reach_arrival {
	uint32_t node;
	uint16_t vrf;
	bool underlay;
	bool entrance; // packets come there from hosts
};

struct reach_destination {
	const uint8_t *address;
	bool ip6;
	uint16_t lid;   // of an InfiniBand fabric, instead of an address; else 0
	uint64_t class; // reach_classify()
};

struct reach_ports {
	uint64_t bits[PORTS_MAX / 64];
};

static inline bool
reach_has_port(const struct reach_ports *ports, uint16_t port)
{
	return ports->bits[port / 64] >> port % 64 & 1;
}

static inline void
reach_add_port(struct reach_ports *ports, uint16_t port)
{
	ports->bits[port / 64] |= UINT64_C(1) << port % 64;
}

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

void reach_create(struct reach *r, const struct topology *topology);
void reach_destroy(struct reach *r);
// Follows the addresses of all hosts, and `extra` more, from all ports of hosts, by the tables of
// all switches; keeps the first routing loop.
void reach_follow(struct reach *r, const struct tables *const *tables,
		  const struct config_prefix *extra, uint32_t extra_count);

// The number of the group that a switch's VRF, or forwarding table, sends the destination to, or
// LPM_NONE.
uint32_t reach_look_up(const struct tables *t, uint16_t vrf, const struct reach_destination *d);

// Sets the classes: destinations of one are sent by every VRF of every switch to the same group.
// All groups that lead to no other switch count as one.
void reach_classify(const struct reach *r, struct reach_destination *destinations, uint32_t count);

// The group that sends packets on (NULL: none does), and their encapsulation from there, an index
// of `encaps`.
struct reach_hop {
	const struct next_hop_group *group;
	uint32_t encap;
};
struct reach_hop reach_next_hop(struct reach *r, uint32_t step, const struct reach_destination *d);

// What one destination's packets do next, once a step is known to be one of theirs.
struct reach_step {
	uint32_t seen; // the destination that came there last, counted from 1
	struct reach_hop hop;
	struct reach_ports ports; // to switches
};

// A loop among the first `count` steps of the queue, all that the destination followed takes: its
// links in order go to r->loop.
void reach_find_loop(struct reach *r, uint32_t count);
// A cycle among the links in `members` that lead to a switch: its links in order go to `cycle`,
// which has room for link_count. Returns how many; 0: none.
uint32_t reach_find_cycle(const struct reach *r, const bool *members, uint32_t *cycle);
