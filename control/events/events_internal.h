// SPDX-License-Identifier: BSD-3-Clause
// What events.c, events_link.c and converge.c share; private to control/events/.
#pragma once

#include "control/tenants/change.h"
#include "events.h"

struct converge;
struct drain;

struct events {
	struct fabric *fabric;
	struct fabric_hooks hooks;
	struct config_step *steps;
	unsigned count;
	uint32_t done;             // steps before this one have been applied, or are being
	ps_t now;                  // of what is being applied
	struct converge **pending; // routes to be recomputed (converge.c)
	uint32_t pending_count;
	ps_t converge_at;     // the first of them, or PS_NEVER
	bool following;       // what was applied last is a consequence of a change of tenants
	struct drain *edited; // of the last edit, until events are applied
};

// What an event changes at one port of a node.
struct port_change {
	const struct config_event *event;
	uint16_t port;
	bool undo;
	uint8_t tx_off; // PORT_TX: the queues that are off then
	// LINK
	ps_t delay;              // of the wire that begins there
	uint32_t built_loss_ppm; // as the file built the link
	bool slowed;             // below the rate that the file built it with
};

// For changes at `now`.
struct change_env events_env(const struct events *e, ps_t now);

// Whether a link event can be applied. Returns 0, or -EINVAL with the error in diag.
int events_check_link(struct events *e, const struct config_event *event, struct diag *diag);
// A delay that an event will set shortens the fabric's window.
void events_note_delay(struct events *e, const struct config_event *event);
// A link has gone down or come up at `at`: recomputes routes, at once or when each switch has
// noticed. Returns as events_apply().
int converge_start(struct events *e, ps_t at, struct diag *diag);
// When routes change next, or PS_NEVER; and what is due then. Returns as events_apply().
ps_t converge_next(const struct events *e);
int converge_apply(struct events *e, struct diag *diag);
// Frees what is pending.
void converge_drop(struct events *e);
// Applies a link event, or undoes it. Returns as events_apply().
int events_apply_link(struct events *e, const struct config_step *s, struct diag *diag);
