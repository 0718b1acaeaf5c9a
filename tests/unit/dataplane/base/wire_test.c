// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/base/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Wires never look into packets: any address will do.
static struct rte_mbuf *
packet(uintptr_t number)
{
	return (struct rte_mbuf *)(number * 64);
}

static void
test_create_refuses(void **state)
{
	struct wire *w = NULL;

	(void)state;
	assert_int_equal(wire_create(&w, 0, false, 0), -EINVAL); // no lookahead
	assert_int_equal(wire_create(&w, 1, true, UINT32_MAX), -EINVAL);
	assert_null(w);
	wire_destroy(NULL);
}

static void
test_order_and_times(void **state)
{
	struct wire *w;

	(void)state;
	assert_int_equal(wire_create(&w, 5, false, 0), 0);
	assert_int_equal(w->delay, 5);
	assert_int_equal(wire_next(w), PS_NEVER);
	assert_int_equal(wire_put(w, packet(1), 10), 0);
	assert_int_equal(wire_put(w, packet(2), 10), 0); // one instant: by position
	assert_int_equal(wire_put(w, packet(3), 7), 0);  // the delay has shrunk: order is kept
	assert_int_equal(wire_count(w), 3);
	assert_int_equal(wire_next(w), 10);
	assert_ptr_equal(wire_take(w), packet(1));
	assert_ptr_equal(wire_take(w), packet(2));
	assert_int_equal(wire_next(w), 10);
	assert_ptr_equal(wire_take(w), packet(3));
	assert_int_equal(wire_next(w), PS_NEVER);
	wire_destroy(w);
}

// Growing keeps the order wherever the ring's seam is, and across the wrap of the 32-bit positions.
static void
test_grows(void **state)
{
	(void)state;
	for (uint32_t seam = 0; seam < 4; seam++) {
		struct wire *w;
		uintptr_t put = 0, taken = 0;

		assert_int_equal(wire_create(&w, 1, false, 0), 0);
		w->head = w->tail = w->head_seen = UINT32_MAX - 5 + seam;
		for (unsigned int round = 0; round < 10; round++) {
			for (unsigned int i = 0; i < 100; i++, put++) {
				assert_false(wire_full(w));
				assert_int_equal(wire_put(w, packet(put), put), 0);
			}
			for (unsigned int i = 0; i < 60 + seam; i++, taken++) {
				assert_int_equal(wire_next(w), taken);
				assert_ptr_equal(wire_take(w), packet(taken));
			}
			assert_int_equal(wire_count(w), put - taken);
		}
		// 1000 put, 600 + 10 * seam taken: at most 400 at once, so 512 slots suffice.
		assert_int_equal(w->mask, 511);
		wire_destroy(w);
	}
}

// A wire between workers: what is put shows when it is published; when it is full, nothing more
// goes in, and what the taker has taken makes room.
static void
test_shared(void **state)
{
	struct wire *w;

	(void)state;
	assert_int_equal(wire_create(&w, 1, true, 5), 0); // rounded up to 8
	for (uintptr_t i = 0; i < 8; i++) {
		assert_false(wire_full(w));
		assert_int_equal(wire_put(w, packet(i), i), 0);
	}
	assert_true(wire_full(w));
	assert_int_equal(wire_put(w, packet(8), 8), -ENOBUFS);
	assert_int_equal(wire_count(w), 0);
	assert_int_equal(wire_next(w), PS_NEVER);
	wire_publish(w);
	assert_int_equal(wire_count(w), 8);
	for (uintptr_t i = 0; i < 3; i++)
		assert_ptr_equal(wire_take(w), packet(i));
	assert_false(wire_full(w));
	for (uintptr_t i = 8; i < 11; i++)
		assert_int_equal(wire_put(w, packet(i), i), 0);
	assert_true(wire_full(w));
	assert_int_equal(wire_count(w), 5); // the last three are not published
	wire_publish(w);
	for (uintptr_t i = 3; i < 11; i++)
		assert_ptr_equal(wire_take(w), packet(i));
	assert_int_equal(wire_next(w), PS_NEVER);
	wire_destroy(w);
}

// Bursts are what their packets one by one would be: whether there is room at once, after the wire
// has grown, or for only some; and none arrives before what was put earlier.
static void
test_bursts(void **state)
{
	struct rte_mbuf *packets[64];
	uintptr_t put = 0, taken = 0;
	struct wire *w;

	(void)state;
	assert_int_equal(wire_create(&w, 1, false, 0), 0);
	w->head = w->tail = w->head_seen = UINT32_MAX - 100;
	for (unsigned int count = 0; count <= 64; count++) {
		uint32_t stay = count / 2;

		for (uintptr_t i = 0; i < count; i++)
			packets[i] = packet(put + i);
		assert_int_equal(wire_put_burst(w, packets, count, 1000 + count / 2), count);
		put += count;
		assert_int_equal(wire_count(w), put - taken);
		while (wire_count(w) > stay) {
			assert_ptr_equal(w->slots[w->head & w->mask].packet, packet(taken));
			wire_take_burst(w, wire_count(w) - stay > 1 ? 2 : 1);
			taken = put - wire_count(w);
		}
	}
	assert_int_equal(wire_put_burst(w, packets, 1, 5), 1);
	wire_take_burst(w, wire_count(w) - 1);
	assert_int_equal(wire_next(w), 1032);
	wire_destroy(w);

	assert_int_equal(wire_create(&w, 1, true, 8), 0);
	assert_int_equal(wire_put_burst(w, packets, 5, 1), 5);
	assert_int_equal(wire_put_burst(w, packets, 5, 2), 3);
	assert_int_equal(wire_put_burst(w, packets, 5, 2), 0);
	wire_publish(w);
	wire_take_burst(w, 6);
	assert_int_equal(wire_put_burst(w, packets, 5, 3), 5);
	assert_int_equal(wire_put_burst(w, packets, 5, 3), 1);
	assert_int_equal(wire_count(w), 2);
	wire_destroy(w);
}

// A phased wire: what is put shows when it is published, unless it did not fit the taker's ring;
// then when the wire is settled. The taker goes on with its own ring meanwhile.
static void
test_phased(void **state)
{
	struct wire *w;
	uintptr_t put = 0, taken = 0;

	(void)state;
	assert_int_equal(wire_create(&w, 1, false, 0), 0);
	w->head = w->tail = w->head_seen = UINT32_MAX - 2;
	for (; put < 2; put++)
		assert_int_equal(wire_put(w, packet(put), put), 0);
	wire_set_phased(w, true);
	for (unsigned int window = 0; window < 12; window++) {
		const struct wire_slot *ring = w->slots;

		assert_int_equal(wire_count(w), put - taken); // settled
		for (unsigned int i = 0; i < 3u << window / 2; i++, put++) {
			assert_false(wire_full(w));
			assert_int_equal(wire_put(w, packet(put), put), 0);
			if (i == 1 && wire_next(w) != PS_NEVER) // of what is not new
				assert_ptr_equal(wire_take(w), packet(taken++));
		}
		assert_ptr_equal(w->slots, ring);
		wire_publish_phased(w);
		assert_true(w->grown ? wire_count(w) < put - taken : wire_count(w) == put - taken);
		while (wire_next(w) < put - 2)
			assert_ptr_equal(wire_take(w), packet(taken++));
		for (struct wire *one = wire_take_grown(); one != NULL; one = one->next_grown) {
			assert_ptr_equal(one, w);
			assert_true(w->grown);
			wire_settle(w);
		}
		assert_false(w->grown);
	}
	assert_null(wire_take_grown());
	wire_set_phased(w, false);
	assert_int_equal(wire_put(w, packet(put), put), 0);
	for (put++; taken < put; taken++)
		assert_ptr_equal(wire_take(w), packet(taken));
	assert_int_equal(wire_next(w), PS_NEVER);
	// Destroyed before it is settled.
	wire_set_phased(w, true);
	for (uintptr_t i = 0; i < 1000; i++)
		assert_int_equal(wire_put(w, packet(i), put), 0);
	assert_ptr_equal(wire_take_grown(), w);
	wire_destroy(w);
}

// A limit below the slots, as a device's wire has one.
// What is on the wire stays, seen or not yet seen, wherever the ring begins.
static void
test_widen(void **state)
{
	struct wire *w;

	(void)state;
	assert_int_equal(wire_create(&w, 1, true, 8), 0);
	for (uintptr_t i = 0; i < 6; i++)
		assert_int_equal(wire_put(w, packet(i), i), 0);
	wire_publish(w);
	for (uintptr_t i = 0; i < 4; i++)
		assert_ptr_equal(wire_take(w), packet(i));
	for (uintptr_t i = 6; i < 12; i++)
		assert_int_equal(wire_put(w, packet(i), i), 0);
	assert_true(wire_full(w));
	assert_int_equal(wire_widen(w, (1 << 24) + 1), -EINVAL);
	assert_int_equal(wire_widen(w, 17), 0);
	assert_false(wire_full(w));
	for (uintptr_t i = 12; i < 36; i++)
		assert_int_equal(wire_put(w, packet(i), i), 0);
	assert_true(wire_full(w));
	assert_int_equal(wire_count(w), 2);
	wire_publish(w);
	for (uintptr_t i = 4; i < 36; i++) {
		assert_int_equal(wire_next(w), i);
		assert_ptr_equal(wire_take(w), packet(i));
	}
	wire_destroy(w);
}

static void
test_limit(void **state)
{
	struct wire *w;

	(void)state;
	assert_int_equal(wire_create(&w, 1, false, 0), 0);
	w->limit = 2;
	assert_int_equal(wire_put(w, packet(0), 0), 0);
	assert_false(wire_full(w));
	assert_int_equal(wire_put(w, packet(1), 0), 0);
	assert_true(wire_full(w));
	assert_ptr_equal(wire_take(w), packet(0));
	assert_false(wire_full(w));
	wire_destroy(w);
}

// What is put lowers an instant of the driver's, if it wants that, to when it arrives.
static void
test_wake(void **state)
{
	ps_t due = PS_NEVER;
	struct wire *w;

	(void)state;
	assert_int_equal(wire_create(&w, 1, false, 0), 0);
	assert_int_equal(wire_put(w, packet(0), 7), 0);
	assert_int_equal(wire_unwatched, 0);
	w->wake = &due;
	assert_int_equal(wire_put(w, packet(1), 5), 0); // arrives with the one before it
	assert_int_equal(due, 7);
	assert_int_equal(wire_put(w, packet(2), 9), 0);
	assert_int_equal(due, 7);
	due = PS_NEVER;
	assert_int_equal(wire_put_burst(w, &(struct rte_mbuf *){packet(3)}, 1, 11), 1);
	assert_int_equal(due, 11);
	while (wire_next(w) != PS_NEVER)
		wire_take(w);
	wire_destroy(w);
}

// 1 - (1 - b)^n, to a few units of 2^-64 for each doubling.
static void
test_error_probability(void **state)
{
	const uint64_t half = UINT64_C(1) << 63, small = UINT64_C(18446744074); // 1e-9

	(void)state;
	assert_int_equal(wire_error_probability(0, 100000), 0);
	assert_int_equal(wire_error_probability(small, 0), 0);
	assert_int_equal(wire_error_probability(small, 1), small);
	assert_int_equal(wire_error_probability(half, 2), half + half / 2);
	assert_int_equal(wire_error_probability(half, 3), half + half / 2 + half / 4);
	assert_int_equal(wire_error_probability(half, 64), UINT64_MAX);
	assert_int_equal(wire_error_probability(half, 128000), UINT64_MAX);
	// Of 33248 bits: 3.3247447e-5.
	assert_in_range(wire_error_probability(small, 33248), UINT64_C(613307151500000),
			UINT64_C(613307151700000));
	for (uint32_t bits = 2; bits < 5000; bits += 7)
		assert_true(wire_error_probability(small, bits) >
			    wire_error_probability(small, bits - 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create_refuses), cmocka_unit_test(test_order_and_times),
		cmocka_unit_test(test_grows),          cmocka_unit_test(test_shared),
		cmocka_unit_test(test_widen),          cmocka_unit_test(test_limit),
		cmocka_unit_test(test_bursts),         cmocka_unit_test(test_phased),
		cmocka_unit_test(test_wake),           cmocka_unit_test(test_error_probability),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
