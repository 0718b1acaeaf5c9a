// SPDX-License-Identifier: BSD-3-Clause
// A node's counters: the rows (counter.c) and their JSON in counters.json, snapshots
// and `roost show -o json`. A new counter is one row in counter.c and the field of the dataplane
// that it reads.
//
// Names are passed in, so that a report does not depend on how a fabric was built. All lengths of
// buffer are bytes (multiples of a cell), all times ns. Nodes must stand still while they are read:
// control thread, between windows in virtual time, on a worker's copy when live.
#pragma once

#include "dataplane/base/credit.h"
#include "dataplane/base/node.h"

#include <jansson.h>
#include <stdio.h>

// ---- nodes --------------------------------------------------------------------------------------

// What is known of a port beyond its state.
struct report_port {
	const char *name;      // "swp1"
	const char *peer;      // the port behind it, "spine1.swp2", or NULL
	uint64_t rate_bps;     // 0: as fast as the device takes
	bool uplink;           // of a leaf, towards a spine
	const char *peer_kind; // the kind of the node behind it, "spine", or NULL
};

struct report_node {
	const struct node *node;
	const char *name;
	const struct report_port *ports; // port_count of the node
	const char *const *vrfs;         // by index, vrf_count of the node's tables
	const char *const *tenants;      // by index, tenant_count of the node's tables
	const char *kind;                // "leaf", "host" ...; NULL: unknown
};

// The tables in force: those that the worker has adopted, or is about to adopt; NULL without any.
const struct tables *report_tables(const struct report_node *n);
// The profile of a port in those tables, or NULL.
const struct port_profile *report_profile(const struct report_node *n, unsigned int port);
// Which of the parts that only some ports have this port has.
unsigned int counters_parts_of(const struct report_node *n, unsigned int port);
// Bytes of a cell in those tables; 1 without any.
json_int_t counters_cell(const struct report_node *n);
// "ingress-lossless" ...
const char *counters_pool_name(enum pool_id pool);
// "small", "large", "device"
const char *counters_packet_kind(enum packet_kind kind);
// "queue", "group", "latency"
const char *counters_histogram_kind(enum histogram_kind kind);
// Whether the tables limit how many packets may wait in memory. NULL: no.
static inline bool
counters_limit_packets(const struct tables *t)
{
	return t != NULL && t->packet_limits[PACKET_SMALL].most != 0;
}

// The pauses of a priority (or PAUSE_LINK) of a port as they stand at `now`, in picoseconds. A
// pause in force counts up to `now`. One that has expired, though the node has not run since,
// counts up to its end, and has ended there.
struct counters_pause {
	ps_t total;
	ps_t last_start; // PS_NEVER: there was none
	ps_t last_end;   // PS_NEVER: none has ended
	uint64_t transitions;
	bool paused; // now
};

struct counters_pause counters_rx_pause(const struct port *p, unsigned int priority, ps_t now);
struct counters_pause counters_tx_pause(const struct port *p, unsigned int priority, ps_t now);

// How long the far end of a link has stopped a priority (or PAUSE_LINK): by pauses, or with credits
// for as long as the lane had packets and waited for credit.
static inline ps_t
counters_stopped(const struct port *p, unsigned int priority, ps_t now)
{
	if (p->credits == NULL)
		return pause_clock_total(&p->rx_pause[priority],
					 time_min(now, p->pause_until[priority]));
	return priority < PRIORITIES ? pause_clock_total(&p->credits->lanes[priority].wait, now)
				     : 0;
}

// An instant in ns, -1 for PS_NEVER.
static inline json_int_t
counters_instant(ps_t at)
{
	return at != PS_NEVER ? (json_int_t)(at / PS_PER_NS) : -1;
}

// ---- rows ---------------------------------------------------------------------------------------

// Parts of a node's counters.
enum counters_part {
	COUNTERS_TRAFFIC = 1 << 0, // packets and bytes of the port
	COUNTERS_PFC = 1 << 1,     // PFC and pause frames, how long they held
	COUNTERS_DROPS = 1 << 2,   // by reason
	COUNTERS_GROUPS = 1 << 3,  // priority groups
	COUNTERS_QUEUES = 1 << 4,
	COUNTERS_ANSWERS = 1 << 5,     // by kind; only of ports where there were some
	COUNTERS_PORTS = (1 << 6) - 1, // all of the above
	COUNTERS_POOLS = 1 << 6,
	COUNTERS_TENANTS = 1 << 7,
	COUNTERS_HISTOGRAMS = 1 << 8, // only where some are configured
	COUNTERS_MEMORY = 1 << 10,    // packets in memory, where they are limited
	COUNTERS_ALL = ((1 << 9) - 1) | COUNTERS_MEMORY,
	COUNTERS_CREDITS = 1 << 11, // only of ports with credits; with COUNTERS_TRAFFIC
	COUNTERS_PATHS = 1 << 12,   // only of NICs that speak uet or mrc; with COUNTERS_TRAFFIC
	COUNTERS_LLR = 1 << 13,     // only of ports with link-level retry; with COUNTERS_TRAFFIC
	COUNTERS_REORDER = 1 << 9, // only of ports that put packets in order; with COUNTERS_TRAFFIC
	// Of some ports only: counters_parts_of().
	COUNTERS_OF_SOME = COUNTERS_CREDITS | COUNTERS_PATHS | COUNTERS_LLR | COUNTERS_REORDER,
};

enum counter_scope {
	COUNTER_OF_PORT,
	COUNTER_OF_PRIORITY, // of a port: an array of eight
	COUNTER_OF_GROUP,    // of a port
	COUNTER_OF_QUEUE,    // of a port
	COUNTER_OF_POOL,     // of a node
	COUNTER_OF_MEMORY,   // of a node
	COUNTER_OF_TENANT,   // of a node
	COUNTER_SCOPES,
};

enum counter_kind {
	COUNTER_TOTAL,   // only ever grows while a node lives
	COUNTER_GAUGE,   // a state, which may also fall: a level, a peak
	COUNTER_FLAG,    // a gauge that is true or false
	COUNTER_INSTANT, // a gauge: when something last happened; -1: never
};

// Where to read: index is the priority, group, queue, pool, kind of packets or tenant.
struct counter_place {
	const struct report_node *n;
	unsigned int port;
	unsigned int index;
	ps_t now;
};

struct counter {
	const char *name; // as in JSON
	enum counter_scope scope;
	enum counters_part part;
	enum counter_kind kind;
	const char *unit; // "packets", "frames", "bytes", "ns" ...; of a flag ""
	const char *help;
	json_int_t (*read)(const struct counter_place *at);
};

// All rows, those of a scope in a row except for ports and priorities.
const struct counter *counter_rows(size_t *count);

// The row with this name, or NULL.
const struct counter *counter_find(enum counter_scope scope, const char *name);

// Adds the counters of a scope and part at a place; those of priorities at a place of a port.
void counter_add(json_t *to, enum counter_scope scope, unsigned int parts,
		 const struct counter_place *at);

// What the counter says as long as nothing has happened: 0, or -1 of an instant.
static inline json_int_t
counter_initial(const struct counter *c)
{
	return c->kind == COUNTER_INSTANT ? -1 : 0;
}

// Prints the rows as the Markdown tables of doc/counters.md, each with its heading.
void counter_print_markdown(FILE *to);

// ---- values -------------------------------------------------------------------------------------

// One value, with where it is. Texts are only valid during the call that hands it over.
struct counter_value {
	const char *node;
	const char *port; // NULL: of the node
	// "pg", "queue", "drops", "answers", "histograms", "pools", "packets" or "tenants"; NULL:
	// none of them.
	const char *group;
	const char *of; // the pool, kind of packets or tenant; NULL: none
	int index;      // the priority, group or queue; -1: none
	const char *name;
	json_int_t value;
};

// Hands over all values of a node that differ from counter_initial(), in a fixed order. A reader
// takes a value that is absent as initial.
void counters_walk(const struct report_node *n, ps_t now,
		   void (*take)(void *context, const struct counter_value *value), void *context);

// ---- JSON ---------------------------------------------------------------------------------------

// One port at `now`, with those of `parts` that a port has.
json_t *counters_port(const struct report_node *n, unsigned int port, unsigned int parts, ps_t now);

// One node at `now`: {"ports": {NAME: ...}, "pools": ..., "packets": ..., "tenants": ...,
// "histograms": [...]}.
json_t *counters_node(const struct report_node *n, unsigned int parts, ps_t now);
// Its "histograms" (dataplane/queueing/histogram.h): an array, empty where none is configured. Each
// has the lower edges of its bins and how many values fell into them. Depths are bytes, latencies
// ns; bin 0 begins at 0, and the last has no upper edge.
json_t *counters_histograms(const struct report_node *n);

// All nodes that are here: {NAME: node, ...}.
json_t *counters_nodes(const struct report_node *nodes, unsigned int count, ps_t now);

// {"time_ns": ..., "nodes": {NODE: ...}} without the values that counters_walk() leaves out: of
// each node what counters_node() has, with objects by index instead of arrays. All ports are there.
json_t *counters_sparse(const struct report_node *nodes, unsigned int count, ps_t now);

struct watermark_choice;

// {NODE: ...} in the same form, with the watermarks that clearing this choice of all these nodes
// would clear, without those that are 0. Tables: those in force.
json_t *counters_watermarks(const struct report_node *nodes, unsigned int count,
			    const struct watermark_choice *which);

// An element of "snapshots": {"at_ns": ..., "nodes": {...}}.
json_t *counters_snapshot(const struct report_node *nodes, unsigned int count, ps_t now);

// counters.json. snapshots: an array, whose reference stays the caller's; NULL: none.
json_t *counters_document(const struct report_node *nodes, unsigned int count, ps_t now,
			  json_t *snapshots);

// Adds "log" and "log_lost" to a document. log: an array of fabric_log_entries(), whose reference
// stays the caller's; NULL: none.
void counters_add_log(json_t *document, json_t *log, uint64_t lost);
