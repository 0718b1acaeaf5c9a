// SPDX-License-Identifier: BSD-3-Clause
// A packet ahead of the expected one is kept, which takes a bit, if it is within the reorder window
// and the NIC keeps such packets: with selective recovery, and with out-of-order placement. Kept
// packets still complete in order, so where their data lies until then makes no difference here.
//
// When does a packet count as lost? With in-order placement, when the first packet behind it
// arrives. With out-of-order placement, when a packet a full window behind it arrives, or when
// reorder_timeout has passed since the first packet behind it.
//
// Selective recovery then requests that packet, once, and no other. A packet beyond the window is
// lost: it is requested at once, and so are the missing packets before it, so that they are back
// when there is room. For the timeout, the receiver keeps a short list of gaps; when that is full,
// a new gap joins the one before it and brings its own, later time. The other kinds of recovery
// request everything from the expected packet on, once until that has come. Of the missing packets
// they consider only the first; its time counts from when it became the first, if that was later.
// Go-back-0 first forgets what it has of the message.
//
// One packet, or one timeout, causes PLACEMENT_REQUESTS_MAX requests at most: a single forged PSN
// must not fill the port's queue, and the pool of packets with it. Later ones continue from there,
// and the sender's retransmission timer covers packets that nobody requests.
#include "placement.h"

#include "read_requests.h"

// Requests a packet and, unless recovery is selective, all behind it.
static void
ask(struct nic *nic, struct receiver *r, uint32_t psn)
{
	struct nic_port *np = nic_port_of(nic, &r->qp);

	r->result.naks++;
	if (r->qp.role == QP_READER) {
		read_requests_ask(nic, (struct reader *)r, psn);
		return;
	}
	// A NAK acknowledges what is before it; not so in selective recovery.
	if (r->qp.recovery != NIC_RECOVERY_SELECTIVE)
		r->unacknowledged = 0;
	nic_respond(np,
		    frame_make_ack(nic->node->packets, nic_template(np, &r->address), &r->address,
				   frame_ack_bytes(r->address.network, nic->ack_bytes), psn,
				   ROCE_SYNDROME_NAK_PSN_SEQUENCE, r->msn));
}

static uint64_t
ring_bit(const struct receiver *r, uint32_t psn, uint32_t *word)
{
	uint32_t slot = psn & r->ring_mask;

	*word = slot / 64;
	return UINT64_C(1) << slot % 64;
}

static void
forget_kept(struct receiver *r)
{
	size_t bytes = (r->ring_mask + 1) / 8;

	if (r->ahead == 0)
		return;
	memset(r->placed, 0, bytes);
	memset(r->ends, 0, bytes);
	if (r->cold != NULL && r->cold->immediates != NULL)
		memset(r->cold->immediates, 0, bytes);
	r->ahead = 0;
	timer_stop(&r->timer);
}

// The expected packet counts as lost, in go-back-N or go-back-0.
static void
lose_expected(struct nic *nic, struct receiver *r)
{
	if (r->nak_sent)
		return;
	r->nak_sent = true;
	if (r->qp.recovery == NIC_RECOVERY_GO_BACK_0) {
		forget_kept(r);
		r->expected = r->begin;
	}
	ask(nic, r, r->expected);
}

// Beyond the ring nothing is kept.
static bool
is_missing(const struct receiver *r, uint32_t psn)
{
	uint32_t word;
	uint64_t bit = ring_bit(r, psn, &word);

	return (uint32_t)psn_diff(psn, r->expected) > r->ring_mask || !(r->placed[word] & bit);
}

// Requests the missing packets from `first` to before `end`, one by one, but no more than *most,
// which it counts down. Returns the first that it has not come to, `end` if there is none.
static uint32_t
ask_singly(struct nic *nic, struct receiver *r, uint32_t first, uint32_t end, uint32_t *most)
{
	if (psn_diff(first, r->expected) < 0)
		first = r->expected;
	for (; psn_diff(end, first) > 0; first = psn_add(first, 1)) {
		if (!is_missing(r, first))
			continue;
		if (*most == 0)
			return first;
		ask(nic, r, first);
		--*most;
	}
	return end;
}

static struct gap *
gap_at(const struct receiver_cold *cold, uint32_t position)
{
	return &cold->gaps[(cold->gap_first + position) % PLACEMENT_GAPS];
}

static void
gap_open(struct nic *nic, struct receiver *r, uint32_t first, uint32_t end, ps_t now)
{
	struct receiver_cold *cold = r->cold;

	if (cold->gap_count == PLACEMENT_GAPS) {
		first = gap_at(cold, PLACEMENT_GAPS - 1)->first;
		cold->gap_count--;
	}
	*gap_at(cold, cold->gap_count++) =
		(struct gap){.first = first, .end = end, .opened_at = now};
	if (cold->gap_count == 1)
		nic_set_timer(nic, &r->timer, now + nic->cold->config.reorder_timeout);
}

static void
gap_close(struct receiver_cold *cold)
{
	cold->gap_first = (cold->gap_first + 1) % PLACEMENT_GAPS;
	cold->gap_count--;
}

// Requests what is missing of the first gap before `end`. Returns false if that was too much.
static bool
ask_gap(struct nic *nic, struct receiver *r, uint32_t end, uint32_t *most)
{
	struct gap *gap = gap_at(r->cold, 0);

	if (psn_diff(end, gap->end) > 0)
		end = gap->end;
	gap->first = ask_singly(nic, r, gap->first, end, most);
	if (psn_diff(gap->first, end) < 0)
		return false;
	if (end == gap->end)
		gap_close(r->cold);
	return true;
}

// Missing packets before `psn` count as lost: the window has passed them.
static void
lose_before(struct nic *nic, struct receiver *r, uint32_t psn, uint32_t *most)
{
	while (r->cold->gap_count != 0 && psn_diff(psn, gap_at(r->cold, 0)->first) > 0)
		if (!ask_gap(nic, r, psn, most))
			return;
}

// Keeps a packet; false when it was here.
static bool
keep(struct receiver *r, uint32_t psn, uint8_t opcode)
{
	uint32_t word;
	uint64_t bit = ring_bit(r, psn, &word);

	if (r->placed[word] & bit)
		return false;
	r->placed[word] |= bit;
	if (roce_op_ends_message(opcode)) {
		r->ends[word] |= bit;
		if (roce_op_has_immdt(opcode) && r->cold != NULL && r->cold->immediates != NULL)
			r->cold->immediates[word] |= bit;
	}
	return true;
}

// A packet beyond the window. Requests may lie no further apart than the sender's ring is
// long (add_resends()); the rest is for later packets to show.
static void
lose_beyond(struct nic *nic, struct receiver *r, uint32_t psn, uint32_t distance)
{
	uint32_t window = nic->cold->config.reorder_window, span = 2 * (r->ring_mask + 1);
	uint32_t end = psn_add(r->expected, (int32_t)(distance < span ? distance + 1 : span));
	uint32_t most = PLACEMENT_REQUESTS_MAX;

	if (nic->cold->config.placement == NIC_PLACEMENT_OUT_OF_ORDER)
		lose_before(nic, r, psn_add(psn, 1 - (int32_t)window), &most);
	if (psn_diff(end, r->seen) > 0)
		r->seen = ask_singly(nic, r, r->seen, end, &most);
}

static void
take_ahead_selective(struct nic *nic, struct receiver *r, uint32_t psn, uint32_t distance,
		     uint8_t opcode, ps_t now)
{
	bool in_order = nic->cold->config.placement == NIC_PLACEMENT_IN_ORDER;
	uint32_t seen, most = PLACEMENT_REQUESTS_MAX;

	if (psn_diff(r->seen, r->expected) < 0)
		r->seen = r->expected;
	seen = r->seen;
	if (distance >= nic->cold->config.reorder_window) {
		lose_beyond(nic, r, psn, distance);
		return;
	}
	if (!keep(r, psn, opcode)) {
		r->result.duplicates++;
		return;
	}
	r->ahead++;
	if (psn_diff(psn, seen) < 0)
		return;
	r->seen = psn_add(psn, 1);
	if (psn == seen)
		return;
	if (!in_order) {
		gap_open(nic, r, seen, psn, now);
		return;
	}
	seen = ask_singly(nic, r, seen, psn, &most);
	if (seen != psn)
		r->seen = seen; // the next packet continues from here
}

void
placement_take_ahead(struct nic *nic, struct receiver *r, uint32_t psn, uint32_t distance,
		     uint8_t opcode, ps_t now)
{
	r->result.out_of_order++;
	if (distance > r->result.reorder_max)
		r->result.reorder_max = distance;
	if (r->qp.recovery == NIC_RECOVERY_SELECTIVE) {
		take_ahead_selective(nic, r, psn, distance, opcode, now);
		return;
	}
	if (r->placed == NULL || distance >= nic->cold->config.reorder_window) {
		lose_expected(nic, r);
		return;
	}
	if (!keep(r, psn, opcode)) {
		r->result.duplicates++;
		return;
	}
	if (r->ahead++ == 0)
		nic_set_timer(nic, &r->timer, now + nic->cold->config.reorder_timeout);
}

// Of a ring of bits that may not be there: whether it has a bit, which it loses.
static bool
take_bit(uint64_t *ring, uint32_t word, uint64_t bit)
{
	bool had = ring != NULL && ring[word] & bit;

	if (had)
		ring[word] &= ~bit;
	return had;
}

struct placement_passed
placement_advance(struct nic *nic, struct receiver *r, ps_t now)
{
	uint64_t *immediates = r->cold != NULL ? r->cold->immediates : NULL;
	struct placement_passed passed = {0};

	while (r->ahead != 0) {
		uint32_t word;
		uint64_t bit = ring_bit(r, r->expected, &word);

		if (!(r->placed[word] & bit))
			break;
		r->placed[word] &= ~bit;
		r->expected = psn_add(r->expected, 1);
		r->ahead--;
		passed.packets++;
		if (unlikely(r->ends[word] & bit)) {
			r->ends[word] &= ~bit;
			r->begin = r->expected;
			passed.messages++;
			passed.immediates += take_bit(immediates, word, bit);
		}
	}
	if (r->ahead == 0) {
		timer_stop(&r->timer);
		if (r->cold != NULL)
			r->cold->gap_count = 0;
	} else if (r->qp.recovery != NIC_RECOVERY_SELECTIVE) {
		nic_set_timer(nic, &r->timer, now + nic->cold->config.reorder_timeout);
	}
	return passed;
}

void
placement_timeout(struct nic *nic, struct receiver *r, ps_t now)
{
	ps_t timeout = nic->cold->config.reorder_timeout;
	uint32_t most = PLACEMENT_REQUESTS_MAX;

	if (r->qp.recovery != NIC_RECOVERY_SELECTIVE) {
		lose_expected(nic, r);
		return;
	}
	while (r->cold->gap_count != 0) {
		struct gap *gap = gap_at(r->cold, 0);

		if (gap->opened_at + timeout <= now) {
			if (ask_gap(nic, r, gap->end, &most))
				continue;
			gap->opened_at = now; // the rest in its time
		}
		nic_set_timer(nic, &r->timer, gap->opened_at + timeout);
		return;
	}
}
