// SPDX-License-Identifier: BSD-3-Clause
// What is too large for the way out, how many cells a packet takes, and whose they are. The
// charging rule itself is tested with queueing/charge.
#include "../harness.h"

#include "dataplane/stages/admit.h"
#include "dataplane/stages/classify.h"
#include "dataplane/node/ports.h"
#include "dataplane/stages/parse.h"

#include <stdlib.h>

// Port 1 may carry IP packets of 1500 bytes, the others of 9000.
static struct tables *
narrow_port(void)
{
	struct tables *t = harness_tables(3);

	harness_own_profile(t, 1)->mtu = 1500;
	return t;
}

// Its ports are frozen, so that what is admitted waits.
static void
open_frozen(struct harness *h, struct tables *t)
{
	harness_open(h, t);
	for (unsigned int i = 0; i < t->port_count; i++)
		node_set_tx_off(h->node, &h->node->ports[i], 0xff, 0);
}

// Admits a frame from port 0 and returns the verdict; the packet is left charged and its cells in
// *cells.
static int
admit(struct harness *h, const struct frame *f, uint32_t *cells)
{
	struct rte_mbuf *m = harness_frame(h, f);
	struct port *in = &h->node->ports[0];
	int verdict;

	packet_meta(m)->in_port = 0;
	assert_int_equal(stage_parse(h->node, in, m, 0), STAGE_NEXT);
	assert_int_equal(stage_classify(h->node, in, m, 0, 0), STAGE_NEXT);
	packet_meta(m)->out_port = (uint8_t)f->to;
	verdict = stage_admit(h->node, in, m, 0, 0);
	assert_int_equal((packet_meta(m)->flags & PACKET_CHARGED) != 0, verdict == STAGE_NEXT);
	if (cells != NULL)
		*cells = packet_meta(m)->cells;
	packet_free(h->pool, m);
	return verdict;
}

// The MTU is of the IP packet, whatever is before it; of the way out, whatever the way in may
// carry.
static void
test_mtu(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, narrow_port());
	for (unsigned int ip6 = 0; ip6 < 2; ip6++)
		for (unsigned int tag = 0; tag < 2; tag++) {
			struct frame f = {.to = 1,
					  .bytes = 14 + 4 * tag + 1500,
					  .ip6 = ip6,
					  .vlan_pcp = (uint16_t)(8 * tag)};

			assert_int_equal(admit(&h, &f, NULL), STAGE_NEXT);
			f.bytes++;
			assert_int_equal(admit(&h, &f, NULL), DROP_MTU_EXCEEDED);
			f.to = 2;
			assert_int_equal(admit(&h, &f, NULL), STAGE_NEXT);
			f.bytes = 14 + 4 * tag + 9000;
			assert_int_equal(admit(&h, &f, NULL), STAGE_NEXT);
			f.bytes++;
			assert_int_equal(admit(&h, &f, NULL), DROP_MTU_EXCEEDED);
		}
	harness_close(&h);
}

// What is too large has touched no counter of the buffer.
static void
test_mtu_charges_nothing(void **state)
{
	struct harness h;

	(void)state;
	open_frozen(&h, narrow_port());
	assert_int_equal(admit(&h, &(struct frame){.to = 1, .bytes = 1515}, NULL),
			 DROP_MTU_EXCEEDED);
	assert_int_equal(h.node->ports[0].groups[0].packets, 0);
	assert_int_equal(h.node->ports[0].groups[0].dropped, 0);
	assert_int_equal(h.node->ports[1].queues[0].dropped, 0);
	assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSY].used_max, 0);
	assert_int_equal(h.node->buffer.pools[POOL_EGRESS_LOSSY].used_max, 0);
	harness_close(&h);
}

// Cells of 192 hold the frame as the wire pads it, without FCS; both sides are charged.
static void
test_cells(void **state)
{
	static const struct {
		uint32_t bytes, cells;
	} cases[] = {{60, 1},  {191, 1}, {192, 1},  {193, 2},  {300, 2},
		     {384, 2}, {385, 3}, {1514, 8}, {9014, 47}};
	struct tables *t = harness_tables(3);
	uint32_t cells, total = 0;
	struct harness h;

	(void)state;
	t->cell = 192;
	t->cell_magic = 22369622; // ceil(2^32 / 192)
	open_frozen(&h, t);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct frame f = {.to = 1, .bytes = cases[i].bytes};

		assert_int_equal(admit(&h, &f, &cells), STAGE_NEXT);
		assert_int_equal(cells, cases[i].cells);
		total += cells;
		assert_int_equal(h.node->ports[0].groups[0].usage.own, total);
		assert_int_equal(h.node->ports[1].queues[0].usage.own, total);
		assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSY].used, total);
		assert_int_equal(h.node->buffer.pools[POOL_EGRESS_LOSSY].used, total);
	}
	harness_close(&h);
}

// Port 0 belongs to tenant 1, which may have 1000 cells of the lossy ingress pool, port 2 to
// nobody.
static struct tables *
tenant_port(void)
{
	struct tables *t = harness_tables(3);

	t->tenant_buffers = true;
	t->tenant_count = 2;
	t->tenants = calloc(2, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int k = 0; k < POOL_COUNT; k++)
			t->tenants[i].share[k] = (struct threshold){
				.fixed = THRESHOLD_UNLIMITED, .down = 63, .pool = (uint8_t)k};
	t->tenants[1].share[POOL_INGRESS_LOSSY].fixed = 1000;
	t->ports[0].tenant = 1;
	return t;
}

static void
expect_tenant(const struct harness *h, uint64_t packets, uint64_t bytes, uint64_t dropped,
	      uint32_t used)
{
	const struct tenant_use *use = &h->node->buffer.tenants[1];

	assert_int_equal(use->packets, packets);
	assert_int_equal(use->bytes, bytes);
	assert_int_equal(use->dropped, dropped);
	assert_int_equal(use->used, used);
	assert_int_equal(use->pool_used[POOL_INGRESS_LOSSY], used);
	assert_int_equal(use->pool_used[POOL_EGRESS_LOSSY], used);
	assert_int_equal(use->pool_used[POOL_INGRESS_LOSSLESS], 0);
}

// A tenant's packets count as they come, drops for whatever reason too; its cells while they are
// held.
static void
test_tenant_counters(void **state)
{
	struct harness h;
	struct tenant_use none = {0};

	(void)state;
	harness_open(&h, tenant_port());
	node_set_tx_off(h.node, &h.node->ports[1], 0xff, 0);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .bytes = 400}), 1000);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .bytes = 600}), 1001);
	harness_run(&h, 1002);
	expect_tenant(&h, 2, 1000, 0, 1000);
	// Past its share.
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .bytes = 60}), 1002);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 77}), 1003);
	// Nobody's.
	harness_put(&h, 2, harness_frame(&h, &(struct frame){.to = 1, .bytes = 500}), 1003);
	harness_run(&h, 2000);
	assert_int_equal(harness_drops(&h, 0, DROP_TENANT_SHARE), 1);
	assert_int_equal(harness_drops(&h, 0, DROP_NO_ROUTE), 1);
	assert_int_equal(h.node->ports[1].queues[0].usage.own, 1500);
	expect_tenant(&h, 4, 1360, 2, 1000);
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, PS_PER_US);
	assert_int_equal(harness_drain(&h, 1), 3);
	expect_tenant(&h, 4, 1360, 2, 0);
	assert_int_equal(h.node->buffer.tenants[1].used_max, 1000);
	assert_memory_equal(&h.node->buffer.tenants[0], &none, sizeof(none));
	harness_check(&h);
	harness_close(&h);
}

// A packet that will leave at once is charged nowhere, but sets the peaks that its charge would
// have; what does not fit is dropped as ever, and a group in XOFF, whose release may be its XON, is
// charged.
static void
test_idle_port(void **state)
{
	const struct frame f = {.to = 1, .bytes = 300, .dscp = 24};
	struct tables *t = harness_tables(3);
	struct priority_group *g;
	struct rte_mbuf *m;
	struct harness h;

	(void)state;
	harness_profile(t)->pg[3].threshold.reserved = 100;
	harness_open(&h, t);
	g = &h.node->ports[0].groups[3];
	for (unsigned int xoff = 0; xoff < 2; xoff++) {
		g->xoff = xoff;
		m = harness_frame(&h, &f);
		packet_meta(m)->in_port = 0;
		assert_int_equal(stage_parse(h.node, &h.node->ports[0], m, 0), STAGE_NEXT);
		assert_int_equal(stage_classify(h.node, &h.node->ports[0], m, 0, 0), STAGE_NEXT);
		packet_meta(m)->out_port = 1;
		assert_int_equal(stage_admit(h.node, &h.node->ports[0], m, 0, 0), STAGE_NEXT);
		assert_int_equal((packet_meta(m)->flags & PACKET_CHARGED) != 0, xoff);
		assert_int_equal(g->usage.own, xoff ? 300 : 0);
		assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSLESS].used, xoff ? 300 : 0);
		assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSLESS].used_max, 300);
		assert_int_equal(g->packets, xoff + 1);
		assert_int_equal(g->bytes, 300 * (xoff + 1));
		assert_int_equal(g->used_max, 300);
		assert_int_equal(g->shared_max, 200);
		packet_free(h.pool, m);
	}
	harness_close(&h);
}

// A packet that must wait keeps all that was known of it, as one that leaves at once does.
static void
test_waiting_keeps_flags(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	for (unsigned int i = 0; i < 2; i++) {
		struct rte_mbuf *m = harness_frame(&h, &(struct frame){.to = 1});

		packet_meta(m)->flags |= PACKET_PROBE;
		harness_put(&h, 0, m, 1000);
	}
	harness_run(&h, PS_PER_US);
	for (unsigned int i = 0; i < 2; i++) {
		struct rte_mbuf *m = harness_take(&h, 1, NULL);

		assert_non_null(m);
		assert_true(packet_meta(m)->flags & PACKET_PROBE);
		packet_free(h.pool, m);
	}
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mtu),
		cmocka_unit_test(test_mtu_charges_nothing),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_idle_port),
		cmocka_unit_test(test_waiting_keeps_flags),
		cmocka_unit_test(test_tenant_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
