// SPDX-License-Identifier: BSD-3-Clause
// The PFC watchdog: finds queues that pauses hold without end and, while such a storm lasts, does
// not let them have their way. See watchdog.c.
#pragma once

#include "dataplane/base/node.h"

// Looks at the queues if that is due at `now`; returns when it is due next, PS_NEVER when the
// watchdog is off. A switch's timer: before arrivals and departures of the instant.
ps_t watchdog_poll(struct node *n, ps_t now);

// Ends a queue's storm by hand; nothing happens when there is none. The node's worker, between
// turns.
void watchdog_restore(struct node *n, struct port *p, unsigned int tc, ps_t now);

// Bytes that a node needs for the watchdog of these tables; 0: they have none. Any thread.
size_t watchdog_bytes(const struct node *n, const struct tables *t);

// New tables are in force from `now` on: storms of queues that are not watched any more end, others
// go on under the new action.
void watchdog_adopt(struct node *n, ps_t now);

// Cold, where a port of the packet's way has a storm: true when the packet is to be dropped for it
// (DROP_WATCHDOG), because of the queue it is to leave by or, with `ingress`, that of its priority
// at the port it came in by. Counts it there.
bool watchdog_refuses(struct node *n, struct port *in, struct port *out, struct rte_mbuf *m);
