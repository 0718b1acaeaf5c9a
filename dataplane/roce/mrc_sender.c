// SPDX-License-Identifier: BSD-3-Clause
// Packets go by the planes in turn, so that all carry the same (OCP MRC 1.0, at second hand:
// planes are loaded equally, so that senders do not crowd where they found less queue). Only a
// plane that is denied, whose port here is down, or all of whose values are assumed bad has no
// turn. A sender stands in the ring of one port, that of the plane whose turn it is.
#include "mrc_sender.h"

#include <errno.h>

static uint16_t
values_of(const struct nic *nic)
{
	return nic->cold->config.sprayed.paths;
}

int
mrc_sender_create(struct nic *nic, struct sender *s, struct mrc_sender **out)
{
	uint16_t ports = nic->cold->config.port_count, values = values_of(nic);
	size_t planes = ports * sizeof(struct mrc_plane);
	struct mrc_sender *x = nic_alloc(nic, sizeof(*x) + planes + (size_t)ports * values);

	if (x == NULL)
		return -ENOMEM;
	x->sender = s;
	x->shift = (uint8_t)__builtin_ctz(values);
	for (uint16_t i = 0; i < ports; i++)
		x->planes[i].states.states = (uint8_t *)&x->planes[ports] + (size_t)i * values;
	*out = x;
	return timers_add(&nic->cold->timers, &x->probe, TIMER_PROBE);
}

static void
renew_plane(const struct nic *nic, struct mrc_plane *p, const struct nic_endpoint *e,
	    unsigned int stream)
{
	bool is_denied = e->plane_count != 0 && nic->cold->config.mrc.denied >> e->port & 1;
	struct random random = random_stream((uint64_t)e->first_psn << 16 | e->udp_sport,
					     (uint64_t)e->qpn << 8 | stream);

	p->port = e->port;
	p->probed = p->noted = 0;
	path_states_init(&p->states, values_of(nic), is_denied, random, p->states.states);
}

void
mrc_sender_renew(struct nic *nic, struct mrc_sender *x, const struct nic_endpoint *e)
{
	uint32_t values = (uint32_t)values_of(nic) * NIC_PORTS_MAX;
	struct nic_endpoint one = *e;

	timer_stop(&x->probe);
	x->sport = (uint16_t)(e->udp_sport & ~(values - 1));
	x->bad = 0;
	x->noted = false;
	x->turn = 0;
	x->plane_count = e->plane_count != 0 ? e->plane_count : 1;
	for (uint8_t i = 0; i < x->plane_count; i++) {
		if (e->plane_count != 0)
			one.port = e->planes[i].port;
		renew_plane(nic, &x->planes[i], &one, i);
		if (one.port == e->port)
			x->turn = i;
	}
}

uint16_t
mrc_sender_next(struct mrc_sender *x)
{
	return (uint16_t)((unsigned int)x->turn << x->shift |
			  path_states_next(&x->planes[x->turn].states));
}

void
mrc_sender_learn(struct mrc_sender *x, uint16_t entropy, enum entropy_news news)
{
	struct path_states *states = &mrc_plane_of(x, entropy)->states;
	uint16_t before = states->bad;

	path_states_learn(states, entropy, news);
	x->bad = (uint16_t)(x->bad + states->bad - before);
	x->noted |= states->bad != before;
	mrc_plane_of(x, entropy)->noted += states->bad - before;
}

static __attribute__((noinline)) void
count_bad(struct nic *nic, struct mrc_sender *x)
{
	for (uint8_t i = 0; i < x->plane_count; i++) {
		nic->cold->path_counts[x->planes[i].port].assumed_bad += x->planes[i].noted;
		x->planes[i].noted = 0;
	}
	x->noted = false;
}

void
mrc_sender_sent(struct nic *nic, struct mrc_sender *x, ps_t now)
{
	if (unlikely(x->noted))
		count_bad(nic, x);
	if (unlikely(x->bad != 0 && x->probe.due == PS_NEVER))
		nic_set_timer(nic, &x->probe, now + nic->cold->config.mrc.probe_interval);
}

static bool
denied(const struct mrc_plane *p)
{
	return p->states.usable == 0 && p->states.bad == 0;
}

// How fit a plane is for the next packet.
enum fitness { DENIED, PORT_DOWN, ALL_BAD, GOES };

static enum fitness
fitness(const struct nic *nic, const struct mrc_plane *p)
{
	if (denied(p))
		return DENIED;
	if (!nic->ports[p->port].port->up)
		return PORT_DOWN;
	return p->states.usable == 0 ? ALL_BAD : GOES;
}

void
mrc_sender_turn(struct nic *nic, struct mrc_sender *x)
{
	struct sender *s = x->sender;
	uint8_t turn = x->turn, next = x->turn;
	enum fitness best = DENIED;

	if (x->plane_count == 1)
		return;
	for (uint8_t i = 0; i < x->plane_count && best != GOES; i++) {
		enum fitness one;

		next = next + 1 == x->plane_count ? 0 : (uint8_t)(next + 1);
		one = fitness(nic, &x->planes[next]);
		if (one > best) {
			best = one;
			turn = next;
		}
	}
	source_idle(nic_port_of(nic, &s->qp), &s->source, s->address.tc);
	x->turn = turn;
	s->qp.port = x->planes[turn].port;
}

void
mrc_sender_begin(struct nic *nic, struct mrc_sender *x)
{
	if (denied(&x->planes[x->turn]))
		mrc_sender_turn(nic, x);
}

void
mrc_sender_wake(struct nic *nic, struct sender *s, ps_t now)
{
	struct port *p = nic_port_of(nic, &s->qp)->port;
	ps_t free_at = p->tx_free > now ? p->tx_free : now;

	if (p->nonempty != 0 && p->next_send > free_at)
		node_arm_send(nic->node, p, free_at);
}

void
mrc_sender_probed(struct mrc_sender *x, uint16_t entropy, bool marked)
{
	struct path_states *states;
	uint16_t before;

	if (entropy >> x->shift >= x->plane_count)
		return;
	states = &mrc_plane_of(x, entropy)->states;
	before = states->bad;
	path_states_probed(states, entropy, marked);
	x->bad = (uint16_t)(x->bad + states->bad - before);
}
