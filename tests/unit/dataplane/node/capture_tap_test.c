// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/node/capture_tap.h"

#include "../harness.h"

#define RING 65536u

struct place {
	struct harness h;
	struct capture_ring *ring;
	struct capture_tap *tap;
};

static void
open_place(struct place *p)
{
	harness_open(&p->h, harness_tables(3));
	assert_int_equal(capture_ring_create(&p->ring, RING), 0);
	assert_int_equal(capture_tap_create(&p->tap, p->ring, 3), 0);
	for (unsigned int port = 0; port < 3; port++)
		p->tap->snaplens[port] = 64;
}

static void
close_place(struct place *p)
{
	for (unsigned int port = 0; port < 3; port++)
		harness_drain(&p->h, port);
	capture_tap_apply(p->h.node, NULL);
	harness_close(&p->h);
	capture_tap_destroy(p->tap);
	capture_ring_destroy(p->ring);
}

static void
put(struct place *p, unsigned int port, const struct frame *f)
{
	harness_put(&p->h, port, harness_frame(&p->h, f), p->h.now);
}

// Takes the next record, which must be this.
static void
take(struct place *p, enum capture_kind kind, uint16_t port, int reason)
{
	const struct capture_slot *slot;
	uint64_t position;

	slot = capture_ring_peek(p->ring, &position);
	assert_non_null(slot);
	assert_int_equal(slot->kind, kind);
	assert_int_equal(slot->port, port);
	assert_int_equal(slot->reason, reason);
	assert_int_equal(slot->wire_bytes, 300);
	assert_int_equal(slot->data_len, 64);
	capture_ring_release(p->ring);
}

static void
take_none(struct place *p)
{
	uint64_t position;

	assert_null(capture_ring_peek(p->ring, &position));
}

// A packet in and out, and one that is dropped on arrival: one record of that, with its reason.
static void
test_all(void **state)
{
	struct place p;

	(void)state;
	open_place(&p);
	p.tap->wants[0] = p.tap->wants[1] = CAPTURE_WANTS_ALL;
	capture_tap_apply(p.h.node, p.tap);
	put(&p, 0, &(struct frame){.to = 1});
	harness_run(&p.h, p.h.now + 10 * PS_PER_US);
	put(&p, 0, &(struct frame){.to = 200}); // no route leads there
	harness_run(&p.h, p.h.now + 10 * PS_PER_US);
	take(&p, CAPTURE_RECEIVED, 0, CAPTURE_NO_REASON);
	take(&p, CAPTURE_SENT, 1, CAPTURE_NO_REASON);
	take(&p, CAPTURE_RECEIVED, 0, DROP_NO_ROUTE);
	take_none(&p);
	assert_int_equal(p.tap->counts[0].seen[CAPTURE_RECEIVED], 2);
	assert_int_equal(p.tap->counts[0].seen[CAPTURE_DROPPED], 1);
	assert_int_equal(p.tap->counts[1].seen[CAPTURE_SENT], 1);
	// What is not wanted any more is not seen.
	capture_tap_apply(p.h.node, NULL);
	put(&p, 0, &(struct frame){.to = 1});
	harness_run(&p.h, p.h.now + 10 * PS_PER_US);
	take_none(&p);
	assert_int_equal(p.tap->counts[0].seen[CAPTURE_RECEIVED], 2);
	close_place(&p);
}

static void
test_drops_only(void **state)
{
	struct place p;

	(void)state;
	open_place(&p);
	p.tap->wants[0] = CAPTURE_WANTS_DROPS;
	capture_tap_apply(p.h.node, p.tap);
	put(&p, 0, &(struct frame){.to = 1});
	put(&p, 0, &(struct frame){.to = 200});
	put(&p, 2, &(struct frame){.to = 200}); // of a port that nobody asks for
	harness_run(&p.h, p.h.now + 10 * PS_PER_US);
	take(&p, CAPTURE_DROPPED, 0, DROP_NO_ROUTE);
	take_none(&p);
	close_place(&p);
}

// What finds no room is counted, so that captured and lost add up to what passed.
static void
test_overrun(void **state)
{
	const unsigned int count = 1000;
	struct place p;
	uint64_t position, captured = 0;

	(void)state;
	open_place(&p);
	p.tap->wants[0] = CAPTURE_WANTS_ALL;
	capture_tap_apply(p.h.node, p.tap);
	for (unsigned int i = 0; i < count; i++) {
		put(&p, 0, &(struct frame){.to = 1});
		harness_run(&p.h, p.h.now + PS_PER_US);
	}
	for (; capture_ring_peek(p.ring, &position) != NULL; captured++)
		capture_ring_release(p.ring);
	assert_int_equal(p.h.node->ports[0].rx_packets, count);
	assert_int_equal(p.tap->counts[0].seen[CAPTURE_RECEIVED], count);
	assert_int_not_equal(p.tap->counts[0].lost[CAPTURE_RECEIVED], 0);
	assert_int_equal(captured + p.tap->counts[0].lost[CAPTURE_RECEIVED], count);
	close_place(&p);
}

static bool
is_marked(const void *context, struct rte_mbuf *m)
{
	return packet_data(m)[packet_meta(m)->l3_off + 5] == *(const uint8_t *)context;
}

// All ports, but only packets that match.
static void
test_matching(void **state)
{
	const uint8_t mark = 77;
	struct place p;

	(void)state;
	open_place(&p);
	for (unsigned int i = 0; i < 3; i++)
		p.tap->wants[i] = CAPTURE_WANTS_MATCHING;
	p.tap->match = is_marked;
	p.tap->match_context = &mark;
	capture_tap_apply(p.h.node, p.tap);
	put(&p, 0, &(struct frame){.to = 1, .id = 76});
	put(&p, 0, &(struct frame){.to = 1, .id = 77});
	put(&p, 2, &(struct frame){.to = 200, .id = 77});
	harness_run(&p.h, p.h.now + 10 * PS_PER_US);
	take(&p, CAPTURE_RECEIVED, 0, CAPTURE_NO_REASON);
	take(&p, CAPTURE_RECEIVED, 2, DROP_NO_ROUTE);
	take(&p, CAPTURE_SENT, 1, CAPTURE_NO_REASON);
	take_none(&p);
	close_place(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_drops_only),
		cmocka_unit_test(test_overrun),
		cmocka_unit_test(test_matching),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
