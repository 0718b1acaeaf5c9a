// SPDX-License-Identifier: BSD-3-Clause
// Functions that events and changes of a fabric need and in which virtual time and live differ.
#pragma once

#include "dataplane/base/node.h"

#include <stdbool.h>
#include <stdint.h>

struct tenant_port;

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
	void (*readdress)(void *context, uint32_t host, const struct tenant_port *had);
	void *context;
};
