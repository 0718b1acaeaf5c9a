// SPDX-License-Identifier: BSD-3-Clause
// The series that `record:` may ask for, one file each; private to control/fabric/.
#pragma once

#include "flows.h"

#include <stdio.h>

// One kind of series. A state belongs to one run.
struct series {
	const char *file; // in the result's directory
	// Looks up what the file asks for. *state stays NULL when it asks for none of this kind.
	// Returns 0, -EINVAL with the errors in diag, or -ENOMEM with nothing left behind.
	int (*create)(void **state, const struct fabric *f, const struct fabric_flows *flows,
		      struct diag *diag);
	// The CSV's heading, without a newline.
	void (*head)(const void *state, FILE *to);
	// What there is to say at `now`, all before it having happened: whole lines.
	void (*take)(void *state, ps_t now, FILE *to);
	void (*destroy)(void *state);
};

extern const struct series series_queues, series_thresholds, series_rates, series_links,
	series_pauses, series_pools;

// Begins a line: the time in ns with its picoseconds.
void samples_put_time(ps_t now, FILE *to);

// The state of a series about ports, none twice, in the order of the topology.
struct sample_ports {
	const struct fabric *fabric;
	struct topo_ref *refs;
	unsigned int count;
	ps_t since;   // the sample before
	void *before; // by port: what the series remembers of that
};

// A series's create(): the ports that names mean (`all`, leaf1.swp5, and, where `links` may be
// named, leaf1-spine1 for both of its ends), and `size` zeroed bytes for each. key: for messages.
int sample_ports_create(void **state, const struct fabric *f, const struct config_names *names,
			bool links, const char *key, size_t size, struct diag *diag);
// Its destroy().
void sample_ports_destroy(void *state);

static inline const struct port *
sample_port(const struct fabric *f, const struct topo_ref *ref)
{
	return &f->nodes[ref->node]->ports[ref->port];
}

// "leaf1.swp5"
void sample_port_put(const struct fabric *f, const struct topo_ref *ref, FILE *to);
