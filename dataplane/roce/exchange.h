// SPDX-License-Identifier: BSD-3-Clause
// The ranks' parts of exchanges at a NIC (nic_exchange.h). exchange.c says how. Worker only.
#pragma once

#include "dataplane/stages/stage.h"
#include "nic_exchange.h"
#include "qp.h"

// The timer of a handover fired.
void exchange_handed_over(struct nic *nic, struct timer *timer, ps_t now);

// The next packet of a SOURCE_GENERATOR that is in its ring: the first of a new queue pair. NULL
// when memory has run out.
struct rte_mbuf *exchange_make(struct nic *nic, struct source *generator, ps_t now);

// Fetches what exchange_open() reads first.
void exchange_prefetch(const struct nic *nic, uint32_t qpn);

// A packet has come for a number of an exchange. Returns STAGE_NEXT with the queue pair in *out,
// which is made for data if there is none, or with NULL: the number belongs to nobody;
// STAGE_CONSUMED for an answer to one that is closed; or the reason to drop it.
int exchange_open(struct nic *nic, uint32_t qpn, uint8_t opcode, struct qp **out);

// The queue pair has taken the packet, or has got what it waited for: closes it if it is complete.
void exchange_settle(struct nic *nic, struct qp *qp, ps_t now);

// A packet for a number of an exchange that came in by a port of the NIC.
struct exchange_packet {
	struct rte_mbuf *m;
	uint32_t qpn;
	uint8_t opcode; // of RoCEv2: of data, or of an answer
	uint8_t port;
	const void *parts; // what the transport has found in it
};

// A transport's: the queue pair, or NULL, takes the packet. Returns STAGE_CONSUMED, or the reason
// to drop it.
typedef int exchange_take_fn(struct nic *nic, const struct exchange_packet *p, struct qp *qp,
			     ps_t now);

// Finds or makes the queue pair, and has it take the packet. `take`: a constant.
static __rte_always_inline int
exchange_take(struct nic *nic, const struct exchange_packet *p, exchange_take_fn *take, ps_t now)
{
	struct qp *qp = NULL;
	int verdict = exchange_open(nic, p->qpn, p->opcode, &qp);

	if (verdict == STAGE_CONSUMED)
		packet_free(nic->node->packets, p->m);
	if (verdict != STAGE_NEXT)
		return verdict;
	verdict = take(nic, p, qp, now);
	if (qp != NULL)
		exchange_settle(nic, qp, now);
	return verdict;
}

// ---- results, by the control thread -------------------------------------------------------------

// Calls visit() for each queue pair that is open.
void exchange_visit(const struct nic *nic, void (*visit)(const struct qp *qp, void *context),
		    void *context);

// Sums over queue pairs that are closed; NULL: there are no exchanges.
const struct nic_totals *exchange_totals(const struct nic *nic);
