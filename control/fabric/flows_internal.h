// SPDX-License-Identifier: BSD-3-Clause
// What the files flows*.c share; private to control/fabric/.
#pragma once

#include "dataplane/base/random.h"
#include "flows.h"
#include "fabric_internal.h"
#include "ideal.h"

struct queue_pair {
	uint32_t src_qpn;
	uint32_t dst_qpn;
};

struct flow_state {
	uint32_t first_pair;
	uint32_t pair_count; // 0: left out, or inside a host
	ps_t ideal;          // of one time; 0: not known
};

// The numbers of a rank's part of a collective at its NIC.
struct rank_part {
	uint32_t program;
	uint32_t part;
	uint32_t first_inbox; // in fabric_flows.inboxes
};

// What numbers are taken at a host whose NIC is at another rank.
struct far_numbers {
	uint32_t queue_pairs;
	uint32_t exchanges; // queue pairs of these
};

struct fabric_flows {
	const struct fabric *fabric;
	const struct workload *workload;
	struct flow_state *states;
	struct queue_pair *pairs;
	uint32_t pair_count;
	uint64_t generated;      // at set-up: pairs that come before the flow that is added
	struct rank_part *parts; // as workload.ranks
	uint32_t *programs;      // as workload.members: their numbers at the NICs
	uint32_t *inboxes;       // the same of inboxes
	char **program_ids;      // by workload.programs
	char **collective_ids;   // by workload.collectives: NULL if it is not of a step
	bool *program_left_out;  // by workload.programs
	uint32_t left_out;
	struct far_numbers *far;          // by host
	struct flow_exchanges *exchanges; // NULL: no pairs are generated
	char **tenants; // names by index at the start: later the indices may have other names
	uint16_t tenant_count;
	struct diag_pos path_mtu_warned; // the last place with a path MTU that is too large
	struct diag_pos window_warned;   // and with more packets per ACK than a window has
};

// The payload of a packet of a flow. Returns 0, with a warning in diag if the file sets a path MTU
// that does not fit, or -EINVAL with the error in diag.
int flows_path_mtu(struct fabric_flows *flows, const struct flow_spec *spec, uint32_t *out,
		   struct diag *diag);

// Warns of a sender whose window is smaller than what the receiver acknowledges at once.
void flows_warn_window(struct fabric_flows *flows, const struct flow_spec *spec,
		       const struct nic_flow *flow, struct diag *diag);

// Set parts of an endpoint: its peer's address, and the marking of its packets.
void flows_set_peer(struct nic_endpoint *e, const struct fabric *f, uint32_t peer,
		    uint8_t peer_port, uint8_t ip_version);
// IPv4's address of a host's port, or of InfiniBand (version 0) its LID, for struct nic_endpoint.
void flows_copy_address(uint8_t to[4], const struct topo_port *port, uint8_t ip_version);
void flows_set_marking(struct nic_endpoint *e, const struct fabric_marking *m);

// The number of the next queue pair at a host.
uint32_t flows_next_qpn(const struct fabric_flows *flows, uint32_t host);

// Reports that the leaf of a host has no DSCP for the priority of a flow or stream. Returns
// -EINVAL.
int flows_refuse_priority(const struct fabric *f, uint32_t item, uint32_t host, uint8_t priority,
			  struct diag *diag);

#define FLOW_RANDOM UINT64_C(0x666c6f77) // "flow"

// What of a flow its ideal time and its links depend on, but for its size.
struct ideal_query flows_ideal_query(const struct fabric *f, const struct flow_spec *spec);

// Sets the round-trip time of one full packet, and the bytes that fill it.
void flows_set_path(const struct fabric *f, const struct flow_spec *spec, uint32_t path_mtu,
		    struct nic_flow *flow);

// Creates the plans of collectives whose pairs are generated. Returns 0, or -EINVAL with the error
// in diag.
int flows_create_exchanges(struct fabric_flows *flows, struct diag *diag);
void flows_free_exchanges(struct fabric_flows *flows);
// Creates a rank's part of such a collective at its NIC. Returns 0, or -errno, of which -EINVAL
// with the error in diag.
int flows_add_exchange(struct fabric_flows *flows, uint32_t collective, uint32_t rank,
		       struct diag *diag);

// Creates the queue pairs that answer an attached host, if the other end of the flow answers.
// Returns 0, or -errno, of which -EINVAL with the error in diag.
int flows_add_attached(struct fabric_flows *flows, const struct flow_spec *spec,
		       struct random *random, struct diag *diag);

// Whether the flow belongs to a program that is left out.
static inline bool
flows_program_left_out(const struct fabric_flows *flows, const struct flow_spec *spec)
{
	return spec->collective != WORKLOAD_NONE &&
	       flows->program_left_out[flows->workload->collectives[spec->collective].program];
}

// Gives every program and every collective of a step an id that no other has in the run.
void flows_create_ids(struct fabric_flows *flows);
void flows_free_ids(struct fabric_flows *flows);

// Whether a program is a step of several operations, and what kind of operation one is.
bool flows_is_step(const struct program_spec *p);
enum report_kind flows_kind(const struct collective_spec *c);
// Any number of values, over all processes of the run.
int flows_reduce(struct ranks *ranks, enum ranks_reduction how, uint64_t *values, size_t count);

// Creates the programs that the ranks' NICs run, with their parts and inboxes. Programs with a rank
// on an attached host are left out. Returns 0, or -errno, of which -EINVAL with the error in diag.
int flows_create_programs(struct fabric_flows *flows, struct diag *diag);

// Fills in what a queue pair of a collective's flow, number `index` of `count`, needs in addition,
// and the inbox to which its far end delivers.
void flows_join_program(const struct fabric_flows *flows, const struct flow_spec *spec,
			uint32_t index, uint32_t count, struct nic_flow *flow, uint32_t *inbox);
