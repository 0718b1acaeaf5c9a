// SPDX-License-Identifier: BSD-3-Clause
// Setting up a NIC and reading what it did.
//
// A flow has a queue pair at either end: the sending NIC's makes the packets and keeps what is not
// yet acknowledged as two numbers (sender.c), the receiving NIC's places them and answers
// (receiver.c). The worker finds queue pairs by number in a table, timers in a heap (timers.c), and
// what is ready to be sent in rings (transport.c). Nothing is allocated once the node runs: queue
// pairs lie in chunks of memory that live as long as the NIC, never move, and are aligned to cache
// lines; an idle one costs nothing but that.
#include "nic.h"

#include "../queueing/ecn.h"
#include "arrivals.h"
#include "qp.h"
#include "stream.h"

#include <errno.h>
#include <stdlib.h>

#define NIC_CHUNK_MAX (256u * 1024)
#define NIC_REORDER_WINDOW_MAX (1u << 20)
#define NIC_PATH_MTU_MAX 4096
#define NIC_FLOW_PACKETS_MAX (UINT32_C(1) << 31)

struct chunk {
	struct chunk *next;
	char memory[] __attribute__((aligned(64)));
};

// Zeroed memory in whole cache lines, for as long as the NIC lives; NULL when there is none.
static void *
nic_carve(struct nic *nic, size_t bytes)
{
	void *memory;

	bytes = (bytes + 63) / 64 * 64;
	if (nic->chunk_used + bytes > nic->chunk_bytes) {
		size_t size = nic->chunk_bytes * 2 > NIC_CHUNK_MAX ? NIC_CHUNK_MAX
								   : nic->chunk_bytes * 2;
		struct chunk *chunk;

		size = size < bytes ? bytes : size;
		chunk = aligned_alloc(64, sizeof(*chunk) + size);
		if (chunk == NULL)
			return NULL;
		memset(chunk, 0, sizeof(*chunk) + size);
		chunk->next = nic->chunks;
		nic->chunks = chunk;
		nic->chunk = chunk->memory;
		nic->chunk_bytes = size;
		nic->chunk_used = 0;
		nic->bytes += sizeof(*chunk) + size;
	}
	memory = nic->chunk + nic->chunk_used;
	nic->chunk_used += bytes;
	return memory;
}

static bool
config_holds(const struct nic_config *c)
{
	bool reorder = c->reorder_window != 0 && c->reorder_window <= NIC_REORDER_WINDOW_MAX;

	return c->ack_every != 0 && c->rto != 0 && c->header_bytes >= FRAME_SIZE_REAL &&
	       c->header_bytes <= PACKET_FRAME_MAX - NIC_PATH_MTU_MAX && c->header_bytes != 0 &&
	       c->ack_bytes >= FRAME_SIZE_REAL && c->ack_bytes <= PACKET_FRAME_MAX &&
	       c->ack_bytes != 0 && c->cnp_priority < PRIORITIES && c->cnp_tc < PRIORITIES &&
	       c->cnp_dscp < 64 && (c->placement == NIC_PLACEMENT_IN_ORDER || reorder);
}

int
nic_create(struct nic **out, struct node *node, const struct nic_config *config)
{
	struct nic *nic;

	if (node->port_count != 1 || !config_holds(config))
		return -EINVAL;
	nic = aligned_alloc(64, sizeof(*nic));
	if (nic == NULL)
		return -ENOMEM;
	*nic = (struct nic){
		.node = node,
		.port = &node->ports[0],
		.header_bytes = config->header_bytes,
		.ack_bytes = config->ack_bytes,
		.ack_every = config->ack_every,
		.rto = config->rto,
		.config = *config,
		.chunk = nic->first_chunk,
		.chunk_bytes = NIC_CHUNK_FIRST,
		.bytes = sizeof(*nic),
	};
	memcpy(nic->ip4, config->ip4, sizeof(nic->ip4));
	frame_template_init(&nic->templates[0], false, config->mac, config->gateway_mac,
			    config->ip4);
	frame_template_init(&nic->templates[1], true, config->mac, config->gateway_mac,
			    config->ip6);
	node->nic = nic;
	*out = nic;
	return 0;
}

void
nic_destroy(struct nic *nic)
{
	struct chunk *next;

	if (nic == NULL)
		return;
	// The port's queues are the node's to empty; its sources end here.
	nic->ready = 0;
	nic_note_nonempty(nic);
	nic->node->nic = NULL;
	for (struct chunk *chunk = nic->chunks; chunk != NULL; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	timers_destroy(&nic->timers);
	free(nic);
}

uint32_t
nic_next_qpn(const struct nic *nic)
{
	return NIC_QPN_FIRST + nic->qp_limit;
}

static bool
endpoint_holds(const struct nic_endpoint *e)
{
	return e->qpn >= NIC_QPN_FIRST && e->qpn <= ROCE_PSN_MASK && e->peer_qpn <= ROCE_PSN_MASK &&
	       e->first_psn <= ROCE_PSN_MASK && (e->ip_version == 4 || e->ip_version == 6) &&
	       e->dscp < 64 && e->priority < PRIORITIES && e->tc < PRIORITIES;
}

// Makes room in the table for a number.
static int
reserve_qpn(struct nic *nic, uint32_t qpn)
{
	uint32_t slot = qpn - NIC_QPN_FIRST,
		 capacity = nic->qp_capacity == 0 ? 8 : nic->qp_capacity;
	struct qp **qps;

	if (slot < nic->qp_limit && nic->qps[slot] != NULL)
		return -EEXIST;
	while (capacity <= slot)
		capacity *= 2;
	if (capacity == nic->qp_capacity)
		return 0;
	// The old table stays where it was: all of them take as much as the new one.
	qps = nic_carve(nic, capacity * sizeof(*qps));
	if (qps == NULL)
		return -ENOMEM;
	if (nic->qp_limit != 0)
		memcpy(qps, nic->qps, nic->qp_limit * sizeof(*qps));
	nic->qps = qps;
	nic->qp_capacity = capacity;
	return 0;
}

static void
enter_qp(struct nic *nic, struct qp *qp, uint32_t qpn, enum qp_role role)
{
	uint32_t slot = qpn - NIC_QPN_FIRST;

	qp->qpn = qpn;
	qp->role = role;
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
	frame_address_init(a, nic_template(nic, a));
}

int
nic_add_sender(struct nic *nic, const struct nic_flow *flow)
{
	const struct nic_endpoint *e = &flow->endpoint;
	uint64_t packets;
	struct sender *s;
	int error;

	if (!endpoint_holds(e) || flow->path_mtu == 0 || flow->path_mtu > NIC_PATH_MTU_MAX ||
	    flow->bytes == 0 || flow->repeat == 0)
		return -EINVAL;
	packets = (flow->bytes - 1) / flow->path_mtu + 1;
	if (packets >= NIC_FLOW_PACKETS_MAX)
		return -EINVAL;
	error = reserve_qpn(nic, e->qpn);
	if (error != 0)
		return error;
	s = nic_carve(nic, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	error = timers_add(&nic->timers, &s->timer, TIMER_SENDER);
	if (error != 0)
		return error;
	enter_qp(nic, &s->qp, e->qpn, QP_SENDER);
	set_address(nic, &s->address, e);
	s->psn_base = e->first_psn;
	s->path_mtu = flow->path_mtu;
	s->last_payload = (uint16_t)(flow->bytes - (packets - 1) * flow->path_mtu);
	s->packets = (uint32_t)packets;
	s->repetitions_left = flow->repeat;
	s->bytes = flow->bytes;
	s->gap = flow->gap;
	s->result.start = flow->start + uniform_below(&nic->node->random, nic->config.start_jitter);
	s->result.completed = PS_NEVER;
	nic->open_flows++;
	nic_set_timer(nic, &s->timer, s->result.start);
	return 0;
}

int
nic_add_receiver(struct nic *nic, const struct nic_endpoint *e)
{
	uint32_t ring = 64;
	struct receiver *r;
	int error;

	if (!endpoint_holds(e))
		return -EINVAL;
	error = reserve_qpn(nic, e->qpn);
	if (error != 0)
		return error;
	while (ring < nic->config.reorder_window)
		ring *= 2;
	r = nic_carve(nic, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	if (nic->config.placement == NIC_PLACEMENT_OUT_OF_ORDER) {
		r->placed = nic_carve(nic, ring / 4);
		if (r->placed == NULL)
			return -ENOMEM;
		r->ends = r->placed + ring / 64;
		r->ring_mask = ring - 1;
		error = timers_add(&nic->timers, &r->timer, TIMER_RECEIVER);
		if (error != 0)
			return error;
	}
	enter_qp(nic, &r->qp, e->qpn, QP_RECEIVER);
	set_address(nic, &r->address, e);
	r->expected = e->first_psn;
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
	    stream->dscp >= 64 || stream->priority >= PRIORITIES || stream->tc >= PRIORITIES)
		return -EINVAL;
	s = nic_carve(nic, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	error = timers_add(&nic->timers, &s->timer, TIMER_STREAM);
	if (error != 0)
		return error;
	stream_init(s, stream, &nic->config);
	s->following = nic->streams;
	nic->streams = s;
	if (s->next_at < s->until)
		nic_set_timer(nic, &s->timer, s->next_at);
	return 0;
}

uint32_t
nic_open_flows(const struct nic *nic)
{
	return nic->open_flows;
}

static const struct qp *
qp_of_role(const struct nic *nic, uint32_t slot, enum qp_role role)
{
	const struct qp *qp = slot < nic->qp_limit ? nic->qps[slot] : NULL;

	return qp != NULL && qp->role == role ? qp : NULL;
}

int
nic_flow_result(const struct nic *nic, uint32_t qpn, struct nic_flow_result *out)
{
	const struct qp *qp = qp_of_role(nic, qpn - NIC_QPN_FIRST, QP_SENDER);

	if (qp == NULL)
		return -ENOENT;
	*out = ((const struct sender *)qp)->result;
	return 0;
}

int
nic_receiver_result(const struct nic *nic, uint32_t qpn, struct nic_receiver_result *out)
{
	const struct qp *qp = qp_of_role(nic, qpn - NIC_QPN_FIRST, QP_RECEIVER);

	if (qp == NULL)
		return -ENOENT;
	*out = ((const struct receiver *)qp)->result;
	return 0;
}

static void
add_sent(struct nic_flow_result *sum, const struct nic_flow_result *one)
{
	sum->repetitions += one->repetitions;
	sum->retransmitted += one->retransmitted;
	sum->naks += one->naks;
	sum->timeouts += one->timeouts;
	sum->cnps += one->cnps;
}

static void
add_received(struct nic_receiver_result *sum, const struct nic_receiver_result *one)
{
	sum->packets += one->packets;
	sum->duplicates += one->duplicates;
	sum->out_of_order += one->out_of_order;
	if (one->reorder_max > sum->reorder_max)
		sum->reorder_max = one->reorder_max;
	sum->naks += one->naks;
	sum->cnps += one->cnps;
}

void
nic_totals(const struct nic *nic, struct nic_totals *out)
{
	*out = (struct nic_totals){.stream_received = nic->stream_received};
	for (uint32_t i = 0; i < nic->qp_limit; i++) {
		const struct qp *sender = qp_of_role(nic, i, QP_SENDER);
		const struct qp *receiver = qp_of_role(nic, i, QP_RECEIVER);

		if (sender != NULL)
			add_sent(&out->sent, &((const struct sender *)sender)->result);
		if (receiver != NULL)
			add_received(&out->received, &((const struct receiver *)receiver)->result);
	}
	for (const struct stream *s = nic->streams; s != NULL; s = s->following)
		out->stream_sent += s->sent;
}

size_t
nic_bytes(const struct nic *nic)
{
	return nic->bytes + nic->timers.capacity * sizeof(*nic->timers.heap);
}
