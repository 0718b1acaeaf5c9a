// SPDX-License-Identifier: BSD-3-Clause
// The leaf as a whole: one packet, every field; then random traffic under random pauses, frozen
// queues, links and tables, after every step of which each packet and each cell must be accounted
// for.
#include "../dataplane/harness.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t hop_mac[6] = {0x02, 0xaa, 0, 0, 0, 0x01};
static const uint8_t out_mac[6] = {0x02, 0xbb, 0, 0, 0, 0x02};

static void
check_counters(const struct harness *h)
{
	const struct port *in = &h->node->ports[0], *out = &h->node->ports[2];

	assert_int_equal(in->rx_packets, 1);
	assert_int_equal(in->rx_bytes, 300);
	assert_int_equal(in->tx_packets + in->control_rx + in->control_tx, 0);
	assert_int_equal(in->groups[3].packets, 1);
	assert_int_equal(in->groups[3].bytes, 300);
	assert_int_equal(in->groups[3].used_max, 2);
	assert_int_equal(in->groups[3].shared_max, 2);
	assert_int_equal(in->groups[3].usage.own, 0);
	assert_int_equal(out->tx_packets, 1);
	assert_int_equal(out->tx_bytes, 300);
	assert_int_equal(out->rx_packets, 0);
	assert_int_equal(out->queues[3].packets, 1);
	assert_int_equal(out->queues[3].bytes, 300);
	assert_int_equal(out->queues[3].depth_max, 2);
	assert_int_equal(out->queues[3].usage.own, 0);
	assert_int_equal(h->node->buffer.pools[POOL_INGRESS_LOSSLESS].used_max, 2);
	assert_int_equal(h->node->buffer.pools[POOL_EGRESS_LOSSLESS].used_max, 2);
	assert_int_equal(h->node->last_sent, 1000);
}

static void
check_meta(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);

	assert_int_equal(meta->wire_bytes, 300);
	assert_int_equal(meta->data_len, 300);
	assert_int_equal(meta->cells, 2);
	assert_int_equal(meta->flags, PACKET_ROCE); // never charged: the port was idle
	assert_int_equal(meta->in_port, 0);
	assert_int_equal(meta->out_port, 2);
	assert_int_equal(meta->priority, 3);
	assert_int_equal(meta->pg, 3);
	assert_int_equal(meta->tc, 3);
	assert_int_equal(meta->l3_off, 14);
	assert_int_equal(meta->l4_off, 34);
	assert_int_equal(meta->ip_proto, 17);
	assert_int_equal(meta->dscp, 26);
	assert_int_equal(meta->ecn, 2);
	assert_int_equal(meta->opcode, ROCE_OP_WRITE_ONLY);
	assert_int_equal(meta->vrf, 0);
	assert_int_equal(meta->tenant, TENANT_NONE);
	assert_int_equal(meta->group, 2); // the next hop
}

// In at 1000 ps by port 0, out by port 2 at once: MACs, TTL and checksum are new, nothing else is.
static void
test_one_packet(void **state)
{
	const struct frame f = {.to = 2,
				.dscp = 26,
				.ecn = 2,
				.id = 0x1234,
				.dport = ROCE_UDP_PORT,
				.opcode = ROCE_OP_WRITE_ONLY};
	struct tables *t = harness_tables(4);
	uint8_t want[300];
	uint16_t checksum;
	struct rte_mbuf *m;
	struct harness h;
	ps_t left = 0;

	(void)state;
	t->cell = 192;
	t->cell_magic = 22369622; // ceil(2^32 / 192)
	memcpy(t->next_hops[2].mac, hop_mac, 6);
	memcpy(t->ports[2].mac, out_mac, 6);
	harness_open(&h, t);
	assert_int_equal(harness_write_frame(want, &f), 300);
	memcpy(want, hop_mac, 6);
	memcpy(want + 6, out_mac, 6);
	want[14 + 8] = 63;
	checksum = checksum_ipv4_header(want + 14, 20);
	memcpy(want + 14 + 10, &checksum, 2);

	harness_put(&h, 0, harness_frame(&h, &f), 1000);
	// Its arrival at the far end is all that is left to happen.
	assert_int_equal(harness_run(&h, PS_PER_US),
			 1000 + harness_frame_time(300) + HARNESS_DELAY);
	m = harness_take(&h, 2, &left);
	assert_non_null(m);
	assert_int_equal(left, 1000 + harness_frame_time(300));
	assert_memory_equal(packet_data(m), want, 300);
	check_meta(m);
	check_counters(&h);
	harness_check(&h);
	packet_free(h.pool, m);
	harness_close(&h);
}

#define PORTS 6
#define TENANTS 3
#define STEPS 3000
#define FLOWS (PORTS * PORTS * PRIORITIES)

struct property {
	struct harness h;
	struct random random;
	uint32_t cell;          // of all tables: a switch keeps it
	bool remap;             // tables may move priorities between queues and groups
	uint16_t sent[FLOWS];   // by flow: packets offered
	uint16_t seen[FLOWS];   // number of the last one that left
	uint64_t offered, left; // frames, PFC included
	unsigned int swaps;
};

static uint32_t
below(struct property *p, uint32_t n)
{
	return random_below(&p->random, n);
}

static struct threshold
random_threshold(struct property *p, enum pool_id lossless)
{
	struct threshold t = {
		.reserved = below(p, 3) * 500,
		.up = (uint8_t)below(p, 4),
		.down = (uint8_t)below(p, 3),
		.pool = (uint8_t)(lossless + below(p, 2)),
	};

	if (below(p, 3) == 0) {
		t.fixed = below(p, 8000);
		t.down = 63;
	}
	return t;
}

static void
randomise_profile(struct property *p, struct port_profile *profile)
{
	profile->obeyed = (uint8_t)below(p, 256);
	profile->quanta = (uint16_t)(100 + below(p, 1000));
	profile->strict = (uint8_t)(1 << below(p, 8));
	harness_set_rate(profile, UINT64_C(25000000000) << below(p, 3));
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		struct pg_profile *pg = &profile->pg[i];
		struct tc_profile *tc = &profile->tc[i];

		*pg = (struct pg_profile){.threshold = random_threshold(p, POOL_INGRESS_LOSSLESS)};
		pg->lossless = below(p, 2);
		pg->headroom = pg->lossless ? below(p, 5000) : 0;
		pg->xon = below(p, 2000);
		pg->xon_by_offset = below(p, 2);
		pg->xon_offset = below(p, 2000);
		pg->pfc_priorities = pg->lossless ? (uint8_t)(1 << i) : 0;
		tc->threshold = random_threshold(p, POOL_EGRESS_LOSSLESS);
		tc->quantum = profile->strict >> i & 1 ? 0 : 300 + below(p, 3000);
		tc->ecn = (struct ecn_profile){.enabled = below(p, 2),
					       .cell = 1,
					       .max = 2000,
					       .slope = (UINT64_C(1) << 56) / 2000};
	}
}

static void
randomise_tenants(struct property *p, struct tables *t)
{
	t->tenant_buffers = below(p, 2);
	t->tenant_count = TENANTS;
	t->tenants = calloc(TENANTS, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	for (unsigned int i = 0; i < TENANTS; i++)
		for (unsigned int k = 0; k < POOL_COUNT; k++) {
			t->tenants[i].guaranteed[k] = below(p, 2) * 2000;
			t->tenants[i].share[k].fixed = 1000 + below(p, 20000);
			t->tenants[i].share[k].down = 63;
		}
	for (unsigned int i = 0; i < PORTS; i++)
		t->ports[i].tenant = (uint16_t)(below(p, 4) == 0 ? TENANT_NONE : below(p, TENANTS));
}

static struct tables *
random_tables(struct property *p)
{
	struct tables *t = harness_tables(PORTS);

	t->cell = p->cell;
	t->cell_magic = ((UINT64_C(1) << 32) + t->cell - 1) / t->cell;
	for (unsigned int i = 0; i < POOL_HEADROOM; i++)
		t->pools[i].size = t->pools[i].shared = 5000 + below(p, 30000);
	randomise_profile(p, harness_profile(t));
	randomise_profile(p, harness_own_profile(t, below(p, PORTS)));
	randomise_tenants(p, t);
	if (p->remap) {
		memset(t->tc_priorities, 0, sizeof(t->tc_priorities));
		for (unsigned int i = 0; i < PRIORITIES; i++) {
			t->priority_to_pg[i] = (uint8_t)below(p, PRIORITIES);
			t->priority_to_tc[i] = (uint8_t)below(p, PRIORITIES);
			t->tc_priorities[t->priority_to_tc[i]] |= (uint8_t)(1 << i);
		}
	}
	t->groups[PORTS].mode = (uint8_t)below(p, GROUP_RANDOM + 1);
	return t;
}

// A packet for one port, a group, or nowhere. Flows go from one port to one port in one priority;
// the IPv4 identification numbers a flow's packets, the UDP source port says which flow it is.
static void
offer(struct property *p)
{
	const unsigned int in = below(p, PORTS), kind = below(p, 10);
	const unsigned int to = below(p, 3) == 0 ? 0 : below(p, PORTS),
			   priority = below(p, PRIORITIES);
	const unsigned int flow = (in * PORTS + to) * PRIORITIES + priority;
	struct frame f = {.to = to,
			  .bytes = 60 + below(p, 1000),
			  .dscp = (uint8_t)(priority * 8),
			  .ecn = 1,
			  .sport = (uint16_t)(flow + 1)};
	struct rte_mbuf *m;

	if (kind < 7)
		f.id = ++p->sent[flow];
	else if (kind == 7)
		f.second = (uint8_t)(1 + below(p, 2));
	else if (kind == 8)
		f.ip6 = true;
	else
		f.to = to + 100; // no route
	if (f.second != 0) {
		f.dport = ROCE_UDP_PORT;
		f.opcode = ROCE_OP_WRITE_MIDDLE;
	}
	f.ttl = below(p, 50) == 0 ? 1 : 64;
	m = harness_frame(&p->h, &f);
	if (below(p, 50) == 0)
		packet_data(m)[below(p, 34)] ^= (uint8_t)(1 << below(p, 8));
	harness_put(&p->h, in, m, p->h.now + below(p, 1000));
	p->offered++;
}

static void
pause_some(struct property *p)
{
	uint16_t quanta[PRIORITIES];

	for (unsigned int i = 0; i < PRIORITIES; i++)
		quanta[i] = (uint16_t)(below(p, 3) == 0 ? 0 : below(p, 2000));
	harness_put(&p->h, below(p, PORTS), harness_pfc(&p->h, (uint8_t)below(p, 256), quanta),
		    p->h.now);
	p->offered++;
}

// Nothing of a flow to a port of its own overtakes anything of it, whatever becomes of its
// priority.
static void
take_all(struct property *p)
{
	struct rte_mbuf *m;

	for (unsigned int i = 0; i < PORTS; i++) {
		while ((m = harness_take(&p->h, i, NULL)) != NULL) {
			const uint8_t *ip = packet_data(m) + 14;
			const unsigned int id = ip[4] << 8 | ip[5],
					   flow = (ip[20] << 8 | ip[21]) - 1u;

			if (packet_data(m)[12] == 0x08 && id != 0) {
				assert_true(id > p->seen[flow]);
				p->seen[flow] = (uint16_t)id;
			}
			p->left++;
			packet_free(p->h.pool, m);
		}
	}
}

static void
swap_tables(struct property *p)
{
	struct tables *before = p->h.tables;

	p->h.tables = random_tables(p);
	assert_ptr_equal(node_set_tables(p->h.node, p->h.tables), before);
	harness_run(&p->h, p->h.now + 1);
	tables_destroy(before);
	p->swaps++;
}

static void
add_tenant_use(const struct tables *t, struct rte_mbuf *m, struct tenant_use use[TENANTS])
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t in = t->ports[meta->in_port].profile->pg[meta->pg].threshold.pool;
	const uint8_t out = t->ports[meta->out_port].profile->tc[meta->tc].threshold.pool;

	if (meta->tenant == TENANT_NONE)
		return;
	use[meta->tenant].used += meta->cells;
	use[meta->tenant].guarantee[in] += meta->flags & PACKET_IN_GUARANTEE ? meta->cells : 0;
	use[meta->tenant].guarantee[out] += meta->flags & PACKET_OUT_GUARANTEE ? meta->cells : 0;
	if (!t->tenant_buffers)
		return;
	use[meta->tenant].pool_used[in] += meta->cells;
	use[meta->tenant].pool_used[out] += meta->cells;
}

// A tenant uses what its queued packets hold, and of each pool too where tenants have parts of the
// buffer; what its guarantees hold is so to the end.
static void
check_tenants(const struct property *p)
{
	const struct node *n = p->h.node;
	struct tenant_use use[TENANTS] = {0};

	for (unsigned int i = 0; i < PORTS * PRIORITIES; i++) {
		const struct queue *q = &n->ports[i / PRIORITIES].queues[i % PRIORITIES];

		for (struct rte_mbuf *m = q->head; m != NULL; m = packet_meta(m)->next)
			add_tenant_use(p->h.tables, m, use);
	}
	for (unsigned int i = 0; i < TENANTS; i++) {
		assert_int_equal(n->buffer.tenants[i].used, use[i].used);
		assert_memory_equal(n->buffer.tenants[i].pool_used, use[i].pool_used,
				    sizeof(use[i].pool_used));
		assert_memory_equal(n->buffer.tenants[i].guarantee, use[i].guarantee,
				    sizeof(use[i].guarantee));
	}
}

// Which queues hold something and which may not send is known where it is looked for.
static void
check_bits(const struct node *n)
{
	for (unsigned int i = 0; i < PORTS; i++) {
		const struct port *port = &n->ports[i];

		assert_int_equal(n->held[i], port->up ? port->paused | port->tx_off : 0xff);
		for (unsigned int k = 0; k < PRIORITIES; k++)
			assert_int_equal(port->nonempty >> k & 1, port->queues[k].head != NULL);
	}
}

static void
check(const struct property *p)
{
	harness_check(&p->h);
	check_tenants(p);
	check_bits(p->h.node);
}

static void
set_link(struct property *p, struct port *port, bool up)
{
	port->out->down = !up;
	wire_update_special(port->out);
	node_set_link(p->h.node, port, up, p->h.now);
}

static void
step(struct property *p)
{
	struct node *n = p->h.node;
	struct port *port = &n->ports[below(p, PORTS)];
	const unsigned int what = below(p, 100);

	if (what < 10)
		pause_some(p);
	else if (what < 14)
		swap_tables(p);
	else if (what < 17)
		node_set_tx_off(n, port, (uint8_t)(below(p, 2) * below(p, 256)), p->h.now);
	else if (what < 20)
		set_link(p, port, below(p, 8) != 0);
	else
		for (unsigned int i = below(p, 20); i > 0; i--)
			offer(p);
	harness_run(&p->h, p->h.now + 1 + below(p, 200000));
	take_all(p);
	check(p);
}

// Frees whatever is held and lets all of it go.
static void
drain(struct property *p)
{
	struct node *n = p->h.node;

	for (unsigned int i = 0; i < PORTS; i++) {
		set_link(p, &n->ports[i], true);
		node_set_tx_off(n, &n->ports[i], 0, p->h.now);
	}
	harness_run(&p->h, p->h.now + 10 * PS_PER_MS);
	take_all(p);
	check(p);
	assert_int_equal(node_queued(n), 0);
	for (unsigned int i = 0; i < POOL_COUNT; i++) {
		assert_int_equal(n->buffer.pools[i].used, 0);
		assert_int_equal(n->buffer.pools[i].shared_use, 0);
	}
	for (unsigned int i = 0; i < PORTS; i++)
		for (unsigned int k = 0; k < PRIORITIES; k++)
			assert_false(n->ports[i].groups[k].xoff);
}

// Everything offered came in, everything that went out was taken, and what tells of trouble did
// happen.
static void
check_totals(const struct property *p)
{
	static const enum drop_reason reasons[] = {
		DROP_NO_ROUTE, DROP_NO_NEXT_HOP,  DROP_LINK_DOWN,   DROP_TTL_EXPIRED,
		DROP_HEADROOM, DROP_INGRESS_POOL, DROP_EGRESS_POOL, DROP_TENANT_SHARE,
	};
	uint64_t received = 0, sent = 0, xoffs = 0, drops[DROP_COUNT] = {0};

	for (unsigned int i = 0; i < PORTS; i++) {
		const struct port *port = &p->h.node->ports[i];

		received += port->rx_packets;
		sent += port->tx_packets;
		for (unsigned int k = 0; k < DROP_COUNT; k++)
			drops[k] += port->drops[k];
		for (unsigned int k = 0; k < PRIORITIES; k++)
			xoffs += port->groups[k].xoff_sent;
	}
	assert_int_equal(received, p->offered);
	assert_int_equal(sent, p->left);
	assert_true(sent > received / 4 && xoffs > 100 && p->swaps > STEPS / 50);
	for (unsigned int i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		assert_true(drops[reasons[i]] > 0);
}

static void
run_property(uint64_t seed, bool remap)
{
	static const uint32_t cells[] = {1, 2, 5};
	struct property *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->cell = cells[seed % 3];
	p->random = random_stream(seed, 0);
	p->remap = remap;
	harness_open(&p->h, random_tables(p));
	for (unsigned int i = 0; i < STEPS; i++)
		step(p);
	drain(p);
	check_totals(p);
	harness_close(&p->h);
	free(p);
}

static void
test_conservation(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++)
		run_property(seed, false);
}

static void
test_conservation_remapped(void **state)
{
	(void)state;
	for (uint64_t seed = 5; seed <= 8; seed++)
		run_property(seed, true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_packet),
		cmocka_unit_test(test_conservation),
		cmocka_unit_test(test_conservation_remapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
