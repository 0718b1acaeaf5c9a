// SPDX-License-Identifier: BSD-3-Clause
// A leaf of four ports (swp1 and swp2 to hosts of tenant red, swp3 and swp4 up) and a NIC of one,
// with tables made by hand: cell 192, group 3 lossless with 2 cells reserved, traffic class 3 in
// the unlimited pool.
#pragma once

#include "control/fabric/counters.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FIXTURE_CELL 192
#define FIXTURE_PORTS 4

// JSON as a text.
#define JSON(...) #__VA_ARGS__

struct fixture {
	struct packet_pool *packets;
	struct node *leaf;
	struct node *nic;
	struct tables leaf_tables;
	struct tables nic_tables;
	struct port_profile profile;
	struct port_tables ports[FIXTURE_PORTS];
	struct tenant_profile tenants[1];
	struct vrf vrfs[2];
	struct report_node nodes[2];
};

static const struct report_port fixture_leaf_ports[FIXTURE_PORTS] = {
	{"swp1", "h1.eth1", UINT64_C(100000000000), false, "host"},
	{"swp2", "h2.eth1", UINT64_C(100000000000), false, "host"},
	{"swp3", "spine1.swp1", UINT64_C(400000000000), true, "spine"},
	{"swp4", "spine2.swp1", UINT64_C(400000000000), true, "spine"},
};

static const struct report_port fixture_nic_ports[1] = {
	{"eth1", "leaf1.swp1", UINT64_C(100000000000), false, "leaf"}};
static const char *const fixture_vrfs[] = {"default", "red"};
static const char *const fixture_tenants[] = {"red"};

static void
fixture_tables(struct fixture *f, struct tables *t, uint16_t ports)
{
	t->cell = FIXTURE_CELL;
	t->pools[POOL_INGRESS_LOSSLESS].size = 1000;
	t->pools[POOL_INGRESS_LOSSY].size = 2000;
	t->pools[POOL_EGRESS_LOSSLESS].size = POOL_UNLIMITED;
	t->pools[POOL_EGRESS_LOSSY].size = 3000;
	t->pools[POOL_HEADROOM].size = 500;
	t->vrf_count = 2;
	t->tenant_count = 1;
	t->port_count = ports;
	t->vrfs = f->vrfs;
	t->tenants = f->tenants;
	t->ports = f->ports;
}

static int
fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		f->profile.pg[i].threshold.pool = POOL_INGRESS_LOSSY;
		f->profile.tc[i].threshold.pool = POOL_EGRESS_LOSSY;
	}
	f->profile.pg[3].lossless = true;
	f->profile.pg[3].threshold.pool = POOL_INGRESS_LOSSLESS;
	f->profile.pg[3].threshold.reserved = 2;
	f->profile.tc[3].threshold.pool = POOL_EGRESS_LOSSLESS;
	f->profile.mtu = 4200;
	for (unsigned int i = 0; i < FIXTURE_PORTS; i++)
		f->ports[i] = (struct port_tables){
			.profile = &f->profile,
			.mac = {2, 1, 0, 0, 0, (uint8_t)(i + 1)},
			.vrf = i < 2,
			.tenant = i < 2 ? 0 : TENANT_NONE,
		};
	f->tenants[0].guaranteed[POOL_INGRESS_LOSSLESS] = 100;
	f->tenants[0].guaranteed[POOL_INGRESS_LOSSY] = 100;
	fixture_tables(f, &f->leaf_tables, FIXTURE_PORTS);
	fixture_tables(f, &f->nic_tables, 1);
	assert_int_equal(packet_pool_create(&f->packets, 256), 0);
	assert_int_equal(node_create(&f->leaf, NODE_LEAF, FIXTURE_PORTS, 0, 1, f->packets), 0);
	assert_int_equal(node_create(&f->nic, NODE_NIC, 1, 1, 1, f->packets), 0);
	node_set_tables(f->leaf, &f->leaf_tables);
	node_set_tables(f->nic, &f->nic_tables);
	node_adopt_tables(f->leaf, &f->leaf_tables);
	node_adopt_tables(f->nic, &f->nic_tables);
	f->nodes[0] = (struct report_node){f->leaf,      "leaf1",         fixture_leaf_ports,
					   fixture_vrfs, fixture_tenants, "leaf"};
	f->nodes[1] = (struct report_node){f->nic,          "h1",  fixture_nic_ports, fixture_vrfs,
					   fixture_tenants, "host"};
	*state = f;
	return 0;
}

static int
fixture_teardown(void **state)
{
	struct fixture *f = *state;

	node_destroy(f->leaf);
	node_destroy(f->nic);
	packet_pool_destroy(f->packets);
	free(f);
	return 0;
}

// A value by its path: keys, or [index], separated by '/'.
static inline json_t *
fixture_at(const json_t *from, const char *path)
{
	char copy[256], *rest = copy;
	const json_t *at = from;

	assert_true(strlen(path) < sizeof(copy));
	strcpy(copy, path);
	for (char *key = strsep(&rest, "/"); key != NULL; key = strsep(&rest, "/"))
		at = key[0] == '[' ? json_array_get(at, (size_t)atoi(key + 1))
				   : json_object_get(at, key);
	if (at == NULL)
		fail_msg("there is no %s", path);
	return (json_t *)(uintptr_t)at;
}

static inline void
assert_integer_at(const json_t *from, const char *path, uint64_t expected)
{
	json_t *at = fixture_at(from, path);

	if (!json_is_integer(at) || (uint64_t)json_integer_value(at) != expected)
		fail_msg("%s is %lld, not %llu", path, (long long)json_integer_value(at),
			 (unsigned long long)expected);
}

static inline void
assert_text_at(const json_t *from, const char *path, const char *expected)
{
	json_t *at = fixture_at(from, path);

	assert_true(json_is_string(at));
	assert_string_equal(json_string_value(at), expected);
}
