// SPDX-License-Identifier: BSD-3-Clause
#include "harness.h"

#include "dataplane/node/node_check.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"
#include "dataplane/node/ports.h"
#include "dataplane/queueing/buffer.h"

#include <stdlib.h>
#include <string.h>

#define HARNESS_PROFILES 2 // the shared one, and one for a port of its own

static void
fill_groups(struct port_profile *p)
{
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		p->pg[i] = (struct pg_profile){.threshold = {.pool = POOL_INGRESS_LOSSY, .up = 3}};
		p->tc[i] = (struct tc_profile){
			.threshold = {.pool = POOL_EGRESS_LOSSY, .up = 3},
			.ecn = {.cell = 1},
			.quantum = 1500,
		};
	}
	p->pg[3] = (struct pg_profile){
		.threshold = {.pool = POOL_INGRESS_LOSSLESS},
		.headroom = 100000,
		.lossless = true,
		.pfc_priorities = 1 << 3,
	};
	p->tc[3].threshold = (struct threshold){
		.pool = POOL_EGRESS_LOSSLESS, .fixed = THRESHOLD_UNLIMITED, .down = 63};
	p->tc[6].quantum = 0;
}

static void
fill_profile(struct port_profile *p)
{
	fill_groups(p);
	p->preamble = 8;
	p->fcs = 4;
	p->gap = 12;
	p->mtu = 9000;
	p->strict = 1 << 6;
	p->obeyed = 1 << 3;
	p->quanta = 65535;
	for (unsigned int i = 0; i < 64; i++)
		p->dscp_to_priority[i] = (uint8_t)(i / 8);
	for (unsigned int i = 0; i < 8; i++)
		p->pcp_to_priority[i] = (uint8_t)i;
	p->trust_dscp = true;
	harness_set_rate(p, UINT64_C(100000000000));
}

void
harness_set_rate(struct port_profile *p, uint64_t bits_per_s)
{
	p->byte_time = time_byte_time(bits_per_s);
	p->quantum_time = p->byte_time * 64;
	p->refresh = time_of_bytes(p->quantum_time, p->quanta) / 2;
}

// One hop for each port, then the group of all ports from the second on.
static void
fill_hops(struct tables *t)
{
	uint16_t ports = t->port_count;

	t->next_hop_count = 2u * ports - 1;
	t->next_hops = calloc(t->next_hop_count, sizeof(*t->next_hops));
	t->group_count = ports + 2u;
	t->groups = calloc(t->group_count, sizeof(*t->groups));
	assert_non_null(t->next_hops);
	assert_non_null(t->groups);
	for (uint32_t i = 0; i < t->next_hop_count; i++) {
		memcpy(t->next_hops[i].mac, harness_host_mac, 6);
		t->next_hops[i].port = (uint16_t)(i < ports ? i : i - ports + 1);
	}
	for (uint32_t i = 0; i < ports; i++)
		t->groups[i] = (struct next_hop_group){.first = i, .count = 1, .port = (uint16_t)i};
	t->groups[ports] = (struct next_hop_group){
		.first = ports, .count = ports - 1, .mode = GROUP_ECMP, .port = 1};
	t->groups[ports + 1] = t->groups[ports];
	t->groups[ports + 1].mode = GROUP_ADAPTIVE;
}

static void
fill_routes(struct tables *t)
{
	struct lpm_prefix ip4[HARNESS_PORTS_MAX + 2], ip6[HARNESS_PORTS_MAX];
	unsigned int ports = t->port_count;

	for (unsigned int i = 0; i < ports; i++) {
		ip4[i] = (struct lpm_prefix){.addr = {10, 0, (uint8_t)i}, .len = 24, .value = i};
		ip6[i] = (struct lpm_prefix){
			.addr = {0xfd, [7] = (uint8_t)i}, .len = 64, .value = i};
	}
	ip4[ports] = (struct lpm_prefix){.addr = {10, 1}, .len = 16, .value = ports};
	ip4[ports + 1] = (struct lpm_prefix){.addr = {10, 2}, .len = 16, .value = ports + 1};
	t->vrf_count = 1;
	t->vrfs = calloc(1, sizeof(*t->vrfs));
	assert_non_null(t->vrfs);
	assert_int_equal(lpm_build(&t->vrfs[0].ip4, ip4, ports + 2, 32), 0);
	assert_int_equal(lpm_build(&t->vrfs[0].ip6, ip6, ports, 128), 0);
}

struct tables *
harness_tables(uint16_t ports)
{
	struct tables *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_in_range(ports, 1, HARNESS_PORTS_MAX);
	t->port_count = ports;
	t->cell = 1;
	t->cell_magic = UINT64_C(1) << 32;
	t->eligible_data_only = true;
	t->eligible_udp_dport = ROCE_UDP_PORT;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		t->priority_to_pg[i] = t->priority_to_tc[i] = (uint8_t)i;
		t->tc_priorities[i] = (uint8_t)(1 << i);
	}
	for (unsigned int i = 0; i < POOL_COUNT; i++)
		t->pools[i] = (struct pool_profile){.size = 1000000, .shared = 1000000};
	t->pools[POOL_EGRESS_LOSSLESS] =
		(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	memset(t->grades, 0xff, sizeof(t->grades));
	t->profile_count = HARNESS_PROFILES;
	t->profiles = calloc(HARNESS_PROFILES, sizeof(*t->profiles));
	t->ports = calloc(ports, sizeof(*t->ports));
	assert_non_null(t->profiles);
	assert_non_null(t->ports);
	fill_profile(&t->profiles[0]);
	for (unsigned int i = 0; i < ports; i++) {
		t->ports[i] =
			(struct port_tables){.profile = &t->profiles[0], .tenant = TENANT_NONE};
		memcpy(t->ports[i].mac, harness_leaf_mac, 6);
	}
	fill_hops(t);
	fill_routes(t);
	return t;
}

struct port_profile *
harness_profile(struct tables *t)
{
	return &t->profiles[0];
}

struct port_profile *
harness_own_profile(struct tables *t, unsigned int port)
{
	t->profiles[1] = t->profiles[0];
	t->ports[port].profile = &t->profiles[1];
	return &t->profiles[1];
}

void
harness_open(struct harness *h, struct tables *t)
{
	*h = (struct harness){.tables = t, .window = HARNESS_DELAY};
	assert_int_equal(packet_pool_create(&h->pool, 2048), 0);
	assert_int_equal(node_create(&h->node, NODE_LEAF, t->port_count, 0, 1, h->pool), 0);
	h->node->ops = &pipeline_leaf;
	h->node->name = "leaf";
	for (unsigned int i = 0; i < t->port_count; i++) {
		assert_int_equal(wire_create(&h->in[i], HARNESS_DELAY, false, 0), 0);
		assert_int_equal(wire_create(&h->out[i], HARNESS_DELAY, false, 0), 0);
		h->node->ports[i].in = h->in[i];
		h->node->ports[i].out = h->out[i];
	}
	assert_null(node_set_tables(h->node, t));
	node_adopt_tables(h->node, t);
}

void
harness_adopt(struct harness *h, struct tables *t)
{
	struct tables *before = h->tables;

	assert_ptr_equal(node_set_tables(h->node, t), before);
	h->tables = t;
	h->node->start = h->now;
	node_adopt_tables(h->node, t);
	tables_destroy(before);
}

static void
empty_wire(struct harness *h, struct wire *w)
{
	while (wire_count(w) != 0)
		packet_free(h->pool, wire_take(w));
	wire_destroy(w);
}

void
harness_close(struct harness *h)
{
	for (unsigned int i = 0; i < h->tables->port_count; i++) {
		empty_wire(h, h->in[i]);
		empty_wire(h, h->out[i]);
	}
	node_destroy(h->node);
	assert_int_equal(h->pool->count, packet_pool_size(h->pool));
	packet_pool_destroy(h->pool);
	tables_destroy(h->tables);
}

ps_t
harness_run(struct harness *h, ps_t until)
{
	ps_t next = h->now;

	while (h->now < until) {
		ps_t edge = (h->now / TIME_WINDOW_MAX + 1) * TIME_WINDOW_MAX;
		ps_t end = time_min(time_min(h->now + h->window, edge), until);

		next = h->node->ops->advance(h->node, h->now, end);
		h->now = end;
	}
	return next;
}

void
harness_put(struct harness *h, unsigned int port, struct rte_mbuf *m, ps_t at)
{
	assert_int_equal(wire_put(h->in[port], m, at), 0);
}

struct rte_mbuf *
harness_take(struct harness *h, unsigned int port, ps_t *left)
{
	struct wire *w = h->out[port];

	if (wire_count(w) == 0)
		return NULL;
	if (left != NULL)
		*left = wire_next(w) - HARNESS_DELAY;
	return wire_take(w);
}

unsigned int
harness_drain(struct harness *h, unsigned int port)
{
	unsigned int count = 0;

	for (struct rte_mbuf *m; (m = harness_take(h, port, NULL)) != NULL; count++)
		packet_free(h->pool, m);
	return count;
}

uint64_t
harness_drops(const struct harness *h, unsigned int port, enum drop_reason reason)
{
	return h->node->ports[port].drops[reason];
}

static void
check_pools(const struct harness *h)
{
	const struct node *n = h->node;
	uint64_t used[POOL_COUNT] = {0}, shared[POOL_COUNT] = {0};

	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct port *p = &n->ports[i];

		for (unsigned int k = 0; k < PRIORITIES; k++) {
			const struct threshold *pg = &p->profile->pg[k].threshold;
			const struct threshold *tc = &p->profile->tc[k].threshold;
			const struct usage *g = &p->groups[k].usage, *q = &p->queues[k].usage;

			used[pg->pool] += g->own + g->guaranteed;
			used[tc->pool] += q->own + q->guaranteed;
			used[POOL_HEADROOM] += p->groups[k].headroom;
			shared[pg->pool] += buffer_shared(g->own, pg->reserved);
			shared[tc->pool] += buffer_shared(q->own, tc->reserved);
			assert_int_equal(q->own + q->guaranteed, n->depth[k * n->port_count + i]);
		}
	}
	for (unsigned int i = 0; i < POOL_COUNT; i++) {
		assert_int_equal(n->buffer.pools[i].used, used[i]);
		assert_int_equal(n->buffer.pools[i].shared_use, shared[i]);
	}
	assert_int_equal(used[POOL_INGRESS_LOSSLESS] + used[POOL_INGRESS_LOSSY] +
				 used[POOL_HEADROOM],
			 used[POOL_EGRESS_LOSSLESS] + used[POOL_EGRESS_LOSSY]);
}

void
harness_check(const struct harness *h)
{
	const struct node *n = h->node;
	uint64_t received = 0, gone = node_queued(n);

	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct port *p = &n->ports[i];

		received += p->rx_packets - p->control_rx + p->control_tx + p->control_lost;
		for (unsigned int k = 0; k < ANSWER_PACKETS; k++)
			received += p->answers[k];
		gone += p->tx_packets;
		for (unsigned int k = 0; k < DROP_COUNT; k++)
			gone += p->drops[k];
	}
	assert_int_equal(received, gone);
	check_pools(h);
	node_check(n, h->now);
}
