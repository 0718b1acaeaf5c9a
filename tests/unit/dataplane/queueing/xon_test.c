// SPDX-License-Identifier: BSD-3-Clause
// The shared use below which a group may send XON, against the rule itself.
#include "../harness.h"

#include "dataplane/base/random.h"
#include "dataplane/queueing/buffer.h"
#include "dataplane/queueing/xon.h"

#define TRIALS 20000
#define SHARED_MAX 300u

static uint32_t
some(struct random *r, uint32_t most)
{
	return random_below(r, 3) == 0 ? 0 : (uint32_t)random_below(r, most + 1);
}

static struct threshold
random_threshold(struct random *r)
{
	struct threshold t = {.pool = POOL_INGRESS_LOSSLESS, .reserved = some(r, 30)};

	switch (random_below(r, 4)) {
	case 0:
		t.fixed = random_below(r, 400);
		t.down = 63;
		break;
	case 1:
		t.fixed = THRESHOLD_UNLIMITED;
		t.down = 63;
		break;
	case 2:
		t.up = (uint8_t)random_below(r, 4);
		break;
	default:
		t.down = (uint8_t)random_below(r, 8);
	}
	return t;
}

// Whether the group may send XON with so much of the pool in use: first the headroom becomes its
// own, and then all must fit, and leave the hysteresis.
static bool
may(const struct tables *t, const struct port *p, const struct pg_profile *profile, uint32_t use)
{
	const struct pool_profile *pool = &t->pools[POOL_INGRESS_LOSSLESS];
	const struct priority_group *g = &p->groups[3];
	const struct threshold *threshold = &profile->threshold;
	uint32_t shared = buffer_shared(g->usage.own + g->headroom, threshold->reserved);
	uint32_t moved = shared - buffer_shared(g->usage.own, threshold->reserved);
	uint64_t free_cells = buffer_free(pool, use + moved), limit;
	uint32_t port_use = p->shared_use[POOL_INGRESS_LOSSLESS] + moved;
	bool fits = use + moved <= pool->shared;

	limit = buffer_limit(threshold, pool->port_level
						? buffer_port_free(pool, free_cells, port_use)
						: free_cells);
	fits &= shared <= limit;
	fits &= !pool->port_level || port_use <= buffer_port_limit(pool, free_cells);
	if (g->headroom != 0 && t->tenant_buffers)
		return false;
	if (moved != 0 && !fits)
		return false;
	return shared <= profile->xon ||
	       (profile->xon_by_offset && shared + profile->xon_offset <= limit);
}

static void
test_random(void **state)
{
	struct tables *t = harness_tables(2);
	struct random r = random_stream(1, 0);
	struct harness h;
	unsigned int sometimes = 0;

	(void)state;
	harness_open(&h, t);
	for (unsigned int i = 0; i < TRIALS; i++) {
		struct pool_profile *pool = &t->pools[POOL_INGRESS_LOSSLESS];
		struct pg_profile *profile = &harness_profile(t)->pg[3];
		struct port *p = &h.node->ports[1];
		uint32_t below, true_for = 0;

		*pool = (struct pool_profile){
			.size = SHARED_MAX,
			.shared = (uint32_t)random_below(&r, SHARED_MAX + 1),
			.port_level = random_below(&r, 3) == 0,
			.port_up = (uint8_t)some(&r, 2),
			.port_down = (uint8_t)some(&r, 3),
		};
		t->tenant_buffers = random_below(&r, 8) == 0;
		profile->threshold = random_threshold(&r);
		profile->xon = some(&r, 60);
		profile->xon_offset = some(&r, 60);
		profile->xon_by_offset = random_below(&r, 3) != 0;
		p->groups[3].usage.own = some(&r, 150);
		p->groups[3].headroom = some(&r, 40);
		p->shared_use[POOL_INGRESS_LOSSLESS] = some(&r, 100);
		below = xon_below(h.node, p, 3);
		for (uint32_t use = 0; use < SHARED_MAX + 50; use++) {
			assert_int_equal(may(t, p, profile, use), use < below);
			true_for += use < below;
		}
		sometimes += true_for != 0 && true_for != SHARED_MAX + 50;
	}
	assert_true(sometimes > TRIALS / 20);
	memset(&h.node->ports[1].groups[3], 0, sizeof(h.node->ports[1].groups[3]));
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
