// SPDX-License-Identifier: BSD-3-Clause
// Cycles a packet spends in the leaf's pipeline: 64 B RoCEv2 packets in bursts of 64. `idle`: the
// way out is as fast as its device, so that packets leave at once; `queued`: it runs at 400G, so
// that all but the first wait. Each is measured on a switch with a preset and nothing else, on the
// same switch with a tenant, and with every feature of the QoS on. `encap`, `decap`, `transit`: by
// idle ports into VXLAN, out of it, and past a switch that looks into it. Then each stage apart
// over a batch of 64, on the first. Prints one JSON object: {"pipeline": {SCENARIO: cycles, ...},
// "stages": {NAME: cycles, ...}, "batches": n}, medians over the batches. With the name of a
// scenario: its cycles alone.
#include "control/fabric/fabric.h"
#include "dataplane/queueing/port_tx.h"
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

#define PORTS(belongs, rate_out)                                           \
	"  ports:\n"                                                       \
	"    swp1: {dev: net_null0, rate: device, cable: 5m" belongs "}\n" \
	"    swp2: {" rate_out ", cable: 5m" belongs "}\n"                 \
	"  routes:\n"
#define ROUTE(vrf)         \
	"    - {vrf: " vrf \
	", prefix: 198.18.2.0/24, via: [{port: swp2, mac: \"02:00:00:00:02:02\"}]}\n"
#define HEAD                             \
	"switch:\n"                      \
	"  name: bench\n"                \
	"  role: leaf\n"                 \
	"  mac: \"02:00:00:00:00:01\"\n" \
	"  preset: spectrum-x\n"
#define PLAIN(rate_out) HEAD PORTS("", rate_out) ROUTE("default")
// No rate holds a packet here: what is measured is that it might.
#define ALL_ON(rate_out)                                                                       \
	HEAD "  buffer:\n"                                                                     \
	     "    pools: {ingress-lossless: {port-alpha: 8}, egress-lossy: {port-alpha: 8}}\n" \
	     "    headroom-pool: {size: 4MB}\n"                                                \
	     "  qos:\n"                                                                        \
	     "    tc: {3: {red: on, fairness: tenant, min-rate: 1G, max-rate: 8000G}}\n"       \
	     "    port: {max-rate: 8000G}\n"                                                   \
	     "    watchdog: on\n"                                                              \
	     "    remark: {dscp: {3: 26}}\n"                                                   \
	     "    trim: {size: 256B, dscp: 11, tc: 4, eligible-tc: [0]}\n"                     \
	     "    histograms: [{queue: swp2.3}, {group: swp1.3}, {latency: swp2.3}]\n" PORTS(  \
		     ", vrf: red, tenant: red", rate_out)                                      \
		     ROUTE("red") "tenants: {red: {buffer: {guaranteed: 4KB, share: 50%}}}\n"
#define DEVICE "dev: net_null1, rate: device"
// A leaf, 172.16.0.1, whose tenant red is at swp1 and behind the leaf 172.16.0.2 at swp2; or a
// switch between leaves.
#define TUNNELS(vtep, belongs, routes)                                             \
	HEAD "  vtep: " vtep "\n"                                                  \
	     "  ports:\n"                                                          \
	     "    swp1: {dev: net_null0, rate: device, cable: 5m" belongs "}\n"    \
	     "    swp2: {dev: net_null1, rate: device, cable: 5m, uplink: true}\n" \
	     "  routes:\n" routes "tenants: {red: {vni: 5001, encap: vxlan}}\n"
#define RED ", vrf: red, tenant: red"
// Tenants without encapsulation: ports of VRFs.
#define TENANT(rate_out) HEAD PORTS(RED, rate_out) ROUTE("red") "tenants: {red: {}}\n"
#define TO_LEAF(address, port) \
	"    - {prefix: " address "/32, via: [{port: " port ", mac: \"02:00:00:00:02:02\"}]}\n"
#define ENCAP                                                                           \
	TUNNELS("172.16.0.1", RED,                                                      \
		TO_LEAF("172.16.0.2",                                                   \
			"swp2") "    - {vrf: red, prefix: 198.18.2.0/24, via: [{vtep: " \
				"172.16.0.2, mac: \"02:02:00:00:02:00\"}]}\n")
#define DECAP                                                                      \
	TUNNELS("172.16.0.1", RED,                                                 \
		"    - {vrf: red, prefix: 198.18.2.0/24, via: [{port: swp1, mac: " \
		"\"02:00:00:00:02:02\"}]}\n")
#define TRANSIT TUNNELS("172.16.0.9", ", uplink: true", TO_LEAF("172.16.0.1", "swp1"))

// What of the pipeline is measured: how a switch is set, and how long a burst has to pass.
static const struct scenario {
	const char *name;
	const char *yaml;
	ps_t step;
	bool tunnel; // from swp2 to swp1, in VXLAN
} scenarios[] = {
	{"idle", PLAIN(DEVICE), 10 * PS_PER_NS, false},
	{"idle, all on", ALL_ON(DEVICE), 10 * PS_PER_NS, false},
	{"queued", PLAIN("rate: 400G"), 200 * PS_PER_NS, false},
	{"queued, all on", ALL_ON("rate: 400G"), 200 * PS_PER_NS, false},
	{"idle, tenant", TENANT(DEVICE), 10 * PS_PER_NS, false},
	{"queued, tenant", TENANT("rate: 400G"), 200 * PS_PER_NS, false},
	{"encap", ENCAP, 10 * PS_PER_NS, false},
	{"decap", DECAP, 10 * PS_PER_NS, true},
	{"transit", TRANSIT, 10 * PS_PER_NS, true},
};

#define SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

// A WRITE_ONLY of 6 bytes to 198.18.2.1, DSCP 26, ECT(0): what the stages look at is real, the ICRC
// is not.
static const uint8_t frame[FRAME_BYTES] = {
	0x02, 0,    0,    0,    0, 0x01, 0x02, 0,  0,    0,    0x01, 0x01, 0x08, 0x00,
	0x45, 0x6a, 0,    50,   0, 1,    0x40, 0,  64,   17,   0,    0,    198,  18,
	1,    1,    198,  18,   2, 1,    0xc0, 0,  0x12, 0xb7, 0,    30,   0,    0,
	0x0a, 0x40, 0xff, 0xff, 0, 0,    0,    16, 0,    0,    0,    0,
};

#define OUTER_BYTES 50
// Around it: to 172.16.0.1, VNI 5001, and the router whose ports' address is its own.
static const uint8_t outer[OUTER_BYTES + 14] = {
	0x02, 0,   0,    0, 0,    0x01, 0x02, 0,    0,    0, 0x01, 0x01, 0x08, 0x00, 0x45, 0x6a,
	0,    100, 0,    0, 0x40, 0,    64,   17,   0,    0, 172,  16,   0,    2,    172,  16,
	0,    1,   0xc0, 0, 0x12, 0xb5, 0,    80,   0,    0, 0x08, 0,    0,    0,    0,    0x13,
	0x89, 0,   0x02, 0, 0,    0,    0,    0x01, 0x02, 0, 0,    0,    0x01, 0x01, 0x08, 0x00,
};

static const char *const names[] = {"receive",  "parse",   "control_frames",
				    "classify", "route",   "spray",
				    "admit",    "rewrite", "enqueue and egress"};

#define STAGES (sizeof(names) / sizeof(names[0]))

#define RUN(call)                                \
	for (unsigned int k = 0; k < count; k++) \
	passed += (call) == STAGE_NEXT

// One call a stage, inlined into it, as the pipeline has it.
static __attribute__((noinline)) unsigned int
run_stage(unsigned int i, struct node *n, struct port *in, struct rte_mbuf **m, unsigned int count,
	  ps_t now)
{
	unsigned int passed = 0;

	switch (i) {
	case 0:
		RUN(stage_receive(n, in, m[k], now));
		break;
	case 1:
		RUN(stage_parse(n, in, m[k], now));
		break;
	case 2:
		RUN(stage_control_frames(n, in, m[k], now));
		break;
	case 3:
		RUN(stage_classify(n, in, m[k], now, 0));
		break;
	case 4:
		RUN(stage_route(n, in, m[k], now));
		break;
	case 5:
		RUN(stage_spray(n, in, m[k], now, 0));
		break;
	case 6:
		RUN(stage_admit(n, in, m[k], now, 0));
		break;
	case 7:
		RUN(stage_rewrite(n, in, m[k], now, 0));
		break;
	default:
		RUN(stage_enqueue(n, in, m[k], now, 0));
		break;
	}
	return passed;
}

static void
put_checksum(uint8_t *made)
{
	uint16_t sum = checksum_ipv4_header(made + 14, 20);

	memcpy(made + 24, &sum, sizeof(sum));
}

static void
fill(struct packet_pool *pool, struct rte_mbuf **m, bool tunnel)
{
	const uint16_t at = tunnel ? OUTER_BYTES : 0;
	uint8_t made[OUTER_BYTES + FRAME_BYTES];

	memcpy(made + at, frame, sizeof(frame));
	put_checksum(made + at);
	if (tunnel) {
		memcpy(made, outer, sizeof(outer));
		put_checksum(made);
	}
	for (unsigned int i = 0; i < BATCH; i++) {
		m[i] = packet_alloc(pool);
		if (m[i] == NULL)
			abort();
		packet_init_frame(m[i], 0, FRAME_BYTES + at);
		memcpy(packet_data(m[i]), made, FRAME_BYTES + (size_t)at);
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

// One switch and what it is made from.
struct bench {
	struct packet_pool *pool;
	struct config *config;
	struct topology *topology;
	struct fabric *fabric;
	struct node *node;
};

static bool
bench_open(struct bench *b, const char *yaml)
{
	struct diag diag = {0};
	struct fabric_options options = {.pools = &b->pool};
	bool good = packet_pool_create(&b->pool, 128) == 0 &&
		    config_load_text(&b->config, yaml, strlen(yaml), "bench", &diag) == 0 &&
		    topology_create(&b->topology, b->config, &diag) == 0 &&
		    fabric_create(&b->fabric, b->config, b->topology, &options, &diag) == 0;

	diag_print(&diag, stderr);
	diag_free(&diag);
	if (!good)
		return false;
	b->node = b->fabric->nodes[0];
	for (uint16_t i = 0; i < b->node->port_count; i++)
		if (wire_create(&b->node->ports[i].in, 1, false, 0) != 0 ||
		    wire_create(&b->node->ports[i].out, 1, false, 0) != 0)
			return false;
	return true;
}

static void
bench_close(struct bench *b)
{
	for (uint16_t i = 0; i < b->node->port_count; i++) {
		wire_destroy(b->node->ports[i].in);
		wire_destroy(b->node->ports[i].out);
	}
	fabric_destroy(b->fabric);
	topology_destroy(b->topology);
	config_free(b->config);
	packet_pool_destroy(b->pool);
}

static void
measure_stages(struct node *n, struct packet_pool *pool, uint32_t *values[STAGES])
{
	const ps_t now = BATCHES * PS_PER_NS; // behind the batches of the pipeline
	struct rte_mbuf *m[BATCH];

	for (unsigned int k = 0; k < BATCHES; k++) {
		unsigned int count = BATCH;

		fill(pool, m, false);
		for (unsigned int i = 0; i < STAGES; i++) {
			uint64_t start = __rdtsc();

			count = run_stage(i, n, &n->ports[0], m, count, now);
			values[i][k] = (uint32_t)(__rdtsc() - start);
			if (count != (i + 1 < STAGES ? BATCH : 0)) {
				fprintf(stderr, "stages: %s lets %u of %u packets pass\n", names[i],
					count, BATCH);
				exit(1);
			}
		}
		drain(pool, n->ports[1].out);
	}
}

static void
measure_pipeline(const struct bench *b, const struct scenario *scenario, uint32_t *values)
{
	struct node *n = b->node;
	struct wire *in = n->ports[scenario->tunnel].in, *out = n->ports[!scenario->tunnel].out;
	struct rte_mbuf *m[BATCH];
	ps_t now = 0;

	for (unsigned int k = 0; k < BATCHES; k++, now += scenario->step) {
		uint64_t start;

		if (now % TIME_WINDOW_MAX + scenario->step > TIME_WINDOW_MAX)
			now = (now / TIME_WINDOW_MAX + 1) * TIME_WINDOW_MAX;
		fill(b->pool, m, scenario->tunnel);
		start = __rdtsc();
		for (unsigned int i = 0; i < BATCH; i++)
			wire_put(in, m[i], now);
		n->ops->advance(n, now, now + scenario->step);
		values[k] = (uint32_t)(__rdtsc() - start);
		if (wire_count(out) != BATCH) {
			fprintf(stderr, "stages: %s: %u of %u packets pass\n", scenario->name,
				(unsigned int)wire_count(out), BATCH);
			exit(1);
		}
		drain(b->pool, out);
	}
}

// The measured scenario of that name alone, as one number; for a profiler.
static int
main_alone(const char *name)
{
	uint32_t *values = calloc(BATCHES, sizeof(*values));
	struct bench b;
	int status = 1;

	for (unsigned int i = 0; i < SCENARIOS; i++) {
		if (strcmp(scenarios[i].name, name) != 0 || !bench_open(&b, scenarios[i].yaml))
			continue;
		measure_pipeline(&b, &scenarios[i], values);
		printf("%.1f\n", median(values));
		bench_close(&b);
		status = 0;
	}
	free(values);
	return status;
}

int
main(int argc, char **argv)
{
	uint32_t *values[STAGES];
	struct bench b;

	if (argc == 2)
		return main_alone(argv[1]);

	for (unsigned int i = 0; i < STAGES; i++)
		values[i] = calloc(BATCHES, sizeof(**values));
	printf("{\"pipeline\": {");
	for (unsigned int i = 0; i < SCENARIOS; i++) {
		if (!bench_open(&b, scenarios[i].yaml))
			return 1;
		measure_pipeline(&b, &scenarios[i], values[0]);
		printf("%s\"%s\": %.1f", i == 0 ? "" : ", ", scenarios[i].name, median(values[0]));
		bench_close(&b);
	}
	if (!bench_open(&b, scenarios[0].yaml))
		return 1;
	b.node->ops->advance(b.node, 0, 1);
	b.node->until = PS_NEVER; // outside a turn
	measure_stages(b.node, b.pool, values);
	printf("}, \"stages\": {");
	for (unsigned int i = 0; i < STAGES; i++)
		printf("%s\"%s\": %.1f", i == 0 ? "" : ", ", names[i], median(values[i]));
	printf("}, \"batches\": %d}\n", BATCHES);
	bench_close(&b);
	for (unsigned int i = 0; i < STAGES; i++)
		free(values[i]);
	return 0;
}
