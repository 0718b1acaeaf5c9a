// SPDX-License-Identifier: BSD-3-Clause
// The file's `events:` as they are applied to a fabric, in time order and for one instant in file
// order.
#pragma once

#include "control/fabric/fabric.h"

struct events;

// Resolves the names of all events. Returns 0, or -EINVAL with the errors in diag.
int events_create(struct events **out, struct fabric *f, const struct fabric_hooks *hooks,
		  struct diag *diag);
void events_destroy(struct events *e);

// When the next event of the file, or consequence of one, is due; PS_NEVER: none.
ps_t events_next(const struct events *e);
// The same without consequences on which no flow or packet depends.
ps_t events_due(const struct events *e);

// Applies all that are due at `now`, the time of all nodes. Returns 0, or -EINVAL with the reason
// in diag; an event that cannot be applied changes nothing.
int events_apply(struct events *e, ps_t now, struct diag *diag);

// The event with which the last events_apply() ended; after an error the one that cannot be
// applied. NULL before the first, or if it ended with a consequence of a change of tenants.
const struct config_event *events_last(const struct events *e);

// A change by a user, between two events: changes keys of switches' sections and of tenants,
// atomically. `commit` (NULL: none) is called when everything is prepared; any result but 0 cancels
// the change and is returned. Returns 0 with advice about the change in diag, or -EINVAL with the
// reason in diag and nothing changed. The change is complete when events_draining() returns false;
// until then events_apply() polls it.
int events_edit(struct events *e, const struct config_edit *edits, unsigned count,
		int (*commit)(void *context), void *context, struct diag *diag);
// Prepares the same edits and rolls them back: whether events_edit() would succeed. addresses:
// those of attached hosts have changed in the configuration too. Returns as events_edit().
int events_try(struct events *e, const struct config_edit *edits, unsigned count, bool addresses,
	       struct diag *diag);
// Addresses of attached hosts have changed in the configuration, or MACs in the topology. Returns
// 0, or -EINVAL with the reason in diag; then the caller changes them back.
int events_change_addresses(struct events *e, struct diag *diag);
// Rebuilds a node's tables and puts them in force. Returns 0, or -EINVAL with the errors in diag.
int events_rebuild(struct events *e, uint32_t node, struct diag *diag);
// Names the last edit for the log entry about hosts that have moved, which is written once their
// packets have drained. Call it right after events_edit(). False: no host has moved, and there is
// no such entry.
bool events_name_change(struct events *e, const char *what);
// Whether packets admitted by older tables may still reach a tenant that their host has left.
bool events_draining(const struct events *e);
// The other end of a link, which another process has, is heard, or is not: routes follow as they do
// after an event. Nothing if that is known already. Returns 0, or -EINVAL with the reason in diag.
int events_note_carrier(struct events *e, uint32_t link, bool up, struct diag *diag);
// Computes the routes of all switches anew, at once: tables that are not the fabric's own have
// changed (topology.lfts). Returns 0, or -EINVAL with the reason in diag.
int events_reroute(struct events *e, struct diag *diag);
// Changes a link between two events, as one of them would: the link by its name, what changes, and
// to what. The configuration stays as it is. Returns 0, or -EINVAL with the reason in diag.
int events_change_link(struct events *e, const struct config_event *event, struct diag *diag);
// Returns a link to what the file says, whatever events have changed. Returns 0, or as above.
int events_clear_link(struct events *e, uint32_t link, struct diag *diag);
// Takes a port to which the file connects nothing down or up, between two events; a device that has
// lost its carrier keeps it down. The port is a switch's that this process runs.
void events_set_port(struct events *e, const struct topo_ref *port, bool up);
// Has a port, or one of its queues, transmit or not, as an event of the kind CONFIG_EVENT_PORT_TX
// would. *off: bit per queue that does not, from then on. Returns 0, or -EINVAL with the reason in
// diag.
int events_change_transmit(struct events *e, const struct config_event *event, uint8_t *off,
			   struct diag *diag);
// Ends the storm that the watchdog has found on a queue, if any.
void events_restore_queue(struct events *e, const struct topo_ref *queue);
