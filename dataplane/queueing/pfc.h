// SPDX-License-Identifier: BSD-3-Clause
// Flow control sent: a lossless group that outgrows its own space sends XOFF, again before that
// runs out, and XON when it has drained (802.1Q clause 36, 802.3 annex 31D; by 802.3x pause frames
// annex 31B). See pfc.c.
#pragma once

#include "dataplane/base/node.h"

// The group's own space did not take a packet: sends XOFF unless that has been done.
void pfc_xoff(struct node *n, struct port *p, unsigned int pg, ps_t now);

// The shared use of a pool fell below its xon_below: sends XON of its groups that may, by port and
// group.
void pfc_pool_fell(struct node *n, unsigned int pool, ps_t now);

// Sends the XOFFs that are due again and returns when the next is.
ps_t pfc_refresh(struct node *n, ps_t now);

// The port's link went down: its pauses no longer hold the far side.
void pfc_close_pauses(struct port *p, ps_t now);

// The port's link came up: the far side has heard of no XOFF.
void pfc_resend_xoffs(struct node *n, struct port *p, ps_t now);

// What groups may pause has changed (new tables, or the watchdog): sends the XONs and XOFFs that
// this makes due.
void pfc_adopt(struct node *n, struct port *p, ps_t now);

// The priorities, bit by bit, that are dropped where they come in by the port: their groups pause
// nobody.
uint8_t pfc_muted(const struct node *n, const struct port *p);
