// SPDX-License-Identifier: BSD-3-Clause
// Making a NIC and reading what it did. Flows are added in nic_add.c, programs in program_add.c.
//
// A flow has a queue pair at either end: the sending NIC's makes the packets and keeps what is not
// yet acknowledged as two numbers (sender.c), the receiving NIC's places them and answers
// (receiver.c); of a READ they are a responder (responder.c) and a reader (reader.c). The worker
// finds queue pairs by number in a table, timers in a heap (timers.c), and what is ready to be sent
// in rings, one for each port and traffic class (transport.c). Nothing is allocated once the node
// runs: queue pairs lie in chunks of memory that live as long as the NIC, never move, and are
// aligned to cache lines; an idle one costs nothing but that.
#include "nic.h"

#include "dataplane/base/uet_headers.h"
#include "exchange.h"
#include "misbehaviour.h"
#include "nic_add.h"
#include "pacing.h"
#include "program.h"
#include "qp.h"
#include "uet_credit.h"

#include <errno.h>
#include <stdlib.h>

#define NIC_CHUNK_MAX (256u * 1024)
#define NIC_REORDER_WINDOW_MAX (1u << 20)
#define NIC_PATH_MTU_MAX 4096

struct chunk {
	struct chunk *next;
	char memory[] __attribute__((aligned(64)));
};

void *
nic_alloc(struct nic *nic, size_t bytes)
{
	struct nic_cold *cold = nic->cold;
	void *memory;

	bytes = (bytes + 63) / 64 * 64;
	if (cold->chunk_used + bytes > cold->chunk_bytes) {
		size_t size = cold->chunk_bytes * 2 > NIC_CHUNK_MAX ? NIC_CHUNK_MAX
								    : cold->chunk_bytes * 2;
		struct chunk *chunk;

		size = size < bytes ? bytes : size;
		chunk = aligned_alloc(64, sizeof(*chunk) + size);
		if (chunk == NULL)
			return NULL;
		memset(chunk, 0, sizeof(*chunk) + size);
		chunk->next = cold->chunks;
		cold->chunks = chunk;
		cold->chunk = chunk->memory;
		cold->chunk_bytes = size;
		cold->chunk_used = 0;
		cold->bytes += sizeof(*chunk) + size;
	}
	memory = cold->chunk + cold->chunk_used;
	cold->chunk_used += bytes;
	return memory;
}

int
nic_table_add(struct nic *nic, struct nic_table *table, void *entry)
{
	if (table->count == table->capacity) {
		uint32_t capacity = table->capacity == 0 ? 8 : table->capacity * 2;
		void **entries = nic_alloc(nic, capacity * sizeof(*entries));

		// The old one stays where it was: all of them take as much as the new one.
		if (entries == NULL)
			return -ENOMEM;
		if (table->count != 0)
			memcpy(entries, table->entries, table->count * sizeof(*entries));
		table->entries = entries;
		table->capacity = capacity;
	}
	table->entries[table->count++] = entry;
	return 0;
}

static bool
sprayed_holds(const struct nic_config *c)
{
	const struct sprayed_config *s = &c->sprayed;
	bool mrc = c->transport == NIC_TRANSPORT_MRC;

	return s->paths != 0 && s->paths <= (mrc ? MRC_PATHS_MAX : ENTROPY_PATHS_MAX) &&
	       (s->paths & (s->paths - 1)) == 0 && s->ack_every != 0 &&
	       c->reorder_window <= SPRAYED_WINDOW_MAX;
}

// The settings of the transport that it speaks; others do not count.
static bool
transport_holds(const struct nic_config *c)
{
	switch (c->transport) {
	case NIC_TRANSPORT_UET:
		return sprayed_holds(c) && c->uet.grant != 0 && c->uet.unsolicited != 0;
	case NIC_TRANSPORT_MRC:
		return sprayed_holds(c) && c->mrc.probe_interval != 0;
	default:
		return true;
	}
}

static bool
config_holds(const struct nic_config *c)
{
	bool keeps = c->placement == NIC_PLACEMENT_OUT_OF_ORDER ||
		     c->recovery == NIC_RECOVERY_SELECTIVE || c->transport != NIC_TRANSPORT_ROCE;
	bool window = c->reorder_window != 0 && c->reorder_window <= NIC_REORDER_WINDOW_MAX;

	return c->ack_every != 0 && c->rto != 0 && c->header_bytes >= FRAME_SIZE_REAL &&
	       c->header_bytes <= PACKET_FRAME_MAX - NIC_PATH_MTU_MAX && c->header_bytes != 0 &&
	       c->ack_bytes >= FRAME_SIZE_REAL && c->ack_bytes <= PACKET_FRAME_MAX &&
	       c->ack_bytes != 0 && c->cnp_priority < PRIORITIES && c->cnp_tc < PRIORITIES &&
	       c->cnp_dscp < 64 && (!keeps || window) && c->port_count != 0 &&
	       c->port_count <= NIC_PORTS_MAX && transport_holds(c);
}

// UDP's destination port of what goes to other NICs.
static void
set_udp_port(struct frame_template *t, uint32_t ip_bytes, uint16_t port)
{
	uint8_t *udp = t->headers + FRAME_ETHERNET_BYTES + ip_bytes;

	udp[2] = (uint8_t)(port >> 8);
	udp[3] = (uint8_t)port;
}

static void
init_uet_port(struct nic_port *np)
{
	np->special |= NIC_SPEAKS_UET;
	set_udp_port(&np->templates[0], FRAME_IP4_BYTES, UET_UDP_PORT);
	set_udp_port(&np->templates[1], FRAME_IP6_BYTES, UET_UDP_PORT);
}

static int
create_granters(struct nic *nic)
{
	uint16_t count = nic->cold->config.port_count;
	struct uet_granter *g = nic_alloc(nic, count * sizeof(*g));
	int error = g == NULL ? -ENOMEM : 0;

	nic->cold->granters = g;
	for (uint8_t i = 0; error == 0 && i < count; i++) {
		g[i].port = i;
		error = timers_add(&nic->cold->timers, &g[i].timer, TIMER_GRANT);
	}
	return error;
}

static void
init_port(struct nic_port *np, struct port *port, const struct nic_port_config *c)
{
	np->port = port;
	if (c->lid != 0) {
		const uint8_t address[] = {c->lid >> 8, c->lid & 0xff, c->pkey >> 8,
					   c->pkey & 0xff};

		memcpy(np->ip4, address, sizeof(np->ip4));
		frame_template_init_infiniband(&np->templates[0], c->lid, c->pkey);
		return;
	}
	memcpy(np->ip4, c->ip4, sizeof(np->ip4));
	frame_template_init(&np->templates[0], false, c->mac, c->gateway_mac, c->ip4);
	frame_template_init(&np->templates[1], true, c->mac, c->gateway_mac, c->ip6);
}

static size_t
whole_lines(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

// What a NIC has at each port, what it has once, and its first chunk lie in one piece.
static struct nic *
allocate(uint16_t ports)
{
	size_t front = whole_lines(sizeof(struct nic) + ports * sizeof(struct nic_port));
	size_t bytes = front + whole_lines(sizeof(struct nic_cold)) + NIC_CHUNK_FIRST;
	char *memory = aligned_alloc(64, bytes);
	struct nic *nic = (struct nic *)memory;

	if (memory == NULL)
		return NULL;
	memset(memory, 0, bytes);
	nic->cold = (struct nic_cold *)(memory + front);
	nic->cold->chunk = memory + bytes - NIC_CHUNK_FIRST;
	nic->cold->chunk_bytes = NIC_CHUNK_FIRST;
	nic->cold->bytes = bytes;
	return nic;
}

// The algorithm's parameters are the NIC's own from here on.
static int
copy_parameters(struct nic *nic)
{
	struct nic_config *c = &nic->cold->config;
	void *copy;

	if (c->congestion == NULL || c->congestion->parameters_bytes == 0)
		return 0;
	copy = nic_alloc(nic, c->congestion->parameters_bytes);
	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, c->congestion_parameters, c->congestion->parameters_bytes);
	c->congestion_parameters = copy;
	return 0;
}

static int
create_path_counts(struct nic *nic)
{
	nic->cold->path_counts =
		nic_alloc(nic, nic->node->port_count * sizeof(*nic->cold->path_counts));
	return nic->cold->path_counts != NULL ? 0 : -ENOMEM;
}

const struct nic_path_counts *
nic_path_counts(const struct nic *nic, unsigned int port)
{
	return nic->cold->path_counts != NULL ? &nic->cold->path_counts[port] : NULL;
}

int
nic_create(struct nic **out, struct node *node, const struct nic_config *config)
{
	struct nic *nic;

	if (node->port_count != config->port_count || !config_holds(config))
		return -EINVAL;
	nic = allocate(config->port_count);
	if (nic == NULL)
		return -ENOMEM;
	nic->node = node;
	nic->header_bytes = config->header_bytes;
	nic->ack_bytes = config->ack_bytes;
	nic->ack_every = config->ack_every;
	nic->rto = config->rto;
	nic->cold->config = *config;
	for (unsigned int i = 0; i < config->port_count; i++) {
		init_port(&nic->ports[i], &node->ports[i], &config->ports[i]);
		if (config->transport == NIC_TRANSPORT_UET)
			init_uet_port(&nic->ports[i]);
		if (config->transport == NIC_TRANSPORT_MRC)
			nic->ports[i].special |= NIC_SPEAKS_MRC;
	}
	if (copy_parameters(nic) != 0 ||
	    (config->transport != NIC_TRANSPORT_ROCE && create_path_counts(nic) != 0) ||
	    (config->transport == NIC_TRANSPORT_UET && config->uet.credits &&
	     create_granters(nic) != 0)) {
		nic_destroy(nic);
		return -ENOMEM;
	}
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
	// The ports' queues are the node's to empty; their sources end here.
	for (unsigned int i = 0; i < nic->node->port_count; i++) {
		nic->ports[i].ready = 0;
		nic_note_nonempty(&nic->ports[i]);
	}
	nic->node->nic = NULL;
	misbehaviour_destroy(nic->cold->misbehaviour, nic->node->packets);
	for (struct chunk *chunk = nic->cold->chunks; chunk != NULL; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	timers_destroy(&nic->cold->timers);
	free(nic);
}

int
nic_misbehave(struct nic *nic, const struct drain_config *drain, const struct storm_config *storm)
{
	struct misbehaviour *b;
	int error;

	if (nic->cold->misbehaviour != NULL)
		return -EEXIST;
	error = misbehaviour_create(&b, nic->node->port_count, drain, storm);
	if (error != 0)
		return error;
	error = timers_add(&nic->cold->timers, &b->timer, TIMER_MISBEHAVIOUR);
	if (error != 0) {
		misbehaviour_destroy(b, nic->node->packets);
		return error;
	}
	nic->cold->misbehaviour = b;
	for (unsigned int i = 0; i < nic->node->port_count; i++)
		nic->ports[i].special |= drain != NULL ? NIC_MISBEHAVES : 0;
	nic_set_timer(nic, &b->timer, misbehaviour_due(b));
	return 0;
}

uint64_t
nic_held(const struct nic *nic)
{
	return nic->cold->misbehaviour == NULL ? 0 : misbehaviour_held(nic->cold->misbehaviour);
}

uint32_t
nic_next_qpn(const struct nic *nic)
{
	return NIC_QPN_FIRST + nic->qp_limit;
}

uint32_t
nic_open_flows(const struct nic *nic)
{
	return nic->cold->open_flows;
}

static const struct qp *
qp_of(const struct nic *nic, uint32_t qpn)
{
	uint32_t slot = qpn - NIC_QPN_FIRST;

	return slot < nic->qp_limit ? nic->qps[slot] : NULL;
}

// What a queue pair saw as a sender, a responder or a reader; NULL: it is none.
static const struct nic_flow_result *
flow_result(const struct qp *qp)
{
	if (qp == NULL || qp->role == QP_RECEIVER)
		return NULL;
	return qp->role == QP_READER ? &((const struct reader *)qp)->result
				     : &((const struct sender *)qp)->result;
}

// And as a receiver or a reader.
static const struct nic_receiver_result *
receiver_result(const struct qp *qp)
{
	if (qp == NULL || (qp->role != QP_RECEIVER && qp->role != QP_READER))
		return NULL;
	return &((const struct receiver *)qp)->result;
}

int
nic_flow_result(const struct nic *nic, uint32_t qpn, struct nic_flow_result *out)
{
	const struct nic_flow_result *result = flow_result(qp_of(nic, qpn));

	if (result == NULL)
		return -ENOENT;
	*out = *result;
	return 0;
}

int
nic_receiver_result(const struct nic *nic, uint32_t qpn, struct nic_receiver_result *out)
{
	const struct nic_receiver_result *result = receiver_result(qp_of(nic, qpn));

	if (result == NULL)
		return -ENOENT;
	*out = *result;
	return 0;
}

int
nic_part_time(const struct nic *nic, uint32_t program, uint32_t part, uint32_t time,
	      struct nic_time *out)
{
	const struct nic_table *programs = &nic->cold->programs;
	const struct program *p = program < programs->count ? programs->entries[program] : NULL;

	if (p == NULL || part >= p->parts.count || time >= p->settings.repeat)
		return -ENOENT;
	*out = ((const struct part *)p->parts.entries[part])->times[time];
	return 0;
}

int
nic_congestion_read(const struct nic *nic, uint32_t qpn, struct congestion_reading *out)
{
	const struct qp *qp = qp_of(nic, qpn);
	const struct sender *s = (const struct sender *)qp;
	const struct congestion *c;

	if (qp == NULL || (qp->role != QP_SENDER && qp->role != QP_RESPONDER) ||
	    !(s->special & SENDER_PACED))
		return -ENOENT;
	c = &s->cold->pacing->c;
	c->algorithm->read(c, nic->node->until, out);
	out->window_bytes = c->window_bytes;
	return 0;
}

void
nic_add_sent(struct nic_flow_result *sum, const struct nic_flow_result *one)
{
	sum->repetitions += one->repetitions;
	sum->retransmitted += one->retransmitted;
	sum->naks += one->naks;
	sum->timeouts += one->timeouts;
	sum->cnps += one->cnps;
}

void
nic_add_received(struct nic_receiver_result *sum, const struct nic_receiver_result *one)
{
	sum->packets += one->packets;
	sum->duplicates += one->duplicates;
	sum->out_of_order += one->out_of_order;
	if (one->reorder_max > sum->reorder_max)
		sum->reorder_max = one->reorder_max;
	sum->naks += one->naks;
	sum->cnps += one->cnps;
}

// A queue pair, or NULL, to the totals.
static void
add_qp(const struct qp *qp, void *context)
{
	const struct nic_flow_result *sent = flow_result(qp);
	const struct nic_receiver_result *received = receiver_result(qp);
	struct nic_totals *out = context;

	if (sent != NULL)
		nic_add_sent(&out->sent, sent);
	if (received != NULL)
		nic_add_received(&out->received, received);
}

void
nic_totals(const struct nic *nic, struct nic_totals *out)
{
	const struct nic_totals *closed = exchange_totals(nic);

	*out = (struct nic_totals){.stream_received = nic->cold->stream_received};
	for (unsigned int i = 0; nic->cold->path_counts != NULL && i < nic->node->port_count; i++) {
		out->probes += nic->cold->path_counts[i].probes;
		out->assumed_bad += nic->cold->path_counts[i].assumed_bad;
	}
	for (uint32_t i = 0; i < nic->qp_limit; i++)
		add_qp(nic->qps[i], out);
	exchange_visit(nic, add_qp, out);
	if (closed != NULL) {
		nic_add_sent(&out->sent, &closed->sent);
		nic_add_received(&out->received, &closed->received);
	}
	for (const struct stream *s = nic->cold->streams; s != NULL; s = s->following)
		out->stream_sent += s->sent;
}

size_t
nic_bytes(const struct nic *nic)
{
	const struct timers *timers = &nic->cold->timers;

	return nic->cold->bytes + timers->capacity * sizeof(*timers->heap);
}
