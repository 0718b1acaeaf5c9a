// SPDX-License-Identifier: BSD-3-Clause
// What a NIC's worker does: packets in, by the number of their queue pair; packets out, whenever
// the transmitter is free.
//
// Nothing but acknowledgements and CNPs ever waits in the port's queues. Data are made at the
// instant they start: those sources (senders, streams) that have something to send stand in a ring
// by traffic class, and take turns packet by packet; so do classes, but for strict ones.
// port->nonempty covers both, so that pauses hold them alike: bit per class with a ready source or
// a queued response. Order at a departure: PFC frames, responses, data. On a link with credits a
// data packet that lacks credit waits in its queue, too.
#include "transport.h"

#include "dataplane/base/headers.h"
#include "dataplane/base/uet_headers.h"
#include "dataplane/queueing/credits.h"
#include "dataplane/queueing/llr.h"
#include "exchange.h"
#include "icrc.h"
#include "misbehaviour.h"
#include "mrc.h"
#include "mrc_probe.h"
#include "pacing.h"
#include "placement.h"
#include "program.h"
#include "reader.h"
#include "receiver.h"
#include "sender.h"
#include "stream.h"
#include "uet.h"
#include "uet_credit.h"

#include <rte_common.h>

#include <errno.h>

// Nothing of a NIC is in the cache when its window begins, where there are thousands: what a window
// touches is fetched at once rather than met line by line (28 % more packets a second at 2,048
// NICs).
void
transport_prefetch(const struct node *n)
{
	const char *nic = (const char *)n->nic;

	rte_prefetch0(n->keys);
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct port *p = &n->ports[i];

		// What stands before a port's rings, they, and its IPv4 template.
		for (unsigned int line = 0; line < 3; line++) {
			rte_prefetch0(nic + i * sizeof(struct nic_port) + 64 * line);
			rte_prefetch0((const char *)p + 64 * line);
		}
		rte_prefetch0(p->in);
		rte_prefetch0(p->out);
		rte_prefetch0((const char *)p->out + 64); // the putter's line
	}
}

// A packet's flags are as the node that sent it has parsed or made it.
static void
fetch_qp(const struct nic *nic, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *udp = packet_data(m) + meta->l4_off;
	const char *qp;
	uint32_t qpn;

	if (!(meta->flags & PACKET_ROCE))
		return;
	qpn = roce_bth_dest_qp((const struct roce_bth *)(udp + FRAME_UDP_BYTES));
	if (unlikely(qpn >= NIC_QPN_EXCHANGES)) {
		exchange_prefetch(nic, qpn);
		return;
	}
	qp = (const char *)nic_find_qp(nic, qpn);
	rte_prefetch0(qp);
	rte_prefetch0(qp + 64);
	rte_prefetch0(qp + 128);
}

void
transport_fetch(const struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct wire *w = n->ports[i].in;

		for (uint32_t k = 0; w != NULL && k < wire_ahead(w); k++)
			fetch_qp(n->nic, w->slots[(w->head + k) & w->mask].packet);
	}
}

// Cold: a packet made elsewhere, all of whose bytes are here, or one that a link has corrupted.
// Returns -1, or the reason to drop it.
static int
check_foreign(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *udp = packet_data(m) + meta->l4_off;
	const struct roce_bth *bth = (const struct roce_bth *)(udp + FRAME_UDP_BYTES);
	uint32_t behind = meta->flags & PACKET_INFINIBAND
				  ? meta->wire_bytes - meta->l4_off - FRAME_UDP_BYTES
				  : (uint32_t)header_get16(udp + 4) - FRAME_UDP_BYTES;
	int error = meta->flags & PACKET_BAD_PAYLOAD ? -EBADMSG
		    : meta->flags & PACKET_INFINIBAND
			    ? icrc_verify_infiniband(packet_data(m), meta->data_len)
			    : icrc_verify(packet_data(m), meta->data_len);

	if (error != 0)
		return error == -EBADMSG    ? DROP_BAD_ICRC
		       : error == -EMSGSIZE ? DROP_TRUNCATED
					    : DROP_MALFORMED;
	if (roce_bth_version(bth) != 0 ||
	    behind < roce_op_header_bytes(meta->opcode) + roce_bth_pad(bth) + ROCE_ICRC_BYTES)
		return DROP_MALFORMED;
	return -1;
}

// Whether an InfiniBand packet is for the port's LID, and of its partition.
static bool
addressed_in_partition(const struct nic_port *np, const struct packet_meta *meta,
		       const uint8_t *data)
{
	const struct roce_bth *bth = (const struct roce_bth *)(data + meta->l4_off + IB_LRH_BYTES);
	const uint16_t own = (uint16_t)(np->ip4[2] << 8 | np->ip4[3]);

	return memcmp(((const struct ib_lrh *)data)->dlid, np->ip4, 2) == 0 &&
	       ((roce_bth_pkey(bth) ^ own) & IB_PKEY_BASE) == 0;
}

static bool
addressed_to(const struct nic_port *np, const struct packet_meta *meta, const uint8_t *data)
{
	const uint8_t *ip = data + meta->l3_off;

	if (unlikely((meta->flags & (PACKET_IPV6 | PACKET_INFINIBAND)) != 0)) {
		if (meta->flags & PACKET_INFINIBAND)
			return addressed_in_partition(np, meta, data);
		return memcmp(ip + 24, np->templates[1].headers + FRAME_ETHERNET_BYTES + 8, 16) ==
		       0;
	}
	return memcmp(ip + 16, np->ip4, 4) == 0;
}

// Cold: why a packet is not the port's.
static __attribute__((cold, noinline)) int
refuse_address(const struct nic_port *np, const struct packet_meta *meta, const uint8_t *data)
{
	if (meta->flags & PACKET_INFINIBAND &&
	    memcmp(((const struct ib_lrh *)data)->dlid, np->ip4, 2) == 0)
		return DROP_PARTITION;
	return DROP_NOT_FOR_HOST;
}

static void
take_aeth(struct nic *nic, struct qp *qp, uint32_t psn, struct roce_aeth aeth, ps_t now)
{
	bool nak = aeth.syndrome == ROCE_SYNDROME_NAK_PSN_SEQUENCE;

	if (unlikely(qp->role == QP_READER)) {
		if (nak)
			reader_take_nak(nic, (struct reader *)qp, psn, now);
	} else if (likely(roce_aeth_kind(&aeth) == ROCE_SYNDROME_ACK)) {
		sender_acknowledge(nic, (struct sender *)qp, psn, now);
	} else if (nak) {
		sender_take_nak(nic, (struct sender *)qp, psn, now);
	}
}

// A READ's packets, and CNPs. As take_roce().
static __attribute__((noinline)) int
take_other(struct nic *nic, struct rte_mbuf *m, struct qp *qp, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	const struct roce_bth *bth =
		(const struct roce_bth *)(packet_data(m) + meta->l4_off + FRAME_UDP_BYTES);
	uint32_t psn = roce_bth_psn(bth), bytes;
	uint8_t opcode = meta->opcode;
	bool ce = meta->ecn == ECN_CE;
	int verdict;

	switch (opcode) {
	case ROCE_OP_READ_REQUEST:
		if (qp == NULL || qp->role != QP_RESPONDER)
			return DROP_NO_QUEUE_PAIR;
		bytes = roce_reth_dma_bytes((const struct roce_reth *)(bth + 1));
		verdict = sender_take_request(nic, (struct sender *)qp, psn, bytes, now);
		if (verdict >= 0)
			return verdict;
		packet_free(nic->node->packets, m);
		return STAGE_CONSUMED;
	case ROCE_OP_READ_RESPONSE_FIRST:
	case ROCE_OP_READ_RESPONSE_MIDDLE:
	case ROCE_OP_READ_RESPONSE_LAST:
	case ROCE_OP_READ_RESPONSE_ONLY:
		if (qp == NULL || qp->role != QP_READER)
			return DROP_NO_QUEUE_PAIR;
		packet_free(nic->node->packets, m);
		reader_take(nic, (struct reader *)qp, psn, ce, now);
		return STAGE_CONSUMED;
	case ROCE_OP_CNP:
		if (qp == NULL || (qp->role != QP_SENDER && qp->role != QP_RESPONDER))
			return DROP_NO_QUEUE_PAIR;
		packet_free(nic->node->packets, m);
		sender_take_cnp(nic, (struct sender *)qp, now);
		return STAGE_CONSUMED;
	default:
		return DROP_NOT_FOR_HOST;
	}
}

// A RoCEv2 packet for a queue pair, or NULL, that came in by the NIC's port `port`. Frees it
// before it is answered: the answer takes its memory while that is hot.
static __rte_always_inline int
take_by(struct nic *nic, struct rte_mbuf *m, struct qp *qp, uint8_t port, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	const struct roce_bth *bth =
		(const struct roce_bth *)(packet_data(m) + meta->l4_off + FRAME_UDP_BYTES);
	uint8_t opcode = meta->opcode, ecn = meta->ecn;
	struct roce_bth copy = *bth;
	struct roce_aeth aeth;

	if (unlikely(qp != NULL && qp->port != port))
		return DROP_NOT_FOR_HOST; // another of its ports
	if (opcode <= ROCE_OP_WRITE_ONLY_IMM) {
		if (unlikely(qp == NULL || qp->role != QP_RECEIVER))
			return DROP_NO_QUEUE_PAIR;
		packet_free(nic->node->packets, m);
		receiver_take(nic, (struct receiver *)qp, roce_bth_psn(&copy), opcode,
			      roce_bth_ack_req(&copy), ecn == ECN_CE, now);
		return STAGE_CONSUMED;
	}
	if (likely(opcode == ROCE_OP_ACK)) {
		if (unlikely(qp == NULL || (qp->role != QP_SENDER && qp->role != QP_READER)))
			return DROP_NO_QUEUE_PAIR;
		aeth = *(const struct roce_aeth *)(bth + 1);
		packet_free(nic->node->packets, m);
		take_aeth(nic, qp, roce_bth_psn(&copy), aeth, now);
		return STAGE_CONSUMED;
	}
	return take_other(nic, m, qp, now);
}

static __rte_always_inline int
take_from_exchange(struct nic *nic, const struct exchange_packet *p, struct qp *qp, ps_t now)
{
	return take_by(nic, p->m, qp, p->port, now);
}

// A packet for a queue pair of an exchange.
static __attribute__((noinline)) int
take_exchanged(struct nic *nic, struct rte_mbuf *m, uint32_t qpn, uint8_t port, ps_t now)
{
	const struct exchange_packet p = {m, qpn, packet_meta(m)->opcode, port, NULL};

	return exchange_take(nic, &p, take_from_exchange, now);
}

static inline int
take_roce(struct nic *nic, struct rte_mbuf *m, uint8_t port, ps_t now)
{
	const uint8_t *udp = packet_data(m) + packet_meta(m)->l4_off;
	uint32_t qpn = roce_bth_dest_qp((const struct roce_bth *)(udp + FRAME_UDP_BYTES));
	struct qp *qp = nic_find_qp(nic, qpn);

	if (unlikely(qp == NULL && qpn >= NIC_QPN_EXCHANGES))
		return take_exchanged(nic, m, qpn, port, now);
	return take_by(nic, m, qp, port, now);
}

// Lets an idle transmitter begin with what has become ready.
static void
send_ready_port(struct node *n, struct port *p, ps_t now)
{
	if (p->nonempty == 0 || p->next_send <= now)
		return;
	if (p->tx_free <= now)
		transport_send(n, p, now);
	else if (p->next_send > p->tx_free)
		node_arm_send(n, p, p->tx_free);
}

// What came in by one port may let another send, where a collective goes on.
void
transport_send_ready(struct node *n, ps_t now)
{
	send_ready_port(n, &n->ports[0], now);
	for (unsigned int i = 1; unlikely(i < n->port_count); i++)
		send_ready_port(n, &n->ports[i], now);
}

// A packet that the host has taken.
static __rte_always_inline int
transport_take(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m);
	struct nic *nic = n->nic;
	int verdict;

	if (unlikely(!addressed_to(&nic->ports[in->index], meta, data)))
		return refuse_address(&nic->ports[in->index], meta, data);
	if (unlikely((meta->flags & (PACKET_ROCE | PACKET_TRIMMED_UPSTREAM)) != PACKET_ROCE)) {
		if (meta->flags & PACKET_TRIMMED_UPSTREAM)
			return DROP_TRIMMED; // the sender learns of the gap by its own means
		if (meta->ip_proto != HEADER_PROTOCOL_UDP ||
		    header_get16(data + meta->l4_off + 2) != NIC_STREAM_UDP_PORT)
			return DROP_NOT_FOR_HOST;
		nic->cold->stream_received++;
		packet_free(n->packets, m);
		return STAGE_CONSUMED;
	}
	if (unlikely((meta->flags & (PACKET_NO_PAYLOAD | PACKET_BAD_PAYLOAD)) !=
		     PACKET_NO_PAYLOAD)) {
		verdict = check_foreign(m);
		if (verdict >= 0)
			return verdict;
	}
	return take_roce(nic, m, in->index, now);
}

// A packet that a NIC has taken that speaks Ultra Ethernet Transport,
static int
take_uet(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m);

	if (meta->flags & PACKET_ROCE)
		return DROP_NO_QUEUE_PAIR;
	if (meta->ip_proto != HEADER_PROTOCOL_UDP ||
	    header_get16(data + meta->l4_off + 2) != UET_UDP_PORT)
		return transport_take(n, in, m, now);
	if (unlikely(!addressed_to(&n->nic->ports[in->index], meta, data)))
		return DROP_NOT_FOR_HOST;
	return uet_take(n->nic, m, in->index, now);
}

// or Multipath Reliable Connection.
static int
take_mrc(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);

	if (!(meta->flags & PACKET_ROCE))
		return transport_take(n, in, m, now);
	if (unlikely(!addressed_to(&n->nic->ports[in->index], meta, packet_data(m))))
		return DROP_NOT_FOR_HOST;
	return mrc_take(n->nic, m, in->index, now);
}

// One that had to wait.
static int
take_late(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	if (n->nic->ports[in->index].special & NIC_SPEAKS_MRC)
		return take_mrc(n, in, m, now);
	if (n->nic->ports[in->index].special & NIC_SPEAKS_UET)
		return take_uet(n, in, m, now);
	return transport_take(n, in, m, now);
}

// A packet for a host that does not take packets as they come, or for another transport.
static __attribute__((noinline)) int
take_special(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	struct misbehaviour *b = n->nic->cold->misbehaviour;
	int verdict = STAGE_NEXT;

	if (n->nic->ports[in->index].special & NIC_MISBEHAVES) {
		verdict = misbehaviour_take(b, n, in, m, now);
		nic_set_timer(n->nic, &b->timer, misbehaviour_due(b));
	}
	return verdict == STAGE_NEXT ? take_late(n, in, m, now) : verdict;
}

int
stage_transport(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	int verdict;

	if (unlikely(n->nic->ports[in->index].special))
		verdict = take_special(n, in, m, now);
	else
		verdict = transport_take(n, in, m, now);
	transport_send_ready(n, now);
	return verdict;
}

// A receiver of an exchange may have got all of its message while it waited, and no other packet
// may come for it.
static void
grant(struct nic *nic, struct uet_granter *g, ps_t now)
{
	struct qp *qp = &uet_credit_grant(nic, g, now)->receiver.qp;

	if (qp->qpn >= NIC_QPN_EXCHANGES)
		exchange_settle(nic, qp, now);
}

static void
fire(struct node *n, struct timer *timer, ps_t now)
{
	struct nic *nic = n->nic;
	struct misbehaviour *b;

	switch (timer->kind) {
	case TIMER_SENDER:
		sender_timeout(nic, container_of(timer, struct sender, timer), now);
		break;
	case TIMER_RECEIVER:
		placement_timeout(nic, container_of(timer, struct receiver, timer), now);
		break;
	case TIMER_READER:
		reader_timeout(nic, container_of(timer, struct reader, timer), now);
		break;
	case TIMER_PACING:
		sender_pacing_timeout(nic, container_of(timer, struct pacing, timer), now);
		break;
	case TIMER_PROGRAM:
		program_timeout(nic, container_of(timer, struct program, timer), now);
		break;
	case TIMER_HANDOVER:
		program_handed_over(nic, container_of(timer, struct program_sender, timer), now);
		break;
	case TIMER_EXCHANGE:
		exchange_handed_over(nic, timer, now);
		break;
	case TIMER_MISBEHAVIOUR:
		b = container_of(timer, struct misbehaviour, timer);
		misbehaviour_timer(b, n, now, take_late);
		nic_set_timer(nic, timer, misbehaviour_due(b));
		break;
	case TIMER_PROBE:
		mrc_probe_run(nic, container_of(timer, struct mrc_sender, probe), now);
		break;
	case TIMER_GRANT:
		grant(nic, container_of(timer, struct uet_granter, timer), now);
		break;
	default:
		stream_timeout(nic, container_of(timer, struct stream, timer));
		break;
	}
}

ps_t
transport_timer(struct node *n, ps_t now)
{
	struct timers *timers = &n->nic->cold->timers;
	struct timer *timer;

	while ((timer = timers_take(timers, now)) != NULL)
		fire(n, timer, now);
	for (unsigned int i = 0; i < n->port_count; i++) {
		struct port *p = &n->ports[i];
		ps_t free_at = p->tx_free > now ? p->tx_free : now;

		// Among this instant's departures, after its arrivals.
		if (p->nonempty != 0 && p->next_send > free_at)
			node_arm_send(n, p, free_at);
	}
	return time_min(timers_next(timers), time_min(credits_poll(n, now), llr_poll(n, now)));
}
