// SPDX-License-Identifier: BSD-3-Clause
// The values of a switch's settings that are not one plain word: maps of priorities, thresholds
// that exclude each other, lists. Their base is the struct their schema stands for.
#pragma once

#include "decode.h"

typedef void decode_custom(struct decoder *d, const struct schema_key *key,
			   const struct yaml_node *node, void *base);

decode_custom decode_alpha, decode_static; // into one struct config_limit
decode_custom decode_ecn;                  // {min, max, probability}, or off
decode_custom decode_trust, decode_priorities, decode_classes, decode_grades;
// Base struct switch_draft: the map and what `default:` in it says.
decode_custom decode_dscp_map, decode_pcp_map, decode_group_map, decode_class_map;

decode_custom decode_ports; // base struct switch_draft (decode_port.c)

// decode_routing.c. Base struct switch_draft.
decode_custom decode_eligible_dscps, decode_eligible_priorities; // a list, or any
decode_custom decode_utilisation;                                // off, on or a percentage
decode_custom decode_pins;                                       // a list, or none
decode_custom decode_notices;                                    // a map, or on or off

// decode_qos.c. A map, or on or off: a map is on unless it says `enabled: off`.
decode_custom decode_watchdog, decode_trim;
decode_custom decode_detect;                    // base struct config_watchdog
decode_custom decode_remark, decode_remark_map; // {dscp, pcp}, and one of the two; or none
decode_custom decode_histograms;                // a list, or none
decode_custom decode_histogram_place, decode_histogram_bound; // base struct config_histogram

// The value of a key that is a map of `schema`, whose bool `on` tells whether it applies, or the
// word on or off. `fresh`: no section has been there, so the map's own defaults come first.
void decode_switched(struct decoder *d, const struct schema *schema, const struct yaml_node *node,
		     void *base, bool *on, bool fresh);
// A list of dscp and pcp.
void decode_trust_list(struct decoder *d, const struct yaml_node *node, unsigned *count,
		       enum config_trust trust[static 2]);
// A map {from: to, ..., default: to} of numbers below from_count to 0..7.
void decode_number_map(struct decoder *d, const struct yaml_node *node, unsigned from_count,
		       uint8_t *to, struct schema_fallback *fallback);

void check_trim_size(struct decoder *d, const struct yaml_node *node, void *base);
// `detect` and `robustness` in one section: which would win?
void check_one_detect(struct decoder *d, const struct yaml_node *node, void *base);
// Which of queue, group and latency a histogram is of.
uint32_t select_histogram(struct decoder *d, const struct yaml_node *node, void *base);
// Where a pin stands (base struct config_pin).
void check_pin(struct decoder *d, const struct yaml_node *node, void *base);
// `alpha` and `static` in one section: which would win?
void check_one_limit(struct decoder *d, const struct yaml_node *node, void *base);

extern const struct schema schema_ecn;       // base struct config_ecn
extern const struct schema schema_watchdog;  // base struct config_watchdog
extern const struct schema schema_trim;      // base struct config_trim
extern const struct schema schema_remark;    // base struct config_remark
extern const struct schema schema_pin;       // base struct config_pin
extern const struct schema schema_notices;   // base struct config_notices
extern const struct schema schema_histogram; // base struct config_histogram
extern const struct schema schema_port;      // base struct port_draft; under `qos.ports`

// Forms that `qos:` and a port of it share.
extern const struct schema_form schema_form_trust, schema_form_dscp_map, schema_form_pcp_map,
	schema_form_remark;
