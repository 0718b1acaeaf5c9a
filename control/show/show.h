// SPDX-License-Identifier: BSD-3-Clause
// `roost show`: an answer is JSON, made from the nodes and from the state of the process that runs
// them; the command prints it. Names are those of counters.json. Control thread; nodes must stand
// still (counters.h).
#pragma once

#include "control/fabric/counters.h"

#include "control/config/config.h"
#include "dataplane/roce/qp_state.h"

struct show_worker {
	unsigned int cpu;
	unsigned int nodes; // that it owns
	uint64_t lag_ns;    // wall time by which it runs behind the clock, last and most
	uint64_t lag_max_ns;
	uint64_t slips; // times the fabric's clock waited for it
};

struct show_link {
	const char *a; // "leaf1.swp1"
	const char *b;
	uint64_t rate_bps;
	ps_t delay;
	bool up;
};

struct show_fabric {
	const char *name;
	const char *file;
	const char *state; // "running"
	uint32_t dilation;
	const char *idle; // "sleep" or "poll"
	const struct show_worker *workers;
	unsigned int worker_count;
	const struct show_link *links;
	unsigned int link_count;
};

struct show_next_hop {
	const char *port; // "swp5"
	const char *node; // the neighbour, or NULL
	uint8_t mac[6];
};

// The encapsulation of a route between switches.
struct show_encap {
	bool vxlan;     // else VLAN
	uint32_t id;    // VNI or VLAN
	const char *to; // VXLAN: the far end's address
};

// A neighbour that a switch knows in a VRF that learns.
struct show_neighbour {
	const char *node;
	const char *vrf;
	const char *state; // as `ip neighbour` calls it
	bool usable;       // packets are sent to its MAC
	uint8_t mac[6];
	char interface[16];
	char address[46];
};

// Where a VRF learns its routes from.
struct show_learning {
	const char *node;
	const char *vrf;
	const char *netns;  // NULL: that of the command
	const char *source; // "netlink", "fpm", "both"
	uint64_t prefixes;
	uint64_t messages;
	uint64_t dumps; // reads of everything: at the start, and after something was missed
	uint64_t overruns;
	uint64_t refused;
	uint64_t asked; // neighbours solicited
	uint64_t published;
	bool fpm_connected;
};

struct show_route {
	const char *node; // whose table has it
	const char *vrf;
	const char *prefix; // "10.0.1.0/24"
	const char *mode;   // how its group picks: "ecmp", "adaptive"
	const char *source; // "computed", "static", "netlink", "fpm"
	bool glean;         // no next hop: the neighbour is solicited
	const struct show_next_hop *next_hops;
	unsigned int next_hop_count; // 0: what it matches is dropped
	struct show_encap encap;     // id 0: none
};

// What is configured of a switch, and what its preset alone would have been.
struct show_switch {
	const char *node;
	const struct switch_config *settings;
	const struct config_marks *marks; // of config_switch_marked()
	const struct switch_config *preset;
	const uint64_t *cable_mm; // by port; 0: nothing is behind it
};

// The queue pairs of a host's NIC.
struct show_nic {
	const char *node;
	const struct qp_state *pairs;
	unsigned int count;
};

// A class of frames of a port that shares its interface with the kernel, and who receives it.
struct show_steered {
	const char *name; // "bgp"
	const char *to;   // "kernel", "dataplane" or "nobody"
	uint64_t packets;
	uint64_t bytes;
};

struct show_steering {
	const char *node;
	const char *port;   // "swp1"
	const char *netdev; // "swp1", as Linux calls it
	uint32_t program;   // the kernel's number of the XDP program
	const char *tag;    // a hash of its instructions
	bool generic;       // not run by the interface's driver
	size_t addresses;   // of the switch
	size_t left_out;    // of those, more than the program has room for
	const struct show_steered *classes;
	unsigned int class_count;
};

struct show_state {
	const struct show_fabric *fabric;
	const struct report_node *nodes;
	unsigned int node_count;
	const struct show_route *routes;
	unsigned int route_count;
	const struct show_neighbour *neighbours; // for "neighbour"
	unsigned int neighbour_count;
	const struct show_learning *learnings;
	unsigned int learning_count;
	json_t *networks; // for "network": fabric_list_networks(), or NULL
	ps_t now;
	const struct show_switch *switches; // for "qos", "config" and the views of an interface
	unsigned int switch_count;
	const struct show_nic *nics; // for "queue-pairs"
	unsigned int nic_count;
	const struct show_steering *steerings; // for "steering"
	unsigned int steering_count;
	// The log (counters_add_log()), or NULL.
	json_t *log;
	uint64_t log_lost; // entries missing from it
};

// The words that may follow `roost show`; *count of them.
const char *const *show_words(size_t *count);

// What an answer needs beyond the nodes; the caller collects nothing else.
enum show_needs {
	SHOW_NEEDS_SETTINGS = 1 << 0, // show_state.switches
	SHOW_NEEDS_QUEUE_PAIRS = 1 << 1,
	SHOW_NEEDS_STEERING = 1 << 2,
	SHOW_NEEDS_ROUTES = 1 << 3,
	SHOW_NEEDS_DEVICES = 1 << 4, // drops in devices, which the caller adds to the answer
};

// Of the answer to params.
unsigned int show_needs(const json_t *params);

// The API's method "show". params: {"what": one of show_words(), "port": "leaf1", "leaf1.swp3" or
// "swp3" (of every node that has one), "vrf": name, "view": of an interface "roce-status" or
// "roce-counters"}; all but "what" are optional.
// Returns 0 with *out the caller's, or -EINVAL with one line in why.
int show_answer(const struct show_state *s, const json_t *params, json_t **out, char *why,
		size_t why_size);

// Prints an answer as `roost show` does. What an answer lacks is shown as 0 or left empty. Returns
// 0, or -ENOENT for a word or view that does not exist.
int show_print(const char *what, const char *view, const json_t *answer, FILE *to);
