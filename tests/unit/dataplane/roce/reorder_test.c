// SPDX-License-Identifier: BSD-3-Clause
// Packets of queue pairs that are put back in order: what passes when.
#include "reordered.h"

#include "dataplane/base/random.h"

static void
test_order(void **state)
{
	const struct reorder_counters *c;

	(void)state;
	begin(16);
	c = reorder_counters(reorder);
	send_one(1, 0);
	send_one(3, 1);
	send_one(5, 2);
	send_one(4, 3);
	expect("1");
	assert_int_equal(c->waiting, 3);
	assert_int_equal(reorder_next(reorder), 1 + TIMEOUT);
	send_one(2, 4);
	expect("2 3 4 5");
	assert_int_equal(reorder_next(reorder), PS_NEVER);
	send_one(6, 5);
	expect("6");
	assert_int_equal(c->held, 3);
	assert_int_equal(c->released, 3);
	assert_int_equal(c->waiting, 0);
	assert_int_equal(c->timeouts + c->overflows, 0);
}

static void
test_wrap(void **state)
{
	(void)state;
	begin(16);
	send_one(0xfffffd, 0);
	send_one(1, 0);
	send_one(0xffffff, 0);
	send_one(0, 0);
	send_one(0xfffffe, 0);
	expect("fffffd fffffe ffffff 0 1");
}

// Time runs from when a packet became the first that is missing.
static void
test_timeout(void **state)
{
	(void)state;
	begin(16);
	send_one(1, 0);
	send_one(3, 10);
	send_one(5, 20);
	send_one(2, 30);
	expect("1 2 3");
	assert_int_equal(reorder_next(reorder), 30 + TIMEOUT);
	assert_null(reorder_expire(reorder, 29 + TIMEOUT));
	send_one(8, 40);
	note(reorder_expire(reorder, 30 + TIMEOUT));
	expect("5 8");
	assert_int_equal(reorder_counters(reorder)->timeouts, 1);
	assert_int_equal(reorder_next(reorder), PS_NEVER);
	send_one(9, 50 + TIMEOUT);
	expect("9");
}

// The host asks for what is missing and its peer goes back: from there on order counts again, even
// if the first packet is not the first to come.
static void
test_go_back(void **state)
{
	(void)state;
	begin(16);
	send_one(1, 0);
	send_one(4, 0);
	note(reorder_expire(reorder, TIMEOUT)); // 2 was lost, 3 comes late
	expect("1 4");
	send_one(5, TIMEOUT + 1);
	send_one(7, TIMEOUT + 1);
	expect("5");
	send_one(3, TIMEOUT + 2);
	send_one(4, TIMEOUT + 2);
	expect("");
	send_one(2, TIMEOUT + 3);
	expect("2 3 4");
	send_one(6, TIMEOUT + 4);
	expect("");
	send_one(5, TIMEOUT + 5);
	expect("5 6 7");
	// What was delivered once may come in any order.
	send_one(3, TIMEOUT + 6);
	send_one(2, TIMEOUT + 6);
	expect("3 2");
	send_one(8, TIMEOUT + 6);
	expect("8");
}

// A PSN that is missing for the second time may never have been there.
static void
test_false_hole(void **state)
{
	ps_t now = 0;

	(void)state;
	begin(16);
	send_one(1, now);
	send_one(4, now);
	note(reorder_expire(reorder, now += TIMEOUT));
	send_one(3, now);
	expect("1 4");
	note(reorder_expire(reorder, now += TIMEOUT));
	expect("3");
	send_one(4, now);
	expect("4");
	send_one(2, now); // or it was
	send_one(5, now);
	send_one(3, now);
	send_one(4, now);
	expect("2 3 4 5");
}

static void
test_first_packets(void **state)
{
	(void)state;
	begin(16);
	send_one(12, 0);
	send_one(10, 0); // the true first: the host has refused 12, which comes again
	send_one(13, 0);
	send_one(11, 0);
	expect("c a b");
	send_one(12, 0);
	expect("c d");
}

// The first packets of a queue pair are held until those before them must have come.
static void
test_new_flow(void **state)
{
	const struct reorder_counters *c;

	(void)state;
	begin_new(16, FIRST);
	c = reorder_counters(reorder);
	send_one(12, 0);
	send_one(10, 1);
	send_one(13, 2);
	expect("");
	assert_int_equal(reorder_next(reorder), FIRST);
	note(reorder_expire(reorder, FIRST - 1));
	expect("");
	note(reorder_expire(reorder, FIRST));
	expect("a");
	assert_int_equal(reorder_next(reorder), FIRST + TIMEOUT);
	send_one(11, FIRST + 1);
	expect("b c d");
	send_one(14, FIRST + 2);
	expect("e");
	assert_int_equal(c->held, 3);
	assert_int_equal(c->released, 3);
	assert_int_equal(c->timeouts + c->overflows, 0);
	// Another queue pair of the same number.
	send_one(0x800001, FIRST + 3);
	send_one(0x800000, FIRST + 4);
	expect("");
	note(reorder_expire(reorder, 2 * FIRST + 3));
	expect("800000 800001");
	assert_int_equal(reorder_next(reorder), PS_NEVER);
	// No room to wait.
	begin_new(2, FIRST);
	send_one(5, 0);
	send_one(4, 0);
	send_one(3, 0);
	expect("3 4 5");
	assert_int_equal(reorder_next(reorder), PS_NEVER);
	send_one(6, 0);
	expect("6");
}

static void
test_restart(void **state)
{
	(void)state;
	begin(16);
	send_one(100, 0);
	send_one(102, 0);
	send_one(0x800000, 0);
	expect("64 66 800000");
	send_one(0x800001, 0);
	send_one(0x10, 0);
	send_one(0x11, 0);
	expect("800001 10 11");
	assert_int_equal(reorder_counters(reorder)->overflows, 0);
}

// Flows differ by queue pair, by address, by IP version, and requests from responses.
static void
test_flows(void **state)
{
	static const struct reorder_frame flows[] = {
		{.opcode = ROCE_OP_SEND_ONLY, .qp = 17},
		{.opcode = ROCE_OP_SEND_ONLY, .qp = 18},
		{.opcode = ROCE_OP_SEND_ONLY, .qp = 17, .source = 1},
		{.opcode = ROCE_OP_SEND_ONLY, .qp = 17, .ip6 = true},
		{.opcode = ROCE_OP_READ_RESPONSE_ONLY, .qp = 17},
		{.opcode = 0x24, .qp = 19}, // of the unreliable connection
	};

	(void)state;
	begin(64);
	for (unsigned int i = 0; i < 6; i++) {
		struct reorder_frame f = flows[i];

		for (unsigned int k = 0; k < 4; k++) {
			f.psn = 16 * i + (k == 0 ? 0 : 4 - k);
			put(&f, 0);
		}
	}
	expect("0 1 2 3 10 11 12 13 20 21 22 23 30 31 32 33 40 41 42 43 50 51 52 53");
}

static void
test_what_passes(void **state)
{
	static const struct reorder_frame others[] = {
		{.opcode = ROCE_OP_CNP, .qp = 17},
		{.opcode = 0x64, .qp = 17}, // UD
		{.opcode = 0x15, .qp = 17}, // reserved
		{.opcode = ROCE_OP_ACK, .qp = 17, .syndrome = ROCE_SYNDROME_NAK_PSN_SEQUENCE},
		{.opcode = ROCE_OP_SEND_ONLY, .qp = 17, .flags = PACKET_TRIMMED_UPSTREAM},
		{.opcode = ROCE_OP_SEND_ONLY, .qp = 17, .not_roce = true},
	};

	(void)state;
	begin(16);
	for (unsigned int i = 0; i < 6; i++) {
		struct reorder_frame f = others[i];

		for (unsigned int k = 0; k < 3; k++) {
			f.psn = 9 - 2 * k;
			put(&f, 0);
		}
		expect("9 7 5");
	}
	assert_int_equal(reorder_counters(reorder)->held, 0);
	// Acknowledgements alone, coalesced and late.
	for (unsigned int k = 0; k < 3; k++)
		put(&(struct reorder_frame){.opcode = ROCE_OP_ACK, .qp = 17, .psn = 50 - 9 * k}, 0);
	expect("32 29 20");
}

// A sender that goes back N, the paths to its peer, which differ by up to 40 packets' time and lose
// some, and the peer, which refuses what is not in order and asks for it once.
struct path {
	uint32_t next, wanted; // to be sent, and by the peer
	uint32_t asked;        // the PSN; 0: none
	ps_t asked_at;
	unsigned int lost, refused, back;
	uint32_t arrives[64]; // PSNs, by time
	struct random random;
	unsigned int loss; // one in so many; 0: none
};

#define PATH_FIRST 0xfffff0u
#define PATH_PACKETS 3000u
#define PATH_ROUND_TRIP 60

static void
path_receive(struct path *p, struct rte_mbuf *m, ps_t now)
{
	while (m != NULL) {
		struct rte_mbuf *next = packet_meta(m)->next;
		uint32_t psn = reorder_frame_psn(m);

		if (psn == p->wanted) {
			p->wanted = psn_add(psn, 1);
			p->asked = 0;
		} else if (psn_diff(psn, p->wanted) > 0) {
			p->refused++;
			if (p->asked == 0)
				p->asked_at = now;
			p->asked = 1;
		}
		free(m);
		m = next;
	}
}

static void
path_send(struct path *p, ps_t now)
{
	uint32_t psn = p->next, slot;

	if (p->asked != 0 && now >= p->asked_at + PATH_ROUND_TRIP && p->asked_at != PS_NEVER) {
		psn = p->next = p->wanted;
		p->asked_at = PS_NEVER;
		p->back++;
	}
	if (psn_diff(psn, PATH_FIRST + PATH_PACKETS) >= 0)
		return;
	p->next = psn_add(psn, 1);
	if (p->loss != 0 && random_below(&p->random, p->loss) == 0) {
		p->lost++;
		return;
	}
	for (slot = (uint32_t)now + random_below(&p->random, 40);
	     p->arrives[slot % 64] != UINT32_MAX; slot++)
		;
	p->arrives[slot % 64] = psn;
}

static void
test_hosts_that_go_back(void **state)
{
	(void)state;
	for (unsigned int seed = 0; seed < 60; seed++) {
		struct path p = {.next = PATH_FIRST, .wanted = PATH_FIRST};
		ps_t now = 0;

		p.random = random_stream(5, seed);
		p.loss = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 300 : 60;
		memset(p.arrives, 0xff, sizeof(p.arrives));
		begin(256);
		for (; psn_diff(p.wanted, PATH_FIRST + PATH_PACKETS) < 0 && now < 400000; now++) {
			uint32_t *psn = &p.arrives[now % 64];
			struct reorder_frame frame = {.opcode = ROCE_OP_SEND_ONLY, .qp = 17};

			path_send(&p, now);
			frame.psn = *psn;
			path_receive(&p, reorder_expire(reorder, now * PS_PER_US), now);
			if (*psn != UINT32_MAX)
				path_receive(&p,
					     reorder_take(reorder, reorder_frame_make(&frame), true,
							  now * PS_PER_US),
					     now);
			*psn = UINT32_MAX;
			// The timeout of the sender, for lost tails.
			if (psn_diff(p.next, PATH_FIRST + PATH_PACKETS) >= 0 && now % 1000 == 0)
				p.next = p.wanted;
		}
		assert_int_equal(p.wanted, psn_add(PATH_FIRST, PATH_PACKETS));
		assert_true(p.back <= p.lost + 1);
		if (p.loss == 0)
			assert_true(p.back <= 1); // the first packets, in a wrong order
		note(reorder_expire(reorder, PS_PER_S));
		assert_int_equal(reorder_counters(reorder)->waiting, 0);
	}
}

static void
test_bounds(void **state)
{
	struct reorder *r = NULL;

	(void)state;
	assert_int_equal(reorder_create(&r, &(struct reorder_settings){0, 1, 0}), -EINVAL);
	assert_int_equal(
		reorder_create(&r, &(struct reorder_settings){REORDER_PACKETS_MAX + 1, 1, 0}),
		-EINVAL);
	assert_int_equal(reorder_create(&r, &(struct reorder_settings){1, 0, 0}), -EINVAL);
	assert_null(r);
	reorder_destroy(NULL);
	begin(1);
	reorder_destroy(reorder);
	reorder = NULL;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_go_back),
		cmocka_unit_test(test_false_hole),
		cmocka_unit_test(test_first_packets),
		cmocka_unit_test(test_new_flow),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_flows),
		cmocka_unit_test(test_what_passes),
		cmocka_unit_test(test_hosts_that_go_back),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
