// SPDX-License-Identifier: BSD-3-Clause
// Packets without a transport, at a constant rate or as a Poisson process. stream.c says how.
// Worker only.
#pragma once

#include "qp.h"

// Prepares a stream before the run: everything but its timer. `from`: its port's template of its IP
// version.
void stream_init(struct stream *s, const struct nic_stream *settings,
		 const struct frame_template *from);

// The next packet of a stream that is ready; it leaves the ring when none waits behind. NULL when
// memory has run out: then the packet is lost.
struct rte_mbuf *stream_make(struct nic *nic, struct stream *s, ps_t now);

// Its timer fired: a packet has arrived.
void stream_timeout(struct nic *nic, struct stream *s);
