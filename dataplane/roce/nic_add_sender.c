// SPDX-License-Identifier: BSD-3-Clause
// Adding what sends to a NIC: senders, responders of READs, and senders of a program's messages.
#include "nic_add.h"

#include "arrivals.h"
#include "mrc_sender.h"
#include "pacing.h"
#include "program.h"
#include "resends.h"
#include "responder.h"
#include "sprayed.h"

#include <errno.h>

#define NIC_MESSAGE_PACKETS_MAX (UINT32_C(1) << 28) // several lie side by side

static int
add_resends(struct nic *nic, struct sender *s)
{
	uint32_t bits = 2 * nic_window_bits(nic);
	struct resends *r = nic_alloc(nic, sizeof(*r) + bits / 8);

	if (r == NULL)
		return -ENOMEM;
	r->bits = (uint64_t *)(r + 1);
	r->mask = bits - 1;
	s->cold->resends = r;
	return 0;
}

// Its pacing stands, used before or not.
static void
start_pacing(struct nic *nic, struct sender *s, const struct nic_flow *flow)
{
	const struct nic_config *c = &nic->cold->config;
	const struct port_profile *profile = nic->node->tables->ports[flow->endpoint.port].profile;
	struct nic_port *np = &nic->ports[flow->endpoint.port];
	uint8_t planes = flow->endpoint.plane_count != 0 ? flow->endpoint.plane_count : 1;
	struct congestion_path path = {
		.byte_time = profile->byte_time / planes,
		.path_mtu = flow->path_mtu,
		.base_rtt = flow->base_rtt,
		.bdp_bytes = flow->bdp_bytes * planes,
		.busy = &np->busy,
	};
	struct pacing *p = s->cold->pacing;

	if (p->sender != NULL && !p->rests)
		p->port->busy--;
	congestion_start(&p->c, c->congestion, &path, c->congestion_parameters);
	p->sender = s;
	p->port = np;
	p->heard = p->asked = 0;
	p->timed_at = PS_NEVER;
	p->rests = true;
	s->special |= SENDER_PACED;
}

static int
add_pacing(struct nic *nic, struct sender *s, const struct nic_flow *flow)
{
	const struct tables *tables = nic->node->tables;

	if (tables == NULL || tables->ports[flow->endpoint.port].profile == NULL ||
	    tables->ports[flow->endpoint.port].profile->byte_time == 0)
		return -EINVAL; // the port's rate must stand
	s->cold->pacing = nic_alloc(nic, sizeof(*s->cold->pacing));
	if (s->cold->pacing == NULL)
		return -ENOMEM;
	start_pacing(nic, s, flow);
	return timers_add(&nic->cold->timers, &s->cold->pacing->timer, TIMER_PACING);
}

static int
add_sprayed(struct nic *nic, struct sender *s)
{
	int error = sprayed_create(nic, s, nic_window_bits(nic));

	if (error == 0 && nic->cold->config.transport == NIC_TRANSPORT_MRC)
		error = mrc_sender_create(nic, s, &s->cold->sprayed->mrc);
	return error;
}

static void
renew_sprayed(struct nic *nic, struct sender *s, const struct nic_flow *flow)
{
	const struct nic_endpoint *e = &flow->endpoint;
	struct mrc_sender *x = s->cold->sprayed->mrc;
	struct nic_endpoint one = *e;

	sprayed_renew(nic, s, flow);
	if (x == NULL)
		return;
	if (e->plane_count == 0)
		nic_set_address(nic, &x->planes[0].address, e);
	for (uint8_t i = 0; i < e->plane_count; i++) {
		one.port = e->planes[i].port;
		memcpy(one.peer_ip, e->planes[i].peer_ip, sizeof(one.peer_ip));
		nic_set_address(nic, &x->planes[i].address, &one);
	}
	mrc_sender_renew(nic, x, e);
}

// Everything of a sender or responder but when it starts.
static int
add_sending_end(struct nic *nic, const struct nic_flow *flow, enum qp_role role,
		struct sender **out)
{
	const struct nic_config *c = &nic->cold->config;
	const struct nic_endpoint *e = &flow->endpoint;
	bool sprayed = c->transport != NIC_TRANSPORT_ROCE;
	bool selective = c->recovery == NIC_RECOVERY_SELECTIVE || sprayed;
	struct sender *s;
	int error;

	if (!nic_endpoint_holds(nic, e) || flow->path_mtu == 0 || flow->path_mtu > NIC_PATH_MTU_MAX)
		return -EINVAL;
	error = nic_reserve_qpn(nic, e->qpn);
	if (error != 0)
		return error;
	s = nic_alloc(nic, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	if (selective || c->congestion != NULL || role == QP_RESPONDER ||
	    flow->program != NIC_NONE) {
		s->cold = nic_alloc(nic, sizeof(*s->cold));
		if (s->cold == NULL)
			return -ENOMEM;
	}
	if (selective)
		error = add_resends(nic, s);
	if (error == 0 && c->congestion != NULL)
		error = add_pacing(nic, s, flow);
	if (error == 0 && sprayed)
		error = add_sprayed(nic, s);
	if (error != 0)
		return error;
	s->psn_base = e->first_psn;
	s->path_mtu = flow->path_mtu;
	s->handover = flow->handover;
	s->result.start = s->result.completed = PS_NEVER;
	nic_set_address(nic, &s->address, e);
	if (sprayed)
		renew_sprayed(nic, s, flow);
	*out = s;
	return 0;
}

// A sender with its timer, in the table.
static int
add_sender(struct nic *nic, const struct nic_flow *flow, struct sender **out)
{
	int error = add_sending_end(nic, flow, QP_SENDER, out);

	if (error == 0)
		error = timers_add(&nic->cold->timers, &(*out)->timer, TIMER_SENDER);
	if (error == 0)
		nic_enter_qp(nic, &(*out)->qp, &flow->endpoint, QP_SENDER);
	if (error == 0 && nic->cold->config.transport == NIC_TRANSPORT_MRC)
		mrc_sender_begin(nic, (*out)->cold->sprayed->mrc);
	return error;
}

static int
add_responder(struct nic *nic, const struct nic_flow *flow)
{
	struct responder *r;
	struct sender *s;
	int error;

	if (nic->cold->config.transport != NIC_TRANSPORT_ROCE)
		return -EINVAL;
	error = add_sending_end(nic, flow, QP_RESPONDER, &s);
	if (error != 0)
		return error;
	r = nic_alloc(nic, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	responder_init(r, flow->path_mtu);
	s->cold->responder = r;
	s->special |= SENDER_RESPONDER;
	s->qp.message = MESSAGE_READ_RESPONSE;
	// Nothing acknowledges what it sends, so it does not wait for that: its timer, which is in
	// no heap, always looks armed.
	s->timer.due = 0;
	s->open = true;
	nic_enter_qp(nic, &s->qp, &flow->endpoint, QP_RESPONDER);
	return 0;
}

static int
settle_messages(struct program_sender *ps, uint16_t path_mtu)
{
	struct nic_messages *m = &ps->messages;

	if (m->of == 0)
		m->of = 1;
	m->first %= m->of;
	m->step %= m->of;
	for (unsigned int large = 0; large < 2; large++) {
		ps->packets[large] = nic_packets_of(m->base + large, path_mtu,
						    NIC_MESSAGE_PACKETS_MAX,
						    &ps->last_payload[large]);
		if (ps->packets[large] == 0)
			return -EINVAL;
	}
	return m->count == 0 || m->of > UINT32_MAX / 2 ? -EINVAL : 0;
}

// The part of a sender in its program: gate, messages, handover. Its timer is made here.
static int
add_program_part(struct nic *nic, const struct nic_flow *flow, struct program_sender **out)
{
	const struct nic_table *programs = &nic->cold->programs, *inboxes = &nic->cold->inboxes;
	struct program *p = flow->program < programs->count ? programs->entries[flow->program]
							    : NULL;
	struct program_sender *ps;
	int error;

	if (p == NULL || flow->part >= p->parts.count || flow->op == NIC_OP_READ ||
	    (flow->gate != NIC_NONE &&
	     (flow->gate >= inboxes->count ||
	      ((struct inbox *)inboxes->entries[flow->gate])->part->program != p)))
		return -EINVAL;
	ps = nic_alloc(nic, sizeof(*ps));
	if (ps == NULL)
		return -ENOMEM;
	ps->messages = flow->messages;
	ps->handover = flow->handover;
	ps->lead = flow->gate_lead;
	if (flow->path_mtu == 0 || settle_messages(ps, flow->path_mtu) != 0)
		return -EINVAL;
	error = timers_add(&nic->cold->timers, &ps->timer, TIMER_HANDOVER);
	if (error != 0)
		return error;
	*out = ps;
	return 0;
}

static void
enter_program_part(struct nic *nic, const struct nic_flow *flow, struct program_sender *ps)
{
	message_place_init(ps);
	program_enter(nic->cold->programs.entries[flow->program], flow->part, ps,
		      flow->gate != NIC_NONE ? nic->cold->inboxes.entries[flow->gate] : NULL);
}

static int
add_program_sender(struct nic *nic, const struct nic_flow *flow)
{
	struct program_sender *ps;
	struct sender *s;
	int error = add_program_part(nic, flow, &ps);

	if (error == 0)
		error = add_sender(nic, flow, &s);
	if (error != 0)
		return error;
	s->qp.message = MESSAGE_WRITE_IMM;
	s->special |= SENDER_PROGRAM;
	s->cold->program = ps;
	s->open = true;
	ps->sender = s;
	enter_program_part(nic, flow, ps);
	return 0;
}

// Only sizes of the flow matter here.
int
nic_make_sender(struct nic *nic, const struct nic_flow *flow, struct sender **out)
{
	bool sprayed = nic->cold->config.transport != NIC_TRANSPORT_ROCE;
	bool selective = nic->cold->config.recovery == NIC_RECOVERY_SELECTIVE || sprayed;
	struct sender *s = nic_alloc(nic, sizeof(*s));
	int error;

	if (s == NULL)
		return -ENOMEM;
	s->cold = nic_alloc(nic, sizeof(*s->cold));
	if (s->cold == NULL)
		return -ENOMEM;
	s->cold->program = nic_alloc(nic, sizeof(*s->cold->program));
	if (s->cold->program == NULL)
		return -ENOMEM;
	error = timers_add(&nic->cold->timers, &s->timer, TIMER_SENDER);
	if (error == 0 && selective)
		error = add_resends(nic, s);
	if (error == 0 && nic->cold->config.congestion != NULL)
		error = add_pacing(nic, s, flow);
	if (error == 0 && sprayed)
		error = add_sprayed(nic, s);
	*out = s;
	return error;
}

int
nic_renew_sender(struct nic *nic, const struct nic_flow *flow, struct sender *s)
{
	struct sender_cold *cold = s->cold;
	struct program_sender *ps = cold->program;
	struct resends *r = cold->resends;

	*s = (struct sender){
		.psn_base = flow->endpoint.first_psn,
		.path_mtu = flow->path_mtu,
		.open = true,
		.special = SENDER_PROGRAM,
		.timer = s->timer,
		.cold = cold,
		.result = {.start = PS_NEVER, .completed = PS_NEVER},
	};
	nic_name_qp(nic, &s->qp, &flow->endpoint, QP_SENDER);
	nic_set_address(nic, &s->address, &flow->endpoint);
	s->qp.message = MESSAGE_WRITE_IMM;
	if (cold->pacing != NULL)
		start_pacing(nic, s, flow);
	if (cold->sprayed != NULL)
		renew_sprayed(nic, s, flow);
	if (r != NULL) {
		memset(r->bits, 0, ((size_t)r->mask + 1) / 8);
		r->low = r->high = r->count = 0;
	}
	*ps = (struct program_sender){.sender = s, .messages = flow->messages, .times = 1};
	if (settle_messages(ps, flow->path_mtu) != 0)
		return -EINVAL;
	message_place_init(ps);
	return 0;
}

int
nic_add_local(struct nic *nic, const struct nic_flow *flow, uint32_t inbox)
{
	struct program_sender *ps;
	int error;

	if (inbox >= nic->cold->inboxes.count)
		return -EINVAL;
	error = add_program_part(nic, flow, &ps);
	if (error != 0)
		return error;
	enter_program_part(nic, flow, ps);
	program_enter_feeder(nic->cold->inboxes.entries[inbox], &ps->feeder);
	return 0;
}

int
nic_add_sender(struct nic *nic, const struct nic_flow *flow)
{
	struct nic_flow_result *result;
	uint16_t last_payload = 0;
	uint32_t packets;
	struct sender *s;
	int error;

	if (flow->program != NIC_NONE)
		return add_program_sender(nic, flow);
	if (flow->op == NIC_OP_READ)
		return add_responder(nic, flow);
	if (flow->path_mtu == 0 || flow->bytes == 0 || flow->repeat == 0)
		return -EINVAL;
	packets = nic_packets_of(flow->bytes, flow->path_mtu, NIC_FLOW_PACKETS_MAX, &last_payload);
	if (packets == 0)
		return -EINVAL;
	error = add_sender(nic, flow, &s);
	if (error != 0)
		return error;
	s->qp.message = flow->op == NIC_OP_SEND ? MESSAGE_SEND : MESSAGE_WRITE;
	s->packets = packets;
	s->last_payload = last_payload;
	s->repetitions_left = flow->repeat;
	s->gap = flow->gap;
	result = &s->result;
	result->start = flow->start +
			uniform_below(&nic->node->random, nic->cold->config.start_jitter);
	nic->cold->open_flows++;
	nic_set_timer(nic, &s->timer, result->start + flow->handover);
	return 0;
}
