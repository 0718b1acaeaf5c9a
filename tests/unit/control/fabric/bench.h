// SPDX-License-Identifier: BSD-3-Clause
// A fabric whose tenants change, with nothing running: time is set by hand, and tables that are no
// longer in force go at once.
#pragma once

#include "control/events/events.h"
#include "control/tenants/change.h"
#include "tests/unit/control/model/topology/fixture.h"
#include "dataplane/node/adopt.h"

#define BENCH_NODES_MAX 16

// Two leaves below a spine, with two hosts each.
#define PLACE                                                                               \
	"fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}}\n" \
	"switch: {preset: spectrum-x, buffer: {size: 16MB}}\n"
#define SLICED                                        \
	PLACE "tenants:\n"                            \
	      "  red: {hosts: [h1, h3], vni: 5001}\n" \
	      "  blue: {hosts: [h2], vni: 5002}\n"
#define LEAF1 0
#define LEAF2 1
#define SPINE 2

struct bench {
	struct fixture place;
	struct packet_pool *packets;
	struct packet_pool *pools[BENCH_NODES_MAX];
	struct fabric *f;
	struct events *e; // NULL: changes are made without
	ps_t now;
	char told[256];
	unsigned readdressed; // hosts, as bits
	unsigned readdress_ends;
};

static inline void
start(struct bench *b, const char *text)
{
	struct fabric_options options = {.pools = b->pools, .seed = 1};

	*b = (struct bench){0};
	fixture_load(&b->place, text);
	assert_int_equal(packet_pool_create(&b->packets, 256), 0);
	assert_true(b->place.topology->node_count <= BENCH_NODES_MAX);
	for (unsigned i = 0; i < b->place.topology->node_count; i++)
		b->pools[i] = b->packets;
	assert_int_equal(
		fabric_create(&b->f, b->place.config, b->place.topology, &options, &b->place.diag),
		0);
}

static inline void
stop(struct bench *b)
{
	events_destroy(b->e);
	fabric_destroy(b->f);
	packet_pool_destroy(b->packets);
	fixture_free(&b->place);
}

static inline void
retire(void *context, struct tables **old, uint32_t count)
{
	struct bench *b = context;

	for (unsigned i = 0; i < b->f->topology->node_count; i++)
		node_take_tables(b->f->nodes[i], b->now);
	for (uint32_t k = 0; k < count; k++)
		tables_destroy(old[k]);
}

static inline void
at_node(void *context, struct node *node, void (*run)(struct node *node, ps_t now, void *arg),
	void *arg)
{
	run(node, ((const struct bench *)context)->now, arg);
}

static inline void
at_nodes(void *context, void (*run)(struct node *node, ps_t now, void *arg), void *arg)
{
	struct bench *b = context;

	for (unsigned i = 0; i < b->f->topology->node_count; i++)
		run(b->f->nodes[i], b->now, arg);
}

static inline ps_t
tell_time(void *context)
{
	return ((const struct bench *)context)->now;
}

static inline void
tell(void *context, ps_t now, const char *words)
{
	struct bench *b = context;

	(void)now;
	snprintf(b->told, sizeof(b->told), "%s", words);
}

static inline void
readdress(void *context, uint32_t host, uint8_t port, const struct tenant_port *had)
{
	struct bench *b = context;

	(void)port;
	(void)had;
	b->readdressed |= 1u << host;
}

static inline void
count_readdressed(void *context)
{
	struct bench *b = context;

	b->readdress_ends++;
}

static inline struct fabric_hooks
hooks_of(struct bench *b)
{
	return (struct fabric_hooks){.retire = retire,
				     .at_node = at_node,
				     .at_nodes = at_nodes,
				     .clock = tell_time,
				     .tell = tell,
				     .readdress = readdress,
				     .readdressed = count_readdressed,
				     .context = b};
}

// From here on changes may be made by events, those of the text first.
static inline void
start_events(struct bench *b)
{
	const struct fabric_hooks hooks = hooks_of(b);

	assert_int_equal(events_create(&b->e, b->f, &hooks, &b->place.diag), 0);
}

static inline int
edit(struct bench *b, const struct config_edit *edits, unsigned count,
     const struct change_commit *commit)
{
	const struct fabric_hooks hooks = hooks_of(b);
	const struct change_env env = {.fabric = b->f, .hooks = &hooks, .now = b->now};

	return change_edit(&env, edits, count, commit, &b->place.diag);
}

static inline void
set(struct bench *b, const char *key, const char *value)
{
	const struct config_edit one = {.kind = CONFIG_EDIT_SET, .key = key, .value = value};

	if (edit(b, &one, 1, NULL) != 0)
		diag_print(&b->place.diag, stderr);
	assert_int_equal(b->place.diag.errors, 0);
}

// Looks at what drains, if its time has come.
static inline int
look(struct bench *b)
{
	const struct fabric_hooks hooks = hooks_of(b);
	const struct change_env env = {.fabric = b->f, .hooks = &hooks, .now = b->now};

	return drains_poll(&env, &b->place.diag);
}

static inline uint16_t
vrf_of(const struct bench *b, const char *name)
{
	return (uint16_t)topology_find_vrf(b->f->topology, name);
}
