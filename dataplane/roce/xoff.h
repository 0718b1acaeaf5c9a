// SPDX-License-Identifier: BSD-3-Clause
// Pauses that a NIC sends by one of its ports: for each priority as long as some reason for it
// lasts, refreshed at half of what they last. Worker only.
#pragma once

#include "dataplane/base/node.h"

enum xoff_reason { XOFF_DRAIN, XOFF_STORM, XOFF_REASONS };

// Of one port.
struct xoff {
	ps_t refresh_at;              // PS_NEVER: nothing is paused
	uint8_t wanted[XOFF_REASONS]; // bit per priority
	uint8_t told;                 // bit per priority that the far side must pause
};

// Before the node runs.
static inline void
xoff_init(struct xoff *x)
{
	*x = (struct xoff){.refresh_at = PS_NEVER};
}

// From `now` on these priorities, and no others, are to be paused for the reason. XOFF goes for
// those that were not for any, XON for those that are no longer. Where the port's flow control is
// 802.3x, any priority stands for the whole link.
void xoff_want(struct node *n, struct port *p, struct xoff *x, enum xoff_reason reason,
	       uint8_t priorities, ps_t now);

// refresh_at has come: sends the XOFFs again.
void xoff_refresh(struct node *n, struct port *p, struct xoff *x, ps_t now);
