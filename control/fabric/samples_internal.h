// SPDX-License-Identifier: BSD-3-Clause
// The series that `record:` may name, one file each; private to control/fabric/.
#pragma once

#include "flows_internal.h"

#include <stdio.h>

// A queue (0: none) of a port of a node; of rates.csv, `port` is a queue pair of the flow `node`.
struct sample_place {
	uint32_t node;
	uint32_t port;
	uint8_t queue;
};

// The places of a series in one run.
struct sample_places {
	const struct fabric_flows *flows;
	const struct fabric *fabric;
	struct sample_place *items;
	unsigned int count;
	ps_t since;                    // the sample before
	void *before;                  // by place: what the series keeps of that
	const struct counter *counter; // of the series, or NULL
};

// One kind of series.
struct series {
	const char *file;    // in the result's directory
	const char *heading; // of the CSV; behind it head(), or the name of the counter
	const char *key;     // of `record:`
	size_t names;        // its struct config_names, as an offset in struct config_record
	size_t size;         // of what the series keeps for each place
	bool sorted;         // places once each, in the order of the topology; else as named
	bool row;            // a sample is one line, with a field for each place
	enum counter_scope scope;
	const char *counter; // that is sampled, by its name, or NULL
	// Adds what a name means, and what `all` means. Returns 0, or -EINVAL with the error in
	// diag.
	int (*add)(struct sample_places *s, const struct config_name *name, const char *key,
		   struct diag *diag);
	void (*add_all)(struct sample_places *s);
	// Whether this rank runs what a place belongs to; NULL: whether it runs the node.
	bool (*is_here)(const struct sample_places *s, unsigned int place);
	// Print what the heading says of a place (NULL: nothing), and its lines, or field, of
	// `now`, all before it having happened (NULL: there are none).
	void (*head)(const struct sample_places *s, unsigned int place, FILE *to);
	void (*take)(struct sample_places *s, unsigned int place, ps_t now, FILE *to);
};

extern const struct series series_queues, series_thresholds, series_rates, series_links,
	series_pauses, series_pools;

// Begins a line: the time in ns, with its picoseconds.
void samples_put_time(ps_t now, FILE *to);
// The counter of the series at a place; index: the queue or pool.
long long samples_read(const struct sample_places *s, unsigned int place, unsigned int index,
		       ps_t now);
// Prints "leaf1.swp5", the port of a place.
void samples_put_port(const struct sample_places *s, unsigned int place, FILE *to);
void sample_places_add(struct sample_places *s, uint32_t node, uint32_t port, uint8_t queue);
