// SPDX-License-Identifier: BSD-3-Clause
// The file's `events:` as they are applied to a fabric, in time order and for one instant in file
// order.
#pragma once

#include "fabric.h"

struct events;

// What an event may leave to the caller.
struct events_hooks {
	// `snapshot:`; returns 0 or -ENOMEM.
	int (*snapshot)(void *context, ps_t now);
	// Frees tables that are no longer in force, once no node uses them.
	void (*retire)(void *context, struct tables *old);
	// Has `run` change the node, by whoever may, and returns when it has.
	void (*at_node)(void *context, struct node *node,
			void (*run)(struct node *node, ps_t now, void *arg), void *arg);
	void *context;
};

// Resolves the names of all events. Returns 0, -EINVAL with the errors in diag, or -ENOMEM.
int events_create(struct events **out, struct fabric *f, const struct events_hooks *hooks,
		  struct config_diag *diag);
void events_destroy(struct events *e);

// When the next is due, or PS_NEVER.
ps_t events_next(const struct events *e);

// Applies all that are due at `now`; nodes stand at `now`. Returns 0, -EINVAL with the reason in
// diag (an event that cannot be applied changes nothing), or -ENOMEM.
int events_apply(struct events *e, ps_t now, struct config_diag *diag);

// The event that the last events_apply() ended with: after an error the one that cannot be applied.
// NULL before the first.
const struct config_event *events_last(const struct events *e);

// The same at a user's word, between two events: changes one key of a switch section, on all nodes
// that it touches or, when it cannot hold, on none. Returns 0 with warnings of what it will do to
// the fabric in diag, -EINVAL with the reason in diag and nothing changed, or -ENOMEM.
int events_set(struct events *e, const char *key, const char *value, struct config_diag *diag);
// Clears the watermarks of a node of the topology, or of all (TOPOLOGY_NONE): the user's, or the
// persistent.
void events_clear_watermarks(struct events *e, uint32_t node, bool persistent);
// Ends the watchdog's storm of a queue, if it is in one.
void events_restore_queue(struct events *e, const struct topo_ref *queue);
