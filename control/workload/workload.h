// SPDX-License-Identifier: BSD-3-Clause
// What a file's `workload:` sends, as plain lists: flows (messages of the NICs' transport), streams
// (packets without a transport), and which flows make up a collective. workload.c tells how.
//
// Hosts are given by their index among the hosts (topology.first_host + index is the node). Control
// thread.
#pragma once

#include "../../dataplane/time.h"
#include "../config/config.h"
#include "../routes/routes.h"
#include "../topology/topology.h"

#define WORKLOAD_FLOWS_MAX (1u << 24)
#define WORKLOAD_NO_COLLECTIVE UINT32_MAX

struct flow_spec {
	uint32_t src, dst;   // hosts, never the same
	uint64_t bytes;      // at least 1
	ps_t start_ps;       // the first time, start-jitter included
	ps_t gap_ps;         // between the end of one time and the start of the next
	uint32_t repeat;     // how many times, at least 1
	uint32_t qps;        // queue pairs that share the bytes
	uint32_t item;       // in config.workload
	uint32_t collective; // in workload.collectives, or WORKLOAD_NO_COLLECTIVE
	uint16_t tenant;     // in topology.tenants, or TENANT_NONE
	uint8_t priority;
	uint8_t op; // enum config_op
};

struct stream_spec {
	uint32_t src, dst;
	uint32_t packet_bytes; // the frame without FCS
	uint64_t rate_bps;
	ps_t start_ps;
	ps_t until_ps; // PS_NEVER: the end of the run
	uint32_t item;
	uint16_t tenant;
	uint8_t priority;
	uint8_t ttl;
	uint8_t arrivals; // enum config_arrivals
};

// One repeat begins for all its flows when the one before has ended for all of them.
struct collective_spec {
	const char *name; // the item's, or its kind
	const char *kind; // "all-to-all"
	uint32_t item;
	uint32_t ranks;
	uint64_t bytes; // the buffer of one rank, as nccl-tests counts it
	uint32_t first_flow, flow_count;
	// nccl-tests: algbw = bytes / time, busbw = algbw * bus_factor_num / bus_factor_den.
	uint32_t bus_factor_num, bus_factor_den;
};

struct workload {
	struct flow_spec *flows; // in the order of their ids: by item
	uint32_t flow_count, flow_capacity;
	struct stream_spec *streams;
	uint32_t stream_count, stream_capacity;
	struct collective_spec *collectives;
	uint32_t collective_count, collective_capacity;
};

// Makes the lists. hosts: settings by host; routes: those at the start, which say who can reach
// whom. The same file and seed give the same lists. Returns 0, -EINVAL with the errors in diag, or
// -ENOMEM.
int workload_create(struct workload **out, const struct topology *topology,
		    const struct routes *routes, const struct host_config *hosts,
		    struct config_diag *diag);
// NULL is fine.
void workload_destroy(struct workload *workload);
