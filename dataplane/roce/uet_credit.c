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
granter_of(const struct nic *nic, const struct uet_receiver *u)
{
	return &nic->cold->granters[u->receiver.qp.port];
}

// The sender says what it needs in total. No more of it is remembered than a window of packets
// beyond what was granted: the next packet says it again, and one that is forged causes few grants.
static void
note_need(const struct nic *nic, struct uet_receiver *u, uint32_t units)
{
	uint64_t most = u->granted + (uint64_t)nic->cold->config.reorder_window * u->payload;

	u->needed = expand(u->needed, units);
	if (u->needed > most)
		u->needed = most;
}

// Until one of its packets has shown how large they are.
static void
assume_size(struct uet_receiver *u)
{
	if (u->payload != 0)
		return;
	u->payload = ASSUMED_PAYLOAD;
	u->occupancy = frame_bytes(u->receiver.address.network,
				   (uint32_t)UET_DATA_BEHIND_UDP + u->payload);
}

static void
wait_for_grant(struct nic *nic, struct uet_receiver *u, ps_t now)
{
	struct uet_granter *g = granter_of(nic, u);

	if (u->queued || u->granted >= u->needed)
		return;
	u->queued = true;
	u->next = NULL;
	if (g->first == NULL)
		g->first = u;
	else
		g->last->next = u;
	g->last = u;
	if (g->timer.due == PS_NEVER)
		nic_set_timer(nic, &g->timer, g->next_at > now ? g->next_at : now);
}

static void
send_credit(struct nic *nic, struct uet_receiver *u)
{
	struct receiver *r = &u->receiver;

	nic->cold->path_counts[r->qp.port].grants++;
	nic_respond(nic_port_of(nic, &r->qp),
		    uet_make_credit(nic, &r->qp, &r->address, UET_CONTROL_CREDIT, u->granted));
}

void
uet_credit_need(struct nic *nic, struct uet_receiver *u, const struct uet_data *d, ps_t now)
{
	const struct port_profile *profile = nic_port_of(nic, &u->receiver.qp)->port->profile;

	if (nic->cold->granters == NULL)
		return;
	if (d->payload > u->payload && !d->trimmed) {
		u->payload = d->payload;
		u->occupancy = d->wire_bytes + profile->preamble + profile->fcs + profile->gap;
	}
	assume_size(u);
	note_need(nic, u, d->target);
	wait_for_grant(nic, u, now);
}

void
uet_credit_trimmed(struct nic *nic, struct uet_receiver *u, ps_t now)
{
	if (nic->cold->granters == NULL)
		return;
	u->needed += (u->payload + UET_CREDIT_BYTES - 1) / UET_CREDIT_BYTES * UET_CREDIT_BYTES;
	wait_for_grant(nic, u, now);
}

void
uet_credit_ask(struct nic *nic, struct sender *s)
{
	uint64_t needs = sprayed_need(s) + UET_CREDIT_BYTES - 1;

	nic_respond(nic_port_of(nic, &s->qp),
		    uet_make_credit(nic, &s->qp, &s->address, UET_CONTROL_CREDIT_REQUEST, needs));
}

void
uet_credit_asked(struct nic *nic, struct uet_receiver *u, uint32_t target, ps_t now)
{
	if (nic->cold->granters == NULL)
		return;
	assume_size(u);
	note_need(nic, u, target);
	if (u->granted >= u->needed)
		send_credit(nic, u); // the last one was lost
	else
		wait_for_grant(nic, u, now);
}

void
uet_credit_take(struct nic *nic, struct sender *s, uint32_t granted, ps_t now)
{
	struct sprayed *sp = s->cold->sprayed;

	sp->granted = expand(sp->granted, granted);
	sender_review(nic, s, now);
}

struct uet_receiver *
uet_credit_grant(struct nic *nic, struct uet_granter *g, ps_t now)
{
	const struct nic_port *np = &nic->ports[g->port];
	struct uet_receiver *u = g->first;
	uint64_t grant = (uint64_t)nic->cold->config.uet.grant * u->payload, packets;

	if (grant > u->needed - u->granted)
		grant = u->needed - u->granted;
	packets = (grant + u->payload - 1) / u->payload;
	grant = (grant + UET_CREDIT_BYTES - 1) / UET_CREDIT_BYTES * UET_CREDIT_BYTES;
	u->granted += grant;
	u->queued = false;
	g->first = u->next;
	timer_stop(&g->timer);
	g->next_at = now + time_of_bytes(np->port->profile->byte_time, packets * u->occupancy);
	send_credit(nic, u);
	wait_for_grant(nic, u, now);
	if (g->first != NULL)
		nic_set_timer(nic, &g->timer, g->next_at);
	return u;
}
