// SPDX-License-Identifier: BSD-3-Clause
// Adding receivers, readers and streams to a NIC, and what they have in common with senders
// (nic_add_sender.c). What a flow does not use it does not have: rings of bits where packets are
// kept out of order, and sender_cold and receiver_cold for the rest.
#include "nic_add.h"

#include "dataplane/base/uet_headers.h"
#include "dataplane/queueing/ecn.h"
#include "arrivals.h"
#include "nic_exchange.h"
#include "placement.h"
#include "program.h"
#include "sprayed_receiver.h"
#include "stream.h"

#include <errno.h>

// Each by another port.
static bool
planes_hold(const struct nic *nic, const struct nic_endpoint *e)
{
	unsigned int ports = 0;

	if (e->plane_count > nic->node->port_count)
		return false;
	for (uint8_t i = 0; i < e->plane_count; i++) {
		if (e->planes[i].port >= nic->node->port_count || ports & 1u << e->planes[i].port)
			return false;
		ports |= 1u << e->planes[i].port;
	}
	return e->plane_count == 0 || ports & 1u << e->port;
}

bool
nic_endpoint_holds(const struct nic *nic, const struct nic_endpoint *e)
{
	return e->qpn >= NIC_QPN_FIRST && e->qpn <= ROCE_PSN_MASK && e->peer_qpn <= ROCE_PSN_MASK &&
	       e->first_psn <= ROCE_PSN_MASK &&
	       (e->ip_version == 4 || e->ip_version == 6 || e->ip_version == 0) && e->dscp < 64 &&
	       e->priority < PRIORITIES && e->tc < PRIORITIES && e->port < nic->node->port_count &&
	       planes_hold(nic, e);
}

int
nic_reserve_qpn(struct nic *nic, uint32_t qpn)
{
	uint32_t slot = qpn - NIC_QPN_FIRST, before = nic->cold->qp_capacity;
	uint32_t capacity = before == 0 ? 8 : before;
	struct qp **qps;

	if (slot < nic->qp_limit && nic->qps[slot] != NULL)
		return -EEXIST;
	if (qpn >= (nic->cold->config.transport == NIC_TRANSPORT_UET ? UET_PDCID_EXCHANGES
								     : NIC_QPN_EXCHANGES))
		return -ENOSPC;
	while (capacity <= slot)
		capacity *= 2;
	if (capacity == before)
		return 0;
	// The old table stays where it was: all of them take as much as the new one.
	qps = nic_alloc(nic, capacity * sizeof(*qps));
	if (qps == NULL)
		return -ENOMEM;
	if (nic->qp_limit != 0)
		memcpy(qps, nic->qps, nic->qp_limit * sizeof(*qps));
	nic->qps = qps;
	nic->cold->qp_capacity = capacity;
	return 0;
}

void
nic_name_qp(const struct nic *nic, struct qp *qp, const struct nic_endpoint *e, enum qp_role role)
{
	qp->qpn = e->qpn;
	qp->role = (uint8_t)role;
	qp->port = e->port;
	qp->recovery = (uint8_t)nic->cold->config.recovery;
}

void
nic_enter_qp(struct nic *nic, struct qp *qp, const struct nic_endpoint *e, enum qp_role role)
{
	uint32_t slot = e->qpn - NIC_QPN_FIRST;

	nic_name_qp(nic, qp, e, role);
	nic->qps[slot] = qp;
	if (slot >= nic->qp_limit)
		nic->qp_limit = slot + 1;
}

void
nic_set_address(struct nic *nic, struct frame_address *a, const struct nic_endpoint *e)
{
	*a = (struct frame_address){
		.peer_qpn = e->peer_qpn,
		.udp_sport = rte_cpu_to_be_16(e->udp_sport),
		.traffic_class = (uint8_t)(e->dscp << 2 | ECN_ECT0),
		.priority = e->priority,
		.tc = e->tc,
		.network = frame_network_of(e->ip_version),
	};
	memcpy(a->peer_ip, e->peer_ip, sizeof(a->peer_ip));
	frame_address_init(a, nic_template(&nic->ports[e->port], a));
}

uint32_t
nic_window_bits(const struct nic *nic)
{
	uint32_t bits = 64;

	while (bits < nic->cold->config.reorder_window)
		bits *= 2;
	return bits;
}

uint32_t
nic_packets_of(uint64_t bytes, uint16_t path_mtu, uint32_t most, uint16_t *last_payload)
{
	uint64_t packets = bytes == 0 ? 1 : (bytes - 1) / path_mtu + 1;

	if (packets >= most)
		return 0;
	*last_payload = (uint16_t)(bytes - (packets - 1) * path_mtu);
	return (uint32_t)packets;
}

// Where answers go by each port; by those of other planes none do.
static void
set_planes(struct nic *nic, struct sprayed_receiver *sr, const struct nic_endpoint *e)
{
	struct nic_endpoint one = *e;

	memset(sprayed_receiver_address(sr, 0), 0,
	       nic->cold->config.port_count * sizeof(struct frame_address));
	if (e->plane_count == 0)
		nic_set_address(nic, sprayed_receiver_address(sr, e->port), e);
	for (uint8_t i = 0; i < e->plane_count; i++) {
		one.port = e->planes[i].port;
		memcpy(one.peer_ip, e->planes[i].peer_ip, sizeof(one.peer_ip));
		nic_set_address(nic, sprayed_receiver_address(sr, one.port), &one);
	}
}

static void
set_place(struct nic *nic, struct receiver *r, const struct nic_endpoint *e)
{
	nic_set_address(nic, &r->address, e);
	if (nic->cold->config.transport == NIC_TRANSPORT_MRC)
		set_planes(nic, (struct sprayed_receiver *)r, e);
	r->expected = r->begin = r->seen = e->first_psn;
}

// Rings of bits, and what else placement needs.
static int
init_place(struct nic *nic, struct receiver *r, bool counts)
{
	const struct nic_config *c = &nic->cold->config;
	bool selective = c->recovery == NIC_RECOVERY_SELECTIVE;
	bool out_of_order = c->placement == NIC_PLACEMENT_OUT_OF_ORDER;
	bool sprayed = c->transport != NIC_TRANSPORT_ROCE;
	uint32_t words = nic_window_bits(nic) / 64;

	if (counts || (selective && out_of_order && !sprayed)) {
		r->cold = nic_alloc(nic, sizeof(*r->cold));
		if (r->cold == NULL)
			return -ENOMEM;
	}
	if (selective && out_of_order && !sprayed) {
		r->cold->gaps = nic_alloc(nic, PLACEMENT_GAPS * sizeof(*r->cold->gaps));
		if (r->cold->gaps == NULL)
			return -ENOMEM;
	}
	if (selective || out_of_order || sprayed) {
		r->placed = nic_alloc(nic, (2 + counts) * words * sizeof(*r->placed));
		if (r->placed == NULL)
			return -ENOMEM;
		r->ends = r->placed + words;
		r->ring_mask = words * 64 - 1;
		if (counts)
			r->cold->immediates = r->ends + words;
	}
	return out_of_order && !sprayed ? timers_add(&nic->cold->timers, &r->timer, TIMER_RECEIVER)
					: 0;
}

// With what its transport keeps behind it.
static struct receiver *
alloc_receiver(struct nic *nic)
{
	return nic_alloc(nic, nic->cold->config.transport != NIC_TRANSPORT_ROCE
				      ? sprayed_receiver_bytes(nic)
				      : sizeof(struct receiver));
}

int
nic_add_receiver(struct nic *nic, const struct nic_endpoint *e, uint32_t inbox)
{
	const struct nic_table *inboxes = &nic->cold->inboxes;
	struct receiver *r;
	int error;

	if (!nic_endpoint_holds(nic, e) || (inbox != NIC_NONE && inbox >= inboxes->count))
		return -EINVAL;
	error = nic_reserve_qpn(nic, e->qpn);
	if (error != 0)
		return error;
	r = alloc_receiver(nic);
	if (r == NULL)
		return -ENOMEM;
	r->timer.due = r->timer.queued_at = PS_NEVER;
	error = init_place(nic, r, inbox != NIC_NONE);
	if (error != 0)
		return error;
	set_place(nic, r, e);
	nic_enter_qp(nic, &r->qp, e, QP_RECEIVER);
	if (inbox != NIC_NONE)
		program_enter_feeder(inboxes->entries[inbox], &r->cold->feeder);
	return 0;
}

int
nic_make_receiver(struct nic *nic, struct receiver **out)
{
	struct receiver *r = alloc_receiver(nic);

	if (r == NULL)
		return -ENOMEM;
	r->timer.due = r->timer.queued_at = PS_NEVER;
	*out = r;
	return init_place(nic, r, true);
}

void
nic_renew_receiver(struct nic *nic, struct receiver *r, const struct nic_endpoint *e)
{
	struct receiver_cold *cold = r->cold;
	uint64_t *placed = r->placed;
	uint32_t mask = r->ring_mask;

	if (placed != NULL)
		memset(placed, 0, 3 * ((size_t)mask + 1) / 8); // with `ends` and `immediates`
	*cold = (struct receiver_cold){.immediates = cold->immediates, .gaps = cold->gaps};
	*r = (struct receiver){.cold = cold,
			       .placed = placed,
			       .ends = r->ends,
			       .ring_mask = mask,
			       .timer = r->timer};
	if (nic->cold->config.transport != NIC_TRANSPORT_ROCE)
		sprayed_receiver_renew((struct sprayed_receiver *)r);
	set_place(nic, r, e);
	nic_name_qp(nic, &r->qp, e, QP_RECEIVER);
}

int
nic_add_reader(struct nic *nic, const struct nic_flow *flow)
{
	const struct nic_endpoint *e = &flow->endpoint;
	uint16_t last_payload = 0;
	uint32_t packets;
	struct reader *r;
	int error;

	if (nic->cold->config.transport != NIC_TRANSPORT_ROCE || !nic_endpoint_holds(nic, e) ||
	    flow->path_mtu == 0 || flow->path_mtu > NIC_PATH_MTU_MAX || flow->bytes == 0 ||
	    flow->repeat == 0 || flow->program != NIC_NONE)
		return -EINVAL;
	packets = nic_packets_of(flow->bytes, flow->path_mtu, NIC_FLOW_PACKETS_MAX, &last_payload);
	if (packets == 0)
		return -EINVAL;
	error = nic_reserve_qpn(nic, e->qpn);
	if (error != 0)
		return error;
	r = nic_alloc(nic, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	r->receiver.timer.due = r->receiver.timer.queued_at = PS_NEVER;
	error = init_place(nic, &r->receiver, false);
	if (error == 0)
		error = timers_add(&nic->cold->timers, &r->timer, TIMER_READER);
	if (error != 0)
		return error;
	set_place(nic, &r->receiver, e);
	nic_enter_qp(nic, &r->receiver.qp, e, QP_READER);
	r->path_mtu = flow->path_mtu;
	r->last_payload = last_payload;
	r->packets = packets;
	r->repetitions_left = flow->repeat;
	r->gap = flow->gap;
	r->handover = flow->handover;
	r->result.start = flow->start +
			  uniform_below(&nic->node->random, nic->cold->config.start_jitter);
	r->result.completed = PS_NEVER;
	nic->cold->open_flows++;
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
	s = nic_alloc(nic, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	error = timers_add(&nic->cold->timers, &s->timer, TIMER_STREAM);
	if (error != 0)
		return error;
	stream_init(s, stream, &nic->ports[stream->port].templates[stream->ip_version == 6]);
	s->following = nic->cold->streams;
	nic->cold->streams = s;
	if (s->next_at < s->until)
		nic_set_timer(nic, &s->timer, s->next_at);
	return 0;
}
