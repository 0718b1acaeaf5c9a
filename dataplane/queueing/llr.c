// SPDX-License-Identifier: BSD-3-Clause
// Every frame of a port with link-level retry has a sequence number, and stays in the sender's
// replay buffer until it is acknowledged. The receiver accepts frames in their order only. It
// acknowledges what it has accepted (ACK, cumulative), and says once for each gap what it expects
// (NACK); then the sender goes back and sends all frames from there on again, before new ones. If
// neither comes for a while, it goes back to the oldest. If that does not help more than
// `replay_max` times in a row, it gives up: it drops what it holds, and the link restarts.
//
// The sender's random stream decides when a frame begins to leave whether it arrives without error.
// So the sender knows which frame the receiver will accept next (`accepted`). That one goes on the
// wire as on any link, and of it the replay buffer keeps the length only. A frame that the receiver
// discards, because it has errors or because one before it had, stays in the replay buffer, and a
// mark goes on the wire that tells the receiver its number as its last bit arrives. So a packet is
// always in one place, and none is copied, lost or doubled.
//
// Source: SAI's proposal doc/LLR (Link Layer Retry, for section 5.1 of the Ultra Ethernet
// Specification 1.0). doc/llr.md says what is assumed beyond it.
#include "llr_internal.h"

#include "credits.h"
#include "pause.h"

static void
note_due(struct node *n, ps_t at)
{
	n->llr_due = time_min(n->llr_due, at);
	node_arm_timer(n, at);
}

static void
arm_send(struct node *n, struct port *p, ps_t now)
{
	node_arm_send(n, p, p->tx_free > now ? p->tx_free : now);
}

// ---- sending ------------------------------------------------------------------------------------

static bool
is_blocked(const struct port *p)
{
	const struct llr *l = p->llr;

	if (!p->up)
		return false; // a link that is down takes everything, and loses it
	if (l->tx_state == LLR_TX_INIT)
		return l->profile->action == LLR_ACTION_BLOCK;
	return l->outstanding > l->profile->limit || l->next - l->first > l->mask;
}

static void
update_blocked(struct node *n, struct port *p, ps_t now)
{
	struct llr *l = p->llr;
	const bool blocked = is_blocked(p);

	if (blocked == l->blocked)
		return;
	l->blocked = blocked;
	if (blocked)
		pause_clock_open(&l->wait, now);
	else
		pause_clock_close(&l->wait, now);
	pause_update_held(n, p);
	// Among this instant's departures.
	if (!blocked && p->nonempty != 0)
		arm_send(n, p, now);
}

static void
set_since(struct llr *l, ps_t at)
{
	if (at > l->since)
		l->since = at;
}

// The timer restarts here.
static void
note_progress(struct node *n, struct llr *l, ps_t now)
{
	set_since(l, now);
	note_due(n, l->since + l->profile->timer);
}

static void
begin(struct node *n, struct port *p, ps_t now)
{
	struct llr *l = p->llr;

	l->tx_state = LLR_TX_INIT;
	l->replays = 0;
	note_progress(n, l, now);
	update_blocked(n, p, now);
	llr_request_set(n, p, LLR_INIT, now);
}

static uint32_t
frame_bytes(const struct port *p, uint32_t wire_bytes)
{
	return wire_bytes + p->profile->preamble + p->profile->fcs + p->profile->gap;
}

// Drops what the far end does not have, and forgets what it has.
static void
drop_frames(struct node *n, struct port *p, enum drop_reason reason, ps_t now)
{
	struct llr *l = p->llr;

	for (; l->first != l->next; l->first++) {
		struct rte_mbuf *m = l->frames[l->first & l->mask].held;
		unsigned int lane;

		if (m == NULL)
			continue;
		lane = packet_meta(m)->lane - (unsigned int)PACKET_LANE_FIRST;
		if (p->credits != NULL && lane < PRIORITIES)
			p->credits->lanes[lane].lost +=
				credits_blocks(n, packet_meta(m)->wire_bytes);
		l->frames[l->first & l->mask].held = NULL;
		l->extra_bytes += frame_bytes(p, packet_meta(m)->wire_bytes);
		node_drop(n, m, reason, now);
	}
	l->accepted = l->next;
	l->outstanding = 0;
}

uint32_t
llr_held_blocks(const struct node *n, const struct port *p, unsigned int lane)
{
	const struct llr *l = p->llr;
	uint32_t blocks = 0;

	for (uint32_t i = l != NULL ? l->accepted : 0; l != NULL && i != l->next; i++) {
		const struct packet_meta *meta = packet_meta(l->frames[i & l->mask].held);

		if (meta->lane == PACKET_LANE_FIRST + lane)
			blocks += credits_blocks(n, meta->wire_bytes);
	}
	return blocks;
}

static void
go_back(struct node *n, struct port *p, ps_t now)
{
	struct llr *l = p->llr;

	if (l->replays >= l->profile->replay_max) {
		l->tx_flush++;
		drop_frames(n, p, DROP_LLR_FLUSH, now);
		begin(n, p, now);
		return;
	}
	l->replays++;
	l->tx_state = LLR_TX_REPLAY;
	l->replay_at = l->first;
	note_progress(n, l, now);
	arm_send(n, p, now);
}

static void
end_replay(struct llr *l)
{
	l->tx_state = LLR_TX_ADVANCE;
	l->tx_replay++;
}

bool
llr_preempts(struct node *n, struct port *p, ps_t now)
{
	struct llr *l = p->llr;
	uint32_t sequence, bytes;

	if (l->tx_state == LLR_TX_REPLAY) {
		sequence = l->replay_at++;
		bytes = frame_bytes(p, l->frames[sequence & l->mask].bytes);
		__atomic_store_n(&p->tx_free, now + time_of_bytes(p->profile->byte_time, bytes),
				 __ATOMIC_RELAXED);
		l->tx_again++;
		l->extra_bytes += bytes;
		llr_send_frame(n, p, sequence, now);
		if (l->replay_at == l->next)
			end_replay(l);
		node_arm_send(n, p, p->tx_free);
		return true;
	}
	if (!l->blocked)
		return false;
	if (p->paused != 0)
		pause_expire(n, p, now);
	node_arm_send(n, p, pause_resume_at(p));
	return true;
}

void
llr_rearm(struct node *n, struct port *p)
{
	if (llr_replays(p) && p->next_send > p->tx_free)
		node_arm_send(n, p, p->tx_free);
}

void
llr_note_sent(struct node *n, struct port *p, ps_t now)
{
	struct llr *l = p->llr;

	if (l->next - l->first == 1)
		note_progress(n, l, now);
	update_blocked(n, p, now);
}

// The far end has what comes before `sequence`.
static void
take_acknowledgement(struct node *n, struct port *p, uint32_t sequence, bool nack, ps_t now)
{
	struct llr *l = p->llr;
	const uint32_t count = sequence - l->first;

	if (l->tx_state == LLR_TX_INIT)
		return; // of before
	if (count > l->accepted - l->first) {
		l->rx_seq_error++;
		return;
	}
	for (; l->first != sequence; l->first++)
		l->outstanding -= l->frames[l->first & l->mask].bytes;
	if (count != 0) {
		l->replays = 0;
		set_since(l, now);
	}
	if (l->tx_state == LLR_TX_REPLAY && (int32_t)(l->replay_at - l->first) < 0)
		l->replay_at = l->first;
	if (l->tx_state == LLR_TX_REPLAY && l->replay_at == l->next)
		end_replay(l);
	if (nack && l->first != l->next)
		go_back(n, p, now);
	update_blocked(n, p, now);
}

// ---- receiving ----------------------------------------------------------------------------------

static void
acknowledge(struct node *n, struct port *in, ps_t now)
{
	struct llr *l = in->llr;

	if (l->rx_state != LLR_RX_SEND_ACKS || l->waiting >> LLR_ACK & 1)
		return;
	l->deferred = now < l->spaced_until;
	if (l->deferred) {
		note_due(n, l->spaced_until);
		return;
	}
	llr_request_set(n, in, LLR_ACK, now);
}

static void
refuse(struct node *n, struct port *in, ps_t now)
{
	struct llr *l = in->llr;

	if (l->rx_state == LLR_RX_NACK_SENT)
		return;
	l->rx_state = LLR_RX_SEND_NACK;
	l->deferred = false;
	llr_request_set(n, in, LLR_ACK, now);
}

// A sequence that goes back is a replay: if the expected frame is missing again, that is said
// again.
static void
note_arrival(struct llr *l, uint32_t sequence)
{
	if ((int32_t)(sequence - l->last) <= 0) {
		l->rx_replay++;
		if (l->rx_state == LLR_RX_NACK_SENT)
			l->rx_state = LLR_RX_SEND_ACKS;
	}
	l->last = sequence;
}

void
llr_take_expected(struct node *n, struct port *in, ps_t now)
{
	struct llr *l = in->llr;

	note_arrival(l, l->expected);
	l->expected++;
	l->rx_state = LLR_RX_SEND_ACKS;
	acknowledge(n, in, now);
}

void
llr_take_other(struct node *n, struct port *in, uint32_t sequence, bool bad, ps_t now)
{
	struct llr *l = in->llr;
	const int32_t ahead = (int32_t)(sequence - l->expected);

	note_arrival(l, sequence);
	l->rx_missing += ahead > 0;
	l->rx_duplicate += ahead < 0;
	if (ahead >= 0)
		refuse(n, in, now);
	else if (!bad)
		acknowledge(n, in, now);
}

static void
take_init(struct node *n, struct port *in, uint32_t sequence, ps_t now)
{
	struct llr *l = in->llr;

	l->expected = sequence;
	l->last = sequence - 1;
	l->rx_state = LLR_RX_SEND_ACKS;
	l->deferred = false;
	llr_request_set(n, in, LLR_INIT_ECHO, now);
}

void
llr_take_set(struct node *n, struct port *p, enum llr_set set, uint32_t sequence, ps_t now)
{
	struct llr *l = p->llr;

	l->sets_rx[set]++;
	switch (set) {
	case LLR_INIT:
		take_init(n, p, sequence, now);
		break;
	case LLR_INIT_ECHO:
		if (l->tx_state != LLR_TX_INIT || sequence != l->next)
			break;
		l->tx_state = LLR_TX_ADVANCE;
		update_blocked(n, p, now);
		break;
	default:
		take_acknowledgement(n, p, sequence, set == LLR_NACK, now);
		break;
	}
}

// ---- time ---------------------------------------------------------------------------------------

void
llr_stop(struct node *n, struct port *p, ps_t now)
{
	struct llr *l = p->llr;

	drop_frames(n, p, DROP_LINK_DOWN, now);
	l->tx_state = LLR_TX_INIT;
	l->rx_state = LLR_RX_OFF;
	l->deferred = false;
	update_blocked(n, p, now);
}

void
llr_restart(struct node *n, struct port *p, ps_t now)
{
	if (p->llr->rx_state == LLR_RX_OFF)
		begin(n, p, now);
}

static ps_t
poll_port(struct node *n, struct port *p, ps_t now)
{
	struct llr *l = p->llr;
	const bool begins = l->tx_state == LLR_TX_INIT;

	if (l->deferred && l->spaced_until <= now)
		acknowledge(n, p, now);
	if (p->up && (begins || l->first != l->next) && l->since + l->profile->timer <= now) {
		if (begins)
			begin(n, p, now);
		else
			go_back(n, p, now);
	}
	if (p->up && (l->tx_state == LLR_TX_INIT || l->first != l->next))
		return time_min(l->since + l->profile->timer,
				l->deferred ? l->spaced_until : PS_NEVER);
	return l->deferred ? l->spaced_until : PS_NEVER;
}

ps_t
llr_poll(struct node *n, ps_t now)
{
	ps_t next = PS_NEVER;

	if (now < n->llr_due)
		return n->llr_due;
	n->llr_due = PS_NEVER; // what is due sooner on the way notes it
	for (unsigned int i = 0; i < n->port_count; i++)
		if (n->ports[i].llr != NULL)
			next = time_min(next, poll_port(n, &n->ports[i], now));
	n->llr_due = time_min(n->llr_due, next);
	return n->llr_due;
}

// ---- tables -------------------------------------------------------------------------------------

size_t
llr_bytes(const struct node *n, const struct tables *t)
{
	size_t bytes = 0;

	if (t->llr == NULL)
		return 0;
	for (unsigned int i = 0; i < n->port_count; i++)
		bytes += sizeof(struct llr) + t->llr[i].frames * sizeof(struct llr_frame);
	return bytes;
}

// Both ends begin as after LLR_INIT and LLR_INIT_ECHO. Memory: the ports', then their frames'.
static void
start(struct node *n, struct llr *l, struct llr_frame *frames, const struct llr_port *profile)
{
	*l = (struct llr){
		.tx_state = LLR_TX_ADVANCE,
		.rx_state = LLR_RX_SEND_ACKS,
		.frames = frames,
		.mask = profile->frames - 1,
		.last = UINT32_MAX,
		.since = n->start,
		.wait = {.since = PS_NEVER, .last_start = PS_NEVER, .last_end = PS_NEVER},
	};
}

void
llr_adopt(struct node *n, ps_t now)
{
	const size_t bytes = llr_bytes(n, n->current);
	const bool first = n->llr == NULL;
	struct llr_frame *frames;

	if (bytes == 0)
		return;
	if (first)
		n->llr = spare_take(&n->spares, bytes);
	frames = (struct llr_frame *)(n->llr + n->port_count);
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct llr_port *profile = &n->current->llr[i];
		struct port *p = &n->ports[i];
		struct llr *l = &n->llr[i];

		if (first)
			start(n, l, frames, profile);
		else if (profile->timer < l->profile->timer)
			// What is on the wires comes as late as it did, and all behind it.
			set_since(l, now + l->profile->timer - profile->timer);
		frames += profile->frames;
		l->profile = profile;
		p->llr = l;
		p->gated = true;
		p->rx_faults |= PORT_RX_LLR;
		update_blocked(n, p, now);
		if (l->first != l->next || l->tx_state == LLR_TX_INIT)
			note_due(n, l->since + profile->timer);
	}
}

void
llr_destroy(struct node *n)
{
	for (unsigned int i = 0; n->llr != NULL && i < n->port_count; i++) {
		const struct llr *l = &n->llr[i];

		for (uint32_t s = l->first; s != l->next; s++)
			if (l->frames[s & l->mask].held != NULL)
				packet_free(n->packets, l->frames[s & l->mask].held);
	}
	spare_free(n->llr);
}
