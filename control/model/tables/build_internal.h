// SPDX-License-Identifier: BSD-3-Clause
// The parts of which build.c makes a snapshot; private to control/model/tables/.
#pragma once

#include "build.h"
#include "dataplane/base/headers.h"

#include <stddef.h>
#include <string.h>

#define TABLES_CELLS_MAX (POOL_UNLIMITED - 1)

// What is being built, and for whom.
struct tables_draft {
	struct tables *t;
	const struct topology *topology;
	const struct topo_node *node;
	uint32_t node_index;
	const struct switch_config *settings;
	struct diag *diag;
	bool host;    // a NIC: unlimited buffer
	bool tenants; // packets of some are known here
	bool marked;  // `marks` is known
	struct config_marks marks;
};

// The rate that times follow from. A port that is as fast as its device has 100 Gb/s here.
static inline uint64_t
tables_port_rate(const struct topo_port *port)
{
	return port->rate_bps != 0 ? port->rate_bps : UINT64_C(100000000000);
}

// The largest frame of a port, with two tags, without FCS.
static inline uint64_t
tables_frame_bytes(const struct topo_port *port)
{
	return HEADER_ETHERNET_BYTES + 2 * HEADER_TAG_BYTES + (uint64_t)port->mtu;
}

// What a port's link carries in a time.
static inline uint64_t
tables_bytes_in(const struct topo_port *port, ps_t time)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)((wide)time * tables_port_rate(port) / (8 * (wide)PS_PER_S)) + 1;
}

// What a frame takes on a link besides its bytes.
static inline uint64_t
tables_overhead(const struct config *config)
{
	const struct config_framing *framing = &config->fabric.framing;

	return framing->preamble_bytes + framing->fcs_bytes + framing->gap_bytes;
}

// Whole cells, rounded down or up; at most TABLES_CELLS_MAX.
static inline uint32_t
tables_cells_down(const struct tables *t, uint64_t bytes)
{
	uint64_t cells = bytes / t->cell;

	return cells < TABLES_CELLS_MAX ? (uint32_t)cells : TABLES_CELLS_MAX;
}

static inline uint32_t
tables_cells_up(const struct tables *t, uint64_t bytes)
{
	uint64_t cells = bytes / t->cell + (bytes % t->cell != 0);

	return cells < TABLES_CELLS_MAX ? (uint32_t)cells : TABLES_CELLS_MAX;
}

// A share in parts per million, rounded down; no size overflows it.
static inline uint64_t
tables_part(uint64_t whole, uint64_t ppm)
{
	return whole / CONFIG_PPM * ppm + whole % CONFIG_PPM * ppm / CONFIG_PPM;
}

// Whether addresses, or prefixes, begin with the same bits.
static inline bool
tables_same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned rest = bits % 8;

	return memcmp(a, b, bits / 8) == 0 &&
	       (rest == 0 || (a[bits / 8] ^ b[bits / 8]) >> (8 - rest) == 0);
}

static inline uint64_t
tables_common_divisor(uint64_t a, uint64_t b)
{
	return b == 0 ? a : tables_common_divisor(b, a % b);
}

// A threshold without an end, or, with alpha, 2^shift times what is free, or as the settings say.
struct threshold tables_unlimited(enum pool_id pool, uint32_t reserved);
struct threshold tables_alpha(enum pool_id pool, uint32_t reserved, int shift);
struct threshold tables_threshold(const struct tables *t, const struct config_limit *limit,
				  enum config_pool pool, uint64_t reserved_bytes);

// A rate in bits per second (0: none), at which the largest frame of this MTU may be made up for.
struct rate_profile tables_rate(uint64_t rate_bps, uint32_t mtu);

// What `qos.ports` says of this port of the draft's node, or NULL; of a NIC's, what the leaf's port
// behind it does.
const struct config_port_qos *tables_find_override(const struct tables_draft *draft,
						   const struct topo_port *port);
// By the settings of the port.
void tables_set_classification(const struct switch_config *settings, struct port_profile *profile);
void tables_set_remark(const struct switch_config *settings, struct port_profile *profile);
// The queues; profile->mtu is set, and draft->settings are those of the port. Returns 0, or
// -EINVAL with the error in diag.
int tables_set_classes(struct tables_draft *draft, struct port_profile *profile,
		       const struct topo_port *port);
// The pauses that the port sends; draft->settings are those of the port, and its rate, framing, MTU
// and groups are set. Returns 0, or -EINVAL with the error in diag (pauses.c).
int tables_set_pauses(struct tables_draft *draft, struct port_profile *profile,
		      const struct topo_port *port);

// Credits on links (credits.c), after the priorities: t->credits, or an error where the two ends of
// a link differ. Then, if there are some: the group of a lane, and pools in which receive buffers
// are reserved.
int tables_add_credits(struct tables_draft *draft);
void tables_set_lane_group(const struct tables_draft *draft, struct pg_profile *pg, unsigned lane,
			   const struct topo_port *port);
int tables_add_lane_pools(struct tables_draft *draft);

// Link-level retry (llr.c): t->llr, or an error where the two ends of a link differ.
int tables_add_llr(struct tables_draft *draft);
// The settings of what is behind a port: a host has those of its leaf. `far`: room for them.
const struct switch_config *tables_settings_behind(const struct tables_draft *draft,
						   const struct topo_port *port,
						   struct switch_config *far);

// Blames a key of the draft's switch once something is wrong, as config_blame().
void tables_blame(struct tables_draft *draft, struct config_error_origin *origin,
		  const char *key_format, ...) __attribute__((format(printf, 3, 4)));
// "on leaf1 ...", an error or a warning. Returns -EINVAL or 0.
int tables_report(const struct tables_draft *draft, bool warning, struct diag_pos pos,
		  const char *key, const char *format, ...) __attribute__((format(printf, 5, 6)));

// IP-in-IP that ends here (ipip.c).
void tables_add_ipip(struct tables_draft *draft);

// Whether packets of a tenant, or (TENANT_NONE) of any, cross the fabric in tunnels or with tags.
bool tables_tenants_cross(const struct tables_draft *draft, uint16_t tenant);

// Cells that tenants with a port here have set aside in this pool: a pool whose size is set to 0
// has none.
uint64_t tables_sum_guarantees(const struct tables_draft *draft, enum pool_id pool);
// The tenant with a guarantee and a port here whose settings are last in the file, or NULL.
const struct config_tenant *tables_last_guaranteed(const struct tables_draft *draft);

// Those that can fail return 0, or -EINVAL with the errors in diag; t->cell is set.
int tables_add_profiles(struct tables_draft *draft); // and the ports, which refer to them
int tables_add_pools(struct tables_draft *draft);    // after profiles: they say what is reserved
void tables_add_tenants(struct tables_draft *draft); // after pools
void tables_add_histograms(struct tables_draft *draft);
void tables_add_answers(struct tables_draft *draft);
// How much ICMP it says, a NIC's host too.
void tables_set_answer_rate(struct tables_draft *draft);
// Blackholes for the switch's own addresses in VRFs whose routes would lead them on (answers.c).
void tables_guard_own(const struct tables_draft *draft, const struct route_list *routes,
		      struct route_list *guarded);
int tables_add_pins(struct tables_draft *draft);
// The routes, and blackholes where a tunnel's end could be sent to in disguise (tunnel_guard.c).
// Only guarded->routes is not the list's own: the caller frees it.
void tables_guard_tunnels(const struct tables_draft *draft, const struct route_list *routes,
			  struct route_list *guarded); // after profiles
int tables_add_forwarding(struct tables_draft *draft,
			  const struct route_list *routes); // after pins
void tables_add_lids(struct tables_draft *draft,
		     const struct route_list *routes); // instead, in an InfiniBand fabric (lids.c)
void tables_add_tunnels(struct tables_draft *draft,
			const struct route_list *routes); // after forwarding

// The IP version of headers around tunnels; 0: there are none (tunnels.c).
uint8_t tables_tunnel_version(const struct topology *topology);

// Turns weights into how many slots each of `count` members gets of at most GROUP_MEMBERS_MAX
// slots: divided by what they have in common and, if they are still too many, scaled down, but none
// to 0. Returns true when they had to be scaled (weights.c).
bool tables_fit_weights(uint64_t *weights, uint32_t count);
// Which member each slot is, every member spread evenly. Returns how many slots there are. The
// weights fit.
uint32_t tables_spread_weights(const uint64_t *weights, uint32_t count,
			       uint8_t slots[static GROUP_MEMBERS_MAX]);

// Finds the leaf behind an address (destinations.c).
struct tables_destinations;
struct tables_destinations *tables_find_destinations(const struct topology *topology);
void tables_free_destinations(struct tables_destinations *destinations);
// The leaf that a route of the list leads to: of a tunnel its far end, else that of the first host
// or loopback that the prefix covers; or topology->leaf_count.
uint32_t tables_destination(const struct tables_destinations *destinations,
			    const struct route_list *routes, const struct route *route);
