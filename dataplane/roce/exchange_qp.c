// SPDX-License-Identifier: BSD-3-Clause
// The queue pairs of exchanges: made from the plan, found by number, closed when their message is
// complete. The memory of a closed one goes to the next, so it grows with the largest number of
// open ones.
#include "exchange_internal.h"

#include "dataplane/stages/stage.h"
#include "nic_add.h"
#include "pacing.h"
#include "sprayed_receiver.h"

#include <rte_common.h>

#define TABLE_FIRST 64u

// ---- open ones by number ------------------------------------------------------------------------

static uint32_t
home(const struct exchanges *e, uint32_t qpn)
{
	return (uint32_t)(qpn * UINT64_C(0x9e3779b97f4a7c15) >> 32) & e->mask;
}

void
exchange_prefetch(const struct nic *nic, uint32_t qpn)
{
	const struct exchanges *e = nic->cold->exchanges;

	if (e != NULL && e->open != 0)
		rte_prefetch0(&e->table[home(e, qpn)]);
}

struct qp *
exchange_find(const struct nic *nic, uint32_t qpn)
{
	const struct exchanges *e = nic->cold->exchanges;

	if (e->open == 0)
		return NULL;
	for (uint32_t i = home(e, qpn); e->table[i].qpn != 0; i = (i + 1) & e->mask)
		if (e->table[i].qpn == qpn)
			return e->table[i].qp;
	return NULL;
}

static void
table_put(struct exchanges *e, struct open_qp entry)
{
	uint32_t i = home(e, entry.qpn);

	while (e->table[i].qpn != 0)
		i = (i + 1) & e->mask;
	e->table[i] = entry;
}

// Makes room for one more. At most half is used. The old table stays where it was: all of them take
// as much as the new one.
static bool
table_reserve(struct nic *nic)
{
	struct exchanges *e = nic->cold->exchanges;
	uint32_t size = e->table == NULL ? 0 : e->mask + 1;
	uint32_t larger = size == 0 ? TABLE_FIRST : 2 * size;
	struct open_qp *before = e->table, *table;

	if (2 * (e->open + 1) <= size)
		return true;
	table = nic_alloc(nic, larger * sizeof(*table));
	if (table == NULL)
		return false;
	e->table = table;
	e->mask = larger - 1;
	for (uint32_t i = 0; i < size; i++)
		if (before[i].qpn != 0)
			table_put(e, before[i]);
	return true;
}

static void
table_enter(struct exchanges *e, struct qp *qp)
{
	table_put(e, (struct open_qp){qp->qpn, qp});
	e->open++;
}

// Entries behind the gap that would not be found over it move into it.
static void
table_leave(struct exchanges *e, const struct qp *qp)
{
	uint32_t gap = home(e, qp->qpn);

	while (e->table[gap].qp != qp)
		gap = (gap + 1) & e->mask;
	for (uint32_t i = (gap + 1) & e->mask; e->table[i].qpn != 0; i = (i + 1) & e->mask) {
		uint32_t at = home(e, e->table[i].qpn);

		if (((i - at) & e->mask) < ((i - gap) & e->mask))
			continue;
		e->table[gap] = e->table[i];
		gap = i;
	}
	e->table[gap] = (struct open_qp){0};
	e->open--;
}

// ---- making them --------------------------------------------------------------------------------

static void
set_peer(struct nic_endpoint *e, const struct nic_exchange_end *end, uint8_t ip_version)
{
	e->ip_version = ip_version;
	if (ip_version == 6)
		memcpy(e->peer_ip, end->ip6, sizeof(end->ip6));
	else
		memcpy(e->peer_ip, end->ip4, sizeof(end->ip4));
}

static void
set_marking(struct nic_endpoint *e, const struct nic_exchange_marking *m)
{
	e->dscp = m->dscp;
	e->priority = m->priority;
	e->tc = m->tc;
}

// A message from one rank to another, as both of them see it.
struct message {
	const struct nic_exchange_path *path;
	uint64_t bytes;
	uint8_t port; // of the sending host
	uint32_t first_psn;
	uint16_t udp_sport;
};

static struct message
find_message(const struct nic *nic, const struct exchange *x, uint32_t from, uint32_t to,
	     uint64_t time)
{
	const struct nic_exchange_plan *plan = x->plan;
	const struct nic_exchange_end *src = exchange_end(plan, from);
	const struct nic_exchange_end *dst = exchange_end(plan, to);
	const struct nic_exchange_component *component = &plan->components[dst->component];
	uint32_t turn = to > from ? to - from : to + plan->ranks - from;
	struct random random = random_stream(
		plan->seed, plan->first_stream + (uint64_t)(turn - 1) * plan->ranks + from);
	struct message m = {.bytes = x->share + (to < x->longer), .port = exchange_way(src, dst)};
	uint32_t place = (src - src->port)[m.port].place;
	uint64_t packets = 0;

	m.path = &component->paths[place * component->places + dst->place];
	if (time != 0)
		packets = (m.bytes + m.path->path_mtu - 1) / m.path->path_mtu;
	m.first_psn = (random_u32(&random) & ROCE_PSN_MASK) + (uint32_t)(packets * time);
	if (nic->cold->config.transport != NIC_TRANSPORT_UET) // whose PSNs have 32 bits
		m.first_psn &= ROCE_PSN_MASK;
	m.udp_sport = nic_draw_source_port(&random);
	return m;
}

// The planes in which two hosts both have a port, if they are several and the transport takes more
// than one; with the addresses of `peer`. Returns how many.
static uint8_t
find_planes(const struct nic *nic, const struct nic_exchange_end *own,
	    const struct nic_exchange_end *peer, uint8_t ip_version,
	    struct nic_plane planes[NIC_PORTS_MAX])
{
	const struct nic_exchange_end *one = own - own->port, *other = peer - peer->port;
	uint8_t count = 0;

	if (nic->cold->config.transport != NIC_TRANSPORT_MRC || own->ports != peer->ports)
		return 0;
	for (uint8_t p = 0; p < own->ports; p++) {
		struct nic_endpoint end;

		if (one[p].component != other[p].component)
			continue;
		set_peer(&end, &other[p], ip_version);
		planes[count].port = p;
		memcpy(planes[count++].peer_ip, end.peer_ip, sizeof(end.peer_ip));
	}
	return count > 1 ? count : 0;
}

// Keeps a sender for the next message.
static void
keep_sender(struct exchanges *e, struct sender *s)
{
	s->cold->program->sender = s;
	s->cold->program->next_of_part = e->free_senders != NULL ? e->free_senders->cold->program
								 : NULL;
	e->free_senders = s;
}

struct sender *
exchange_make_sender(struct nic *nic, struct exchange_cursor *c, ps_t now)
{
	struct exchanges *e = nic->cold->exchanges;
	struct exchange *x = c->exchange;
	const struct nic_exchange_plan *plan = x->plan;
	uint32_t to = exchange_rank_in_turn(x, c->turn);
	struct message m = find_message(nic, x, x->rank, to, c->time);
	struct nic_plane planes[NIC_PORTS_MAX];
	struct nic_flow flow = {
		.endpoint = {.qpn = x->first_qpn + to,
			     .peer_qpn = plan->first_qpns[to] + plan->ranks + x->rank,
			     .first_psn = m.first_psn,
			     .udp_sport = m.udp_sport,
			     .port = c->port},
		.path_mtu = (uint16_t)m.path->path_mtu,
		.op = NIC_OP_WRITE,
		.base_rtt = m.path->base_rtt,
		.bdp_bytes = m.path->bdp_bytes,
		.window = m.path->window,
		.program = x->program,
		.part = x->part_index,
		.gate = NIC_NONE,
		.messages = {.count = 1, .base = m.bytes, .of = 1},
	};
	struct sender *s = e->free_senders;

	set_peer(&flow.endpoint, exchange_end(plan, to), exchange_end(plan, x->rank)->ip_version);
	set_marking(&flow.endpoint, &x->data);
	flow.endpoint.planes = planes;
	if (c->port == exchange_end(plan, to)->port)
		flow.endpoint.plane_count = find_planes(nic, exchange_end(plan, x->rank),
							exchange_end(plan, to),
							flow.endpoint.ip_version, planes);
	if (!table_reserve(nic))
		return NULL;
	if (s != NULL) {
		struct program_sender *ps = s->cold->program;

		e->free_senders = ps->next_of_part != NULL ? ps->next_of_part->sender : NULL;
	} else if (nic_make_sender(nic, &flow, &s) != 0) {
		return NULL;
	}
	if (nic_renew_sender(nic, &flow, s) != 0) {
		keep_sender(e, s);
		return NULL;
	}
	s->cold->program->part = x->part;
	table_enter(e, &s->qp);
	x->live++;
	program_release(nic, s->cold->program, now);
	return s;
}

static struct exchange *
find_exchange(const struct nic *nic, uint32_t qpn)
{
	struct exchange *x = nic->cold->exchanges->first;

	while (x != NULL && qpn - x->first_qpn >= 2 * x->plan->ranks)
		x = x->following;
	return x;
}

static struct receiver *
make_receiver(struct nic *nic, struct exchange *x, uint32_t from)
{
	struct exchanges *e = nic->cold->exchanges;
	const struct nic_exchange_plan *plan = x->plan;
	const struct nic_exchange_end *src = exchange_end(plan, from);
	uint64_t count = exchange_count(x, from);
	struct message m = find_message(nic, x, from, x->rank, count);
	struct nic_endpoint end = {
		.qpn = x->first_qpn + plan->ranks + from,
		.peer_qpn = plan->first_qpns[from] + x->rank,
		.first_psn = m.first_psn,
		.udp_sport = m.udp_sport,
		.port = exchange_end(plan, x->rank)->port,
	};
	struct receiver *r = e->free_receivers;
	struct nic_plane planes[NIC_PORTS_MAX];

	set_peer(&end, src - src->port + m.port, src->ip_version);
	set_marking(&end,
		    &x->answers[plan->priority >= 0 ? (uint8_t)plan->priority : src->priority]);
	end.planes = planes;
	if (m.port == end.port)
		end.plane_count =
			find_planes(nic, exchange_end(plan, x->rank), src, src->ip_version, planes);
	if (!table_reserve(nic))
		return NULL;
	if (r != NULL)
		e->free_receivers = (struct receiver *)r->cold->feeder.next;
	else if (nic_make_receiver(nic, &r) != 0)
		return NULL;
	nic_renew_receiver(nic, r, &end);
	r->msn = (uint32_t)count;
	r->cold->feeder = (struct feeder){.inbox = x->inbox, .received = count, .from = from};
	return r;
}

int
exchange_open(struct nic *nic, uint32_t qpn, uint8_t opcode, struct qp **out)
{
	struct exchange *x;
	uint32_t ranks, at;

	*out = NULL;
	if (nic->cold->exchanges == NULL)
		return STAGE_NEXT;
	*out = exchange_find(nic, qpn);
	x = *out == NULL ? find_exchange(nic, qpn) : NULL;
	if (x == NULL)
		return STAGE_NEXT;
	ranks = x->plan->ranks;
	at = qpn - x->first_qpn;
	if (at < ranks) { // a sender's number
		if (opcode == ROCE_OP_CNP)
			nic->cold->exchanges->closed.sent.cnps++;
		return opcode == ROCE_OP_ACK || opcode == ROCE_OP_CNP ? STAGE_CONSUMED : STAGE_NEXT;
	}
	at -= ranks;
	if (opcode > ROCE_OP_WRITE_ONLY_IMM || at == x->rank ||
	    exchange_inside(exchange_end(x->plan, x->rank), exchange_end(x->plan, at)))
		return STAGE_NEXT;
	*out = nic->cold->exchanges->made = (struct qp *)make_receiver(nic, x, at);
	if (*out != NULL)
		return STAGE_NEXT;
	packet_memory_note_lack();
	return DROP_NO_MBUF;
}

// ---- closing them -------------------------------------------------------------------------------

static void
close_sender(struct nic *nic, struct sender *s, ps_t now)
{
	struct exchanges *e = nic->cold->exchanges;
	struct program_sender *ps = s->cold->program;
	struct exchange *x = container_of(ps->part->exchange, struct exchange, base);

	source_idle(nic_port_of(nic, &s->qp), &s->source, s->address.tc);
	timer_stop(&s->timer);
	if (s->cold->pacing != NULL)
		timer_stop(&s->cold->pacing->timer);
	nic_add_sent(&e->closed.sent, &s->result);
	table_leave(e, &s->qp);
	keep_sender(e, s);
	x->live--;
	exchange_review(nic, x, now);
}

static void
close_receiver(struct nic *nic, struct receiver *r)
{
	struct exchanges *e = nic->cold->exchanges;

	nic_add_received(&e->closed.received, &r->result);
	r->cold->feeder.next = (struct feeder *)e->free_receivers;
	e->free_receivers = r;
}

// With Ultra Ethernet Transport, a receiver may stand in the ring of those that get credit.
static bool
waits_for_grant(const struct nic *nic, const struct receiver *r)
{
	return nic->cold->granters != NULL && ((const struct sprayed_receiver *)r)->queued;
}

void
exchange_settle(struct nic *nic, struct qp *qp, ps_t now)
{
	struct exchanges *e = nic->cold->exchanges;
	struct receiver *r = (struct receiver *)qp;
	bool entered = e->made != qp;

	e->made = NULL;
	if (qp->role == QP_SENDER) {
		const struct program_sender *ps = ((struct sender *)qp)->cold->program;

		if (ps->done == ps->sendable)
			close_sender(nic, (struct sender *)qp, now);
	} else if (!waits_for_grant(nic, r) && r->expected == r->begin && !r->nak_sent &&
		   r->ahead == 0 && r->cold->gap_count == 0 && r->timer.due == PS_NEVER) {
		if (entered)
			table_leave(e, qp);
		close_receiver(nic, r);
	} else if (!entered) {
		table_enter(e, qp);
	}
}

// ---- results ------------------------------------------------------------------------------------

void
exchange_visit(const struct nic *nic, void (*visit)(const struct qp *qp, void *context),
	       void *context)
{
	const struct exchanges *e = nic->cold->exchanges;

	for (uint32_t i = 0; e != NULL && e->open != 0 && i <= e->mask; i++)
		if (e->table[i].qpn != 0)
			visit(e->table[i].qp, context);
}

static void
add_retransmitted(const struct qp *qp, void *context)
{
	if (qp->role == QP_SENDER)
		*(uint64_t *)context += ((const struct sender *)qp)->result.retransmitted;
}

uint64_t
nic_exchange_retransmitted(const struct nic *nic)
{
	uint64_t sum = 0;

	if (nic->cold->exchanges == NULL)
		return 0;
	sum = nic->cold->exchanges->closed.sent.retransmitted;
	exchange_visit(nic, add_retransmitted, &sum);
	return sum;
}

static void
add_acknowledged(const struct qp *qp, void *context)
{
	const struct sender *s = (const struct sender *)qp;
	uint64_t bytes = qp->role == QP_SENDER ? (uint64_t)s->acked * s->path_mtu : 0;

	*(uint64_t *)context += bytes;
}

uint64_t
nic_exchange_acknowledged(const struct nic *nic)
{
	uint64_t sum = 0;

	exchange_visit(nic, add_acknowledged, &sum);
	return sum;
}

const struct nic_totals *
exchange_totals(const struct nic *nic)
{
	return nic->cold->exchanges != NULL ? &nic->cold->exchanges->closed : NULL;
}
