// SPDX-License-Identifier: BSD-3-Clause
// Link-level retry of Ultra Ethernet: a frame that arrives with errors is sent again by the link
// itself. llr.c says how; llr_link.c puts frames and ordered sets on the wire and takes them off.
#pragma once

#include "dataplane/base/llr.h"
#include "dataplane/base/node.h"

// A departure of a port with link-level retry: sends the next frame again, or has new ones wait.
// False: new ones may be sent.
bool llr_preempts(struct node *n, struct port *p, ps_t now);
// A departure that something else has used: makes sure that another follows if frames are to be
// sent again.
void llr_rearm(struct node *n, struct port *p);

// What came in by a port with link-level retry: a frame that goes on; one that was on its way when
// the link went down; or what was no frame, and is gone.
enum llr_arrival { LLR_FRAME, LLR_LATE, LLR_TAKEN };
enum llr_arrival llr_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// Blocks of a lane, on a link with credits, that the sender has counted and still holds.
uint32_t llr_held_blocks(const struct node *n, const struct port *p, unsigned int lane);

// Cold: the link went down: what the far end does not have is lost.
void llr_stop(struct node *n, struct port *p, ps_t now);
// Cold: the link came up.
void llr_restart(struct node *n, struct port *p, ps_t now);
// Does what is due at `now`, and returns when the next is.
ps_t llr_poll(struct node *n, ps_t now);

// Bytes that llr_adopt() takes of the node's spares if it has none yet; 0: no port has it.
size_t llr_bytes(const struct node *n, const struct tables *t);
// Cold: new tables are in force.
void llr_adopt(struct node *n, ps_t now);
// The node does not run: frees what it holds.
void llr_destroy(struct node *n);
