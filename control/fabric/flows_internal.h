// SPDX-License-Identifier: BSD-3-Clause
// What the files flows*.c share; private to control/fabric/.
#pragma once

#include "dataplane/base/random.h"
#include "flows.h"
#include "fabric_internal.h"

struct queue_pair {
	uint32_t src_qpn;
	uint32_t dst_qpn;
};

struct flow_state {
	uint32_t first_pair;
	uint32_t pair_count; // 0: left out, or inside a host
	ps_t ideal;          // of one time; 0: not known
};

// What a rank's NIC calls its part of a collective.
struct rank_part {
	uint32_t program;
	uint32_t part;
	uint32_t first_inbox; // in fabric_flows.inboxes
};

struct fabric_flows {
	const struct fabric *fabric;
	const struct workload *workload;
	struct flow_state *states;
	struct queue_pair *pairs;
	uint32_t pair_count;
	struct rank_part *parts; // as workload.ranks
	uint32_t *inboxes;       // the NICs' numbers of them
	bool *program_left_out;  // by workload.programs
	uint32_t left_out;
	char **tenants; // names by index, as they were: their places may become others'
	uint16_t tenant_count;
	struct diag_pos path_mtu_told; // one that is too large
};

// The payload of a packet of a flow. Returns 0, or -EINVAL with the error in diag; a warning where
// the file insists on one that does not fit.
int flows_path_mtu(struct fabric_flows *flows, const struct flow_spec *spec, uint32_t *out,
		   struct diag *diag);

// Parts of an endpoint: whom it speaks to, how its packets are marked, and their source port.
void flows_set_peer(struct nic_endpoint *e, const struct fabric *f, uint32_t peer,
		    uint8_t peer_port, uint8_t ip_version);
void flows_set_marking(struct nic_endpoint *e, const struct fabric_marking *m);
uint16_t flows_source_port(struct random *random);

// Says why a flow or stream cannot be marked: a DSCP must stand for its priority at the sender's
// leaf, and for acknowledgements at the receiver's. Returns -EINVAL.
int flows_refuse_priority(const struct fabric *f, uint32_t item, uint32_t host, uint8_t priority,
			  struct diag *diag);

// Gives a flow with one end at an attached host the queue pairs that answer that host, if it is for
// the other end to answer. Returns 0, -EINVAL with the error in diag, or -ENOMEM.
int flows_add_attached(struct fabric_flows *flows, const struct flow_spec *spec,
		       struct random *random, struct diag *diag);

// Whether the flow is of a program that is left out.
static inline bool
flows_program_left_out(const struct fabric_flows *flows, const struct flow_spec *spec)
{
	return spec->collective != WORKLOAD_NONE &&
	       flows->program_left_out[flows->workload->collectives[spec->collective].program];
}

// The name of a workload item, or its kind.
const char *flows_item_name(const struct config_work *work);

// Makes the programs that the ranks' NICs run, with their parts and inboxes; those with a rank that
// is attached are left out. Returns 0, -EINVAL with the error in diag, or -ENOMEM.
int flows_create_programs(struct fabric_flows *flows, struct diag *diag);

// Sets what a queue pair of a collective's flow, number `index` of `count`, needs to know beside
// what every flow does, and the inbox that its far end delivers to.
void flows_join_program(const struct fabric_flows *flows, const struct flow_spec *spec,
			uint32_t index, uint32_t count, struct nic_flow *flow, uint32_t *inbox);
