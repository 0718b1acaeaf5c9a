// SPDX-License-Identifier: BSD-3-Clause
// The requester of the reliable connection (InfiniBand Architecture Specification volume 1, section
// 9.7). A repetition of a flow is one WRITE, or several of NIC_WRITE_PACKETS when it is long.
// Packets are made when the transmitter is free for them, from `next` on, so that going back to a
// packet is one store and nothing is queued.
//
// Recovery is go-back-N: a NAK, or a timeout since the last progress, sets `next` back to the first
// packet that is not acknowledged. Packets keep their numbers, opcodes and PSNs when they are sent
// again.
#include "sender.h"

#include "../queueing/ecn.h"

// Packets in flight at most: PSNs are told apart within half of their circle.
#define SENDER_IN_FLIGHT_MAX (UINT32_C(1) << 22)

static int32_t
after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

static bool
sender_may_send(const struct sender *s)
{
	return s->next != s->end && s->next - s->acked < SENDER_IN_FLIGHT_MAX;
}

static uint8_t
write_opcode(bool first, bool last)
{
	static const uint8_t opcodes[2][2] = {
		{ROCE_OP_WRITE_MIDDLE, ROCE_OP_WRITE_LAST},
		{ROCE_OP_WRITE_FIRST, ROCE_OP_WRITE_ONLY},
	};

	return opcodes[first][last];
}

// The RETH of the WRITE that begins with the packet at `offset` of the repetition.
static void
put_reth(const struct sender *s, uint8_t *at, uint32_t offset)
{
	uint64_t va = (uint64_t)offset * s->path_mtu;
	uint64_t most = (uint64_t)NIC_WRITE_PACKETS * s->path_mtu;
	uint64_t left = s->bytes - va;

	roce_reth_init((struct roce_reth *)at, va, s->address.peer_qpn,
		       (uint32_t)(left < most ? left : most));
}

static void
write_packet(struct nic *nic, struct sender *s, struct rte_mbuf *m, uint32_t index)
{
	uint32_t offset = index - s->begin;
	bool ends = index + 1 == s->end;
	bool first = (offset & (NIC_WRITE_PACKETS - 1)) == 0;
	bool last = ends || (offset & (NIC_WRITE_PACKETS - 1)) == NIC_WRITE_PACKETS - 1;
	uint32_t payload = ends ? s->last_payload : s->path_mtu;
	uint32_t present = (uint32_t)sizeof(struct roce_bth) +
			   (first ? (uint32_t)sizeof(struct roce_reth) : 0);
	uint8_t opcode = write_opcode(first, last);
	uint8_t *bth;

	frame_start(m, nic_template(nic, &s->address), &s->address, PACKET_UNSENT | PACKET_ROCE,
		    frame_data_behind_udp(payload, first), present,
		    frame_data_bytes(s->address.ip6, nic->header_bytes, payload, first), &bth);
	frame_put_bth(bth, opcode, roce_pad_bytes(payload), s->address.peer_qpn, last,
		      s->psn_base + index);
	packet_meta(m)->opcode = opcode;
	if (first)
		put_reth(s, bth + sizeof(struct roce_bth), offset);
}

struct rte_mbuf *
sender_make(struct nic *nic, struct sender *s, ps_t now)
{
	struct rte_mbuf *m = packet_alloc(nic->node->packets);

	if (likely(m != NULL))
		write_packet(nic, s, m, s->next);
	s->next++;
	if (likely(after(s->next, s->high) > 0))
		s->high = s->next;
	else
		s->result.retransmitted++;
	if (s->timer.due == PS_NEVER)
		nic_set_timer(nic, &s->timer, now + nic->rto);
	if (!sender_may_send(s))
		source_idle(nic, &s->source, s->address.tc);
	return m;
}

static void
sender_start(struct nic *nic, struct sender *s, ps_t now)
{
	s->open = true;
	s->started = now;
	s->begin = s->end;
	s->end += s->packets;
	source_ready(nic, &s->source, s->address.tc);
}

// The repetition's last byte was acknowledged.
static void
sender_complete(struct nic *nic, struct sender *s, ps_t now)
{
	s->open = false;
	s->result.repetitions++;
	s->result.busy += now - s->started;
	timer_stop(&s->timer);
	source_idle(nic, &s->source, s->address.tc);
	if (--s->repetitions_left == 0) {
		s->result.completed = now;
		nic->open_flows--;
	} else if (s->gap != 0) {
		nic_set_timer(nic, &s->timer, now + s->gap);
	} else {
		sender_start(nic, s, now);
	}
}

// All before packet `index` have arrived.
static void
sender_progress(struct nic *nic, struct sender *s, uint32_t index, ps_t now)
{
	s->acked = index;
	// It had gone back, and what it was to send again has arrived after all.
	if (unlikely(after(s->next, index) < 0))
		s->next = index;
	if (index == s->end) {
		sender_complete(nic, s, now);
		return;
	}
	if (sender_may_send(s))
		source_ready(nic, &s->source, s->address.tc);
	else
		source_idle(nic, &s->source, s->address.tc);
	if (index == s->next)
		timer_stop(&s->timer);
	else
		nic_set_timer(nic, &s->timer, now + nic->rto);
}

void
sender_acknowledge(struct nic *nic, struct sender *s, uint32_t psn, ps_t now)
{
	int32_t count = psn_diff(psn, s->psn_base + s->acked) + 1;

	// An old acknowledgement, or one of something that was never sent.
	if (count <= 0 || after(s->acked + (uint32_t)count, s->high) > 0)
		return;
	sender_progress(nic, s, s->acked + (uint32_t)count, now);
}

static void
sender_send_again(struct nic *nic, struct sender *s)
{
	s->next = s->acked;
	timer_stop(&s->timer); // runs again from the next packet sent
	source_ready(nic, &s->source, s->address.tc);
}

void
sender_go_back(struct nic *nic, struct sender *s, uint32_t psn, ps_t now)
{
	int32_t count = psn_diff(psn, s->psn_base + s->acked);

	if (count < 0 || after(s->acked + (uint32_t)count, s->high) >= 0)
		return;
	s->result.naks++;
	if (count > 0)
		sender_progress(nic, s, s->acked + (uint32_t)count, now);
	sender_send_again(nic, s);
}

void
sender_timeout(struct nic *nic, struct sender *s, ps_t now)
{
	if (!s->open) {
		sender_start(nic, s, now);
		return;
	}
	s->result.timeouts++;
	sender_send_again(nic, s);
}
