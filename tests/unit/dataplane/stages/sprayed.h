// SPDX-License-Identifier: BSD-3-Clause
// A group that leads to ports 1 to 4; depths, pauses and links are set by hand, and the stage is
// asked again and again.
#pragma once

#include "../harness.h"

#include "dataplane/stages/classify.h"
#include "dataplane/stages/spray.h"

#include <string.h>

#define MEMBERS 4u
#define GROUP (MEMBERS + 1) // of harness_tables(MEMBERS + 1)
#define OTHER_GROUP (MEMBERS + 2)
#define DRAWS 1000u

// Of 1000 draws a member that one in n takes gets 1000/n to 3 sigma = 3 sqrt(1000 (1/n) (1 - 1/n)).
#define SIGMA3_OF_4 41u
#define SIGMA3_OF_3 44u
#define SIGMA3_OF_2 47u

static inline void
open_group(struct harness *h, enum group_mode mode)
{
	struct tables *t = harness_tables(MEMBERS + 1);

	t->groups[GROUP].mode = t->groups[OTHER_GROUP].mode = (uint8_t)mode;
	t->grades[0] = 100;
	t->grades[1] = 1000;
	harness_open(h, t);
}

// A packet that has been parsed and classified, to be freed with packet_free().
static inline struct rte_mbuf *
packet(struct harness *h, const struct frame *f)
{
	struct rte_mbuf *m = harness_frame(h, f);

	assert_int_equal(stage_parse(h->node, &h->node->ports[0], m, h->now), STAGE_NEXT);
	assert_int_equal(stage_classify(h->node, &h->node->ports[0], m, h->now), STAGE_NEXT);
	return m;
}

static inline struct rte_mbuf *
roce(struct harness *h, enum roce_op opcode)
{
	return packet(
		h, &(struct frame){.dscp = 24, .dport = ROCE_UDP_PORT, .opcode = (uint8_t)opcode});
}

// The port that the packet takes.
static inline unsigned int
spray(struct harness *h, struct rte_mbuf *m, uint32_t group)
{
	struct packet_meta *meta = packet_meta(m);

	meta->group = group;
	assert_int_equal(stage_spray(h->node, &h->node->ports[0], m, h->now), STAGE_NEXT);
	assert_int_equal(meta->out_port, h->tables->next_hops[meta->group].port);
	assert_in_range(meta->group, h->tables->groups[group].first,
			h->tables->groups[group].first + h->tables->groups[group].count - 1u);
	return meta->out_port;
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
