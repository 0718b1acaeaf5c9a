// SPDX-License-Identifier: BSD-3-Clause
// The pipeline of a switch, with a look at the packet between its stages. It is the text of
// switch.h, so the order of stages is the same by construction.
#include "trace.h"

#include "dataplane/stages/stage.h"

static bool trace_before(struct node *n, struct rte_mbuf *m, const char *call);
static int trace_after(struct node *n, const char *call, int verdict);

#define SWITCH_STAGE(call)                                              \
	do {                                                            \
		if (verdict == STAGE_NEXT && trace_before(n, m, #call)) \
			verdict = trace_after(n, #call, (call));        \
	} while (0)

#include "switch.h"

static bool
is_stage(const char *call, const char *name)
{
	return strncmp(call, name, strlen(name)) == 0;
}

// How stage_spray() is about to choose, by the functions that it asks.
static void
note_choice(struct switch_trace *t, struct rte_mbuf *m)
{
	const struct node *n = &t->node;
	const struct next_hop_group *group = &t->tables.groups[packet_meta(m)->group];
	const struct next_hop *hops = &t->tables.next_hops[group->first];

	if (t->member != TRACE_AS_CHOSEN) {
		t->choice = TRACE_PRESCRIBED;
	} else if (group->count <= 1) {
		t->choice = group->count == 1 ? TRACE_ONLY : TRACE_NONE;
	} else if (group->pinned && spray_pinned(n, m, hops, group->count) < group->count) {
		t->choice = TRACE_PIN;
	} else if (group->mode >= GROUP_ADAPTIVE &&
		   spray_eligible(&t->tables, m, n->variant & NODE_TUNNELS)) {
		t->choice = TRACE_STATE;
	} else {
		t->choice = TRACE_HASH;
		t->with_qp = group->mode == GROUP_ECMP_QP;
		t->hash = spray_hash(m, t->tables.hash_seed, t->with_qp);
	}
}

// The packet has its group.
static void
note_route(struct switch_trace *t, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;
	const bool ip6 = meta->flags & PACKET_IPV6;

	t->routed = *meta;
	t->has_route = true;
	memcpy(t->destination, ip6 ? ip + 24 : ip + 16, ip6 ? 16 : 4);
	note_choice(t, m);
	t->begun = t->node.paths.flowlets_begun;
	if (t->choice == TRACE_PRESCRIBED) { // the group is this member alone
		struct next_hop_group *group = &t->groups[meta->group];

		group->first += (uint32_t)t->member;
		group->port = t->tables.next_hops[group->first].port;
		group->count = 1;
	}
}

// An InfiniBand packet is about to be looked up, by a table that is at hand: its group is known.
static void
note_lid(struct switch_trace *t, struct rte_mbuf *m)
{
	const uint16_t dlid = ib_lrh_dlid((const struct ib_lrh *)packet_data(m));
	struct packet_meta *meta = packet_meta(m);
	struct next_hop_group *group;

	t->class = *meta;
	t->has_class = true;
	meta->group = dlid < t->tables.lid_count ? t->tables.lids[dlid] : LID_NOWHERE;
	if (meta->group >= LID_OWN)
		return;
	group = &t->groups[meta->group];
	t->routed = *meta;
	t->has_route = true;
	t->choice = t->member != TRACE_AS_CHOSEN ? TRACE_PRESCRIBED
		    : group->count > 1 && group->mode >= GROUP_ADAPTIVE &&
				    spray_eligible(&t->tables, m, false)
			    ? TRACE_STATE
			    : TRACE_ONLY;
	if (t->choice == TRACE_PRESCRIBED) {
		group->first += (uint32_t)t->member;
		group->count = 1;
	}
}

// Returns false for a stage that is left out.
static bool
trace_before(struct node *n, struct rte_mbuf *m, const char *call)
{
	struct switch_trace *t = (struct switch_trace *)n;

	if (is_stage(call, "switch_forward(")) {
		t->class = *packet_meta(m);
		t->has_class = true;
	}
	if (is_stage(call, "stage_spray("))
		note_route(t, m);
	if (is_stage(call, "stage_lid("))
		note_lid(t, m);
	if (is_stage(call, "stage_enqueue(") || is_stage(call, "stage_cut_through("))
		return false;
	return t->admit || !is_stage(call, "stage_admit(");
}

static int
trace_after(struct node *n, const char *call, int verdict)
{
	struct switch_trace *t = (struct switch_trace *)n;

	if (is_stage(call, "stage_spray("))
		t->new_flowlet = t->begun != n->paths.flowlets_begun;
	return verdict;
}

int
switch_trace(struct switch_trace *t, struct port *in, struct rte_mbuf *m, ps_t now)
{
	t->new_flowlet = false;
	t->has_class = false;
	t->has_route = false;
	t->choice = TRACE_NONE;
	if (t->node.variant & NODE_INFINIBAND)
		return infiniband_ingress(&t->node, in, m, now, t->node.variant);
	return switch_ingress(&t->node, in, m, now, t->node.variant);
}

int
nic_trace(struct node *copy, struct port *in, struct rte_mbuf *m, ps_t now)
{
	int verdict = stage_receive(copy, in, m, now);

	if (packet_meta(m)->flags & PACKET_INFINIBAND)
		return verdict == STAGE_NEXT ? stage_lrh(copy, in, m, now) : verdict;
	if (verdict == STAGE_NEXT)
		verdict = stage_parse(copy, in, m, now);
	if (verdict == STAGE_NEXT)
		verdict = stage_control_frames(copy, in, m, now);
	return verdict;
}
