// SPDX-License-Identifier: BSD-3-Clause
// A group that leads to ports 1 to 4; depths, pauses and links are set by hand, and the stage is
// asked again and again.
#pragma once

#include "../harness.h"

#include "dataplane/stages/classify.h"
#include "dataplane/stages/spray.h"
#include "dataplane/stages/parse.h"

#include <string.h>

#define MEMBERS 4u
#define GROUP (MEMBERS + 1) // of harness_tables(MEMBERS + 1)
#define OTHER_GROUP (MEMBERS + 2)
#define DRAWS 1000u

// Of 1000 draws a member that one in n takes gets 1000/n to 3 sigma = 3 sqrt(1000 (1/n) (1 - 1/n)).
#define SIGMA3_OF_4 41u
#define SIGMA3_OF_3 44u
#define SIGMA3_OF_2 47u

#define FLOWLET_GAP (10 * PS_PER_US)

// Tables to change before harness_open().
static inline struct tables *
group_tables(enum group_mode mode)
{
	struct tables *t = harness_tables(MEMBERS + 1);

	t->groups[GROUP].mode = t->groups[OTHER_GROUP].mode = (uint8_t)mode;
	t->grades[0] = 100;
	t->grades[1] = 1000;
	t->flowlets = mode == GROUP_FLOWLET;
	t->flowlet_gap = FLOWLET_GAP;
	return t;
}

static inline void
open_group(struct harness *h, enum group_mode mode)
{
	harness_open(h, group_tables(mode));
}

// A packet that has been parsed and classified, to be freed with packet_free().
static inline struct rte_mbuf *
packet(struct harness *h, const struct frame *f)
{
	struct rte_mbuf *m = harness_frame(h, f);

	assert_int_equal(stage_parse(h->node, &h->node->ports[0], m, h->now), STAGE_NEXT);
	assert_int_equal(stage_classify(h->node, &h->node->ports[0], m, h->now, 0), STAGE_NEXT);
	return m;
}

static inline struct rte_mbuf *
roce(struct harness *h, enum roce_op opcode)
{
	return packet(
		h, &(struct frame){.dscp = 24, .dport = ROCE_UDP_PORT, .opcode = (uint8_t)opcode});
}

// The port that the packet takes at an instant, or now.
static inline unsigned int
spray_at(struct harness *h, struct rte_mbuf *m, uint32_t group, ps_t at)
{
	struct packet_meta *meta = packet_meta(m);

	meta->group = group;
	assert_int_equal(stage_spray(h->node, &h->node->ports[0], m, at, 0), STAGE_NEXT);
	assert_int_equal(meta->out_port, h->tables->next_hops[meta->group].port);
	assert_in_range(meta->group, h->tables->groups[group].first,
			h->tables->groups[group].first + h->tables->groups[group].count - 1u);
	return meta->out_port;
}

static inline unsigned int
spray(struct harness *h, struct rte_mbuf *m, uint32_t group)
{
	return spray_at(h, m, group, h->now);
}

// How often each port is taken in 1000 draws.
static inline void
count(struct harness *h, struct rte_mbuf *m, unsigned int taken[MEMBERS + 1])
{
	memset(taken, 0, (MEMBERS + 1) * sizeof(*taken));
	for (unsigned int i = 0; i < DRAWS; i++)
		taken[spray(h, m, GROUP)]++;
}

// Each of `ports` (bit per port) takes its part of 1000 draws, the others nothing.
static inline void
expect_even(struct harness *h, struct rte_mbuf *m, unsigned int ports)
{
	static const unsigned int sigma3[] = {0, 0, SIGMA3_OF_2, SIGMA3_OF_3, SIGMA3_OF_4};
	unsigned int taken[MEMBERS + 1], n = (unsigned int)__builtin_popcount(ports);

	count(h, m, taken);
	for (unsigned int i = 1; i <= MEMBERS; i++) {
		if (ports >> i & 1)
			assert_in_range(taken[i], DRAWS / n - sigma3[n], DRAWS / n + sigma3[n] + 1);
		else
			assert_int_equal(taken[i], 0);
	}
}

// Pauses priority 3, or lets it go, of a port by a frame that it receives.
static inline void
pause_port(struct harness *h, unsigned int port, uint16_t quanta)
{
	const uint16_t all[PRIORITIES] = {[3] = quanta};

	harness_put(h, port, harness_pfc(h, 1 << 3, all), h->now);
	harness_run(h, h->now + 1);
}

static inline void
set_depths(struct harness *h, unsigned int tc, const uint32_t depths[MEMBERS])
{
	for (unsigned int i = 0; i < MEMBERS; i++)
		*node_depth(h->node, &h->node->ports[i + 1], tc) = depths[i];
}

// Makes the packet another flow's: source address and port.
static inline void
set_flow(struct rte_mbuf *m, uint64_t draw)
{
	memcpy(packet_data(m) + 14 + 12 + 1, &draw, 3);
	memcpy(packet_data(m) + 14 + 20, (uint8_t *)&draw + 4, 2);
}

static inline void
set_qp(struct rte_mbuf *m, uint32_t qp)
{
	roce_bth_init((struct roce_bth *)(packet_data(m) + 14 + 20 + 8), ROCE_OP_WRITE_MIDDLE, qp,
		      0, 0);
}
