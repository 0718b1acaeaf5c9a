// SPDX-License-Identifier: BSD-3-Clause
// Flows of an algorithm as lines of text, to compare whole collectives at a glance:
// "0>1 in0 gate0+1: 3 3 2" is rank 0 to rank 1, its inbox 0, waiting for inbox 0 with a lead of 1,
// messages of 3, 3 and 2 bytes.
#pragma once

#include "made.h"

static inline void
print_flow(FILE *to, const struct flow_spec *flow)
{
	uint64_t sum = 0;

	fprintf(to, "%u>%u in%u", flow->from_rank, flow->to_rank, flow->inbox);
	if (flow->gate != WORKLOAD_NONE)
		fprintf(to, " gate%u+%u", flow->gate, flow->gate_lead);
	fprintf(to, ":");
	for (uint32_t k = 0; k < flow->messages.count; k++) {
		uint64_t bytes = flow_message_bytes(&flow->messages, k);

		fprintf(to, " %lu", (unsigned long)bytes);
		sum += bytes;
	}
	fprintf(to, "\n");
	assert_int_equal(flow->bytes, sum);
	assert_int_equal(flow->collective, 0);
	assert_int_equal(flow->src, flow->from_rank);
	assert_int_equal(flow->dst, flow->to_rank);
}

// The only collective of a leaf with so many hosts. inboxes: how many each rank has, a digit each.
static inline void
assert_flows(unsigned hosts, const char *item, const char *inboxes, const char *wanted)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	struct made m;

	assert_non_null(to);
	make_leaf(&m, hosts, item);
	assert_int_equal(m.w->collectives[0].flow_count, m.w->flow_count);
	for (uint32_t i = 0; i < m.w->flow_count; i++)
		print_flow(to, &m.w->flows[i]);
	fclose(to);
	assert_string_equal(text, wanted);
	assert_int_equal(m.w->rank_count, strlen(inboxes));
	for (uint32_t r = 0; r < m.w->rank_count; r++)
		assert_int_equal(m.w->ranks[r].inbox_count, inboxes[r] - '0');
	free(text);
	drop(&m);
}
