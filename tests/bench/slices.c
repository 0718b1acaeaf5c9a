// SPDX-License-Identifier: BSD-3-Clause
// How long it takes to slice a fabric that runs: 100 tenants on 32 leaves (32 hosts each) and 16
// spines, from none at all, in one change; then to move one host, and to take all tenants away
// again. Prints a line for each: prepared on all nodes and published, then until the fabric is as
// if it had never been otherwise, in ms.
#include "control/events/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAVES 32
#define SPINES 16
#define PER_LEAF 32
#define TENANTS 100
#define PER_TENANT 10
#define TEXT_MAX 256

struct bench {
	struct config *config;
	struct topology *topology;
	struct packet_pool *packets;
	struct packet_pool **pools;
	struct fabric *fabric;
	struct run *run;
	char keys[TENANTS][TEXT_MAX], values[TENANTS][TEXT_MAX];
	struct config_edit edits[TENANTS];
};

static double
clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool
open_bench(struct bench *b, struct diag *diag)
{
	struct fabric_options options = {.seed = 1};
	char text[TEXT_MAX];

	snprintf(text, sizeof(text),
		 "fabric: {topology: {kind: leaf-spine, leaves: %d, spines: %d, hosts-per-leaf: "
		 "%d}}\nswitch: {preset: spectrum-x}\n",
		 LEAVES, SPINES, PER_LEAF);
	if (config_load_text(&b->config, text, strlen(text), "bench", diag) != 0 ||
	    topology_create(&b->topology, b->config, diag) != 0 ||
	    packet_pool_create(&b->packets, PACKET_FRAME_MIN) != 0)
		return false;
	b->pools = calloc(b->topology->node_count, sizeof(struct packet_pool *));
	for (uint32_t i = 0; b->pools != NULL && i < b->topology->node_count; i++)
		b->pools[i] = b->packets;
	options.pools = b->pools;
	return b->pools != NULL &&
	       fabric_create(&b->fabric, b->config, b->topology, &options, diag) == 0 &&
	       run_create(&b->run, b->fabric, 0, 0, diag) == 0;
}

static void
close_bench(struct bench *b)
{
	run_destroy(b->run);
	fabric_destroy(b->fabric);
	packet_pool_destroy(b->packets);
	topology_destroy(b->topology);
	config_free(b->config);
	free(b->pools);
}

// Tenant n has hosts n, n + 100, n + 200 ...: it is on many leaves.
static void
write_edits(struct bench *b)
{
	for (int n = 0; n < TENANTS; n++) {
		size_t used;

		snprintf(b->keys[n], TEXT_MAX, "tenants.t%d", n + 1);
		used = (size_t)snprintf(b->values[n], TEXT_MAX, "{vni: %d, hosts: [", 5001 + n);
		for (int i = 0; i < PER_TENANT; i++)
			used += (size_t)snprintf(b->values[n] + used, TEXT_MAX - used, "%sh%d",
						 i == 0 ? "" : ", ", n + 1 + i * TENANTS);
		snprintf(b->values[n] + used, TEXT_MAX - used, "]}");
		b->edits[n] = (struct config_edit){
			.kind = CONFIG_EDIT_SET, .key = b->keys[n], .value = b->values[n]};
	}
}

static bool
measure(struct bench *b, const char *what, const struct config_edit *edits, unsigned count,
	struct diag *diag)
{
	double began = clock_ms(), published, ended;

	if (events_edit(b->run->events, edits, count, NULL, NULL, diag) != 0)
		return false;
	published = clock_ms();
	while (events_next(b->run->events) != PS_NEVER)
		if (events_apply(b->run->events, events_next(b->run->events), diag) != 0)
			return false;
	ended = clock_ms();
	printf("%s: published after %.0f ms, over after %.0f ms\n", what, published - began,
	       ended - began);
	return true;
}

int
main(void)
{
	static struct bench b;
	const struct config_edit move[] = {
		{.kind = CONFIG_EDIT_REMOVE, .key = "tenants.t1.hosts", .value = "h1"},
		{.kind = CONFIG_EDIT_ADD, .key = "tenants.t2.hosts", .value = "h1"},
	};
	const struct config_edit none = {.kind = CONFIG_EDIT_UNSET, .key = "tenants"};
	struct diag diag = {0};
	bool good = open_bench(&b, &diag);

	write_edits(&b);
	good = good && measure(&b, "100 tenants", b.edits, TENANTS, &diag);
	good = good && measure(&b, "one host moves", move, 2, &diag);
	good = good && measure(&b, "no tenants", &none, 1, &diag);
	diag_print(&diag, stderr);
	diag_free(&diag);
	close_bench(&b);
	return good ? 0 : 1;
}
