// SPDX-License-Identifier: BSD-3-Clause
// The values of a fabric's and a host's keys that are not one plain word. Their base is the struct
// their schema stands for.
#pragma once

#include "decode_switch.h"

// Into the struct config_link at the key's offset: delay and cable set each other (decode_links.c).
decode_custom decode_delay, decode_cable;
decode_custom decode_nodes;    // struct config: fabric.nodes
decode_custom decode_endpoint; // struct config_endpoint at the key's offset
decode_custom decode_cpus;     // struct config: live
decode_custom decode_via;      // struct config_route
decode_custom decode_path_mtu;
decode_custom decode_addresses; // struct config_tenant (decode_tenant.c)
decode_custom decode_borders;   // struct config_tenant
decode_custom decode_address; // struct config_address at the key's offset

// `delay` and `cable` in one map: which would win?
void check_one_delay(struct decoder *d, const struct yaml_node *node, void *base);
// Notes which keys of a struct config_link_written stand in the file.
void check_written(struct decoder *d, const struct yaml_node *node, void *base);
// The keys of `links:` that are links' names. base: struct config.
void decode_named_links(struct decoder *d, const struct yaml_node *node, void *base);
extern const struct schema schema_node; // base struct config_node; {role: leaf}
extern const struct schema schema_via;  // base struct config_via

// What the keys of `topology:` make together (decode_topology.c); a kind `file` is read here. base:
// struct config.
void check_topology(struct decoder *d, const struct yaml_node *node, void *base);
