// SPDX-License-Identifier: BSD-3-Clause
// Credits at one leaf, whose far ends the test plays: it sends frames of credits by hand, and reads
// those that the leaf sends. Lane 3 is priority 3; a frame of 300 B takes 5 blocks of 64 B.
#include "../harness.h"
#include "credited.h"

#include "dataplane/base/credit.h"
#include "dataplane/base/headers.h"
#include "dataplane/node/ports.h"
#include "dataplane/queueing/credit_frame.h"
#include "dataplane/queueing/credits.h"

#include <string.h>

#define PORTS 3
#define LANE 3
#define FRAME 300
#define BLOCKS 5
#define BUFFER (4 * BLOCKS)
#define RESEND (100 * PS_PER_US)
#define ORDERED_SET_TIME (8 * UINT64_C(80))

static void
open_kind(struct harness *h, enum credit_kind kind)
{
	harness_open(h, credited_tables(PORTS, kind, BUFFER, RESEND));
}

// A frame of MAC control with a kind and a word, as the far end of a port would send it.
static struct rte_mbuf *
control_frame(struct harness *h, uint8_t kind, uint32_t word)
{
	uint8_t frame[60] = {0x01, 0x80, 0xc2, 0,    0,    0x01, 2, 0, 0, 0,
			     9,    9,    0x88, 0x08, 0xff, 0xfe, 2, 0, 0};
	struct rte_mbuf *m = packet_alloc(h->pool);

	frame[19] = kind;
	header_put32(frame + 20, word);
	packet_init_frame(m, 0, sizeof(frame));
	memcpy(packet_data(m), frame, sizeof(frame));
	return m;
}

static uint32_t
infiniband(unsigned int lane, uint32_t sent, uint32_t limit)
{
	return (sent & 0xfff) << 16 | lane << 12 | (limit & 0xfff);
}

static void
put_data(struct harness *h, unsigned int from, unsigned int to, unsigned int count, ps_t at)
{
	const struct frame f = {.to = to, .bytes = FRAME, .dscp = LANE << 3};

	for (unsigned int i = 0; i < count; i++)
		harness_put(h, from, harness_frame(h, &f), at + i * harness_slot(FRAME));
}

// Counts the data frames that left by a port, and those of credits; *word: the last one's.
static unsigned int
take_all(struct harness *h, unsigned int port, unsigned int *credits, uint32_t *word)
{
	unsigned int data = 0;
	struct rte_mbuf *m;

	*credits = 0;
	while ((m = harness_take(h, port, NULL)) != NULL) {
		const uint8_t *frame = packet_data(m);

		if (header_get16(frame + 12) == HEADER_TYPE_MAC_CONTROL) {
			assert_int_equal(header_get16(frame + 14), CREDIT_FRAME_OPCODE);
			*word = header_get32(frame + 20);
			++*credits;
		} else {
			data++;
		}
		packet_free(h->pool, m);
	}
	return data;
}

static void
a_packet_waits_until_all_of_it_has_credit(void **state)
{
	const struct credit_lane *lane;
	unsigned int credits;
	struct harness h;
	uint32_t word;

	(void)state;
	open_kind(&h, CREDIT_INFINIBAND);
	put_data(&h, 0, 1, 4, PS_PER_US);
	harness_run(&h, 10 * PS_PER_US);
	lane = &h.node->ports[1].credits->lanes[LANE];
	assert_int_equal(take_all(&h, 1, &credits, &word), 4);
	assert_int_equal(credit_available(lane), 0);
	// One more, and a grant that lacks one block.
	put_data(&h, 0, 1, 1, 20 * PS_PER_US);
	harness_put(&h, 1, control_frame(&h, 1, infiniband(LANE, 0, BUFFER + BLOCKS - 1)),
		    22 * PS_PER_US);
	harness_run(&h, 30 * PS_PER_US);
	assert_int_equal(take_all(&h, 1, &credits, &word), 0);
	assert_int_equal(h.node->ports[1].credits->starved, 1 << LANE);
	assert_int_equal(h.node->held[1], 1 << LANE);
	harness_put(&h, 1, control_frame(&h, 1, infiniband(LANE, 0, BUFFER + BLOCKS)),
		    32 * PS_PER_US);
	harness_run(&h, 40 * PS_PER_US);
	assert_int_equal(take_all(&h, 1, &credits, &word), 1);
	assert_int_equal(pause_clock_total(&lane->wait, h.now), 12 * PS_PER_US);
	assert_int_equal(h.node->held[1], 0);
	harness_check(&h);
	take_all(&h, 0, &credits, &word);
	take_all(&h, 2, &credits, &word);
	harness_close(&h);
}

// What has left is granted again at once, by a packet of 8 bytes that says all up to now.
static void
what_has_left_is_granted_again(void **state)
{
	struct rte_mbuf *m;
	unsigned int credits;
	struct harness h;
	uint32_t word;
	ps_t left;

	(void)state;
	open_kind(&h, CREDIT_INFINIBAND);
	put_data(&h, 0, 1, 1, PS_PER_US);
	harness_run(&h, 10 * PS_PER_US);
	m = harness_take(&h, 0, &left);
	assert_non_null(m);
	assert_int_equal(left, PS_PER_US + ORDERED_SET_TIME);
	assert_int_equal(header_get32(packet_data(m) + 20), infiniband(LANE, 0, BUFFER + BLOCKS));
	packet_free(h.pool, m);
	assert_int_equal(h.node->ports[0].tx_bytes, CREDIT_FRAME_ORDERED_SET_BYTES);
	assert_null(harness_take(&h, 0, NULL));
	assert_int_equal(take_all(&h, 1, &credits, &word), 1);
	assert_int_equal(credits, 0);
	// Repeated after the period, for each lane.
	harness_run(&h, RESEND + 10 * PS_PER_US);
	take_all(&h, 0, &credits, &word);
	assert_int_equal(credits, PRIORITIES);
	take_all(&h, 1, &credits, &word);
	assert_int_equal(credits, PRIORITIES);
	take_all(&h, 2, &credits, &word);
	harness_close(&h);
}

// Counts wrap at 12 bits; what is beyond 2048 blocks ahead is no credit.
static void
limits_wrap(void **state)
{
	static const struct {
		uint32_t sent, limit;
		int32_t available;
	} cases[] = {
		{0, 20, 20},     {4090, 4090 + 20, 20}, {4096 + 5, 5 + 2048, 2048},
		{10, 9, 0},      {10, 10 + 2049, 0},    {UINT32_MAX - 2, 4093 + 100, 100},
		{8192, 8192, 0},
	};
	struct harness h;

	(void)state;
	open_kind(&h, CREDIT_INFINIBAND);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct port *p = &h.node->ports[1];
		struct credit_lane *lane;

		harness_run(&h, h.now + PS_PER_US);
		lane = &p->credits->lanes[LANE];
		lane->sent = cases[i].sent;
		credits_take_limit(h.node, p, LANE, cases[i].limit & 0xfff, h.now);
		assert_int_equal(credit_available(lane), cases[i].available);
	}
	harness_close(&h);
}

// The far end says that it has sent more than arrived: what was lost is free again.
static void
lost_blocks_are_granted_again(void **state)
{
	struct credit_lane *lane;
	unsigned int credits;
	struct harness h;
	uint32_t word = 0;

	(void)state;
	open_kind(&h, CREDIT_INFINIBAND);
	harness_put(&h, 0, control_frame(&h, 1, infiniband(LANE, 7, BUFFER)), PS_PER_US);
	harness_run(&h, 10 * PS_PER_US);
	lane = &h.node->ports[0].credits->lanes[LANE];
	assert_int_equal(lane->received, 7);
	assert_int_equal(lane->recovered, 7);
	take_all(&h, 0, &credits, &word);
	assert_int_equal(credits, 1);
	assert_int_equal(word, infiniband(LANE, 0, BUFFER + 7));
	harness_close(&h);
}

static void
cbfc_counts_what_is_freed(void **state)
{
	const uint32_t blocks = (FRAME + 127) / 128;
	struct credit_lane *lane;
	unsigned int credits;
	struct harness h;
	uint32_t word = 0;

	(void)state;
	open_kind(&h, CREDIT_CBFC);
	put_data(&h, 0, 1, 1, PS_PER_US);
	harness_run(&h, 10 * PS_PER_US);
	take_all(&h, 0, &credits, &word);
	assert_int_equal(credits, 1);
	assert_int_equal(word, LANE << 24 | blocks);
	assert_int_equal(take_all(&h, 1, &credits, &word), 1);
	lane = &h.node->ports[1].credits->lanes[LANE];
	assert_int_equal(credit_available(lane), BUFFER - blocks);
	harness_put(&h, 1, control_frame(&h, 2, LANE << 24 | blocks), 12 * PS_PER_US);
	harness_run(&h, 20 * PS_PER_US);
	assert_int_equal(credit_available(lane), BUFFER);
	// More than was sent was freed: not believed.
	harness_put(&h, 1, control_frame(&h, 2, LANE << 24 | (blocks + 1)), 22 * PS_PER_US);
	harness_run(&h, 30 * PS_PER_US);
	assert_int_equal(credit_available(lane), 0);
	harness_close(&h);
}

// An update that waits for the transmitter holds up the next one from when it leaves.
static void
updates_are_spaced_from_when_they_leave(void **state)
{
	const ps_t busy = PS_PER_US + harness_slot(9000), spacing = 6400 * UINT64_C(80);
	struct tables *t = credited_tables(PORTS, CREDIT_CBFC, 200, RESEND);
	struct harness h;
	struct rte_mbuf *m;
	ps_t left = 0;

	(void)state;
	for (unsigned int i = 0; i < PORTS; i++)
		t->credits->ports[i].spacing = spacing;
	harness_open(&h, t);
	harness_put(&h, 2, harness_frame(&h, &(struct frame){.to = 0, .bytes = 9000}), PS_PER_US);
	put_data(&h, 0, 1, 1, PS_PER_US + 100000);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .dscp = 5 << 3}),
		    PS_PER_US + 650000); // later than the spacing after the request before
	harness_run(&h, 10 * PS_PER_US);
	packet_free(h.pool, harness_take(&h, 0, NULL));
	m = harness_take(&h, 0, &left);
	assert_int_equal(header_get32(packet_data(m) + 20) >> 24, LANE);
	assert_int_equal(left, busy + ORDERED_SET_TIME);
	packet_free(h.pool, m);
	m = harness_take(&h, 0, &left);
	assert_int_equal(header_get32(packet_data(m) + 20) >> 24, 5);
	assert_int_equal(left, busy + spacing + ORDERED_SET_TIME);
	packet_free(h.pool, m);
	assert_int_equal(harness_drain(&h, 1), 2);
	harness_drain(&h, 2);
	harness_check(&h);
	harness_close(&h);
}

static void
an_update_that_is_dropped_had_eight_bytes(void **state)
{
	static const struct {
		enum drop_reason reason;
		bool corrupt;
	} cases[] = {{DROP_BAD_FCS, true}, {DROP_LINK_DOWN, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rte_mbuf *m;
		struct harness h;

		open_kind(&h, CREDIT_INFINIBAND);
		h.node->ports[0].rx_faults |= PORT_RX_CORRUPT;
		if (!cases[i].corrupt)
			node_set_link(h.node, &h.node->ports[0], false, h.now);
		m = control_frame(&h, 1, infiniband(LANE, 0, BUFFER));
		packet_meta(m)->lane = PACKET_LANE_UPDATE;
		packet_meta(m)->flags |= cases[i].corrupt ? PACKET_BAD_FCS : 0;
		harness_put(&h, 0, m, PS_PER_US);
		harness_run(&h, 2 * PS_PER_US);
		assert_int_equal(harness_drops(&h, 0, cases[i].reason), 1);
		assert_int_equal(h.node->ports[0].rx_bytes, 8);
		harness_drain(&h, 0);
		harness_close(&h);
	}
}

static void
malformed_frames_are_dropped(void **state)
{
	static const struct {
		enum credit_kind kind;
		uint8_t type;
		uint32_t word;
	} cases[] = {
		{CREDIT_INFINIBAND, 0, 0},
		{CREDIT_INFINIBAND, 9, 0},
		{CREDIT_INFINIBAND, 1, UINT32_C(2) << 28}, // an opcode that is none
		{CREDIT_INFINIBAND, 1, 8 << 12},           // no lane of data
		{CREDIT_INFINIBAND, 1, 15 << 12},          // management has no credits
		{CREDIT_INFINIBAND, 2, 0},                 // the other kind
		{CREDIT_CBFC, 1, 0},
		{CREDIT_CBFC, 2, 8 << 24},
		{CREDIT_CBFC, 2, 1 << 20}, // beyond 20 bits
		{CREDIT_CBFC, 3, 1 << 20},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct harness h;

		open_kind(&h, cases[i].kind);
		harness_put(&h, 0, control_frame(&h, cases[i].type, cases[i].word), PS_PER_US);
		harness_run(&h, 10 * PS_PER_US);
		assert_int_equal(harness_drops(&h, 0, DROP_BAD_CREDIT), 1);
		harness_check(&h);
		harness_close(&h);
	}
}

// A link that is down takes what waits, and loses it; when it is up again nothing goes until the
// far end grants.
static void
a_link_that_comes_up_waits_for_a_grant(void **state)
{
	struct credit_lane *lane;
	unsigned int credits;
	struct harness h;
	uint32_t word = 0;
	struct port *p;

	(void)state;
	open_kind(&h, CREDIT_INFINIBAND);
	harness_run(&h, PS_PER_US);
	p = &h.node->ports[1];
	lane = &p->credits->lanes[LANE];
	node_set_link(h.node, p, false, h.now);
	node_set_link(h.node, p, true, h.now);
	// What an event has sent before the turn arrives first, and so the turn says.
	assert_int_equal(harness_run(&h, PS_PER_US + PRIORITIES * ORDERED_SET_TIME),
			 PS_PER_US + ORDERED_SET_TIME + HARNESS_DELAY);
	put_data(&h, 0, 1, 1, 4 * PS_PER_US);
	harness_run(&h, 10 * PS_PER_US);
	take_all(&h, 1, &credits, &word);
	assert_int_equal(credits, PRIORITIES); // what this end grants
	assert_int_equal(credit_available(lane), 0);
	harness_put(&h, 1, control_frame(&h, 1, infiniband(LANE, 0, BUFFER)), 12 * PS_PER_US);
	harness_run(&h, 20 * PS_PER_US);
	assert_int_equal(take_all(&h, 1, &credits, &word), 1);
	take_all(&h, 0, &credits, &word);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_waits_until_all_of_it_has_credit),
		cmocka_unit_test(what_has_left_is_granted_again),
		cmocka_unit_test(limits_wrap),
		cmocka_unit_test(lost_blocks_are_granted_again),
		cmocka_unit_test(cbfc_counts_what_is_freed),
		cmocka_unit_test(updates_are_spaced_from_when_they_leave),
		cmocka_unit_test(an_update_that_is_dropped_had_eight_bytes),
		cmocka_unit_test(malformed_frames_are_dropped),
		cmocka_unit_test(a_link_that_comes_up_waits_for_a_grant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
