// SPDX-License-Identifier: BSD-3-Clause
// A fabric put together: the nodes, wires, tables and NICs of a configuration, ready for a driver
// of time. Control thread; fabric.c tells in which order things are made.
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
	struct learned_node *learned; // by switch (learned.h); NULL: none learns routes
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
	uint64_t *link_rate;          // by link: as an event has it, in bit/s; 0: as built
	struct report_node *names;    // by node
	struct fabric_labels *labels; // of them
	uint64_t seed;
	ps_t window;               // the least delay of any wire
	ps_t lookahead;            // and of those into switches: the window of virtual time
	uint64_t buffers_bytes;    // as in the options
	bool trims;                // packets may be on the way that were cut; stays so
	uint16_t epoch;            // of what is admitted by the tables in force; never 0
	struct drain *drains;      // changes of tenants that packets under way know nothing of
	struct stale_hosts *moved; // what switches drop of them; NULL: nothing
};

// What differs between paces.
struct fabric_options {
	// The packets of a node; NULL `pools` entries are not allowed. Virtual time: the same pool
	// for all.
	struct packet_pool **pools; // by node
	const uint16_t *workers;    // by node: wires between workers are shared; NULL: one worker
	const bool *attached;       // by host: a device instead of a NIC; NULL: none
	uint64_t seed;
	// What the buffers of all switches together may come to, so that packets suffice; 0: any.
	uint64_t buffers_bytes;
};

// Returns 0, or -EINVAL with the errors in diag. Config and topology are kept and, by `set` events,
// changed.
int fabric_create(struct fabric **out, struct config *config, struct topology *topology,
		  const struct fabric_options *options, struct diag *diag);

// Frees everything but config, topology and pools. NULL is fine.
void fabric_destroy(struct fabric *f);

// Nodes that exist, packed; the caller frees the array.
struct node **fabric_list_nodes(const struct fabric *f, uint32_t *count);

// Builds the tables of a node, not in force yet, from its settings (of a host: those of its leaf)
// and the routes as they stand. Returns 0, -EINVAL with errors in diag, or -ENOMEM.
int fabric_build_tables(const struct fabric *f, uint32_t node, const struct switch_config *settings,
			struct tables **out, struct diag *diag);
// The names of VRFs and tenants, for reports; before: the names until now, or NULL. A tenant `rest`
// that the file does not mention and that has had no host has none.
struct fabric_labels *fabric_list_labels(const struct topology *topology,
					 const struct fabric_labels *before);
// NULL is fine.
void fabric_free_labels(struct fabric_labels *labels);
// Has reports show these from now on; they are the fabric's then.
void fabric_label(struct fabric *f, struct fabric_labels *labels);

// Leaves tables for a node, to be in force at the next node_publish(&f->generation), and returns
// the ones before, for the caller to free when they are and no worker holds the old ones.
struct tables *fabric_set_tables(struct fabric *f, uint32_t node, struct tables *t);

// Builds the tables of a node anew from configuration and routes and puts them in force; the ones
// before are returned for the caller to free when no worker holds them. Returns 0, -EINVAL with
// errors in diag and nothing changed, or -ENOMEM.
int fabric_rebuild_tables(struct fabric *f, uint32_t node, struct tables **old, struct diag *diag);

// A wire to that node has, or will have, this delay, latency included.
void fabric_note_delay(struct fabric *f, uint32_t to_node, ps_t delay);
// Parts per million as a wire's probability of loss.
uint32_t fabric_wire_loss(uint32_t ppm);
// Packets that a wire between workers must be able to hold.
uint32_t fabric_wire_slots(uint64_t rate_bps, ps_t delay);

// Packets on wires and in queues.
uint64_t fabric_packets_held(const struct fabric *f);
