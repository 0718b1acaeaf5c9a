// SPDX-License-Identifier: BSD-3-Clause
// Adding queue pairs and streams to a NIC. What a flow does not use it does not have: rings of bits
// where packets are kept out of order, and sender_more and receiver_more for the rest.
#include "../queueing/ecn.h"
#include "arrivals.h"
#include "pacing.h"
#include "placement.h"
#include "program.h"
#include "qp.h"
#include "resends.h"
#include "responder.h"
#include "stream.h"

#include <errno.h>

#define NIC_PATH_MTU_MAX 4096
#define NIC_FLOW_PACKETS_MAX (UINT32_C(1) << 31)
#define NIC_MESSAGE_PACKETS_MAX (UINT32_C(1) << 28) // several lie side by side

static bool
endpoint_holds(const struct nic *nic, const struct nic_endpoint *e)
{
	return e->qpn >= NIC_QPN_FIRST && e->qpn <= ROCE_PSN_MASK && e->peer_qpn <= ROCE_PSN_MASK &&
	       e->first_psn <= ROCE_PSN_MASK && (e->ip_version == 4 || e->ip_version == 6) &&
	       e->dscp < 64 && e->priority < PRIORITIES && e->tc < PRIORITIES &&
	       e->port < nic->node->port_count;
}

// Makes room in the table for a number.
static int
reserve_qpn(struct nic *nic, uint32_t qpn)
{
	uint32_t slot = qpn - NIC_QPN_FIRST, before = nic->more->qp_capacity;
	uint32_t capacity = before == 0 ? 8 : before;
	struct qp **qps;

	if (slot < nic->qp_limit && nic->qps[slot] != NULL)
		return -EEXIST;
	while (capacity <= slot)
		capacity *= 2;
	if (capacity == before)
		return 0;
	// The old table stays where it was: all of them take as much as the new one.
	qps = nic_carve(nic, capacity * sizeof(*qps));
	if (qps == NULL)
		return -ENOMEM;
	if (nic->qp_limit != 0)
		memcpy(qps, nic->qps, nic->qp_limit * sizeof(*qps));
	nic->qps = qps;
	nic->more->qp_capacity = capacity;
	return 0;
}

static void
enter_qp(struct nic *nic, struct qp *qp, const struct nic_endpoint *e, enum qp_role role)
{
	uint32_t slot = e->qpn - NIC_QPN_FIRST;

	qp->qpn = e->qpn;
	qp->role = (uint8_t)role;
	qp->port = e->port;
	qp->recovery = (uint8_t)nic->more->config.recovery;
	nic->qps[slot] = qp;
	if (slot >= nic->qp_limit)
		nic->qp_limit = slot + 1;
}

static void
set_address(struct nic *nic, struct frame_address *a, const struct nic_endpoint *e)
{
	*a = (struct frame_address){
		.peer_qpn = e->peer_qpn,
		.udp_sport = rte_cpu_to_be_16(e->udp_sport),
		.traffic_class = (uint8_t)(e->dscp << 2 | ECN_ECT0),
		.priority = e->priority,
		.tc = e->tc,
		.ip6 = e->ip_version == 6,
	};
	memcpy(a->peer_ip, e->peer_ip, sizeof(a->peer_ip));
	frame_address_init(a, nic_template(&nic->ports[e->port], a));
}

// Bits of a ring that holds the reorder window.
static uint32_t
window_bits(const struct nic *nic)
{
	uint32_t bits = 64;

	while (bits < nic->more->config.reorder_window)
		bits *= 2;
	return bits;
}

// ---- senders -------------------------------------------------------------------------------

static int
add_resends(struct nic *nic, struct sender *s)
{
	uint32_t bits = 2 * window_bits(nic);
	struct resends *r = nic_carve(nic, sizeof(*r) + bits / 8);

	if (r == NULL)
		return -ENOMEM;
	r->bits = (uint64_t *)(r + 1);
	r->mask = bits - 1;
	s->more->resends = r;
	return 0;
}

static int
add_pacing(struct nic *nic, struct sender *s, const struct nic_flow *flow)
{
	const struct nic_config *c = &nic->more->config;
	const struct tables *tables = nic->node->tables;
	const struct port_profile *profile =
		tables != NULL ? tables->ports[flow->endpoint.port].profile : NULL;
	struct congestion_path path = {
		.byte_time = profile != NULL ? profile->byte_time : 0,
		.path_mtu = flow->path_mtu,
		.base_rtt = flow->base_rtt,
		.bdp_bytes = flow->bdp_bytes,
	};
	struct pacing *p;

	if (path.byte_time == 0)
		return -EINVAL; // the port's rate must stand
	p = nic_carve(nic, sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	congestion_start(&p->c, c->congestion, &path, c->congestion_parameters);
	p->sender = s;
	p->rests = true;
	s->more->pacing = p;
	s->special |= SENDER_PACED;
	return timers_add(&nic->more->timers, &p->timer, TIMER_PACING);
}

// Everything of a sender or responder but when it starts.
static int
add_sending_end(struct nic *nic, const struct nic_flow *flow, enum qp_role role,
		struct sender **out)
{
	const struct nic_config *c = &nic->more->config;
	const struct nic_endpoint *e = &flow->endpoint;
	bool selective = c->recovery == NIC_RECOVERY_SELECTIVE;
	struct sender *s;
	int error;

	if (!endpoint_holds(nic, e) || flow->path_mtu == 0 || flow->path_mtu > NIC_PATH_MTU_MAX)
		return -EINVAL;
	error = reserve_qpn(nic, e->qpn);
	if (error != 0)
		return error;
	s = nic_carve(nic, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	if (selective || c->congestion != NULL || role == QP_RESPONDER ||
	    flow->program != NIC_NONE) {
		s->more = nic_carve(nic, sizeof(*s->more));
		if (s->more == NULL)
			return -ENOMEM;
	}
	if (selective)
		error = add_resends(nic, s);
	if (error == 0 && c->congestion != NULL)
		error = add_pacing(nic, s, flow);
	if (error != 0)
		return error;
	s->psn_base = e->first_psn;
	s->path_mtu = flow->path_mtu;
	s->handover = flow->handover;
	s->result.start = s->result.completed = PS_NEVER;
	set_address(nic, &s->address, e);
	*out = s;
	return 0;
}

static int
add_responder(struct nic *nic, const struct nic_flow *flow)
{
	struct responder *r;
	struct sender *s;
	int error = add_sending_end(nic, flow, QP_RESPONDER, &s);

	if (error != 0)
		return error;
	r = nic_carve(nic, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	responder_init(r, flow->path_mtu);
	s->more->responder = r;
	s->special |= SENDER_RESPONDER;
	s->qp.message = MESSAGE_READ_RESPONSE;
	// Nothing acknowledges what it sends, so it does not wait for that: its timer, which is in
	// no heap, always looks armed.
	s->timer.due = 0;
	s->open = true;
	enter_qp(nic, &s->qp, &flow->endpoint, QP_RESPONDER);
	return 0;
}

// The packets of so many bytes, and the payload of the last; 0 when they are too many.
static uint32_t
packets_of(uint64_t bytes, uint16_t path_mtu, uint32_t most, uint16_t *last_payload)
{
	uint64_t packets = bytes == 0 ? 1 : (bytes - 1) / path_mtu + 1;

	if (packets >= most)
		return 0;
	*last_payload = (uint16_t)(bytes - (packets - 1) * path_mtu);
	return (uint32_t)packets;
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
		ps->packets[large] = packets_of(m->base + large, path_mtu, NIC_MESSAGE_PACKETS_MAX,
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
	const struct nic_table *programs = &nic->more->programs, *inboxes = &nic->more->inboxes;
	struct program *p =
		flow->program < programs->count ? programs->entries[flow->program] : NULL;
	struct program_sender *ps;
	int error;

	if (p == NULL || flow->part >= p->parts.count || flow->op == NIC_OP_READ ||
	    (flow->gate != NIC_NONE &&
	     (flow->gate >= inboxes->count ||
	      ((struct inbox *)inboxes->entries[flow->gate])->part->program != p)))
		return -EINVAL;
	ps = nic_carve(nic, sizeof(*ps));
	if (ps == NULL)
		return -ENOMEM;
	ps->messages = flow->messages;
	ps->handover = flow->handover;
	ps->lead = flow->gate_lead;
	if (flow->path_mtu == 0 || settle_messages(ps, flow->path_mtu) != 0)
		return -EINVAL;
	error = timers_add(&nic->more->timers, &ps->timer, TIMER_HANDOVER);
	if (error != 0)
		return error;
	*out = ps;
	return 0;
}

static void
enter_program_part(struct nic *nic, const struct nic_flow *flow, struct program_sender *ps)
{
	program_sender_init(ps);
	program_enter(nic->more->programs.entries[flow->program], flow->part, ps,
		      flow->gate != NIC_NONE ? nic->more->inboxes.entries[flow->gate] : NULL);
}

static int
add_program_sender(struct nic *nic, const struct nic_flow *flow)
{
	struct program_sender *ps;
	struct sender *s;
	int error = add_program_part(nic, flow, &ps);

	if (error == 0)
		error = add_sending_end(nic, flow, QP_SENDER, &s);
	if (error == 0)
		error = timers_add(&nic->more->timers, &s->timer, TIMER_SENDER);
	if (error != 0)
		return error;
	enter_qp(nic, &s->qp, &flow->endpoint, QP_SENDER);
	s->qp.message = MESSAGE_WRITE_IMM;
	s->special |= SENDER_PROGRAM;
	s->more->program = ps;
	s->open = true;
	ps->sender = s;
	enter_program_part(nic, flow, ps);
	return 0;
}

int
nic_add_local(struct nic *nic, const struct nic_flow *flow, uint32_t inbox)
{
	struct program_sender *ps;
	int error;

	if (inbox >= nic->more->inboxes.count)
		return -EINVAL;
	error = add_program_part(nic, flow, &ps);
	if (error != 0)
		return error;
	enter_program_part(nic, flow, ps);
	program_enter_feeder(nic->more->inboxes.entries[inbox], &ps->feeder);
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
	packets = packets_of(flow->bytes, flow->path_mtu, NIC_FLOW_PACKETS_MAX, &last_payload);
	if (packets == 0)
		return -EINVAL;
	error = add_sending_end(nic, flow, QP_SENDER, &s);
	if (error == 0)
		error = timers_add(&nic->more->timers, &s->timer, TIMER_SENDER);
	if (error != 0)
		return error;
	enter_qp(nic, &s->qp, &flow->endpoint, QP_SENDER);
	s->qp.message = flow->op == NIC_OP_SEND ? MESSAGE_SEND : MESSAGE_WRITE;
	s->packets = packets;
	s->last_payload = last_payload;
	s->repetitions_left = flow->repeat;
	s->gap = flow->gap;
	result = &s->result;
	result->start = flow->start +
			uniform_below(&nic->node->random, nic->more->config.start_jitter);
	nic->more->open_flows++;
	nic_set_timer(nic, &s->timer, result->start + flow->handover);
	return 0;
}

// ---- receivers and readers -----------------------------------------------------------------

// Rings of bits, and what else placement needs.
static int
init_place(struct nic *nic, struct receiver *r, const struct nic_endpoint *e, bool counts)
{
	const struct nic_config *c = &nic->more->config;
	bool selective = c->recovery == NIC_RECOVERY_SELECTIVE;
	bool out_of_order = c->placement == NIC_PLACEMENT_OUT_OF_ORDER;
	uint32_t words = window_bits(nic) / 64;

	if (counts || (selective && out_of_order)) {
		r->more = nic_carve(nic, sizeof(*r->more));
		if (r->more == NULL)
			return -ENOMEM;
	}
	if (selective && out_of_order) {
		r->more->gaps = nic_carve(nic, PLACEMENT_GAPS * sizeof(*r->more->gaps));
		if (r->more->gaps == NULL)
			return -ENOMEM;
	}
	if (selective || out_of_order) {
		r->placed = nic_carve(nic, (2 + counts) * words * sizeof(*r->placed));
		if (r->placed == NULL)
			return -ENOMEM;
		r->ends = r->placed + words;
		r->ring_mask = words * 64 - 1;
		if (counts)
			r->more->immediates = r->ends + words;
	}
	set_address(nic, &r->address, e);
	r->expected = r->begin = e->first_psn;
	return out_of_order ? timers_add(&nic->more->timers, &r->timer, TIMER_RECEIVER) : 0;
}

int
nic_add_receiver(struct nic *nic, const struct nic_endpoint *e, uint32_t inbox)
{
	const struct nic_table *inboxes = &nic->more->inboxes;
	struct receiver *r;
	int error;

	if (!endpoint_holds(nic, e) || (inbox != NIC_NONE && inbox >= inboxes->count))
		return -EINVAL;
	error = reserve_qpn(nic, e->qpn);
	if (error != 0)
		return error;
	r = nic_carve(nic, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	r->timer.due = r->timer.queued_at = PS_NEVER;
	error = init_place(nic, r, e, inbox != NIC_NONE);
	if (error != 0)
		return error;
	enter_qp(nic, &r->qp, e, QP_RECEIVER);
	if (inbox != NIC_NONE)
		program_enter_feeder(inboxes->entries[inbox], &r->more->feeder);
	return 0;
}

int
nic_add_reader(struct nic *nic, const struct nic_flow *flow)
{
	const struct nic_endpoint *e = &flow->endpoint;
	uint16_t last_payload = 0;
	uint32_t packets;
	struct reader *r;
	int error;

	if (!endpoint_holds(nic, e) || flow->path_mtu == 0 || flow->path_mtu > NIC_PATH_MTU_MAX ||
	    flow->bytes == 0 || flow->repeat == 0 || flow->program != NIC_NONE)
		return -EINVAL;
	packets = packets_of(flow->bytes, flow->path_mtu, NIC_FLOW_PACKETS_MAX, &last_payload);
	if (packets == 0)
		return -EINVAL;
	error = reserve_qpn(nic, e->qpn);
	if (error != 0)
		return error;
	r = nic_carve(nic, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	r->receiver.timer.due = r->receiver.timer.queued_at = PS_NEVER;
	error = init_place(nic, &r->receiver, e, false);
	if (error == 0)
		error = timers_add(&nic->more->timers, &r->timer, TIMER_READER);
	if (error != 0)
		return error;
	enter_qp(nic, &r->receiver.qp, e, QP_READER);
	r->path_mtu = flow->path_mtu;
	r->last_payload = last_payload;
	r->packets = packets;
	r->repetitions_left = flow->repeat;
	r->gap = flow->gap;
	r->handover = flow->handover;
	r->result.start = flow->start +
			  uniform_below(&nic->node->random, nic->more->config.start_jitter);
	r->result.completed = PS_NEVER;
	nic->more->open_flows++;
	nic_set_timer(nic, &r->timer, r->result.start + r->handover);
	return 0;
}

int
nic_add_stream(struct nic *nic, const struct nic_stream *stream)
{
	uint32_t least = FRAME_ETHERNET_BYTES + FRAME_UDP_BYTES +
			 (stream->ip_version == 6 ? FRAME_IP6_BYTES : FRAME_IP4_BYTES);
	struct stream *s;
	int error;

	if ((stream->ip_version != 4 && stream->ip_version != 6) || stream->packet_bytes < least ||
	    stream->packet_bytes > PACKET_FRAME_MAX || stream->interval == 0 ||
	    stream->dscp >= 64 || stream->priority >= PRIORITIES || stream->tc >= PRIORITIES ||
	    stream->port >= nic->node->port_count)
		return -EINVAL;
	s = nic_carve(nic, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	error = timers_add(&nic->more->timers, &s->timer, TIMER_STREAM);
	if (error != 0)
		return error;
	stream_init(s, stream, &nic->ports[stream->port].templates[stream->ip_version == 6]);
	s->following = nic->more->streams;
	nic->more->streams = s;
	if (s->next_at < s->until)
		nic_set_timer(nic, &s->timer, s->next_at);
	return 0;
}
