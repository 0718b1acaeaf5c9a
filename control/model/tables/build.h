// SPDX-License-Identifier: BSD-3-Clause
// A node's snapshot (dataplane/base/tables.h) from its settings, its place in the topology and its
// routes. Control thread.
#pragma once

#include "dataplane/base/tables.h"
#include "control/config/config.h"
#include "control/model/routes/routes.h"
#include "control/model/topology/topology.h"

// A switch's. routes: the node's own list. settings: config_switch() of the node. Returns 0 with a
// snapshot for tables_destroy(), or -EINVAL with the errors in diag when the settings cannot hold
// (headroom or reserved space beyond the buffer, pools beyond what headroom leaves, space reserved
// or guaranteed beyond its pool, rates promised beyond a port's).
int tables_build(struct tables **out, const struct topology *topology, uint32_t node,
		 const struct switch_config *settings, const struct route_list *routes,
		 struct diag *diag);

// Whether every port that the switches' settings (by node) name in `qos.ports` and `qos.histograms`
// is one of a switch that reads them; warns of a max-rate above every port's rate. Returns 0, or
// -EINVAL with the errors in diag. Control thread.
int tables_check_ports(const struct topology *topology, const struct switch_config *switches,
		       struct diag *diag);

// Bytes by which the pools of a side with an end, and headroom, are more than the buffer: 0 where
// they hold. (Files may leave that to a default; a change must not make it worse.) Control thread.
uint64_t tables_excess_bytes(const struct tables *t, const struct switch_config *settings);

// What this model needs of headroom at the least for a lossless group of a switch's port, in bytes
// of whole cells (pfc_headroom.h). Control thread.
uint64_t tables_headroom_needed(const struct topology *topology,
				const struct switch_config *settings, const struct topo_port *port);
// The receive buffer of a lane that keeps a switch's port with credits busy, in bytes of whole
// blocks, whatever may be granted. latencies: of the pipelines at both ends. Control thread.
uint64_t tables_credit_needed(const struct config *config, const struct switch_config *settings,
			      const struct topo_port *port, ps_t latencies);
// The longest time from the start of a frame to its ACK at a port with link-level retry that the
// largest frames, and the spacing of ACKs, allow. far: the settings of the other end; latencies: as
// above. Control thread.
ps_t tables_llr_round_trip(const struct config *config, const struct switch_config *far,
			   const struct topo_port *port, ps_t latencies);

// How long the refresh of a pause may have to wait at a port: behind a frame of its MTU and the
// refreshes of its other groups. Control thread.
ps_t tables_pause_wait(const struct port_profile *profile);
// The automatic refresh of a port: half of what its pauses last, or less, so that the next one is
// there in time. quanta, quantum_time, MTU, framing and groups are set. Control thread.
ps_t tables_auto_refresh(const struct port_profile *profile);
// Sets what depends on the rate of a port's link, and on its delay. Control thread.
void tables_set_llr_times(struct llr_port *to, uint64_t byte_time, ps_t delay);

// The bytes that a link of this rate carries in a window of its utilisation at this share of it.
uint32_t tables_busy_bytes(uint64_t rate_bps, uint32_t utilisation_ppm);

// A pair of addresses that an entry of `routing.pinned` stands for, at a switch that reads it.
struct tables_pin_pair {
	const uint8_t *source, *destination;
	uint32_t entrance; // the switch of the source; TOPOLOGY_NONE: the address is no host's
	uint16_t port;     // `via`
	uint8_t version;
};

// Visits the pairs of an entry, those of one destination in a row, until a visit returns false.
// None where `via` is nothing at the switch. The tables have been built with it, so that it holds.
// Control thread.
void tables_visit_pin(const struct topology *topology, uint32_t node, const struct config_pin *pin,
		      bool (*visit)(void *context, const struct tables_pin_pair *pair),
		      void *context);

// A NIC's. settings: those of its leaf, so that both ends of the link agree on which
// DSCP is which priority, which priorities PFC pauses and which go first. A traffic class is a
// priority; the buffer is unlimited and nothing is marked. Returns 0 or -EINVAL.
int tables_build_host(struct tables **out, const struct topology *topology, uint32_t node,
		      const struct switch_config *settings, struct diag *diag);
