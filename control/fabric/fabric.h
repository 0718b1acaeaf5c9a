// SPDX-License-Identifier: BSD-3-Clause
// A fabric: the nodes, wires, tables and NICs of a configuration, ready to run in virtual time or
// live. Control thread.
#pragma once

#include "control/config/config.h"
#include "control/fabric/counters.h"
#include "control/model/routes/routes.h"
#include "control/model/topology/topology.h"
#include "dataplane/base/node.h"
#include "dataplane/drive/ranks.h"
#include "dataplane/roce/edge.h"
#include "dataplane/roce/nic.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cut;
struct fabric_labels;
struct fabric_stand_in;
struct learned_node;
struct link_view;

// The packets in memory that may wait in all switches' buffers together; each switch has a share of
// its own, by the size of its buffer.
struct fabric_packets {
	uint64_t count[2];        // PACKET_SMALL, PACKET_LARGE; both 0: any number
	uint64_t buffers_bytes;   // the most that the buffers may be together; 0: no limit
	bool capped;              // fewer than the buffers can take
	uint64_t nic_bytes;       // an edge NIC holds so much of a priority, each way; 0: any
	uint64_t later_nic_bytes; // the same where the file attaches nothing; 0: any
};

struct fabric {
	struct config *config;
	struct topology *topology;
	struct routes *routes;
	struct learned_node *learned; // by switch (learned.c); NULL: no switch learns routes
	struct node **nodes; // by node of the topology; NULL for an attached host without a NIC
	// By link: [2 * link] from a to b, [2 * link + 1] from b to a; NULL at a device.
	struct wire **wires;
	struct tables **tables;         // by node: in force, or about to be (fabric_set_tables())
	uint32_t generation;            // of them, at all nodes
	struct switch_config *switches; // by node that is a switch: its merged settings
	struct host_config *hosts;      // by host: the same
	struct nic **nics;              // by host; NULL for an attached host
	struct edge **edges;            // by host; NULL for one that is not attached or has none
	bool *has_edge;                 // by host
	unsigned file_attach_count;     // entries of `attach:` that are the file's, the first ones
	struct fabric_stand_in **stand_ins; // by host: the node that is not in force, or NULL
	uint32_t *swaps;                    // by host: how often they were exchanged
	bool *link_down;                    // by link
	struct link_view *
		*link_views; // by switch: links as its routes have them; NULL: as they are
	uint64_t *link_rate; // by link: as set by an event, in bit/s; 0: as in the file
	struct link_values *link_changes; // by link: what is not as in the file; NULL: all is
	struct report_node *names;        // by node
	struct fabric_labels *labels;     // of them
	uint64_t seed;
	ps_t window;                   // the least delay of any wire
	ps_t lookahead;                // and of those into switches: the window of virtual time
	struct fabric_packets packets; // as in the options
	bool trims;                    // trimmed packets may be in flight; once true it stays true
	uint16_t epoch;                // of packets that the tables in force admit; never 0
	struct drain *drains;          // changes of tenants with older packets in flight
	struct stale_hosts *moved;     // hosts whose older packets switches drop; NULL: none
	struct ranks *ranks;           // that run the fabric together; NULL: this process alone
	uint16_t *owners; // by node: the rank, or the part, that runs it; NULL: this process
	uint16_t own;     // which of them this process is
	bool *attached;   // by host: the file has a device for it; NULL: none
};

// What differs between virtual time and live.
struct fabric_options {
	struct packet_pool **pools; // by node, none NULL; in virtual time the same for all
	const uint16_t *workers;    // by node: wires between workers are shared; NULL: one worker
	const bool *attached;       // by host: a device is behind its NIC, or its leaf; NULL: none
	struct ranks *ranks;        // that run the fabric together; NULL: this process alone
	const uint16_t *parts; // by node: the part that runs it, each a process; NULL: this one
	uint16_t part;         // that this process runs
	uint64_t seed;
	struct fabric_packets packets; // zero: any number
};

// Returns 0, or -EINVAL with the errors in diag. Config and topology are kept and, by `set` events,
// changed.
int fabric_create(struct fabric **out, struct config *config, struct topology *topology,
		  const struct fabric_options *options, struct diag *diag);

// Frees everything but config, topology and pools. NULL is fine.
void fabric_destroy(struct fabric *f);

// Whether this process runs a node. A node of another rank or part is NULL here, and so is its NIC;
// but the tables of all switches are here while the fabric is set up, and as long as events or
// changes are to come.
static inline bool
fabric_is_here(const struct fabric *f, uint32_t node)
{
	return f->owners == NULL || f->owners[node] == f->own;
}

// Whether a host has a simulated NIC, here or in another process.
static inline bool
fabric_has_nic(const struct fabric *f, uint32_t host)
{
	return f->nics[host] != NULL || (!fabric_is_here(f, f->topology->first_host + host) &&
					 !(f->attached != NULL && f->attached[host]));
}

// Whether a node is that of an attached host with a NIC at the edge: each of its ports has another
// behind it, for the host's side (dataplane/roce/edge.h).
static inline bool
fabric_has_edge(const struct fabric *f, uint32_t node)
{
	return node >= f->topology->first_host && f->has_edge[topology_host_of(f->topology, node)];
}
// Whether the file attaches this port of a host's node, by a NIC at the edge. (edge_nic.c)
bool fabric_wants_edge(const struct fabric *f, uint32_t node, uint16_t port);
// Whether the file attaches another port of this host's node, but not this one. (edge_nic.c)
bool fabric_edge_is_free(const struct fabric *f, uint32_t node, uint16_t port);

// ---- edge_nic.c: hosts that are attached while the fabric runs ----------------------------------

// Makes an edge NIC for a host that has a simulated NIC, and no other node that stands in for it
// yet. Its ports have no carrier and wires that lead nowhere, and it is not in force: the fabric
// has it aside. Returns 0, or -errno with an error in diag.
int fabric_create_stand_in(struct fabric *f, uint32_t host, struct diag *diag);
// The node that the fabric has aside for a host: the edge NIC until fabric_swap_stand_in(), then
// the simulated one. NULL: none.
struct node *fabric_stand_in_node(const struct fabric *f, uint32_t host);
// Puts the node that is aside, its tables and its names in force, and has the other one aside. The
// wires are the caller's to move.
void fabric_swap_stand_in(struct fabric *f, uint32_t host);
// Frees the node that is aside, which no worker runs any more. NULL is fine.
void fabric_destroy_stand_in(struct fabric *f, uint32_t host);

// What an entry of `attach:` says of a link of an edge NIC, for edge_set_link().
struct fabric_edge_link {
	struct edge_buffer buffer;
	struct reorder *reorder; // NULL: packets pass as they come
};
// Returns 0 or -ENOMEM.
int fabric_plan_edge_link(const struct fabric *f, uint32_t host, uint16_t port,
			  const struct config_attach *attach, struct fabric_edge_link *out);

// What an edge NIC holds of each priority, each way, at a host's port; attach: NULL where no file
// says anything of it. Memory does not limit it to less than the least: behind an XOFF of lossless
// queues there has to be room.
// (edge_nic.c)
struct fabric_nic_buffer {
	uint64_t bytes, least_bytes;
};
struct fabric_nic_buffer fabric_nic_buffer(const struct topology *t,
					   const struct switch_config *leaf, uint32_t host,
					   uint16_t port, const struct config_attach *attach);
// What there are packets for at a host's port, for each priority, each way. The file's entry wants
// so much, or by default what a host without one does; without memory for that there is less.
struct fabric_nic_most {
	uint64_t bytes, wanted_bytes;
};
struct fabric_nic_most fabric_nic_most(const struct fabric *f, uint32_t host, uint16_t port);

// The nodes that exist, without gaps; the caller frees the array.
struct node **fabric_list_nodes(const struct fabric *f, uint32_t *count);
// The thread or worker, 0 .. threads - 1, that is to run each node, by its number in the topology,
// or each of these nodes; the caller frees the array. owners, own: as those of a fabric whose other
// nodes are elsewhere, or NULL. (place_nodes.c)
uint16_t *fabric_place(const struct topology *t, const uint16_t *owners, uint16_t own,
		       uint32_t threads);
uint16_t *fabric_place_nodes(const struct fabric *f, struct node *const *nodes, uint32_t count,
			     uint32_t threads);

// The rank, 0 .. ranks - 1, that is to run each node of a topology; the caller frees the array.
// Links to hosts are within a rank, so some ranks may get nothing. (place_nodes.c)
uint16_t *fabric_place_ranks(const struct topology *t, uint32_t ranks);
// The wires that lead to other ranks; NULL: this process has all nodes. cut_destroy() frees it. Of
// `packets` the nodes take theirs. (cut_wires.c)
struct cut *fabric_create_cut(const struct fabric *f, struct packet_pool *packets);
// Once everything is set up: frees what only that needed of other ranks' nodes. These are the
// tables of hosts and, unless events are to come, the tables and routes of switches.
void fabric_forget_far_nodes(struct fabric *f);

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

// The bytes of a frame that a node must have before it handles it; 0: all of it.
uint32_t fabric_header_bytes(const struct fabric *f, uint32_t node);

// Takes account of a wire to that node with this delay, latency included, in the window and
// lookahead.
void fabric_note_delay(struct fabric *f, uint32_t to_node, ps_t delay);
// Converts parts per million to a wire's probability of loss.
uint32_t fabric_wire_loss(uint32_t ppm);
// Converts a bit error rate in units of 1e-18 to a wire's, in units of 2^-64.
uint64_t fabric_wire_bit_errors(uint64_t rate);
// The number of packets that a wire between workers must be able to hold.
uint32_t fabric_wire_slots(uint64_t rate_bps, ps_t delay);

// Packets on wires and in queues.
uint64_t fabric_packets_held(const struct fabric *f);

// ---- hooks --------------------------------------------------------------------------------------

// Functions that events and changes of a fabric need and in which virtual time and live differ.
// Called by the control thread.
struct fabric_hooks {
	// Takes the snapshot of a `snapshot:` event.
	void (*snapshot)(void *context, ps_t now);
	// Frees tables that are no longer in force, once no node uses them.
	void (*retire)(void *context, struct tables **old, uint32_t count);
	// Runs a function on a node's own worker and returns when it has run.
	void (*at_node)(void *context, struct node *node,
			void (*run)(struct node *node, ps_t now, void *arg), void *arg);
	// The same on all nodes; those of one worker at one instant.
	void (*at_nodes)(void *context, void (*run)(struct node *node, ps_t now, void *arg),
			 void *arg);
	// Returns the fabric's time.
	ps_t (*clock)(void *context);
	bool many_workers; // their times may differ
	// Reports a change that is complete, as a line of text; may be NULL.
	void (*tell)(void *context, ps_t now, const char *words);
	// Moves a host from the addresses that it had to those of the topology; may be NULL.
	void (*readdress)(void *context, uint32_t host, uint8_t port,
			  const struct tenant_port *had);
	void (*readdressed)(void *context); // after the last one; may be NULL
	// Calls `run` while no node runs; NULL where wires grow by themselves.
	void (*halt)(void *context, void (*run)(void *arg), void *arg);
	// From its return on nodes keep to these, which mean what they do of the fabric; may be
	// NULL.
	void (*set_window)(void *context, ps_t window, ps_t lookahead);
	void *context;
};

// ---- learned.c ----------------------------------------------------------------------------------

// Routes that switches learn while they run, beside the fabric's own (f->routes). A VRF that learns
// ignores routes computed from the topology, and routes written in the file override learned ones.

// Makes a VRF of a switch learn: until fabric_set_learned() it has only the routes of the file.
// Takes effect when tables are next built.
void fabric_learn(struct fabric *f, uint32_t node, uint16_t vrf);

// Sets what a VRF that learns has learned; takes over the list, which must only have routes of that
// VRF. Takes effect when tables are next built.
void fabric_set_learned(struct fabric *f, uint32_t node, uint16_t vrf, struct route_list *list);

// The routes that a switch's tables are built from when its own routes are `own`: either `own` or
// `scratch`, which the caller clears in any case.
const struct route_list *fabric_merge_learned(const struct fabric *f, uint32_t node,
					      const struct route_list *own,
					      struct route_list *scratch);

// ---- link_view.c --------------------------------------------------------------------------------

// The state of links as each switch knows it. Routes follow a change of a link once
// `routing.convergence` has passed at a switch (control/events/converge.c). Until then other
// changes compute routes from the links as the switch's current routes have them.

// Before a link goes down or comes up: switches that notice later keep the present state.
void link_view_keep(struct fabric *f);
// A switch has noticed the present state.
void link_view_drop(struct fabric *f, uint32_t node);

// Replaces the routes of switches with a view of their own, in routes made from the present links,
// by those that follow from the view. Returns 0, or -EINVAL with errors in diag.
int link_view_apply(const struct fabric *f, struct routes *routes, struct diag *diag);

// What events, or a user, have changed of a link: the members whose bit is set in `changes` (enum
// config_link_change). It is then not as the file builds it.
struct link_values {
	uint32_t changes;
	uint32_t loss_ppm, corrupt_ppm, corrupt_payload_ppm;
	uint64_t bit_error_rate;
	uint64_t rate_bps, delay_ps;
	uint8_t ip_id_low_byte;
};

// What is in force on a link.
struct link_values fabric_link_values(const struct fabric *f, uint32_t link);
// Notes an event that has been applied to a link, or undone.
void fabric_note_link_change(struct fabric *f, uint32_t link, const struct config_event *event,
			     bool undo);

// ---- networks.c ---------------------------------------------------------------------------------

// A list of the tenants, `rest` last: {"tenant", "network": "east-west", "encap": "vxlan", "id":
// VNI or VLAN (0: plain), "dscp": "uniform" or "pipe", "hosts": [...], "joins": tenants whose VRFs
// it exchanges routes with, "border": [{"host", "prefix"}]}. Empty without tenants.
json_t *fabric_list_networks(const struct topology *t);
