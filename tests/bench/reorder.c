// SPDX-License-Identifier: BSD-3-Clause
// What it costs to put a window of packets in order: ns a packet from one queue pair, all held
// until the first comes, in the order that they were sent and in a random one. Prints a line for
// each window as JSON: {"window", "in_order_ns", "random_ns"}, the best of several.
#include "dataplane/base/random.h"
#include "dataplane/roce/reorder.h"

#include "tests/unit/dataplane/roce/reorder_frames.h"

#include <stdio.h>
#include <time.h>

#define ROUNDS 5

static double
clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void
shuffle(struct rte_mbuf **packets, uint32_t count, struct random *random)
{
	for (uint32_t i = count - 1; i > 0; i--) {
		uint32_t other = random_below(random, i + 1);
		struct rte_mbuf *m = packets[i];

		packets[i] = packets[other];
		packets[other] = m;
	}
}

// Gives all but the first, then the first. Returns ns a packet, or -1 if not all came out in order.
static double
order(struct rte_mbuf **packets, uint32_t count)
{
	const struct reorder_settings settings = {count, PS_PER_S, 0};
	struct rte_mbuf *first = reorder_frame_make(
		&(struct reorder_frame){.opcode = ROCE_OP_SEND_ONLY, .qp = 17, .psn = 0});
	struct reorder *r;
	uint32_t psn = 1;
	double began, took;

	if (reorder_create(&r, &settings) != 0)
		return -1;
	reorder_take(r, first, true, 0);
	began = clock_ns();
	first = NULL;
	for (uint32_t i = 0; i < count; i++)
		first = reorder_take(r, packets[i], true, 0);
	took = (clock_ns() - began) / count;
	for (; first != NULL; first = packet_meta(first)->next)
		if (reorder_frame_psn(first) != psn++)
			return -1;
	reorder_destroy(r);
	return psn == count + 1 ? took : -1;
}

static bool
measure(uint32_t window)
{
	static struct rte_mbuf *packets[REORDER_PACKETS_MAX], *last;
	struct random random = random_stream(1, window);
	double best[2] = {1e12, 1e12};

	for (uint32_t i = 0; i < window; i++)
		packets[i] = reorder_frame_make(&(struct reorder_frame){
			.opcode = ROCE_OP_SEND_ONLY, .qp = 17, .psn = 2 + i});
	// The last of the list is the first PSN: all others are held until it comes.
	last = packets[window - 1];
	free(last);
	packets[window - 1] = reorder_frame_make(
		&(struct reorder_frame){.opcode = ROCE_OP_SEND_ONLY, .qp = 17, .psn = 1});
	for (unsigned int round = 0; round < 2 * ROUNDS; round++) {
		bool shuffled = round >= ROUNDS;
		double ns;

		if (shuffled)
			shuffle(packets, window - 1, &random);
		ns = order(packets, window);
		if (ns < 0)
			return false;
		best[shuffled] = ns < best[shuffled] ? ns : best[shuffled];
	}
	printf("{\"window\": %u, \"in_order_ns\": %.1f, \"random_ns\": %.1f}\n", window, best[0],
	       best[1]);
	for (uint32_t i = 0; i < window; i++)
		free(packets[i]);
	return true;
}

int
main(void)
{
	for (uint32_t window = 256; window <= REORDER_PACKETS_MAX; window *= 8)
		if (!measure(window))
			return 1;
	return 0;
}
