// SPDX-License-Identifier: BSD-3-Clause
// What there is in a fabric and where it is: a description as JSON, the search of `roost where`,
// and the drawings of `roost graph`. A fabric that runs and a file that nobody has started are
// described by the same functions; a struct map_source says what differs. Control thread.
#pragma once

#include "control/model/topology/topology.h"

#include <jansson.h>
#include <stdio.h>

// Where a description comes from.
struct map_source {
	const struct topology *topology;
	const void *context;
	// A link as it is now (map_link()).
	json_t *(*link)(const void *context, uint32_t link);
	// The entry of `attach:` that stands for a NIC of a host, or NULL.
	const struct config_attach *(*attached)(const void *context, uint32_t host, uint16_t port);
	// What a NIC is: "simulated", or what is attached (map_attached_text()).
	json_t *(*what)(const void *context, uint32_t host, uint16_t port);
	bool (*uses_ip6)(const void *context, uint32_t host);
	// The settings of a switch.
	void (*settings)(const void *context, uint32_t node, struct switch_config *out);
	bool all_lanes; // those of Ethernet switches without credits too
};

// ---- file.c: the source that is a configuration file -------------------------------------------

struct map_file;

// Reads a file. Returns 0, or -errno with errors in diag; warnings are there in either case.
int map_file_open(struct map_file **out, const char *path, struct diag *diag);
// NULL is fine.
void map_file_close(struct map_file *file);
struct map_source map_file_source(const struct map_file *file);

// ---- describe.c ---------------------------------------------------------------------------------

struct map_link_state {
	uint64_t rate_bps, delay_ps;
	bool down;
};

// {"link", "a", "b", "rate_bps", "delay_ps", "state": "up" or "down"}
json_t *map_link(const struct topology *topology, uint32_t link, const struct map_link_state *now);
// The text "namespace lab-h1".
json_t *map_attached_text(const struct config_attach *attach);
// The NICs of all hosts: [{"host", "nic", "address", "address6", "port", "vrf", "tenant", "mac",
// "is", and of InfiniBand "lid" and "pkey"}].
json_t *map_hosts(const struct map_source *source);
// All of it: {"name", "nodes": [{"name", "role", "plane", "pod", "rail", "lid", "lanes":
// map_lanes() of a switch of InfiniBand or with credits}], "links": [...], "hosts": map_hosts(),
// "tenants": [name, or null for a number that no tenant has]}.
json_t *map_describe(const struct map_source *source);

// ---- lanes.c ------------------------------------------------------------------------------------

// The lanes of a switch: {"by_priority": [the lane of each], "credits": whether links have them,
// "arbitration": TABLES, "nic_arbitration": TABLES of the NICs of its hosts, "ports": {"swp3":
// {"arbitration", "nic_arbitration"}} where they differ}. TABLES are InfiniBand's
// (control/model/subnet/arbitration.h): {"high": [[lane, weight], ...], "low", "limit"}.
json_t *map_lanes(const struct switch_config *settings);

// ---- find.c -------------------------------------------------------------------------------------

// Where a name is: of a host, one of its NICs, a switch, a port, a namespace, container or tap, or
// an address. source NULL: an address by the address plan alone. Returns 0 with *out the caller's,
// or -errno with an error in diag: -ENOENT if there is no such thing.
int map_find(const struct map_source *source, const char *name, json_t **out, struct diag *diag);
// Prints an answer of map_find().
void map_print_found(const json_t *answer);

// ---- drawings -----------------------------------------------------------------------------------

enum map_format { MAP_SVG, MAP_DOT, MAP_MERMAID };

// More links than Mermaid draws unless its maxEdges is raised.
#define MAP_MERMAID_LINKS 500

// Draws a description, which may come from another process, so that nothing in it is trusted.
// Returns the number of lines between nodes; or -EINVAL with an error in diag if it is none.
int map_draw(const json_t *description, enum map_format format, FILE *to, struct diag *diag);
