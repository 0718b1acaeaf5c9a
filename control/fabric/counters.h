// SPDX-License-Identifier: BSD-3-Clause
// A node's counters as JSON, as counters.json, snapshots, result.json and `roost show -o json`
// give them.
//
// Names come from outside, so that a report does not depend on how a fabric was put together. All
// lengths of buffer are bytes (whole cells), all times ns. What a node is doing must stand still
// while it is read: control thread, between windows in virtual time, on a worker's copy when
// live.
#pragma once

#include "dataplane/base/node.h"

#include <jansson.h>

// What is known of a port beside what the node itself knows.
struct report_port {
	const char *name;      // "swp1"
	const char *peer;      // "spine1.swp2": the port behind it, or NULL
	uint64_t rate_bps;     // 0: as fast as the device takes
	bool uplink;           // of a leaf, towards a spine
	const char *peer_kind; // "spine": what that is, or NULL
};

struct report_node {
	const struct node *node;
	const char *name;
	const struct report_port *ports; // port_count of the node
	const char *const *vrfs;         // by index, vrf_count of the node's tables
	const char *const *tenants;      // by index, tenant_count of the node's tables
	const char *kind;                // "leaf", "host" ...; NULL: not told
};

// What of a node is wanted.
enum counters_part {
	COUNTERS_TRAFFIC = 1 << 0, // packets and bytes of the port
	COUNTERS_PFC = 1 << 1,     // PFC and pause frames, how long they held
	COUNTERS_DROPS = 1 << 2,   // by reason
	COUNTERS_GROUPS = 1 << 3,  // priority groups
	COUNTERS_QUEUES = 1 << 4,
	COUNTERS_PORTS = (1 << 5) - 1, // all of the above
	COUNTERS_POOLS = 1 << 5,
	COUNTERS_TENANTS = 1 << 6,
	COUNTERS_HISTOGRAMS = 1 << 7, // only where some are configured
	COUNTERS_ALL = (1 << 8) - 1,
};

// The tables in force: those the worker has adopted, or those it is about to; NULL without any.
const struct tables *report_tables(const struct report_node *n);

// The profile of a port in those tables, or NULL.
const struct port_profile *report_profile(const struct report_node *n, unsigned int port);

// "ingress-lossless" ...
const char *counters_pool_name(enum pool_id pool);

// The pauses of a priority (or PAUSE_LINK) of a port as they stand at `now`, in picoseconds.
struct counters_pause {
	ps_t total;
	ps_t last_start; // PS_NEVER: there was none
	ps_t last_end;   // PS_NEVER: none has ended
	uint64_t transitions;
	bool paused; // now
};

struct counters_pause counters_rx_pause(const struct port *p, unsigned int priority, ps_t now);
struct counters_pause counters_tx_pause(const struct port *p, unsigned int priority, ps_t now);

// One port at `now`; of `parts` those that a port has. NULL when memory ran out, as for all
// below.
json_t *counters_port(const struct report_node *n, unsigned int port, unsigned int parts, ps_t now);

// One node at `now`: {"ports": {NAME: ...}, "pools": ..., "tenants": ..., "histograms": [...]}.
json_t *counters_node(const struct report_node *n, unsigned int parts, ps_t now);

// All nodes: {NAME: node, ...}.
json_t *counters_nodes(const struct report_node *nodes, unsigned int count, ps_t now);

// An element of "snapshots": {"at_ns": ..., "nodes": {...}}.
json_t *counters_snapshot(const struct report_node *nodes, unsigned int count, ps_t now);

// The whole of counters.json. snapshots: an array, whose reference stays the caller's; NULL:
// none.
json_t *counters_document(const struct report_node *nodes, unsigned int count, ps_t now,
			  json_t *snapshots);

// Adds "log" and "log_lost" to a document. log: an array of what nodes told, whose reference stays
// the caller's; NULL: none. Returns 0 or -1.
int counters_add_log(json_t *document, json_t *log, uint64_t lost);
