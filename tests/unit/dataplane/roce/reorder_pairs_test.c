// SPDX-License-Identifier: BSD-3-Clause
//
// New queue pairs that read and write, over paths that differ by up to 40 packets' time and may
// lose some. Both ends refuse what is not in order, and go back N. Before each stands reorder.c.
// Without a loss nobody may see a packet out of order, not even the first.

#include "reorder_frames.h"

#include "dataplane/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAIRS 3u
#define MESSAGES 400u
#define WINDOW 128 // PSNs in flight
#define SLOTS 64u  // of time, on the way
#define TO_SEND 4096u
#define ROUND_TRIP 100u
#define PATH_MTU 1024u

struct message {
	bool reads;
	uint32_t psn, packets;
};

// What is on its way, by the time of its arrival.
struct way {
	struct reorder_frame frames[SLOTS];
	bool used[SLOTS];
};

struct pair {
	struct message messages[MESSAGES];
	uint32_t begin, end; // PSNs
	// The end that asks: the PSN to be sent next, and the first that is not complete.
	uint32_t next, complete, back_at, progress_at;
	// The end that answers: the PSN that it wants, and what it will send.
	uint32_t wanted;
	bool refuses;
	struct reorder_frame answers[TO_SEND];
	uint32_t first_answer, answer_count;
	struct way there, back;
};

struct world {
	struct pair pairs[PAIRS];
	struct reorder *reorder[2]; // before the end that asks, and the one that answers
	struct random random;
	uint32_t loss; // one in so many; 0: none
	uint32_t now;  // us
	unsigned int lost, refused, went_back, sent;
};

static struct world w;

static void
launch(struct way *way, const struct reorder_frame *frame)
{
	uint32_t slot;

	if (w.loss != 0 && random_below(&w.random, w.loss) == 0) {
		w.lost++;
		return;
	}
	for (slot = w.now + 1 + random_below(&w.random, 40); way->used[slot % SLOTS]; slot++)
		;
	way->frames[slot % SLOTS] = *frame;
	way->used[slot % SLOTS] = true;
}

static const struct message *
message_of(const struct pair *p, uint32_t psn)
{
	for (unsigned int i = 0; i < MESSAGES; i++)
		if (psn_diff(psn, p->messages[i].psn) < (int32_t)p->messages[i].packets)
			return &p->messages[i];
	return NULL;
}

// ---- the end that answers -----------------------------------------------------------------------

static void
answer(struct pair *p, uint8_t opcode, uint32_t psn, uint8_t syndrome)
{
	assert_true(p->answer_count < TO_SEND);
	p->answers[(p->first_answer + p->answer_count++) % TO_SEND] = (struct reorder_frame){
		.opcode = opcode,
		.syndrome = syndrome,
		.qp = 17 + (uint32_t)(p - w.pairs),
		.psn = psn,
		.payload = opcode == ROCE_OP_READ_RESPONSE_FIRST ||
					   opcode == ROCE_OP_READ_RESPONSE_MIDDLE
				   ? PATH_MTU
				   : 1,
	};
}

static void
answer_read(struct pair *p, uint32_t psn)
{
	const struct message *m = message_of(p, psn);
	uint32_t end = psn_add(m->psn, (int32_t)m->packets), at = psn;

	for (; at != end; at = psn_add(at, 1)) {
		bool last = psn_add(at, 1) == end;

		if (at == psn)
			answer(p, last ? ROCE_OP_READ_RESPONSE_ONLY : ROCE_OP_READ_RESPONSE_FIRST,
			       at, 0);
		else
			answer(p, last ? ROCE_OP_READ_RESPONSE_LAST : ROCE_OP_READ_RESPONSE_MIDDLE,
			       at, 0);
	}
}

static void
receive_request(struct pair *p, const struct reorder_frame *frame)
{
	const struct message *m = message_of(p, frame->psn);
	uint32_t end = psn_add(m->psn, (int32_t)m->packets);
	int32_t distance = psn_diff(frame->psn, p->wanted);

	if (distance > 0) {
		w.refused++;
		if (!p->refuses)
			answer(p, ROCE_OP_ACK, p->wanted, ROCE_SYNDROME_NAK_PSN_SEQUENCE);
		p->refuses = true;
		return;
	}
	if (distance == 0) {
		p->refuses = false;
		p->wanted = m->reads ? end : psn_add(frame->psn, 1);
	}
	if (m->reads)
		answer_read(p, frame->psn);
	else if (psn_add(frame->psn, 1) == end)
		answer(p, ROCE_OP_ACK, psn_add(p->wanted, -1), 0);
}

// ---- the end that asks --------------------------------------------------------------------------

static void
go_back(struct pair *p)
{
	if (w.now < p->back_at)
		return;
	p->back_at = w.now + ROUND_TRIP;
	p->next = p->complete;
	w.went_back++;
}

// The first PSN from one on, before another, that a READ has.
static uint32_t
read_before(const struct pair *p, uint32_t psn, uint32_t end)
{
	while (psn_diff(psn, end) < 0) {
		const struct message *m = message_of(p, psn);

		if (m == NULL || m->reads)
			break;
		psn = psn_add(m->psn, (int32_t)m->packets);
	}
	return psn_diff(psn, end) < 0 ? psn : end;
}

static void
receive_answer(struct pair *p, const struct reorder_frame *frame)
{
	bool nak = frame->syndrome != 0, ack = frame->opcode == ROCE_OP_ACK;
	uint32_t end = psn_add(frame->psn, ack && !nak), read;

	if (psn_diff(end, p->complete) <= 0 && (!nak || end != p->complete) && ack)
		return;
	if (!ack && psn_diff(frame->psn, p->complete) < 0)
		return;
	read = read_before(p, p->complete, end);
	if (read != p->complete || !ack)
		p->progress_at = w.now;
	p->complete = read;
	if (read != end) {
		w.refused += !nak;
		go_back(p);
	} else if (nak) {
		go_back(p);
	} else if (!ack) {
		p->complete = psn_add(frame->psn, 1);
	}
	if (psn_diff(p->next, p->complete) < 0)
		p->next = p->complete;
}

static struct reorder_frame
request_of(const struct pair *p, uint32_t psn)
{
	const struct message *m = message_of(p, psn);
	uint32_t left = m->packets - (uint32_t)psn_diff(psn, m->psn);
	bool first = psn == m->psn;
	struct reorder_frame f = {.qp = 33 + (uint32_t)(p - w.pairs), .psn = psn, .payload = 100};

	if (m->reads) {
		f.opcode = ROCE_OP_READ_REQUEST;
		f.read_bytes = left * PATH_MTU - (left % 3 == 0 ? 100 : 0);
		f.payload = 0;
		return f;
	}
	if (left == 1)
		f.opcode = first ? ROCE_OP_WRITE_ONLY : ROCE_OP_WRITE_LAST;
	else
		f.opcode = first ? ROCE_OP_WRITE_FIRST : ROCE_OP_WRITE_MIDDLE;
	f.payload = left == 1 ? 100 : PATH_MTU;
	return f;
}

// ---- the world ----------------------------------------------------------------------------------

static void
receive(unsigned int end, struct rte_mbuf *m)
{
	while (m != NULL) {
		struct rte_mbuf *next = packet_meta(m)->next;
		const uint8_t *bth = packet_data(m) + packet_meta(m)->l4_off + HEADER_UDP_BYTES;
		struct reorder_frame f = {.opcode = bth[0], .psn = reorder_frame_psn(m)};
		uint32_t qp = roce_get24(bth + offsetof(struct roce_bth, dest_qp));

		if (f.opcode == ROCE_OP_ACK)
			f.syndrome = bth[sizeof(struct roce_bth)];
		if (end == 0)
			receive_answer(&w.pairs[qp - 17], &f);
		else
			receive_request(&w.pairs[qp - 33], &f);
		free(m);
		m = next;
	}
}

static void
send(unsigned int end, struct way *way, const struct reorder_frame *frame)
{
	struct reorder_frame sent = *frame;
	struct rte_mbuf *m;

	sent.sent = true;
	m = reorder_frame_make(&sent);
	receive(end, reorder_note_sent(w.reorder[end], m, w.now * PS_PER_US));
	free(m);
	launch(way, frame);
	w.sent++;
}

static void
arrive(unsigned int end, struct way *way)
{
	uint32_t slot = w.now % SLOTS;

	if (!way->used[slot])
		return;
	way->used[slot] = false;
	receive(end, reorder_take(w.reorder[end], reorder_frame_make(&way->frames[slot]), true,
				  w.now * PS_PER_US));
}

static bool
run_pair(struct pair *p)
{
	if (psn_diff(p->next, p->end) < 0 && psn_diff(p->next, p->complete) < WINDOW) {
		const struct message *m = message_of(p, p->next);
		struct reorder_frame f = request_of(p, p->next);

		p->next = psn_add(m->reads ? m->psn : p->next, m->reads ? (int32_t)m->packets : 1);
		send(0, &p->there, &f);
	} else if (w.now - p->progress_at > 2000) {
		p->next = p->complete;
		p->progress_at = w.now;
	}
	if (p->answer_count != 0) {
		struct reorder_frame f = p->answers[p->first_answer];

		p->first_answer = (p->first_answer + 1) % TO_SEND;
		p->answer_count--;
		send(1, &p->back, &f);
	}
	arrive(1, &p->there);
	arrive(0, &p->back);
	return p->complete == p->end;
}

static void
prepare(uint64_t seed)
{
	const struct reorder_settings settings = {2048, 150 * PS_PER_US, 60 * PS_PER_US};

	memset(&w, 0, sizeof(w));
	w.random = random_stream(6, seed);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(reorder_create(&w.reorder[i], &settings), 0);
	for (unsigned int i = 0; i < PAIRS; i++) {
		struct pair *p = &w.pairs[i];

		p->begin = random_below(&w.random, 1 << 24);
		p->next = p->complete = p->wanted = p->end = p->begin;
		for (unsigned int k = 0; k < MESSAGES; k++) {
			struct message *m = &p->messages[k];

			// One only reads, one reads little and writes, one does both.
			m->reads = i == 0 || random_below(&w.random, 2) != 0;
			m->packets = 1 + random_below(&w.random, i == 1 ? 2 : 20);
			m->psn = p->end;
			p->end = psn_add(p->end, (int32_t)m->packets);
		}
	}
}

static void
run(uint64_t seed, uint32_t loss)
{
	unsigned int complete = 0;

	prepare(seed);
	w.loss = loss;
	for (; complete < PAIRS && w.now < 1000000; w.now++) {
		complete = 0;
		for (unsigned int end = 0; end < 2; end++)
			receive(end, reorder_expire(w.reorder[end], w.now * PS_PER_US));
		for (unsigned int i = 0; i < PAIRS; i++)
			complete += run_pair(&w.pairs[i]);
	}
	assert_int_equal(complete, PAIRS);
	for (unsigned int end = 0; end < 2; end++) {
		for (unsigned int i = 0; i < 2; i++)
			receive(end, reorder_expire(w.reorder[end], (1 + i) * PS_PER_S * 10));
		assert_int_equal(reorder_counters(w.reorder[end])->waiting, 0);
		if (loss == 0)
			assert_int_equal(reorder_counters(w.reorder[end])->timeouts, 0);
		assert_int_equal(reorder_counters(w.reorder[end])->overflows, 0);
		reorder_destroy(w.reorder[end]);
	}
}

static void
test_in_order_from_the_first_packet(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		run(seed, 0);
		assert_int_equal(w.refused, 0);
		assert_int_equal(w.went_back, 0);
	}
}

static void
test_losses(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		run(seed, seed % 2 == 0 ? 300 : 60);
		// What is lost together is found together.
		assert_true(w.went_back <= w.lost);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order_from_the_first_packet),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
