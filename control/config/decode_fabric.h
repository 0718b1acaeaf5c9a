// SPDX-License-Identifier: BSD-3-Clause
// The values of a fabric's and a host's keys that are not one plain word. Their base is the struct
// their schema stands for.
#pragma once

#include "decode_switch.h"

// Rows of a link's delay and cable, which set each other (decode_links.c).
#define SCHEMA_DELAY \
	.min = 0, .max = SCHEMA_SECOND_PS, .check = cable_from_delay, .form = &schema_form_delay
#define SCHEMA_LENGTH                                                      \
	.min = 0, .max = INT64_C(198000000000), .check = delay_from_cable, \
	.form = &schema_form_cable, .excludes = "delay"
decode_custom cable_from_delay, delay_from_cable;

decode_custom decode_nodes;     // struct config: fabric.nodes
decode_custom decode_addresses; // struct config_tenant (decode_tenant.c)
decode_custom decode_borders;   // struct config_tenant
decode_custom check_endpoint;   // the name of a struct config_endpoint

// Notes which keys of a struct config_link_written stand in the file.
void check_written(struct decoder *d, const struct yaml_node *node, void *base);
// The keys of `links:` that are links' names. base: struct config.
void decode_named_links(struct decoder *d, const struct yaml_node *node, void *base);
extern const struct schema schema_node; // base struct config_node; {role: leaf}
extern const struct schema schema_via;  // base struct config_via

// What the keys of `topology:` make together (decode_topology.c); a kind `file` is read here. base:
// struct config.
void check_topology(struct decoder *d, const struct yaml_node *node, void *base);
