// SPDX-License-Identifier: BSD-3-Clause
// The frames of Ultra Ethernet Transport, and how its PDCIDs stand for queue pairs. Worker only.
//
// Assumed, where the specification leaves a choice: packet delivery contexts exist before traffic
// begins, so no packet has SYN; PDCIDs are the numbers of queue pairs; no packet has a CRC of its
// own; answers return the data packet's UDP source port, so they come back by the same hash.
#pragma once

#include "dataplane/base/uet_headers.h"
#include "nic_exchange.h"
#include "sprayed.h"
#include "sprayed_qp.h"

static inline uint32_t
uet_pdcid(uint32_t qpn)
{
	return qpn < NIC_QPN_EXCHANGES ? qpn : UET_PDCID_EXCHANGES + (qpn - NIC_QPN_EXCHANGES);
}

static inline uint32_t
uet_qpn(uint32_t pdcid)
{
	return pdcid < UET_PDCID_EXCHANGES ? pdcid
					   : NIC_QPN_EXCHANGES + (pdcid - UET_PDCID_EXCHANGES);
}

// A data packet of which only headers are written: packet `index` of a sender, which lies in that
// message. `ask`: it asks for an acknowledgement at once.
void uet_write(struct nic *nic, struct sender *s, struct rte_mbuf *m, uint32_t index,
	       struct sprayed_place place, uint16_t entropy, bool ask);

// All NULL when memory has run out.
struct rte_mbuf *uet_make_ack(struct nic *nic, struct receiver *r,
			      const struct sprayed_answer *answer, const struct sprayed_sack *sack);
struct rte_mbuf *uet_make_nack(struct nic *nic, struct receiver *r,
			       const struct sprayed_answer *answer, uint8_t code, uint32_t psn);
// A credit, or a request for it.
struct rte_mbuf *uet_make_credit(struct nic *nic, const struct qp *qp, struct frame_address *a,
				 enum uet_control kind, uint64_t bytes);
