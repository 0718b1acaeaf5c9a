// SPDX-License-Identifier: BSD-3-Clause
// What follows from datagrams that a carrier loses, repeats and reorders, and from far ends that
// restart. Time is set by hand.
#include "dataplane/device/carrier.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

struct bench {
	struct carrier near, far;
	uint64_t now_ns;
};

// A hello from one end to the other, of which the next frame is number `next`.
static void
hello(struct bench *b, const struct carrier *from, struct carrier *to, uint32_t next)
{
	struct carrier_head head;
	struct carrier_hello body;

	carrier_write_hello(from, CARRIER_HELLO, next, b->now_ns, &head, &body);
	assert_false(carrier_take(to, &head, &body, sizeof(body), true, b->now_ns));
}

static bool
frame(struct bench *b, uint32_t number)
{
	static const uint8_t bytes[60];
	struct carrier_head head;

	carrier_write_head(&b->near, number, b->now_ns, &head);
	return carrier_take(&b->far, &head, bytes, sizeof(bytes), true, b->now_ns);
}

// Both ends have heard each other.
static void
join(struct bench *b)
{
	*b = (struct bench){.now_ns = 1000 * MS};
	carrier_init(&b->near, 7);
	carrier_init(&b->far, 9);
	hello(b, &b->near, &b->far, 0);
	assert_false(carrier_link(&b->far, b->now_ns));
	hello(b, &b->far, &b->near, 0);
	hello(b, &b->near, &b->far, 0);
	assert_true(carrier_link(&b->near, b->now_ns));
	assert_true(carrier_link(&b->far, b->now_ns));
}

static void
test_numbers(void **state)
{
	struct bench b;

	(void)state;
	join(&b);
	assert_true(frame(&b, 0));
	assert_true(frame(&b, 3));
	assert_int_equal(b.far.lost, 2);
	assert_false(frame(&b, 1)); // behind later ones
	assert_int_equal(b.far.late, 1);
	assert_false(frame(&b, 1));
	assert_false(frame(&b, 3));
	assert_int_equal(b.far.duplicates, 2);
	// The last ones before a silence.
	hello(&b, &b.near, &b.far, 6);
	assert_int_equal(b.far.lost, 4);
	assert_false(frame(&b, 5));
	assert_int_equal(b.far.late, 2);
	// An older hello says nothing new.
	hello(&b, &b.near, &b.far, 2);
	assert_int_equal(b.far.lost, 4);
	// Too old to be told from a repeated one.
	assert_true(frame(&b, 6 + CARRIER_WINDOW));
	assert_int_equal(b.far.lost, 4 + CARRIER_WINDOW);
	assert_false(frame(&b, 4));
	assert_int_equal(b.far.duplicates, 3);
	assert_false(frame(&b, 7 + CARRIER_WINDOW / 2));
	assert_int_equal(b.far.late, 3);
}

static void
test_numbers_wrap(void **state)
{
	struct bench b;

	(void)state;
	join(&b);
	b.far.next = UINT32_MAX - 1;
	assert_true(frame(&b, UINT32_MAX - 1));
	assert_true(frame(&b, 1));
	assert_int_equal(b.far.lost, 2);
	assert_false(frame(&b, UINT32_MAX));
	assert_true(frame(&b, 2));
	assert_int_equal(b.far.late, 1);
	assert_int_equal(b.far.lost, 2);
}

static void
test_silence(void **state)
{
	struct bench b;

	(void)state;
	join(&b);
	assert_true(carrier_link(&b.far, b.now_ns + CARRIER_DEAD_NS - 1));
	assert_false(carrier_link(&b.far, b.now_ns + CARRIER_DEAD_NS));
	b.now_ns += CARRIER_DEAD_NS - 1;
	assert_true(frame(&b, 0)); // a frame is a sign too
	assert_true(carrier_link(&b.far, b.now_ns + 1));
}

static void
test_goodbye(void **state)
{
	struct carrier_head head;
	struct carrier_hello body;
	struct bench b;

	(void)state;
	join(&b);
	carrier_write_hello(&b.near, CARRIER_BYE, 0, b.now_ns, &head, &body);
	assert_false(carrier_take(&b.far, &head, &body, sizeof(body), true, b.now_ns));
	assert_false(carrier_link(&b.far, b.now_ns));
}

// The far end goes down once, begins to count anew, and takes nothing of the session before.
// One end has taken its link down: both hear each other, but the far end is to see it.
static void
test_held(void **state)
{
	struct bench b;

	(void)state;
	join(&b);
	b.near.held = true;
	hello(&b, &b.near, &b.far, 0);
	assert_false(carrier_link(&b.far, b.now_ns));
	assert_true(carrier_link(&b.near, b.now_ns));
	b.near.held = false;
	hello(&b, &b.near, &b.far, 0);
	assert_true(carrier_link(&b.far, b.now_ns));
}

static void
test_restart(void **state)
{
	struct bench b;
	struct carrier before;

	(void)state;
	join(&b);
	assert_true(frame(&b, 0));
	before = b.near;
	carrier_init(&b.near, 8);
	assert_false(frame(&b, 1)); // no hello has announced it
	assert_int_equal(b.far.early, 1);
	hello(&b, &b.near, &b.far, 40);
	assert_false(carrier_link(&b.far, b.now_ns));
	assert_false(carrier_link(&b.far, b.now_ns)); // it has not heard this end yet
	hello(&b, &b.far, &b.near, 0);
	hello(&b, &b.near, &b.far, 40);
	assert_true(carrier_link(&b.far, b.now_ns));
	assert_true(frame(&b, 40));
	assert_int_equal(b.far.lost, 0);
	b.near = before;
	assert_false(frame(&b, 41));
	assert_int_equal(b.far.early, 2);
}

static void
test_round_trip(void **state)
{
	struct bench b;

	(void)state;
	join(&b);
	b.now_ns += 200 * MS;
	hello(&b, &b.near, &b.far, 0);
	b.now_ns += 300 * MS; // so long the far end has it
	hello(&b, &b.far, &b.near, 0);
	assert_int_equal(b.near.round_trip_ns, 0);
	// The next answer takes 3 ms on its way.
	b.now_ns += MS;
	hello(&b, &b.near, &b.far, 0);
	struct carrier_head head;
	struct carrier_hello body;

	carrier_write_hello(&b.far, CARRIER_HELLO, 0, b.now_ns, &head, &body);
	b.now_ns += 3 * MS;
	assert_false(carrier_take(&b.near, &head, &body, sizeof(body), true, b.now_ns));
	assert_int_equal(b.near.round_trip_ns, 3 * MS);
	// A far end that claims to have had it for longer than it was away.
	memset(&body.held_ns, 0xff, sizeof(body.held_ns));
	assert_false(carrier_take(&b.near, &head, &body, sizeof(body), true, b.now_ns));
	assert_int_equal(b.near.round_trip_ns, 3 * MS);
}

// A frame that was sent at an instant of a clock of its own.
static void
frame_of(struct bench *b, uint32_t number, uint64_t sent_ns)
{
	static const uint8_t bytes[60];
	struct carrier_head head;

	carrier_write_head(&b->near, number, sent_ns, &head);
	assert_true(carrier_take(&b->far, &head, bytes, sizeof(bytes), true, b->now_ns));
}

// The clock of the near end is a day behind, or ahead.
static void
test_delay_variation(void **state)
{
	static const uint64_t day = UINT64_C(86400000000000);

	(void)state;
	for (unsigned int ahead = 0; ahead < 2; ahead++) {
		struct bench b;
		uint64_t ago;

		join(&b);
		b.now_ns += day;
		carrier_init(&b.near, 11);
		ago = ahead ? (uint64_t)0 - day : day;
		struct carrier_head head;
		struct carrier_hello body;

		carrier_write_hello(&b.near, CARRIER_HELLO, 0, b.now_ns - ago - 4 * MS, &head,
				    &body);
		assert_false(carrier_take(&b.far, &head, &body, sizeof(body), true, b.now_ns));
		frame_of(&b, 0, b.now_ns - ago - 2 * MS); // the fastest one
		assert_int_equal(b.far.variation_ns, 0);
		frame_of(&b, 1, b.now_ns - ago - 18 * MS);
		assert_int_equal(b.far.variation_ns, MS); // a 16th
		assert_int_equal(b.far.variation_max_ns, 16 * MS);
		// The fastest one is forgotten after two intervals: 18 ms are nothing special then.
		for (uint32_t i = 2; i < 5; i++) {
			b.now_ns += CARRIER_LEAST_NS;
			frame_of(&b, i, b.now_ns - ago - 18 * MS);
		}
		assert_true(b.far.variation_ns < 3 * MS);
		assert_int_equal(b.far.variation_max_ns, 16 * MS);
		// After a silence it is forgotten at once: clocks may have drifted apart.
		b.now_ns += 3 * CARRIER_LEAST_NS;
		frame_of(&b, 5, b.now_ns - ago - 90 * MS);
		assert_int_equal(b.far.variation_max_ns, 16 * MS);
		// Whatever stamp there is, some number follows, and not an absurd one.
		frame_of(&b, 6, b.now_ns - (UINT64_C(1) << 63));
		frame_of(&b, 7, b.now_ns + (UINT64_C(1) << 63) - 1);
		frame_of(&b, 8, b.now_ns - ago);
		assert_int_equal(b.far.variation_max_ns, CARRIER_MORE_MAX_NS);
	}
}

// The bytes behind a hello, whole and the last ones.
static void
test_report(void **state)
{
	struct {
		struct carrier_hello hello;
		uint8_t report[CARRIER_REPORT_MAX];
	} body;
	struct carrier_report heard;
	struct carrier_head head;
	struct bench b;

	(void)state;
	join(&b);
	assert_int_equal(carrier_heard(&b.far, &heard), 1000 * MS);
	assert_int_equal(heard.length, 0);
	for (size_t length = CARRIER_REPORT_MAX; length != 0; length /= 2) {
		b.now_ns += MS;
		carrier_write_hello(&b.near, CARRIER_HELLO, 0, b.now_ns, &head, &body.hello);
		memset(body.report, (int)(length % 251), sizeof(body.report));
		carrier_take(&b.far, &head, &body, sizeof(body.hello) + length, true, b.now_ns);
		assert_int_equal(carrier_heard(&b.far, &heard), b.now_ns);
		assert_int_equal(heard.length, length);
		assert_memory_equal(heard.bytes, body.report, length);
	}
	hello(&b, &b.near, &b.far, 0);
	carrier_heard(&b.far, &heard);
	assert_int_equal(heard.length, 0);
	assert_int_equal(b.far.malformed, 0);
}

static void
test_senseless(void **state)
{
	const uint8_t bytes[sizeof(struct carrier_hello) + CARRIER_REPORT_MAX + 1] = {0};
	struct carrier_head good, bad;
	struct bench b;

	(void)state;
	join(&b);
	carrier_write_head(&b.near, 0, b.now_ns, &good);
	for (size_t i = 0; i < 8; i++) {
		bad = good;
		((uint8_t *)&bad)[i] ^= 0x40;
		assert_false(carrier_take(&b.far, &bad, bytes, 20, true, b.now_ns));
	}
	assert_int_equal(b.far.malformed, 8);
	assert_false(carrier_take(&b.far, &good, bytes, 13, true, b.now_ns));
	bad = good;
	bad.kind = CARRIER_HELLO;
	assert_false(carrier_take(&b.far, &bad, bytes, sizeof(bytes), true, b.now_ns));
	assert_false(carrier_take(&b.far, &bad, bytes, sizeof(struct carrier_hello) - 1, true,
				  b.now_ns));
	assert_int_equal(b.far.malformed, 11);
	assert_false(carrier_take(&b.far, &good, bytes, 14, false, b.now_ns));
	assert_int_equal(b.far.early, 1);
	assert_int_equal(b.far.lost, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),    cmocka_unit_test(test_numbers_wrap),
		cmocka_unit_test(test_silence),    cmocka_unit_test(test_goodbye),
		cmocka_unit_test(test_restart),    cmocka_unit_test(test_held),
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_delay_variation),
		cmocka_unit_test(test_report),     cmocka_unit_test(test_senseless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
