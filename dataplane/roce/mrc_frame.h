// SPDX-License-Identifier: BSD-3-Clause
// The frames of Multipath Reliable Connection. Worker only.
//
// Assumed, where no public source says: the UDP port is RoCEv2's; contexts are the low 16 bits of
// queue pair numbers; a packet's MSN is the low 16 bits of its message's first packet, counted as
// the PSN is; the RETH of a packet has that packet's payload; no packet has a TSETH, because the
// sender remembers when it sent which; an answer goes back by the plane and with the UDP source
// port of the packet that it answers.
#pragma once

#include "dataplane/base/mrc_headers.h"
#include "sprayed.h"
#include "sprayed_qp.h"

struct mrc_sender;

// As uet_write(), of uet_frame.h.
void mrc_write(struct nic *nic, struct sender *s, struct rte_mbuf *m, uint32_t index,
	       struct sprayed_place place, uint16_t entropy, bool ask);

// All NULL when memory has run out. Answers leave by the port of its queue pair's port.
struct rte_mbuf *mrc_make_sack(struct nic *nic, struct sprayed_receiver *sr,
			       const struct sprayed_answer *answer,
			       const struct sprayed_sack *sack);
struct rte_mbuf *mrc_make_nack(struct nic *nic, struct sprayed_receiver *sr,
			       const struct sprayed_answer *answer, uint8_t reason, uint32_t psn);
// The answer to probe `number`. Of `sack`, acked_psn means nothing.
struct rte_mbuf *mrc_make_probed(struct nic *nic, struct sprayed_receiver *sr,
				 const struct sprayed_answer *answer,
				 const struct sprayed_sack *sack, uint16_t number);
struct rte_mbuf *mrc_make_probe(struct nic *nic, struct mrc_sender *x, uint16_t entropy);
