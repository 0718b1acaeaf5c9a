// SPDX-License-Identifier: BSD-3-Clause
// transport: the stage that ends a NIC's ingress, and what the NIC does at departures and timers.
// transport.c says how. Worker only.
#pragma once

#include "dataplane/stages/stage.h"

// Before a window: brings in what it will touch.
void transport_prefetch(const struct node *n);
// While nodes before this one run: brings in the queue pairs of the first packets due at each port.
void transport_fetch(const struct node *n);

// Takes a packet that parse and control_frames let pass.
int stage_transport(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// Lets idle ports begin to send what has become ready.
void transport_send_ready(struct node *n, ps_t now);

// A departure at the NIC's port.
void transport_send(struct node *n, struct port *p, ps_t now);

// Fires the timers due at `now` and returns when the next may be.
ps_t transport_timer(struct node *n, ps_t now);
