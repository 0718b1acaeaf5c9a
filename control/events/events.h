// SPDX-License-Identifier: BSD-3-Clause
// The file's `events:` as they are applied to a fabric, in time order and for one instant in file
// order.
#pragma once

#include "control/fabric/fabric.h"
#include "control/fabric/hooks.h"

struct events;

// Resolves the names of all events. Returns 0, -EINVAL with the errors in diag, or -ENOMEM.
int events_create(struct events **out, struct fabric *f, const struct fabric_hooks *hooks,
		  struct diag *diag);
void events_destroy(struct events *e);

// When the next is due, or PS_NEVER: an event of the file, or what follows from one.
ps_t events_next(const struct events *e);
// The same without what no flow or packet depends on any more.
ps_t events_due(const struct events *e);

// Applies all that are due at `now`; nodes stand at `now`. Returns 0, -EINVAL with the reason in
// diag (an event that cannot be applied changes nothing), or -ENOMEM.
int events_apply(struct events *e, ps_t now, struct diag *diag);

// The event that the last events_apply() ended with: after an error the one that cannot be applied.
// NULL before the first, or when it was no event but what follows from a change of tenants.
const struct config_event *events_last(const struct events *e);

// The same at a user's word, between two events: changes keys of switches' sections and of tenants,
// on all nodes that they touch or, when one cannot hold, none of them on any. `commit` is called
// when all is prepared; what it returns other than 0 is returned with nothing changed. NULL: nobody
// is asked. Returns 0 with warnings of what it will do to the fabric in diag, -EINVAL with the
// reason in diag and nothing changed, or -ENOMEM. The change is over when events_draining() says
// no; until then events_apply() follows it.
int events_edit(struct events *e, const struct config_edit *edits, unsigned count,
		int (*commit)(void *context), void *context, struct diag *diag);
// What the log calls the last edit when it reports who has moved, once its packets have drained.
// Right after events_edit(); false: nobody moves, and nothing will be logged.
bool events_name_change(struct events *e, const char *what);
// Whether packets that older tables admitted may still reach a tenant that their host has left.
bool events_draining(const struct events *e);
// Clears the watermarks of a node of the topology, or of all (TOPOLOGY_NONE): the user's, or the
// persistent.
void events_clear_watermarks(struct events *e, uint32_t node, bool persistent);
// Ends the watchdog's storm of a queue, if it is in one.
void events_restore_queue(struct events *e, const struct topo_ref *queue);
