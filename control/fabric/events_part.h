// SPDX-License-Identifier: BSD-3-Clause
// What events.c and events_link.c share; private to control/fabric/.
#pragma once

#include "events.h"

struct events {
	struct fabric *fabric;
	struct events_hooks hooks;
	struct config_step *steps;
	unsigned count;
	uint32_t done; // steps before this one have been applied, or are being
};

// What an event changes at one port of a node.
struct port_change {
	const struct config_event *event;
	uint16_t port;
	bool undo;
};

// Builds a node's tables anew and puts them in force. Returns 0, -EINVAL with the errors in diag,
// or -ENOMEM.
int events_rebuild(struct events *e, uint32_t node, struct config_diag *diag);

// Applies a link event, or undoes it. Returns as events_apply().
int events_apply_link(struct events *e, const struct config_step *s, struct config_diag *diag);
