// SPDX-License-Identifier: BSD-3-Clause
// Parts of making a fabric; private to control/fabric/.
#pragma once

#include "fabric.h"

// Makes the NIC of a host from its merged settings. Returns 0, -EINVAL or -ENOMEM.
int fabric_create_nic(struct fabric *f, uint32_t host, struct nic **out);

// What a host marks its packets with: DSCPs from its leaf's maps where its own settings say auto,
// the priority that the leaf gives a DSCP, and the queue of its own port for that.
struct fabric_marking {
	uint8_t dscp;
	uint8_t priority;
	uint8_t tc;
};
// Return 0, or -EINVAL when no DSCP stands for the priority.
int fabric_data_marking(const struct fabric *f, uint32_t host, uint8_t priority,
			struct fabric_marking *out);
int fabric_ack_marking(const struct fabric *f, uint32_t host, uint8_t data_priority,
		       struct fabric_marking *out);

// Names of a node's ports for reports.
void fabric_name_node(struct report_node *out, const struct topology *t, uint32_t node,
		      const struct node *n);
void fabric_unname_node(struct report_node *n, uint16_t port_count);

// Frees what switches have learned, and what each knows of links.
void fabric_forget_learned(struct fabric *f);
void fabric_free_link_views(struct fabric *f);
