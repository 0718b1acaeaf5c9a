// SPDX-License-Identifier: BSD-3-Clause
// Watermarks: the greatest value since the last clear, of the user's and of the persistent ones
// apart.
#include "../harness.h"

#include "dataplane/queueing/watermarks.h"
#include "dataplane/node/ports.h"

static void
send(struct harness *h, unsigned int from, uint32_t bytes)
{
	harness_put(h, from, harness_frame(h, &(struct frame){.to = 0, .bytes = bytes, .dscp = 24}),
		    h->now);
	harness_run(h, h->now + 1);
}

static void
drain(struct harness *h)
{
	node_set_tx_off(h->node, &h->node->ports[0], 0, h->now);
	harness_run(h, h->now + 10 * PS_PER_US);
	node_set_tx_off(h->node, &h->node->ports[0], 0xff, h->now);
	harness_drain(h, 0);
}

// What each reader sees of a queue, a group (use, shared, headroom) and a pool.
static void
expect(const struct harness *h, bool persistent, uint32_t depth, uint32_t shared, uint32_t headroom,
       uint32_t pool)
{
	uint32_t (*seen)(const struct watermark_before *, uint32_t) =
		persistent ? watermark_persistent : watermark_user;
	const struct port *in = &h->node->ports[1], *out = &h->node->ports[0];
	const struct priority_group *g = &in->groups[3];
	const struct pool *p = &h->node->buffer.pools[POOL_INGRESS_LOSSLESS];

	assert_int_equal(seen(&out->queue_cold[3].depth_before, out->queues[3].depth_max), depth);
	assert_int_equal(seen(&in->group_cold[3].used_before, g->used_max), shared + headroom);
	assert_int_equal(seen(&in->group_cold[3].shared_before, g->shared_max), shared);
	assert_int_equal(seen(&in->group_cold[3].headroom_before, g->headroom_max), headroom);
	assert_int_equal(seen(&p->used_before, p->used_max), pool);
}

// The group takes 1000 of its own, then headroom.
static void
test_clears(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;

	(void)state;
	harness_profile(t)->pg[3].threshold =
		(struct threshold){.fixed = 1000, .down = 63, .pool = POOL_INGRESS_LOSSLESS};
	harness_open(&h, t);
	node_set_tx_off(h.node, &h.node->ports[0], 0xff, 0);
	send(&h, 1, 600);
	send(&h, 1, 400);
	send(&h, 1, 300);
	expect(&h, false, 1300, 1000, 300, 1000);
	expect(&h, true, 1300, 1000, 300, 1000);
	drain(&h);
	send(&h, 1, 500);
	expect(&h, false, 1300, 1000, 300, 1000);
	watermarks_clear(h.node, &(struct watermark_choice){WATERMARKS_OF_NODE});
	expect(&h, false, 500, 500, 0, 500); // what is held now
	expect(&h, true, 1300, 1000, 300, 1000);
	send(&h, 1, 400);
	expect(&h, false, 900, 900, 0, 900);
	drain(&h);
	watermarks_clear(h.node,
			 &(struct watermark_choice){WATERMARKS_OF_NODE, .persistent = true});
	expect(&h, false, 900, 900, 0, 900); // the other clear took nothing from it
	expect(&h, true, 0, 0, 0, 0);
	send(&h, 1, 200);
	expect(&h, true, 200, 200, 0, 200);
	expect(&h, false, 900, 900, 0, 900);
	watermarks_clear(h.node, &(struct watermark_choice){WATERMARKS_OF_NODE});
	expect(&h, false, 200, 200, 0, 200);
	harness_close(&h);
}

// Clears what is chosen of port 1's groups, port 0's queues and the pools, after a packet of group
// 3 and queue 3 has left; *_left: whether that peak is left as it was.
static void
expect_choice(const struct watermark_choice *which, bool group_left, bool queue_left, bool in_left,
	      bool out_left)
{
	struct harness h;
	const struct pool *pools;

	harness_open(&h, harness_tables(2));
	pools = h.node->buffer.pools;
	node_set_tx_off(h.node, &h.node->ports[0], 0xff, 0);
	send(&h, 1, 600);
	drain(&h);
	watermarks_clear(h.node, which);
	assert_int_equal(h.node->ports[1].groups[3].used_max, group_left ? 600 : 0);
	assert_int_equal(h.node->ports[0].queues[3].depth_max, queue_left ? 600 : 0);
	assert_int_equal(pools[POOL_INGRESS_LOSSLESS].used_max, in_left ? 600 : 0);
	assert_int_equal(pools[h.node->current->ports[0].profile->tc[3].threshold.pool].used_max,
			 out_left ? 600 : 0);
	harness_close(&h);
}

static void
test_choices(void **state)
{
	static const struct {
		struct watermark_choice which;
		bool group_left, queue_left, in_left, out_left;
	} cases[] = {
		{{.port = -1, .pg = -1, .queue = -1, .pool = -1}, false, false, false, false},
		{{.port = 1, .pg = -1, .queue = -1, .pool = -1}, false, true, true, true},
		{{.port = 0, .pg = -1, .queue = -1, .pool = -1}, true, false, true, true},
		{{.port = 1, .pg = 3, .queue = -1, .pool = -1}, false, true, true, true},
		{{.port = 1, .pg = 4, .queue = -1, .pool = -1}, true, true, true, true},
		{{.port = 1, .pg = -1, .queue = 3, .pool = -1}, true, true, true, true},
		{{.port = 0, .pg = -1, .queue = 3, .pool = -1}, true, false, true, true},
		{{.port = 0, .pg = -1, .queue = 4, .pool = -1}, true, true, true, true},
		{{.port = -1, .pg = -1, .queue = -1, .pool = POOL_INGRESS_LOSSLESS},
		 true,
		 true,
		 false,
		 true},
		{{.port = -1, .pg = -1, .queue = -1, .pool = POOL_HEADROOM},
		 true,
		 true,
		 true,
		 true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_choice(&cases[i].which, cases[i].group_left, cases[i].queue_left,
			      cases[i].in_left, cases[i].out_left);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_clears),
					   cmocka_unit_test(test_choices)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
