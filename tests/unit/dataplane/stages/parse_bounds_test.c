// SPDX-License-Identifier: BSD-3-Clause
// Neither parse nor the stages behind it read past the bytes that are there.
#include "exact.h"

#include "dataplane/stages/admit.h"
#include "dataplane/stages/classify.h"
#include "dataplane/stages/control_frames.h"
#include "dataplane/stages/parse.h"
#include "dataplane/stages/rewrite.h"
#include "dataplane/stages/route.h"
#include "dataplane/stages/spray.h"

// Takes a frame through all stages that look into it.
static int
pass_stages(struct harness *h, struct rte_mbuf *m)
{
	struct port *in = &h->node->ports[0];
	int verdict;

	packet_meta(m)->in_port = 0;
	packet_meta(m)->tenant = TENANT_NONE;
	verdict = stage_parse(h->node, in, m, 0);
	if (verdict == STAGE_NEXT)
		verdict = stage_control_frames(h->node, in, m, 0);
	if (verdict == STAGE_NEXT)
		verdict = stage_classify(h->node, in, m, 0, 0);
	if (verdict == STAGE_NEXT)
		verdict = stage_route(h->node, in, m, 0);
	if (verdict == STAGE_NEXT)
		verdict = stage_spray(h->node, in, m, 0, 0);
	if (verdict == STAGE_NEXT)
		verdict = stage_admit(h->node, in, m, 0, 0);
	if (verdict == STAGE_NEXT)
		verdict = stage_rewrite(h->node, in, m, 0, 0);
	return verdict;
}

static void
expect_named(int verdict)
{
	assert_true(verdict == STAGE_NEXT || (verdict >= 0 && verdict < DROP_COUNT));
}

// A pause frame that is obeyed is given to the pool, which did not make it: taken out again.
static void
release(struct harness *h, struct rte_mbuf *m, int verdict)
{
	if (verdict == STAGE_CONSUMED)
		assert_ptr_equal(packet_alloc(h->pool), m);
	free(m);
}

// Frames of every kind cut at every length: as a capture's snap length does, and as a real short
// frame.
static void
test_truncated(void **state)
{
	static const uint8_t options[] = {44, 0, 1, 4, 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0, 9};
	const struct frame kinds[] = {{.to = 1, .dport = 4791},
				      {.to = 1, .dport = 4791, .vlan_pcp = 9},
				      {.to = 1, .dport = 4791, .ip6 = true},
				      {.second = 1},
				      {.second = 2}};
	uint8_t data[400];
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(3));
	packet_free(h.pool, packet_alloc(h.pool)); // the stack has room
	packet_alloc(h.pool);
	for (unsigned int kind = 0; kind < 7; kind++) {
		uint32_t bytes;

		if (kind < 5) {
			bytes = harness_write_frame(data, &kinds[kind]);
		} else if (kind == 5) {
			bytes = write_chain(data, 0, options, sizeof(options));
		} else {
			memset(data, 0, 60);
			memcpy(data,
			       (uint8_t[]){1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 9, 2, 0x88, 8, 1, 1,
					   0, 8},
			       18);
			bytes = 60;
		}
		for (uint32_t present = 0; present <= bytes; present++) {
			for (unsigned int cut = 0; cut < 2; cut++) {
				struct rte_mbuf *m = exact(data, present, cut ? present : bytes);
				int verdict = pass_stages(&h, m);

				if (verdict != STAGE_CONSUMED)
					expect_named(verdict);
				if (present < 14)
					assert_int_equal(verdict, DROP_RUNT);
				else if (kind < 6 && cut && present < bytes)
					assert_int_equal(verdict, DROP_TRUNCATED);
				release(&h, m, verdict);
			}
		}
	}
	h.pool->count = (uint32_t)packet_pool_size(h.pool);
	harness_close(&h);
}

// Random bytes over sound frames, cut at random: a named verdict, and no byte read that is not
// there.
static void
test_random_bytes(void **state)
{
	struct random random = random_stream(25, 0);
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(3));
	packet_free(h.pool, packet_alloc(h.pool));
	packet_alloc(h.pool);
	for (unsigned int i = 0; i < 200000; i++) {
		const struct frame f = {
			.to = random_below(&random, 4),
			.bytes = 80 + random_below(&random, 100),
			.dport = random_below(&random, 2) ? 4791 : 9,
			.vlan_pcp = random_below(&random, 4) == 0 ? 8 : 0,
			.second = (uint8_t)random_below(&random, 3),
			.ip6 = random_below(&random, 2),
		};
		uint8_t data[200];
		uint32_t bytes = harness_write_frame(data, &f), present = bytes;
		uint32_t changes = random_below(&random, 4);
		struct rte_mbuf *m;
		int verdict;

		for (uint32_t k = 0; k < changes; k++)
			data[random_below(&random, random_below(&random, 2) ? 64 : bytes)] =
				(uint8_t)random_u32(&random);
		if (!f.ip6 && random_below(&random, 4) != 0 && (data[L3] & 0xf) >= 5)
			fix_checksum(data, f.vlan_pcp != 0 ? L3 + 4 : L3);
		if (random_below(&random, 2))
			present = random_below(&random, bytes + 1);
		m = exact(data, present, random_below(&random, 2) ? bytes : present);
		verdict = pass_stages(&h, m);
		if (verdict != STAGE_CONSUMED)
			expect_named(verdict);
		release(&h, m, verdict);
	}
	h.pool->count = (uint32_t)packet_pool_size(h.pool);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
