// SPDX-License-Identifier: BSD-3-Clause
// What the files of the schema share: schemas of maps within others, and what decodes and checks
// values that are not one plain word. Their base is the struct that their schema stands for.
#pragma once

#include "decode.h"
#include "encode.h"

typedef void decode_custom(struct decoder *d, const struct schema_key *key,
			   const struct yaml_node *node, void *base);

// ---- switches -----------------------------------------------------------------------------------

extern const struct schema schema_ecn;           // base struct config_ecn
extern const struct schema schema_credit;        // base struct switch_config
extern const struct schema schema_watchdog;      // base struct config_watchdog
extern const struct schema schema_llr;           // base struct config_llr
extern const struct schema schema_trim;          // base struct config_trim
extern const struct schema schema_remark;        // base struct config_remark
extern const struct schema schema_pin;           // base struct config_pin
extern const struct schema schema_notices;       // base struct config_notices
extern const struct schema schema_histogram;     // base struct config_histogram
decode_custom check_histograms;                  // struct switch_config: none twice
extern const struct schema schema_port;          // base struct config_port_qos; under `qos.ports`
extern const struct schema schema_port_watchdog; // the same; one port's
extern const struct schema schema_port_group;    // base struct config_group; one port's
extern const struct schema schema_port_class;    // base struct config_class; one port's

// What `qos:`, a port of it and `ipip:` share.
extern const struct schema_form schema_form_trust, schema_form_dscp_map, schema_form_pcp_map,
	schema_form_priority_map, schema_form_remark;
extern const struct schema_key schema_priority_item;
extern const struct schema schema_learn; // base struct config_learn

// ---- fabrics and tenants ------------------------------------------------------------------------

// Rows of a link's delay and cable, which set each other (decode_links.c).
#define SCHEMA_DELAY \
	.min = 0, .max = SCHEMA_SECOND_PS, .check = cable_from_delay, .form = &schema_form_delay
#define SCHEMA_LENGTH                                                      \
	.min = 0, .max = INT64_C(198000000000), .check = delay_from_cable, \
	.form = &schema_form_cable, .excludes = "delay"
decode_custom cable_from_delay, delay_from_cable;

decode_custom decode_nodes;   // struct config: fabric.nodes
decode_custom check_endpoint; // the name of a struct config_endpoint

// Notes which keys of a struct config_link_written stand in the file.
void check_written(struct decoder *d, const struct yaml_node *node, void *base);
// The keys of `links:` that are links' names. base: struct config.
void decode_named_links(struct decoder *d, const struct yaml_node *node, void *base);
extern const struct schema schema_node; // base struct config_node; {role: leaf}
extern const struct schema schema_via;  // base struct config_via

// What the keys of `topology:` make together (decode_topology.c); a kind `file` is read here. base:
// struct config.
void check_topology(struct decoder *d, const struct yaml_node *node, void *base);

// ---- attached hosts -----------------------------------------------------------------------------

extern const struct schema_form schema_form_address; // IPv4 or IPv6; of `ipip:` too
extern const struct schema schema_attach;            // base struct config_attach
decode_custom decode_attach_ip;                      // struct config_attach
bool encode_attach_ip(FILE *to, const struct schema_key *key, const void *base);
void check_attach(struct decoder *d, const struct yaml_node *node, void *base);

// ---- hosts --------------------------------------------------------------------------------------

extern const struct schema schema_stall; // base struct config_stall
extern const struct schema schema_storm; // base struct config_storm
// By enum congestion_kind; base: the algorithm's parameters.
extern struct schema schema_congestion[CONGESTION_KINDS];
extern const struct schema_choice schema_congestion_names[];
