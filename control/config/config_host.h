// SPDX-License-Identifier: BSD-3-Clause
// One host's settings, merged.
#pragma once

#include "config_values.h"

#include "dataplane/roce/congestion.h"
#include "dataplane/roce/nic_transport.h"

enum config_recovery {
	CONFIG_RECOVERY_GO_BACK_N,
	CONFIG_RECOVERY_SELECTIVE,
	CONFIG_RECOVERY_GO_BACK_0
};
enum config_placement { CONFIG_PLACEMENT_IN_ORDER, CONFIG_PLACEMENT_OUT_OF_ORDER };

// A receiver that stops now and then.
struct config_stall {
	uint64_t every_ps; // at this time, twice this time, and so on; 0: never
	uint64_t for_ps;   // shorter
};

// PFC without need.
struct config_storm {
	uint64_t from_ps;
	uint64_t to_ps;
	uint8_t priorities; // bit per priority; 0: none
};

struct host_config {
	enum nic_transport transport;
	struct sprayed_config sprayed[NIC_TRANSPORT_KINDS]; // by transport; RoCEv2 has none
	struct uet_config uet;
	struct mrc_config mrc;
	enum config_recovery recovery;
	enum config_placement placement;
	enum congestion_kind congestion;         // never CONGESTION_AUTO once merged
	struct congestion_parameters parameters; // before congestion_algorithm.fit()
	uint32_t path_mtu;                       // 256..4096; 0: auto
	uint32_t ack_every;
	uint8_t priority;
	int8_t dscp;     // -1: auto, config_priority_dscp() of the priority
	int8_t ack_dscp; // -1: auto, the data's
	uint8_t cnp_dscp;
	uint64_t cnp_interval_ps;
	uint64_t rto_ps;
	uint32_t reorder_window; // packets
	uint64_t reorder_timeout_ps;
	uint8_t ip_version; // 4 or 6: of what a simulated NIC sends
	uint8_t ip_second;  // the other one, which an attached host has too; 0: none
	uint32_t qps;
	uint64_t start_jitter_ps;
	uint32_t clock_ppm;
	uint64_t inside_rate_bps; // from one of a host's GPUs to the NIC of another
	uint64_t inside_delay_ps;
	uint64_t inside_chunk_bytes; // 0: a message is handed over whole
	bool pxn;                    // between rails that way rather than through the spines
	uint64_t drain_rate_bps;     // 0: none, as fast as it comes
	uint64_t drain_buffer_bytes;
	struct config_stall stall;
	struct config_storm pause_storm;
	int32_t header_bytes; // -1: auto, real frames
	int32_t ack_bytes;    // -1: auto
};

// Whether it has an IPv6 address when it is attached; it always has an IPv4 address.
static inline bool
config_host_uses_ip6(const struct host_config *host)
{
	return host->ip_version == 6 || host->ip_second == 6;
}

// The algorithms by enum congestion_kind; NULL: none.
extern const struct congestion_algorithm *const config_congestions[CONGESTION_KINDS];
// Where the parameters of the algorithm that the host uses begin.
const void *config_congestion_parameters(const struct host_config *host);
