// SPDX-License-Identifier: BSD-3-Clause
// Link-level retry in the snapshot of a leaf: the replay buffer and timer of the port to h1.
#include "built.h"

#define FABRIC(delay, llr)                                                          \
	"fabric:\n"                                                                 \
	"  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 2}\n" \
	"  links: {host: {rate: 100G, delay: " delay "}}\n"                         \
	"  mtu: 1500\n"                                                             \
	"switch: {latency: 0ns, qos: {llr: {state: on" llr "}}}\n"

#define FRAME 1522u                     // with two tags
#define TAIL (3u * (FRAME + 24) + 2048) // on the link before an ACK
#define BYTE UINT64_C(80)

static const struct llr_port *
build_port(struct built *b, const char *text)
{
	build(b, text, "leaf1");
	assert_non_null(b->t->llr);
	return &b->t->llr[0];
}

// What the link carries in a round trip, in a power of two of frames of 60 B that hold as much.
// Beyond 4096 frames neither auto nor a size of bytes goes.
static void
test_replay_buffer(void **state)
{
	static const struct {
		const char *text;
		uint32_t bytes;
		uint32_t frames;
	} rows[] = {
		{FABRIC("500ns", ""), 12501 + TAIL + FRAME, 512},
		{FABRIC("5us", ""), 125001 + TAIL + FRAME, 4096},
		{FABRIC("20us", ""), 500001 + TAIL + FRAME, 4096},
		{FABRIC("20us", ", replay-buffer: 10MB"), 10000000, 4096},
		{FABRIC("20us", ", replay-buffer: 2KB"), 2000, 64},
		{FABRIC("20us", ", replay-buffer: 1522B"), 1522, 32},
	};
	struct built b;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct llr_port *llr = build_port(&b, rows[i].text);

		assert_int_equal(llr->frames, rows[i].frames);
		assert_int_equal(llr->limit, rows[i].bytes - FRAME);
		built_drop(&b);
	}
}

// Two round trips, also at another rate and delay. One that is given stays.
static void
test_timer(void **state)
{
	struct built b;
	struct llr_port llr = *build_port(&b, FABRIC("500ns", ""));

	(void)state;
	built_drop(&b);
	assert_int_equal(llr.timer, 2 * (2 * 500 * PS_PER_NS + TAIL * BYTE));
	assert_int_equal(llr.spacing, 2048 * BYTE);
	tables_set_llr_times(&llr, time_byte_time(UINT64_C(400000000000)), 3 * PS_PER_US);
	assert_int_equal(llr.timer, 2 * (2 * 3 * PS_PER_US + TAIL * BYTE / 4));
	assert_int_equal(llr.spacing, 2048 * BYTE / 4);
	llr = *build_port(&b, FABRIC("500ns", ", timer: 7us"));
	built_drop(&b);
	tables_set_llr_times(&llr, time_byte_time(UINT64_C(400000000000)), 3 * PS_PER_US);
	assert_int_equal(llr.timer, 7 * PS_PER_US);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay_buffer),
		cmocka_unit_test(test_timer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
