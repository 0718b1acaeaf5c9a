// SPDX-License-Identifier: BSD-3-Clause
// The lists that a workload becomes, from the text of a fabric and of its items.
#pragma once

#include "control/model/workload/workload.h"
#include "tests/unit/control/model/topology/fixture.h"

struct made {
	struct fixture f;
	struct host_config *hosts;
	struct workload *w;
	int error;
};

static inline void
make(struct made *m, const char *fabric, const char *items)
{
	char text[4096];

	assert_true((size_t)snprintf(text, sizeof(text), "%sworkload:\n%s", fabric, items) <
		    sizeof(text));
	*m = (struct made){0};
	fixture_load(&m->f, text);
	m->hosts = calloc(m->f.topology->host_count, sizeof(*m->hosts));
	for (uint32_t h = 0; h < m->f.topology->host_count; h++)
		assert_int_equal(config_host(m->f.config, topology_host(m->f.topology, h)->name,
					     &m->hosts[h]),
				 0);
	m->error = workload_create(&m->w, m->f.topology, m->f.routes, m->hosts, &m->f.diag);
}

// One leaf with so many hosts.
static inline void
make_leaf(struct made *m, unsigned hosts, const char *items)
{
	char fabric[128];

	snprintf(fabric, sizeof(fabric),
		 "fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: "
		 "%u}\n",
		 hosts);
	make(m, fabric, items);
	if (m->error != 0)
		diag_print(&m->f.diag, stderr);
	assert_int_equal(m->error, 0);
}

static inline void
drop(struct made *m)
{
	workload_destroy(m->w);
	free(m->hosts);
	fixture_free(&m->f);
}

// Refused with one error that contains `message`.
static inline void
assert_refused(const char *fabric, const char *item, const char *message)
{
	struct made m;

	make(&m, fabric, item);
	assert_int_equal(m.error, -EINVAL);
	assert_true(fixture_says(&m.f, message));
	assert_int_equal(m.f.diag.errors, 1);
	drop(&m);
}
