// SPDX-License-Identifier: BSD-3-Clause
// A fabric: the nodes, wires, tables and NICs of a configuration, ready to run in virtual time or
// live. Control thread.
#pragma once

#include "control/config/config.h"
#include "control/fabric/counters.h"
#include "control/model/routes/routes.h"
#include "control/model/topology/topology.h"
#include "dataplane/base/node.h"
#include "dataplane/roce/nic.h"

#include <stdbool.h>
#include <stdint.h>

struct fabric_labels;
struct learned_node;
struct link_view;

struct fabric {
	struct config *config;
	struct topology *topology;
	struct routes *routes;
	struct learned_node *learned; // by switch (learned.h); NULL: no switch learns routes
	struct node **nodes;          // by node of the topology; NULL for an attached host
	// By link: [2 * link] from a to b, [2 * link + 1] from b to a; NULL at a device.
	struct wire **wires;
	struct tables **tables;         // by node: in force, or about to be (fabric_set_tables())
	uint32_t generation;            // of them, at all nodes
	struct switch_config *switches; // by node that is a switch: its merged settings
	struct host_config *hosts;      // by host: the same
	struct nic **nics;              // by host; NULL for an attached host
	bool *link_down;                // by link
	struct link_view *
		*link_views;          // by switch: links as its routes have them; NULL: as they are
	uint64_t *link_rate;          // by link: as set by an event, in bit/s; 0: as in the file
	struct report_node *names;    // by node
	struct fabric_labels *labels; // of them
	uint64_t seed;
	ps_t window;               // the least delay of any wire
	ps_t lookahead;            // and of those into switches: the window of virtual time
	uint64_t buffers_bytes;    // as in the options
	bool trims;                // trimmed packets may be in flight; once true it stays true
	uint16_t epoch;            // of packets that the tables in force admit; never 0
	struct drain *drains;      // changes of tenants with older packets in flight
	struct stale_hosts *moved; // hosts whose older packets switches drop; NULL: none
};

// What differs between virtual time and live.
struct fabric_options {
	struct packet_pool **pools; // by node, none NULL; in virtual time the same for all
	const uint16_t *workers;    // by node: wires between workers are shared; NULL: one worker
	const bool *attached;       // by host: a device instead of a NIC; NULL: none
	uint64_t seed;
	uint64_t buffers_bytes; // the most that all switches' buffers may be together; 0: no limit
};

// Returns 0, or -EINVAL with the errors in diag. Config and topology are kept and, by `set` events,
// changed.
int fabric_create(struct fabric **out, struct config *config, struct topology *topology,
		  const struct fabric_options *options, struct diag *diag);

// Frees everything but config, topology and pools. NULL is fine.
void fabric_destroy(struct fabric *f);

// The nodes that exist, without gaps; the caller frees the array.
struct node **fabric_list_nodes(const struct fabric *f, uint32_t *count);

// Builds the tables of a node, not in force yet, from its settings (for a host those of its leaf)
// and the present routes. Returns 0, or -EINVAL with errors in diag.
int fabric_build_tables(const struct fabric *f, uint32_t node, const struct switch_config *settings,
			struct tables **out, struct diag *diag);
// The names of VRFs and tenants, for reports; before: the names until now, or NULL. A tenant `rest`
// that the file does not mention and that has had no host has none.
struct fabric_labels *fabric_list_labels(const struct topology *topology,
					 const struct fabric_labels *before);
// NULL is fine.
void fabric_free_labels(struct fabric_labels *labels);
// Reports show these names from now on; the fabric takes them over.
void fabric_label(struct fabric *f, struct fabric_labels *labels);

// Sets the tables of a node that the next node_publish(&f->generation) puts in force. Returns the
// previous ones, which the caller frees when no worker holds them.
struct tables *fabric_set_tables(struct fabric *f, uint32_t node, struct tables *t);

// Rebuilds the tables of a node from configuration and routes and puts them in force; *old are the
// previous ones, which the caller frees when no worker holds them. Returns 0, or -EINVAL with
// errors in diag and nothing changed.
int fabric_rebuild_tables(struct fabric *f, uint32_t node, struct tables **old, struct diag *diag);

// Takes account of a wire to that node with this delay, latency included, in the window and
// lookahead.
void fabric_note_delay(struct fabric *f, uint32_t to_node, ps_t delay);
// Converts parts per million to a wire's probability of loss.
uint32_t fabric_wire_loss(uint32_t ppm);
// The number of packets that a wire between workers must be able to hold.
uint32_t fabric_wire_slots(uint64_t rate_bps, ps_t delay);

// Packets on wires and in queues.
uint64_t fabric_packets_held(const struct fabric *f);
