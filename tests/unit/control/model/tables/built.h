// SPDX-License-Identifier: BSD-3-Clause
// One node's snapshot from a file, with settings that a test may change in between.
#pragma once

#include "control/model/tables/build.h"
#include "tests/unit/control/model/topology/fixture.h"

#include <arpa/inet.h>

struct built {
	struct fixture f;
	uint32_t node;
	struct switch_config settings;
	struct tables *t;
};

static inline void
built_load(struct built *b, const char *text, const char *node_name)
{
	*b = (struct built){0};
	fixture_load(&b->f, text);
	b->node = topology_find_node(b->f.topology, node_name);
	assert_int_equal(config_switch(b->f.config, node_name, b->f.topology->nodes[b->node].role,
				       &b->settings),
			 0);
}

static inline int
built_make(struct built *b)
{
	return tables_build(&b->t, b->f.topology, b->node, &b->settings,
			    &b->f.routes->nodes[b->node], &b->f.diag);
}

static inline void
built_good(struct built *b)
{
	int error = built_make(b);

	if (error != 0)
		diag_print(&b->f.diag, stderr);
	assert_int_equal(error, 0);
}

static inline void
build(struct built *b, const char *text, const char *node_name)
{
	built_load(b, text, node_name);
	built_good(b);
}

// Where a VRF sends what is for an address, or NULL.
static inline const struct next_hop_group *
find_group(const struct built *b, const char *vrf_name, const char *address)
{
	const struct vrf *vrf = &b->t->vrfs[topology_find_vrf(b->f.topology, vrf_name)];
	bool ip6 = strchr(address, ':') != NULL;
	uint8_t bytes[16];
	uint32_t group;

	assert_int_equal(inet_pton(ip6 ? AF_INET6 : AF_INET, address, bytes), 1);
	group = ip6 ? lpm_lookup6(vrf->ip6, bytes) : lpm_lookup4(vrf->ip4, bytes);
	return group == LPM_NONE ? NULL : &b->t->groups[group];
}

// The same of an address that it knows.
static inline const struct next_hop_group *
group_for(const struct built *b, const char *vrf_name, const char *address)
{
	const struct next_hop_group *group = find_group(b, vrf_name, address);

	assert_non_null(group);
	if (group->count != 0)
		assert_int_equal(group->port, b->t->next_hops[group->first].port);
	return group;
}

// The snapshot is not made, and the message says why.
static inline void
built_refused(struct built *b, const char *message)
{
	assert_int_equal(built_make(b), -EINVAL);
	assert_true(fixture_says(&b->f, message));
	fixture_free(&b->f);
}

static inline void
built_drop(struct built *b)
{
	tables_destroy(b->t);
	fixture_free(&b->f);
}
