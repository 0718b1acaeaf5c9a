// SPDX-License-Identifier: BSD-3-Clause
// Cycles a packet spends in each stage of the leaf's pipeline: 64 B RoCEv2 packets, every stage on. Each stage
// is timed apart over a batch of 64; `whole` is the pipeline as it runs, wires and event loop included.
// Prints one JSON object: {"whole": cycles, "stages": {NAME: cycles}, "batches": n}, medians over the batches.
#include "control/fabric/fabric.h"
#include "dataplane/port_tx.h"
#include "dataplane/stages/admit.h"
#include "dataplane/stages/classify.h"
#include "dataplane/stages/control_frames.h"
#include "dataplane/stages/enqueue.h"
#include "dataplane/stages/parse.h"
#include "dataplane/stages/receive.h"
#include "dataplane/stages/rewrite.h"
#include "dataplane/stages/route.h"
#include "dataplane/stages/spray.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#define BATCH 64
#define BATCHES 20000
#define FRAME_BYTES 64

static const char *const yaml =
	"switch:\n"
	"  name: bench\n"
	"  role: leaf\n"
	"  preset: spectrum-x\n"
	"  ports:\n"
	"    swp1: {dev: net_null0, rate: device, cable: 5m}\n"
	"    swp2: {dev: net_null1, rate: device, cable: 5m}\n"
	"  routes:\n"
	"    - {vrf: default, prefix: 198.18.2.0/24, via: [{port: swp2, mac: \"02:00:00:00:02:02\"}]}\n";

// A WRITE_ONLY of 6 bytes to 198.18.2.1, DSCP 26, ECT(0): what the stages look at is real, the ICRC is not.
static const uint8_t frame[FRAME_BYTES] = {
	0x02, 0, 0, 0, 0, 0x01, 0x02, 0, 0, 0, 0x01, 0x01, 0x08, 0x00,
	0x45, 0x6a, 0, 50, 0, 1, 0x40, 0, 64, 17, 0, 0, 198, 18, 1, 1, 198, 18, 2, 1,
	0xc0, 0, 0x12, 0xb7, 0, 30, 0, 0,
	0x0a, 0x40, 0xff, 0xff, 0, 0, 0, 16, 0, 0, 0, 0,
};

static const char *const names[] = {"receive", "parse", "control_frames", "classify", "route",
				    "spray",   "admit", "rewrite",        "enqueue and egress"};

#define STAGES (sizeof(names) / sizeof(names[0]))

static __rte_always_inline unsigned int
stage_run(struct node *n, struct port *in, struct rte_mbuf **m, unsigned int count, ps_t now, stage_fn *stage)
{
	unsigned int passed = 0;

	for (unsigned int i = 0; i < count; i++)
		passed += stage(n, in, m[i], now) == STAGE_NEXT;
	return passed;
}

// One call a stage, inlined into it, as the pipeline has it.
static __attribute__((noinline)) unsigned int
run_stage(unsigned int i, struct node *n, struct port *in, struct rte_mbuf **m, unsigned int count, ps_t now)
{
	switch (i) {
	case 0:
		return stage_run(n, in, m, count, now, stage_receive);
	case 1:
		return stage_run(n, in, m, count, now, stage_parse);
	case 2:
		return stage_run(n, in, m, count, now, stage_control_frames);
	case 3:
		return stage_run(n, in, m, count, now, stage_classify);
	case 4:
		return stage_run(n, in, m, count, now, stage_route);
	case 5:
		return stage_run(n, in, m, count, now, stage_spray);
	case 6:
		return stage_run(n, in, m, count, now, stage_admit);
	case 7:
		return stage_run(n, in, m, count, now, stage_rewrite);
	default:
		return stage_run(n, in, m, count, now, stage_enqueue);
	}
}

static void
fill(struct packet_pool *pool, struct rte_mbuf **m)
{
	uint8_t made[FRAME_BYTES];
	uint16_t sum;

	memcpy(made, frame, sizeof(made));
	sum = checksum_ipv4_header(made + 14, 20);
	memcpy(made + 24, &sum, sizeof(sum));
	for (unsigned int i = 0; i < BATCH; i++) {
		m[i] = packet_alloc(pool);
		if (m[i] == NULL)
			abort();
		packet_init_frame(m[i], 0, FRAME_BYTES);
		memcpy(packet_data(m[i]), made, FRAME_BYTES);
	}
}

static void
drain(struct packet_pool *pool, struct wire *w)
{
	while (wire_count(w) != 0)
		packet_free(pool, wire_take(w));
}

static int
compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double
median(uint32_t *values)
{
	qsort(values, BATCHES, sizeof(*values), compare);
	return (double)values[BATCHES / 2] / BATCH;
}

static void
measure_stages(struct node *n, struct packet_pool *pool, uint32_t *values[STAGES])
{
	const ps_t now = BATCHES * PS_PER_NS; // behind what was measured whole
	struct rte_mbuf *m[BATCH];

	for (unsigned int k = 0; k < BATCHES; k++) {
		unsigned int count = BATCH;

		fill(pool, m);
		for (unsigned int i = 0; i < STAGES; i++) {
			uint64_t start = __rdtsc();

			count = run_stage(i, n, &n->ports[0], m, count, now);
			values[i][k] = (uint32_t)(__rdtsc() - start);
			if (count != (i + 1 < STAGES ? BATCH : 0)) {
				fprintf(stderr, "stages: %s lets %u of %u packets pass\n", names[i], count, BATCH);
				exit(1);
			}
		}
		drain(pool, n->ports[1].out);
	}
}

static void
measure_whole(struct node *n, struct packet_pool *pool, uint32_t *values)
{
	struct rte_mbuf *m[BATCH];
	ps_t now = 0;

	for (unsigned int k = 0; k < BATCHES; k++, now += PS_PER_NS) {
		uint64_t start;

		fill(pool, m);
		start = __rdtsc();
		for (unsigned int i = 0; i < BATCH; i++)
			wire_put(n->ports[0].in, m[i], now);
		n->ops->advance(n, now, now + PS_PER_NS);
		values[k] = (uint32_t)(__rdtsc() - start);
		drain(pool, n->ports[1].out);
	}
}

int
main(void)
{
	struct fabric_options options = {0};
	struct config_diag diag = {0};
	struct packet_pool *pool;
	struct config *config;
	struct topology *topology;
	struct fabric *f;
	uint32_t *values[STAGES + 1];
	struct node *n;

	if (packet_pool_create(&pool, 128) != 0 ||
	    config_load_text(&config, yaml, strlen(yaml), "bench", &diag) != 0 ||
	    topology_create(&topology, config, &diag) != 0) {
		config_diag_print(&diag, stderr);
		return 1;
	}
	options.pools = &pool;
	if (fabric_create(&f, config, topology, &options, &diag) != 0) {
		config_diag_print(&diag, stderr);
		return 1;
	}
	n = f->nodes[0];
	for (uint16_t i = 0; i < n->port_count; i++)
		if (wire_create(&n->ports[i].in, 1, false, 0) != 0 || wire_create(&n->ports[i].out, 1, false, 0) != 0)
			return 1;
	for (unsigned int i = 0; i <= STAGES; i++)
		values[i] = calloc(BATCHES, sizeof(**values));
	measure_whole(n, pool, values[STAGES]);
	n->until = PS_NEVER; // outside a turn
	measure_stages(n, pool, values);
	printf("{\"whole\": %.1f, \"stages\": {", median(values[STAGES]));
	for (unsigned int i = 0; i < STAGES; i++)
		printf("%s\"%s\": %.1f", i == 0 ? "" : ", ", names[i], median(values[i]));
	printf("}, \"batches\": %d}\n", BATCHES);
	for (uint16_t i = 0; i < n->port_count; i++) {
		wire_destroy(n->ports[i].in);
		wire_destroy(n->ports[i].out);
	}
	for (unsigned int i = 0; i <= STAGES; i++)
		free(values[i]);
	fabric_destroy(f);
	topology_destroy(topology);
	config_free(config);
	config_diag_free(&diag);
	packet_pool_destroy(pool);
	return 0;
}
