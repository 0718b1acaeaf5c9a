// SPDX-License-Identifier: BSD-3-Clause
// What joins a sender to its congestion control (congestion.h): when it may send, by next_at and
// window_bytes, and the calls of the algorithm. pacing.c says how. Worker only.
#pragma once

#include "congestion.h"
#include "qp.h"

struct pacing {
	struct congestion c;
	struct timer timer; // of c.timer_at, and of c.next_at while the sender waits for that
	struct sender *sender;
	struct nic_port *port; // the sender's
	// All packets before this one have arrived, as far as was ever heard since the sender last
	// went back: recovery by go-back-0 acknowledges less.
	uint32_t heard;
	// Of an algorithm that wants round-trip times: the packet whose acknowledgement is awaited.
	ps_t timed_at; // when it started; PS_NEVER: none is timed
	uint32_t timed;
	uint32_t asked; // behind the last packet that requested an acknowledgement
	bool rests;     // nothing is to be sent or acknowledged
};

// Whether the sender, which has something to send if `wants`, may do so once its transmitter is
// free, at `horizon`; arms the timer for when it may not yet.
bool pacing_admits(struct nic *nic, struct sender *s, bool wants, ps_t now, ps_t horizon);

// Packet `index` is about to start at `now`; again, if it was sent before. Of an algorithm that
// wants round-trip times: whether it should request an acknowledgement. `next` is behind it.
bool pacing_times(struct sender *s, uint32_t index, bool again, ps_t now);

// A packet goes again, or is about to: what is timed behind it would take longer for that.
void pacing_resends(struct sender *s, uint32_t index);

// A packet started at `now`, of so many bytes of the link's time.
void pacing_sent(struct sender *s, uint32_t occupancy_bytes, ps_t now);

// All before packet `index` arrived.
void pacing_acknowledged(struct sender *s, uint32_t index, ps_t now);

// A CNP arrived, or a loss was noticed.
void pacing_notified(struct sender *s, ps_t now);
void pacing_lost(struct sender *s, ps_t now);

// Runs the algorithm's timers that are due by `now`.
void pacing_run(struct pacing *p, ps_t now);
