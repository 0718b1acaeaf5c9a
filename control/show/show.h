// SPDX-License-Identifier: BSD-3-Clause
// `roost show`: an answer is JSON, made from the nodes and from the state of the process that runs
// them; the command prints it. Names are those of counters.json. Control thread; nodes must stand
// still (counters.h).
#pragma once

#include "control/fabric/counters.h"

#include "control/model/topology/topology.h"
#include "dataplane/roce/qp_state.h"

// What is configured of a switch, and what its preset alone would have been.
struct show_switch {
	const struct topo_node *place;
	struct switch_config settings;
	struct config_marks marks; // of config_switch_marked()
	struct switch_config preset;
	uint32_t revision; // that the fabric came up as; 0: from a file
};

// The queue pairs of a host's NIC.
struct show_nic {
	const char *node;
	const struct qp_state *pairs;
	unsigned int count;
};

struct show_state {
	const struct report_node *nodes;
	unsigned int node_count;
	ps_t now;
	// What show_needs() says; else NULL.
	const struct show_switch *switches; // for "qos", "config" and the views of an interface
	unsigned int switch_count;
	const struct show_nic *nics;
	unsigned int nic_count;
	// Parts of answers, which views filter.
	json_t *fabric;       // {"name", "file", ..., "workers": [...], "links": [...]}
	json_t *networks;     // fabric_list_networks()
	json_t *routes;       // {NODE: {"vrfs": {VRF: {PREFIX: {"mode", "source", "via", ...}}}}}
	json_t *learned;      // {NODE: {"learning": {VRF: {...}}, "neighbours": {VRF: [...]}}}
	json_t *device_drops; // {"advice": {REASON: ...}, "nodes": {NODE: {PORT: {REASON: COUNT}}}}
	json_t *steering;     // {NODE: {PORT: {"netdev", "program", ..., "classes": {...}}}}
	json_t *devices;      // {NODE: {PORT: {"host", "attached", "device", "mtu", "state"}}}
	json_t *lldp;         // {NODE: {PORT: {"sent", ..., "neighbours": [...]}}}
	json_t *attach;       // {HOST: {KEY: {"value", "where"}}}: `attach:` as it is now
	json_t *bfd;          // {NODE: {"connected", ..., "sessions": [...]}}
	json_t *hosts;        // [{"host", "nic", "address", "mac", "tenant", "port", "is", ...}]
	json_t *links;        // {NODE: {PORT: {"link", ..., "changed"}}}: not as in the file
	// The log (counters_add_log()), or NULL.
	json_t *log;
	uint64_t log_lost; // entries missing from it
};

// The words that may follow `roost show`; *count of them.
const char *const *show_words(size_t *count);

// What an answer needs beyond the nodes; the caller collects nothing else.
enum show_needs {
	SHOW_NEEDS_FABRIC = 1 << 0, // show_state.fabric
	SHOW_NEEDS_NETWORKS = 1 << 1,
	SHOW_NEEDS_ROUTES = 1 << 2,
	SHOW_NEEDS_LEARNED = 1 << 3,
	SHOW_NEEDS_STEERING = 1 << 4,
	SHOW_NEEDS_SETTINGS = 1 << 5, // show_state.switches
	SHOW_NEEDS_QUEUE_PAIRS = 1 << 6,
	SHOW_NEEDS_DEVICES = 1 << 7,      // drops in devices, which the caller adds to the answer
	SHOW_NEEDS_DEVICE_DROPS = 1 << 8, // show_state.device_drops
	SHOW_NEEDS_ATTACHED = 1 << 9,     // show_state.devices
	SHOW_NEEDS_LLDP = 1 << 10,
	SHOW_NEEDS_BFD = 1 << 11,
	SHOW_NEEDS_TIMES = 1 << 12, // when each node was read, which the caller adds to the answer
	SHOW_NEEDS_LINKS = 1 << 13, // show_state.links
	SHOW_NEEDS_HOSTS = 1 << 14,
};

// Of the answer to params.
unsigned int show_needs(const json_t *params);

// The API's method "show". params: {"what": one of show_words(), "port": "leaf1", "leaf1.swp3" or
// "swp3" (of every node that has one), "vrf": name, "view": of an interface "roce-status" or
// "roce-counters"}; all but "what" are optional.
// Returns 0 with *out the caller's, or -EINVAL with an error in diag.
int show_answer(const struct show_state *s, const json_t *params, json_t **out, struct diag *diag);

// Adds rates to an answer that has "node_time_ns": beside each counter that only grows, and that
// the earlier answer has too, how much it has grown a second of the fabric's time.
#define SHOW_PER_S "_per_s" // behind the counter's name
void show_add_rates(const json_t *before, json_t *now);

// Prints an answer as `roost show` does. What an answer lacks is shown as 0 or left empty. Returns
// 0, or -ENOENT for a word or view that does not exist.
int show_print(const char *what, const char *view, const json_t *answer, FILE *to);

// The object under a key, made when it is missing.
json_t *show_child(json_t *of, const char *key);
// Adds "mac".
void show_set_mac(json_t *to, const uint8_t *mac);
