// SPDX-License-Identifier: BSD-3-Clause
// What the words of `roost show` share; private to control/report/.
#pragma once

#include "show.h"

// How `roost show` was asked.
struct show_question {
	const char *what;
	const char *port; // or a node; NULL: all
	const char *vrf;  // of routes; NULL: all
	const char *view; // of an interface: "roce-status", "roce-counters"; NULL: its counters
};

// One word's answer to a question, added to `to`. Returns 0, -ENOENT when what the question names
// is not there, or -ENOMEM.
typedef int show_fn(const struct show_state *s, const struct show_question *q, json_t *to);

show_fn show_fabric, show_route;                          // show_fabric.c
show_fn show_interface, show_pfc, show_queue, show_drops; // show_ports.c
show_fn show_watchdog;                                    // show_watchdog.c
show_fn show_neighbour;                                   // show_neighbour.c
show_fn show_network;                                     // show_nodes.c
show_fn show_log;                                         // show_log.c
show_fn show_pool, show_tenant, show_histogram;           // show_nodes.c
show_fn show_adaptive;                                    // show_adaptive.c
show_fn show_queue_pairs;                                 // show_queue_pairs.c
show_fn show_steering;                                    // show_steering.c
show_fn show_qos;                                         // show_qos.c
show_fn show_config;                                      // show_config.c

// What stands of a switch in its RoCE settings, as those of one of its ports or of all (port: -1);
// NULL when memory ran out (show_qos.c).
json_t *show_qos_settings(const struct report_node *n, const struct show_switch *w, int port);

// Adds "preset" and "mode", and "preset-where" and "mode-where" as in settings_list(). Returns 0 or
// -1, as jansson does (show_qos.c).
int show_add_preset(json_t *to, const struct show_switch *w);

// Of those: its pools; the numbers of the bits that are set; and bit per class that a priority maps
// to. Pools and numbers are NULL when memory ran out.
json_t *show_qos_pools(const struct switch_config *c, const struct report_node *n);
json_t *show_bit_list(unsigned int bits);
unsigned int show_used_classes(const struct switch_config *c);

// What a port counts as RoCE and what beside it (show_roce.c); NULL when memory ran out.
json_t *show_roce_counters(const struct report_node *n, const struct show_switch *w,
			   unsigned int port, ps_t now);

// Adds "log", the entries that `filter` means (NULL: all), of queues only or of anything, and
// "log_lost". Returns as a show_fn (show_log.c).
int show_add_log(const struct show_state *s, const char *filter, bool queues, json_t *to);

// Adds "mac". Returns 0 or -1, as jansson does.
int show_set_mac(json_t *to, const uint8_t *mac);

// Adds a string, or null. Returns 0 or -1, as jansson does.
int show_set_text(json_t *to, const char *key, const char *text);

// The object under a key, made when it is missing; NULL when memory ran out.
json_t *show_child(json_t *of, const char *key);

// True when a node is meant by `filter`: it is NULL and the node a switch, or it is its name.
bool show_node_meant(const struct report_node *n, const char *filter);

// True when a port is meant by `filter`: everything, its node, "node.port" or its own name.
bool show_port_meant(const struct report_node *n, unsigned int port, const char *filter);

// The settings of a node, or NULL where it is no switch.
const struct show_switch *show_find_switch(const struct show_state *s, const struct report_node *n);

// {"nodes": {NODE: {"ports": {PORT: make(...)}}}} of the ports that the question means, those of
// NICs too unless `switches`. make() returns NULL when memory ran out. Returns as a show_fn.
typedef json_t *show_port_fn(const struct show_state *s, const struct report_node *n,
			     unsigned int port);
int show_each_port(const struct show_state *s, const struct show_question *q, bool switches,
		   show_port_fn *make, json_t *to);
