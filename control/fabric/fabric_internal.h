// SPDX-License-Identifier: BSD-3-Clause
// What the files of control/fabric/ share.
#pragma once

#include "fabric.h"

#include "dataplane/roce/edge.h"

// Creates the NIC of a host from its merged settings. Returns 0 or -errno.
int fabric_create_nic(struct fabric *f, uint32_t host, struct nic **out);

// The payload in flight that congestion control allows a queue pair of this host at first;
// UINT64_MAX: any. From settings alone, since the NIC may be another rank's.
uint64_t fabric_window_bytes(const struct fabric *f, uint32_t host, const struct nic_flow *flow);

// ---- edge_nic.c: the NICs of attached hosts -----------------------------------------------------

// What `attach:` says of a port of a host, or NULL.
const struct config_attach *fabric_find_attach(const struct topology *t, uint32_t host,
					       uint16_t port);

// Creates the edge NIC of a host whose node exists. Returns 0 or -errno.
int fabric_create_edge(struct fabric *f, uint32_t host, struct edge **out);

// Adds the host's side of each port to the tables of its node, and to the names of its ports.
void fabric_add_host_sides(struct tables *t);
void fabric_name_host_sides(struct report_node *n, uint16_t links);

// Whether a host's settings go together. Returns 0, or -EINVAL with the reason in diag.
int fabric_check_nic(const struct fabric *f, uint32_t host, struct diag *diag);

// The marking of a host's packets: a DSCP of its settings, or if they are auto of its leaf's maps;
// the priority that the leaf gives this DSCP; and the queue of its own port for that priority.
struct fabric_marking {
	uint8_t dscp;
	uint8_t priority;
	uint8_t tc;
};
// Return 0, or -EINVAL if the leaf has no DSCP for the priority.
int fabric_data_marking(const struct fabric *f, uint32_t host, uint8_t priority,
			struct fabric_marking *out);
int fabric_ack_marking(const struct fabric *f, uint32_t host, uint8_t data_priority,
		       struct fabric_marking *out);

// Names of a node's ports for reports.
void fabric_name_node(struct report_node *out, const struct topology *t, uint32_t node,
		      const struct node *n);
void fabric_unname_node(struct report_node *n, uint16_t port_count);

// Free the routes that switches have learned, and their views of links.
void fabric_forget_learned(struct fabric *f);
void fabric_free_link_views(struct fabric *f);
