// SPDX-License-Identifier: BSD-3-Clause
// A packet is in flight until an acknowledgement reports it, a NACK or the retransmission timer.
// The timer runs from the last progress, or from when something was sent again after nothing was in
// flight; when it fires, all packets that have been in flight for so long count as lost. Lost
// packets go before new ones (resends.h). The window of congestion control holds what is in flight,
// but one packet always. Nothing goes back: `next` only grows.
//
// When the window shrinks below what is in flight, nothing of that may have asked for an
// acknowledgement, and the receiver may wait for more packets before it sends one. Then one packet
// more goes, and asks.
//
// With credits, a sender may send what its receiver has granted. One that has used it up and has
// nothing in flight asks at once, if it has been granted all that it asked for, and else after a
// retransmission timeout, because its request or the grant may be lost.
#include "sprayed.h"

#include "mrc_sender.h"
#include "pacing.h"
#include "resends.h"

#include <errno.h>

static bool
speaks_uet(const struct nic *nic)
{
	return nic->cold->config.transport == NIC_TRANSPORT_UET;
}

int
sprayed_create(struct nic *nic, struct sender *s, uint32_t slots)
{
	size_t ring = (size_t)slots * sizeof(struct sprayed_packet);
	size_t values = speaks_uet(nic) ? entropy_bytes(nic->cold->config.sprayed.paths) : 0;
	struct sprayed *sp = nic_alloc(nic, sizeof(*sp) + ring + values);

	if (sp == NULL)
		return -ENOMEM;
	sp->packets = (struct sprayed_packet *)(sp + 1);
	if (values != 0)
		sp->entropy.good = (uint16_t *)((char *)sp->packets + ring);
	sp->mask = slots - 1;
	s->cold->sprayed = sp;
	return 0;
}

// What only Ultra Ethernet Transport has. What only Multipath Reliable Connection has is in
// mrc_sender.c.
static void
renew_uet(const struct nic_config *c, struct sender *s, const struct nic_endpoint *e)
{
	struct sprayed *sp = s->cold->sprayed;

	sp->credits = c->uet.credits;
	sp->unsolicited = (uint64_t)c->uet.unsolicited * s->path_mtu;
	sp->sport = (uint16_t)(e->udp_sport & ~(c->sprayed.paths - 1u));
	entropy_init(&sp->entropy, c->uet.spray, c->sprayed.paths,
		     random_stream((uint64_t)e->first_psn << 16 | e->udp_sport, e->qpn),
		     sp->entropy.good);
}

void
sprayed_renew(struct nic *nic, struct sender *s, const struct nic_flow *flow)
{
	const struct nic_config *c = &nic->cold->config;
	struct sprayed *sp = s->cold->sprayed;

	memset(sp->packets, 0, ((size_t)sp->mask + 1) * sizeof(*sp->packets));
	sp->window = c->reorder_window;
	if (flow->window != 0 && flow->window < sp->window)
		sp->window = flow->window;
	sp->in_flight = 0;
	sp->asked = UINT32_MAX; // before the first
	sp->granted = sp->needed = sp->consumed = 0;
	if (speaks_uet(nic))
		renew_uet(c, s, &flow->endpoint);
	s->special |= SENDER_SPRAYED;
}

static uint64_t
window_bytes(const struct sender *s)
{
	return s->special & SENDER_PACED ? s->cold->pacing->c.window_bytes : UINT64_MAX;
}

uint64_t
sprayed_need(struct sender *s)
{
	struct sprayed *sp = s->cold->sprayed;
	uint64_t waiting = s->end - s->next +
			   (s->special & SENDER_RESENDS ? s->cold->resends->count : 0);
	uint64_t all;

	if (waiting > sp->window)
		waiting = sp->window;
	all = sp->consumed + waiting * s->path_mtu;
	sp->needed = all > sp->unsolicited ? all - sp->unsolicited : 0;
	return sp->needed;
}

// Whether the last packet that asked for an acknowledgement is in flight.
static bool
awaits_answer(const struct sender *s)
{
	const struct sprayed *sp = s->cold->sprayed;

	return (int32_t)(sp->asked - s->acked) >= 0 &&
	       sprayed_packet_at(sp, sp->asked)->state == SPRAYED_IN_FLIGHT;
}

bool
sprayed_admits(struct nic *nic, struct sender *s, bool wants, ps_t now)
{
	struct sprayed *sp = s->cold->sprayed;

	if (!wants || (!(s->special & SENDER_RESENDS) && s->next - s->acked >= sp->window))
		return false;
	if (sp->in_flight != 0 && ((uint64_t)sp->in_flight + 1) * s->path_mtu > window_bytes(s) &&
	    awaits_answer(s))
		return false;
	if (!sp->credits || sp->consumed + s->path_mtu <= sp->unsolicited + sp->granted)
		return true;
	// The timer asks, at once if nothing that it asked for is still to come.
	if (sp->in_flight == 0 && s->timer.due == PS_NEVER)
		nic_set_timer(nic, &s->timer, sp->granted < sp->needed ? now + nic->rto : now);
	return false;
}

bool
sprayed_asks(const struct sender *s, uint32_t index)
{
	const struct sprayed *sp = s->cold->sprayed;
	uint64_t two = 2 * (uint64_t)s->path_mtu;

	return index != s->next || index + 1 == s->end || index + 1 - s->acked >= sp->window ||
	       (uint64_t)sp->in_flight * s->path_mtu + two > window_bytes(s) ||
	       (sp->credits && sp->consumed + two > sp->unsolicited + sp->granted);
}

void
sprayed_sent(struct nic *nic, struct sender *s, uint32_t index, uint16_t entropy, ps_t now)
{
	struct sprayed *sp = s->cold->sprayed;
	struct sprayed_packet *p = sprayed_packet_at(sp, index);

	if (p->state == SPRAYED_ARRIVED)
		p->sends = 0; // of the packet that had this place before
	p->sent_at = (uint32_t)(now >> SPRAYED_TIME_SHIFT);
	p->entropy = entropy;
	p->state = SPRAYED_IN_FLIGHT;
	p->sends += p->sends != UINT8_MAX;
	sp->in_flight++;
	sp->consumed += s->path_mtu;
	if (s->timer.due == PS_NEVER)
		nic_set_timer(nic, &s->timer, now + nic->rto);
	if (sp->mrc != NULL)
		mrc_sender_sent(nic, sp->mrc, now);
}

bool
sprayed_arrived(struct sender *s, uint32_t index)
{
	struct sprayed *sp = s->cold->sprayed;
	struct sprayed_packet *p = sprayed_packet_at(sp, index);
	uint8_t before = p->state;

	if (before == SPRAYED_ARRIVED)
		return false;
	p->state = SPRAYED_ARRIVED;
	if (before == SPRAYED_IN_FLIGHT) {
		sp->in_flight--;
	} else if (resends_cancel(s->cold->resends, index) && s->cold->resends->count == 0) {
		s->special &= (uint8_t)~SENDER_RESENDS;
	}
	return true;
}

ps_t
sprayed_round_trip(const struct sprayed *sp, uint32_t index, ps_t now)
{
	const struct sprayed_packet *p = sprayed_packet_at(sp, index);

	return p->state == SPRAYED_IN_FLIGHT && p->sends == 1 ? sprayed_time_since(p, now) : 0;
}

void
sprayed_learn(struct sprayed *sp, uint16_t entropy, enum entropy_news news)
{
	if (sp->mrc != NULL)
		mrc_sender_learn(sp->mrc, entropy, news);
	else
		entropy_learn(&sp->entropy, entropy, news);
}

bool
sprayed_lose(struct sender *s, uint32_t index, enum entropy_news news)
{
	struct sprayed *sp = s->cold->sprayed;
	struct sprayed_packet *p = sprayed_packet_at(sp, index);

	if (p->state != SPRAYED_IN_FLIGHT || !resends_add(s->cold->resends, index))
		return false;
	p->state = SPRAYED_LOST;
	sp->in_flight--;
	s->special |= SENDER_RESENDS;
	sprayed_learn(sp, p->entropy, news);
	return true;
}
