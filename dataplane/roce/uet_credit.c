// SPDX-License-Identifier: BSD-3-Clause
// Receiver credit (UET-CC, RCCC): every data packet says what credit its sender needs in total. The
// receivers of a port that have granted less wait in a ring. The first gets a grant of so many
// packets, if it needs as many, and goes to the end; the next grant follows when the link has
// carried what was granted. So senders share the link equally, and what they send fits it. Totals
// are absolute: the next grant makes up for one that was lost, and a sender without credit asks
// after a retransmission timeout.
#include "uet_credit.h"

#include "sender_review.h"
#include "uet_frame.h"

#define ASSUMED_PAYLOAD 4096u

// A total that came in 24 bits, as the one nearest to what is known.
static uint64_t
expand(uint64_t known_bytes, uint32_t units)
{
	uint64_t known = known_bytes / UET_CREDIT_BYTES;
	int32_t ahead = (int32_t)((units - (uint32_t)known) << 8) >> 8;

	return ahead > 0 ? (known + (uint32_t)ahead) * UET_CREDIT_BYTES : known_bytes;
}

static struct uet_granter *
granter_of(const struct nic *nic, const struct sprayed_receiver *sr)
{
	return &nic->cold->granters[sr->receiver.qp.port];
}

// The sender says what it needs in total. No more of it is remembered than a window of packets
// beyond what was granted: the next packet says it again, and one that is forged causes few grants.
static void
note_need(const struct nic *nic, struct sprayed_receiver *sr, uint32_t units)
{
	uint64_t most = sr->granted + (uint64_t)nic->cold->config.reorder_window * sr->payload;

	sr->needed = expand(sr->needed, units);
	if (sr->needed > most)
		sr->needed = most;
}

// Until one of its packets has shown how large they are.
static void
assume_size(struct sprayed_receiver *sr)
{
	if (sr->payload != 0)
		return;
	sr->payload = ASSUMED_PAYLOAD;
	sr->occupancy = frame_bytes(sr->receiver.address.network,
				    (uint32_t)UET_DATA_BEHIND_UDP + sr->payload);
}

static void
wait_for_grant(struct nic *nic, struct sprayed_receiver *sr, ps_t now)
{
	struct uet_granter *g = granter_of(nic, sr);

	if (sr->queued || sr->granted >= sr->needed)
		return;
	sr->queued = true;
	sr->next = NULL;
	if (g->first == NULL)
		g->first = sr;
	else
		g->last->next = sr;
	g->last = sr;
	if (g->timer.due == PS_NEVER)
		nic_set_timer(nic, &g->timer, g->next_at > now ? g->next_at : now);
}

static void
send_credit(struct nic *nic, struct sprayed_receiver *sr)
{
	struct receiver *r = &sr->receiver;

	nic->cold->path_counts[r->qp.port].grants++;
	nic_respond(nic_port_of(nic, &r->qp),
		    uet_make_credit(nic, &r->qp, &r->address, UET_CONTROL_CREDIT, sr->granted));
}

void
uet_credit_need(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_data *d,
		ps_t now)
{
	const struct port_profile *profile = nic_port_of(nic, &sr->receiver.qp)->port->profile;

	if (nic->cold->granters == NULL)
		return;
	if (d->payload > sr->payload && !d->trimmed) {
		sr->payload = d->payload;
		sr->occupancy = d->wire_bytes + profile->preamble + profile->fcs + profile->gap;
	}
	assume_size(sr);
	note_need(nic, sr, d->target);
	wait_for_grant(nic, sr, now);
}

void
uet_credit_trimmed(struct nic *nic, struct sprayed_receiver *sr, ps_t now)
{
	if (nic->cold->granters == NULL)
		return;
	sr->needed += (sr->payload + UET_CREDIT_BYTES - 1) / UET_CREDIT_BYTES * UET_CREDIT_BYTES;
	wait_for_grant(nic, sr, now);
}

void
uet_credit_ask(struct nic *nic, struct sender *s)
{
	uint64_t needs = sprayed_need(s) + UET_CREDIT_BYTES - 1;

	nic_respond(nic_port_of(nic, &s->qp),
		    uet_make_credit(nic, &s->qp, &s->address, UET_CONTROL_CREDIT_REQUEST, needs));
}

void
uet_credit_asked(struct nic *nic, struct sprayed_receiver *sr, uint32_t target, ps_t now)
{
	if (nic->cold->granters == NULL)
		return;
	assume_size(sr);
	note_need(nic, sr, target);
	if (sr->granted >= sr->needed)
		send_credit(nic, sr); // the last one was lost
	else
		wait_for_grant(nic, sr, now);
}

void
uet_credit_take(struct nic *nic, struct sender *s, uint32_t granted, ps_t now)
{
	struct sprayed *sp = s->cold->sprayed;

	sp->granted = expand(sp->granted, granted);
	sender_review(nic, s, now);
}

struct sprayed_receiver *
uet_credit_grant(struct nic *nic, struct uet_granter *g, ps_t now)
{
	const struct nic_port *np = &nic->ports[g->port];
	struct sprayed_receiver *sr = g->first;
	uint64_t grant = (uint64_t)nic->cold->config.uet.grant * sr->payload, packets;

	if (grant > sr->needed - sr->granted)
		grant = sr->needed - sr->granted;
	packets = (grant + sr->payload - 1) / sr->payload;
	grant = (grant + UET_CREDIT_BYTES - 1) / UET_CREDIT_BYTES * UET_CREDIT_BYTES;
	sr->granted += grant;
	sr->queued = false;
	g->first = sr->next;
	timer_stop(&g->timer);
	g->next_at = now + time_of_bytes(np->port->profile->byte_time, packets * sr->occupancy);
	send_credit(nic, sr);
	wait_for_grant(nic, sr, now);
	if (g->first != NULL)
		nic_set_timer(nic, &g->timer, g->next_at);
	return sr;
}
