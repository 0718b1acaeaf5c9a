// SPDX-License-Identifier: BSD-3-Clause
// What a batch of learned changes costs the control thread: {"apply_us", "resolve_us", "tables_us"}
// of BATCH changes among ROUTES routes by GROUPS different groups of next hops, medians of ROUNDS.
// bench_learn [ROUTES [GROUPS [BATCH]]].
#include "control/fabric/fabric.h"
#include "control/io/learn/resolve.h"
#include "control/model/tables/build.h"
#include "dataplane/base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 31
#define PORTS 32

static double
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), compare);
	return values[ROUNDS / 2];
}

// A group of two: of `number` different ones.
static void
set_way(struct learn_way *way, uint32_t number)
{
	way->count = 2;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t to = i == 0 ? number % PORTS : (number / PORTS + 1 + number) % PORTS;

		way->hops[i] = (struct learn_hop){
			.device = 1 + to,
			.weight = 1 + (number >> 10 & 1),
			.gateway = {.version = 4, .bytes = {10, 0, (uint8_t)to, 2}}};
	}
}

static void
say_route(struct rib *rib, uint32_t which, uint32_t group)
{
	static struct learn_message m;

	m.kind = LEARN_ROUTE;
	m.replaces = true;
	m.prefix = (struct config_prefix){
		.version = 4,
		.length = 24,
		.address = {(uint8_t)(20 + (which >> 16)), (uint8_t)(which >> 8), (uint8_t)which}};
	set_way(&m.way, group);
	if (rib_apply(rib, RIB_NETLINK, &m, false) != 0)
		abort();
}

static void
say_ports(struct rib *rib, const struct topo_node *place)
{
	for (uint32_t p = 0; p < PORTS; p++) {
		struct learn_message m = {.kind = LEARN_LINK, .device = 1 + p, .usable = true};

		snprintf(m.name, sizeof(m.name), "%s", place->ports[p].name);
		rib_apply(rib, RIB_NETLINK, &m, false);
		m = (struct learn_message){
			.kind = LEARN_NEIGHBOUR,
			.device = 1 + p,
			.usable = true,
			.mac = {2, 0, 0, 0, (uint8_t)p, 2},
			.address = {.version = 4, .bytes = {10, 0, (uint8_t)p, 2}}};
		rib_apply(rib, RIB_NETLINK, &m, false);
	}
}

static int
make_switch(struct config **config, struct topology **topology)
{
	char text[4096] = "switch: {preset: sonic, ports: {";
	struct diag diag = {0};
	int rc;

	for (unsigned p = 1; p <= PORTS; p++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "swp%u: {rate: 100G, cable: 5m}%s", p, p < PORTS ? ", " : "}}\n");
	rc = config_load_text(config, text, strlen(text), "bench", &diag);
	if (rc == 0)
		rc = topology_create(topology, *config, &diag);
	diag_print(&diag, stderr);
	return rc;
}

int
main(int argc, char **argv)
{
	uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 10000;
	uint32_t groups = argc > 2 ? (uint32_t)atoi(argv[2]) : 64;
	uint32_t batch = argc > 3 ? (uint32_t)atoi(argv[3]) : 100;
	double apply[ROUNDS], resolve[ROUNDS], build[ROUNDS];
	struct random random = random_stream(1, 1);
	const struct resolve_vrf vrf = {.encap = CONFIG_ENCAP_PLAIN};
	const struct resolve_hooks hooks = {0};
	struct diag diag = {0};
	struct switch_config settings;
	struct topology *topology;
	struct config *config;
	struct rib *rib;

	if (make_switch(&config, &topology) != 0 ||
	    config_switch(config, "", CONFIG_ROLE_LEAF, &settings) != 0)
		return 1;
	rib = rib_create(&topology->nodes[0]);
	say_ports(rib, &topology->nodes[0]);
	for (uint32_t i = 0; i < count; i++)
		say_route(rib, i, i % groups);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct route_list list = {0};
		struct tables *tables;
		double began = now_us();

		for (uint32_t i = 0; i < batch; i++)
			say_route(rib, random_below(&random, count), random_below(&random, groups));
		apply[round] = now_us() - began;
		began = now_us();
		resolve_routes(rib, &vrf, &hooks, &list);
		resolve[round] = now_us() - began;
		began = now_us();
		if (tables_build(&tables, topology, 0, &settings, &list, &diag) != 0)
			return 1;
		build[round] = now_us() - began;
		tables_destroy(tables);
		routes_clear(&list);
	}
	printf("{\"apply_us\": %.0f, \"resolve_us\": %.0f, \"tables_us\": %.0f}\n", median(apply),
	       median(resolve), median(build));
	rib_destroy(rib);
	topology_destroy(topology);
	config_free(config);
	return 0;
}
